#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test but the slow ones (.ci/nightly), stage by stage. Ends with `N passed, N failed`.
#
#   tests/run.sh             all stages
#   tests/run.sh STAGE...    some of them: lint unit asan behaviour trees engine portable fuzz
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$here" || exit 1
logs=$here/build/test-logs
mkdir -p "$logs"
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}
export CCACHE_DIR=${CCACHE_DIR:-$XDG_CACHE_HOME/genesis/ccache}
export CCACHE_BASEDIR=$here CCACHE_NOHASHDIR=1  # a checkout elsewhere hits, too
cache=$XDG_CACHE_HOME/genesis
trees=(0.22.1 0.24.0 0.32.0 0.33.0)
passed=0; failed=0
FUZZ_SECONDS=${FUZZ_SECONDS:-30}

# Passes and failures are counted from the runners' own lines: ctest, unittest -v, and `ok NAME` / `not ok NAME`.
count() { grep -cE "$1" "$2" || true; }
stage() {  # stage NAME COMMAND...
  local name=$1; shift
  local log=$logs/$name.log began=$SECONDS status=0 good bad
  printf '%-10s ' "$name"
  "$@" >"$log" 2>&1 || status=$?
  good=$(count '^(ok |.*\.\.\. ok$|[ 0-9]+/[0-9]+ Test +#[0-9]+: .* Passed )' "$log")
  bad=$(count '^(not ok |.*\.\.\. (FAIL|ERROR)$|[ 0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*)' "$log")
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  if [ "$status" = 0 ] && [ "$good" = 0 ] && [ "$bad" = 0 ]; then bad=1; echo "not ok $name ran no test" >>"$log"; fi
  passed=$((passed + good)); failed=$((failed + bad))
  printf '%5d passed %3d failed %5d s\n' "$good" "$bad" $((SECONDS - began))
  if [ "$bad" != 0 ]; then
    grep -E '^(not ok |.*\.\.\. (FAIL|ERROR)$)|Test +#[0-9]+: .*\*\*\*' "$log" | head -n 20
    tail -n 40 "$log" | sed 's/^/    /'
    echo "    the whole output: build/test-logs/$name.log"
  fi
}

built() {  # built PRESET TARGET...
  local preset=$1; shift
  cmake --preset "$preset" -DSNDR_WERROR=ON && ninja -C "build/$preset" "$@"
}
unit() { built "$1" && ctest --preset "$1" -j "$(nproc)" --timeout 300; }
fetch_trees() {
  local version
  for version in "${trees[@]}"; do
    python3 tools/fetch_vllm.py "$version" "$cache/trees/vllm-$version" || return 1
  done
}

run_unit() { fetch_trees && unit release; }
run_asan() { unit asan; }
run_lint() { tests/lint.sh; }
run_behaviour() { tests/behaviour/run.sh "$here/build/release/sndr"; }
run_trees() { local bad=0; python3 tests/legacy_check.py || bad=1; tests/e2e/trees.sh "$here/build/release/sndr" || bad=1; return $bad; }
run_engine() {
  tests/e2e/make_engine.sh || return 1
  SNDR=$here/build/release/sndr python3 -m unittest -v tests.e2e.boot_test tests.e2e.engine_test
}
run_portable() { local bad=0; tests/e2e/portable.sh "$here/build/release/sndr" || bad=1; tests/e2e/wheel.sh "$here/build/release/sndr" || bad=1; return $bad; }
run_fuzz() {
  local status=0
  tests/fuzz/run.sh "$FUZZ_SECONDS" || status=$?
  awk 'NR > 3 && NF == 6 {print ($6 == 0 ? "ok " : "not ok ") "fuzz " $1}' tests/fuzz/results.txt
  return $status
}

stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(unit lint behaviour trees engine portable asan fuzz)
for name in "${stages[@]}"; do
  declare -F "run_$name" >/dev/null || { echo "tests/run.sh: no stage $name" >&2; exit 2; }
  stage "$name" "run_$name"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
