#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --print-overlay, which the .pth hook asks: the path alone, and nothing at all where nothing is enabled.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
run 0 "$sndr" apply --print-overlay --vllm tree -- vllm serve m; empty out; empty err
GENESIS_ENABLE_GN901_GREETING=1 run 0 "$sndr" apply --print-overlay --vllm tree -- vllm serve m
is "$(wc -l <out)" 1; [ -d "$(cat out)" ] || die "no folder: $(cat out)"
GENESIS_ENABLE_GN901_GREETING=1 GENESIS_DISABLE=1 run 0 "$sndr" apply --print-overlay --vllm tree -- vllm serve m; empty out
GENESIS_ENABLE_GN901_GREETING=perhaps run 2 "$sndr" apply --print-overlay --vllm tree -- vllm serve m; empty out
