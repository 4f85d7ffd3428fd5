#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `run` sets the flags of default_on patches that the environment doesn't set itself, and says so in one line.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack PYTHONPATH=$PWD/tree
sed -i '/^implementation/a default_on: true' pack/patches/GN901_greeting/patch.yaml
run 0 "$sndr" run --vllm tree -- env; has out 'GENESIS_ENABLE_GN901_GREETING=1'; hasnt out GN902
is "$(grep -c default_on err)" 1; has err GENESIS_ENABLE_GN901_GREETING; has err '[APPLY] 1'
run 0 "$sndr" run --no-defaults --vllm tree -- env; hasnt out GN901; hasnt err default_on
GENESIS_ENABLE_GN901_GREETING=0 run 0 "$sndr" run --vllm tree -- env; has out 'GENESIS_ENABLE_GN901_GREETING=0'; has err '[APPLY] 0'
run 0 "$sndr" apply --vllm tree; empty out
