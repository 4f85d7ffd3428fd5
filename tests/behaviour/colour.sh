#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No colour in files and under NO_COLOR; on a terminal there is some.
. "$(dirname "$0")/lib.sh"
run 0 "$sndr" patches list; hasnt out $'\e'
on_terminal() { python3 - "$@" <<'PY'
import os, pty, sys
out = bytearray()
def read(fd):
    data = os.read(fd, 65536)
    out.extend(data)
    return b""
pty.spawn(sys.argv[1:], read)
sys.stdout.buffer.write(out)
PY
}
export TERM=xterm
on_terminal "$sndr" patches list >out; has out $'\e['
NO_COLOR=1 on_terminal "$sndr" patches list >out; hasnt out $'\e['; has out PN91
TERM=dumb on_terminal "$sndr" patches list >out; hasnt out $'\e['
