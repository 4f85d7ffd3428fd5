#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wheel.sh SNDR: the wheel installs with pip and gives sndr, genesis, python -m sndr and python -m sndr.cli.legacy.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
status=0
report() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; status=1; fi; }
wheel=$(python3 tools/build_wheel.py "$1" "$work") ; report $? "wheel builds"
again=$(python3 tools/build_wheel.py "$1" "$work/again"); cmp -s "$wheel" "$again"; report $? "wheel is reproducible"
python3 -m venv "$work/a venv"; report $? "venv with a blank in its path"
"$work/a venv/bin/python" -m pip install -q --no-index "$wheel"; report $? "pip install"
want=$("$1" --version)
for call in 'bin/sndr' 'bin/genesis' 'bin/python -m sndr' 'bin/python -m sndr.cli' 'bin/python -m sndr.cli.legacy'; do
  # shellcheck disable=SC2086  # the words of one call
  (cd "$work/a venv" && [ "$(./$call --version)" = "$want" ]); report $? "$call"
done
(cd "$work/a venv" && ./bin/python -m sndr.cli.legacy no-such-verb >/dev/null 2>&1; [ $? = 2 ]); report $? "exit codes pass through"
"$work/a venv/bin/python" -m pip uninstall -q -y sndr && [ ! -e "$work/a venv/bin/sndr" ]; report $? "pip uninstall"
exit $status
