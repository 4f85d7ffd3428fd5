#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/run.sh SECONDS [TARGET...]: builds the fuzz targets, runs each that long, prints one table and writes it to
# tests/fuzz/results.txt. Exit 1 if any input crashes, hangs or leaks; that input is named and kept under build/fuzz.
#
# A run begins with corpus/<target>/ and with what earlier runs on this machine found (build/fuzz/corpus/<target>/).
set -euo pipefail
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/fuzz
cd "$root"
mkdir -p "$build"
if ! { cmake --preset fuzz && cmake --build "$build" --target fuzz; } >"$build/build.log" 2>&1; then
  tail -n 40 "$build/build.log" >&2
  echo "the fuzz targets don't build: see $build/build.log" >&2
  exit 1
fi

targets=("$@")
[ ${#targets[@]} -gt 0 ] || for source in "$here"/*.cc; do targets+=("$(basename "$source" .cc)"); done

row='%-15s %12s %9s %9s %7s %8s\n'
table=$(mktemp)
trap 'rm -f "$table"' EXIT
{
  printf 'libFuzzer (%s), address and undefined-behaviour sanitizers, %s s a target, %s\n\n' \
    "$(clang-19 --version | sed -n '1s/.*version \([0-9.]*\).*/clang \1/p')" "$seconds" "$(date -u +%Y-%m-%d)"
  # shellcheck disable=SC2059
  printf "$row" target executions exec/s coverage corpus crashes
} >"$table"

crashes=0
for target in "${targets[@]}"; do
  grown=$build/corpus/$target
  found=$build/found/$target
  log=$build/$target.log
  mkdir -p "$grown" "$found"
  rm -f "$found"/*
  options=(-max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
           -artifact_prefix="$found/")
  [ -f "$here/dict/$target" ] && options+=(-dict="$here/dict/$target")
  "$build/fuzz_$target" "${options[@]}" "$grown" "$here/corpus/$target" >"$log" 2>&1 || true
  stat() { sed -n "s/^stat::$1: *//p" "$log"; }
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  corpus=$(sed -n 's/.* corp: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
  executions=$(stat number_of_executed_units)
  bad=$(find "$found" -type f | wc -l)
  # A target that did not get to its end without leaving an input is broken as well.
  [ -n "$executions" ] && grep -q 'Done' "$log" || bad=$((bad > 0 ? bad : 1))
  crashes=$((crashes + bad))
  # shellcheck disable=SC2059
  printf "$row" "$target" "${executions:--}" "$(stat average_exec_per_sec)" "${coverage:--}" "${corpus:--}" "$bad" >>"$table"
  if [ "$bad" -gt 0 ]; then
    grep -m 3 -E 'broken:|ERROR:|SUMMARY:' "$log" >&2 || tail -n 5 "$log" >&2
    find "$found" -type f >&2
  fi
done
cat "$table"
[ ${#targets[@]} -lt "$(find "$here" -name '*.cc' | wc -l)" ] || cp "$table" "$here/results.txt"
[ "$crashes" -eq 0 ]
