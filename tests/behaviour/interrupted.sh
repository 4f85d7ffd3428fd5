#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C ends with 130, and says nothing.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack
cat >pack/patches/GN901_greeting/proof.py <<'PY'
import time
time.sleep(30)
PY
python3 - "$sndr" <<'PY' || die "not 130"
import signal, subprocess, sys, time
call = subprocess.Popen([sys.argv[1], "patches", "prove", "GN901", "--pack", "pack", "--vllm", "tree"], stderr=subprocess.PIPE)
time.sleep(1)
call.send_signal(signal.SIGINT)
print(call.stderr.read().decode())
sys.exit(0 if call.wait(10) == 130 else 1)
PY
