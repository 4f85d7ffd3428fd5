#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# At 60 columns no line of help or of the lists is longer, but for words that can't be broken.
. "$(dirname "$0")/lib.sh"
export COLUMNS=60
check() {
  run 0 "$sndr" "$@"
  python3 - "$*" <<'PY' || exit 1
import sys
for line in open("out", encoding="utf-8"):
    line = line.rstrip("\n")
    if len(line) > 60 and max(map(len, line.split())) < 25 and not line.lstrip().startswith("sndr "):
        sys.exit(f"{sys.argv[1]}: {len(line)} columns: {line}")
PY
}
check --help
check patches --help
check patches list
check patches explain PN91
check pins list
