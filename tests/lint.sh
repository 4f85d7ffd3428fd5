#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What can be seen without running anything: format, file lengths, shell, stale generated pages, words that don't belong.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
status=0
check() {  # check NAME COMMAND...
  local name=$1; shift
  local out
  if out=$("$@" 2>&1); then echo "ok $name"; else printf '%s\nnot ok %s\n' "$out" "$name"; status=1; fi
}
sources() { git ls-files 'src/*.cc' 'src/*.h' 'tests/*.cc' 'tests/*.h'; }

format() { sources | xargs clang-format-19 --dry-run -Werror; }
lengths() {  # past 450 lines a second look, past 500 it is split
  local bad
  bad=$(git ls-files src kernels web/src | grep -E '\.(cc|h|cu|cuh|ts|tsx|js|css)$' | xargs -r wc -l | awk '$2 != "total" && $1 > 500 {print $2 ": " $1 " lines, the limit is 500"}')
  [ -z "$bad" ] || { echo "$bad"; return 1; }
}
shells() {
  git ls-files | while IFS= read -r f; do
    if [ -f "$f" ] && head -n1 "$f" | grep -qE "^#!.*\\b(ba)?sh"; then echo "$f"; fi
  done | xargs shellcheck -x
}
licences() {
  local bad
  bad=$(sources | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || true)
  [ -z "$bad" ] || { echo "no SPDX line: $bad"; return 1; }
}
words() {  # no path of a machine, no registry's host name
  ! git grep -nE '/work/(main|shared)|/root/|pythonhosted|//(www\.)?pypi\.org|registry\.npmjs|deb\.debian\.org' -- . ':!tests/lint.sh' ':!LICENSE'
}
generated() { build/release/sndr docs generate --check; }
python_compiles() { python3 -m compileall -q python tools tests pack; }

check format format
check lengths lengths
check shellcheck shells
check licences licences
check words words
check python python_compiles
check generated-docs generated
exit $status
