#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `apply` builds one overlay beside an untouched tree, prints its path, and finds it again.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
sums() { (cd tree && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
sums >before
run 0 "$sndr" apply --vllm tree --enable GN901
overlay=$(cat out); [ -d "$overlay/vllm" ] || die "no overlay at '$overlay'"
has "$overlay/vllm/hello.py" 'good day'
has err '[INFO:genesis.apply_all] [Genesis] applied: GN901 The greeting patch'
has err '[INFO:genesis.apply_all] [Genesis] skipped: GN902 (not enabled)'
has err "[Genesis] [APPLY] 1  [SKIP] 1  [FAIL] 0   overlay $(basename "$overlay" | cut -c1-8)   vllm 1.0"
run 0 "$sndr" apply --vllm tree --enable GN901; is "$(cat out)" "$overlay"
run 0 "$sndr" apply --vllm tree --enable GN901 --log-style tags; has err '[APPLY] GN901'; has err '[SKIP] GN902'
run 0 "$sndr" apply --vllm tree; empty out; has err '   stock   vllm 1.0'
sums | cmp -s - before || die "the tree changed"
