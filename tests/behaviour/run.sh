#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh SNDR [NAME...]: every behaviour test on a built binary, one line each, then totals.
#
# A test is a script NAME.sh that takes the binary as $1 and checks one thing. It runs in a folder of its own with a
# clean environment and ends with 0; what it printed is shown where it doesn't. `lib.sh` has the few words they share.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { echo "usage: run.sh SNDR [NAME...]" >&2; exit 2; }
sndr=$(readlink -f "$1"); shift
[ -x "$sndr" ] || { echo "run.sh: $sndr isn't a program" >&2; exit 2; }
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for file in "$here"/*.sh; do
    name=$(basename "$file" .sh)
    case $name in run | lib) ;; *) names+=("$name") ;; esac
  done
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}
passed=0; failed=0; skipped=0
for name in "${names[@]}"; do
  work=$(mktemp -d)
  mkdir "$work/home"
  output=$(cd "$work" && env -i PATH="$PATH" LANG=C.UTF-8 HOME="$work/home" SNDR_HOME="$work/sndr home" XDG_CACHE_HOME="$cache" \
    timeout 120 bash "$here/$name.sh" "$sndr" 2>&1)
  status=$?
  rm -rf "$work"
  case $status in
    0) passed=$((passed + 1)); echo "ok $name" ;;
    77) skipped=$((skipped + 1)); echo "skip $name: $(tail -n 1 <<<"$output")" ;;
    *) failed=$((failed + 1)); echo "not ok $name (exit $status)"; tail -n 25 <<<"$output" | sed 's/^/    /' ;;
  esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
