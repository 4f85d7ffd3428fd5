#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `run --dry-run` prints a line that does the same when it is pasted into a shell.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack PYTHONPATH=$PWD/tree
GENESIS_ENABLE_GN901_GREETING=1 run 0 "$sndr" run --no-defaults --dry-run --vllm tree -- python3 -c 'from vllm import hello; print(hello.hello("it'"'"'s you"))'
is "$(wc -l <out)" 1
is "$(bash ./out)" "good day it's you"
GENESIS_ENABLE_GN901_GREETING=1 run 0 "$sndr" run --no-defaults --dry-run --vllm tree -- python3 -m vllm.entrypoints.openai.api_server --model m --additional-config '{"mine": 1}'
has out genesis_overlay; has out mine
