#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# trees.sh SNDR: the main job on four real vLLM releases, each with every flag set: nothing fails, the overlay compiles,
# not one byte of the tree changes; `patches verify` sees no drift, and sees the drift that we make.
set -uo pipefail
sndr=$(readlink -f "$1")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/genesis
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export SNDR_HOME=$work/home
status=0
report() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; status=1; fi; }
sums() { (cd "$1" && find . -type f ! -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }
command=(vllm serve Qwen/Qwen3.6-27B --kv-cache-dtype turboquant_k8v4 --tensor-parallel-size 2 --enable-auto-tool-choice
         --tool-call-parser qwen3_coder --reasoning-parser qwen3)
facts=(--fake-gpus 2x3090 --assume model_family=qwen3_5 --assume platform=cuda)

for name in $(env | grep -oE '^(GENESIS|SNDR)_[A-Z0-9_]+' | grep -v '^SNDR_HOME$'); do unset "$name"; done
flags=$("$sndr" patches list --json | python3 -c 'import json, sys
print("\n".join(p["flag"] for p in json.load(sys.stdin)["patches"]))')
for flag in $flags; do export "$flag=1"; done
echo "# $(wc -w <<<"$flags") flags set"

trees=()
for version in 0.22.1 0.24.0 0.32.0 0.33.0; do
  tree=$cache/trees/vllm-$version
  trees+=("$tree")
  sums "$tree" >"$work/before"
  overlay=$("$sndr" apply --vllm "$tree" "${facts[@]}" -- "${command[@]}" 2>"$work/log"); report $? "$version: apply"
  cat "$work/log"
  grep -qE '^\[Genesis\] \[APPLY\] [1-9][0-9]*  \[SKIP\] [0-9]+  \[FAIL\] 0 ' "$work/log"; report $? "$version: something applies, nothing fails"
  ! grep -E 'skipped: .*unknown' "$work/log"; report $? "$version: no gate was left unanswered"
  [ -d "$overlay/vllm" ] && python3 -m compileall -q -f "$overlay/vllm"; report $? "$version: the overlay compiles"
  again=$("$sndr" apply --vllm "$tree" "${facts[@]}" -- "${command[@]}" 2>/dev/null); [ "$again" = "$overlay" ]; report $? "$version: the same overlay again"
  sums "$tree" >"$work/after"; cmp -s "$work/before" "$work/after"; report $? "$version: not one byte of the tree changed"
done

"$sndr" patches verify --vllm "${trees[@]}" >"$work/verify" 2>&1; report $? "patches verify: no drift on the four trees"
cat "$work/verify"

# A release that moved the text under a patch.
mkdir -p "$work/moved"; cp -r "${trees[1]}/vllm" "$work/moved/vllm"
sed -i 's/_validate_logits_processors(model_config)/_check_logits_processors(model_config)/' "$work/moved/vllm/sampling_params.py"
"$sndr" patches verify --vllm "$work/moved" >"$work/drift" 2>"$work/detail"; [ $? = 1 ]; report $? "patches verify: exit 1 on a tree whose text moved"
grep -qE '^drift: [A-Z0-9a-z]+ [a-z_/0-9]+\.py:[0-9]+$' "$work/drift"; report $? "patches verify: one line per drift"
cat "$work/drift"
exit $status
