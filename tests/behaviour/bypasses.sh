#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the hook can't reach is said before the start.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack GENESIS_ENABLE_GN901_GREETING=1
dry() { run 0 "$sndr" run --no-defaults --dry-run --vllm tree -- "$@"; }
dry true; hasnt err warning
VLLM_USE_RUST_FRONTEND=1 dry python3 -m vllm.entrypoints.openai.api_server --model m; has err 'VLLM_USE_RUST_FRONTEND'
VLLM_USE_RUST_FRONTEND=0 dry python3 -m vllm.entrypoints.openai.api_server --model m; hasnt err 'VLLM_USE_RUST_FRONTEND'
dry python3 -I -m vllm.entrypoints.openai.api_server --model m; has err 'python -I'
dry python3 -m vllm.entrypoints.openai.api_server --model m --distributed-executor-backend ray; has err 'Ray'
