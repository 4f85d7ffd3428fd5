#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `run` gives a Python process the patched module, the log before it, and what is live at its end, once.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack PYTHONPATH=$PWD/tree
cat >say.py <<'PY'
import os, sys
from vllm import hello
print(hello.hello("you"), os.path.basename(os.path.dirname(hello.__file__)), sys.argv[1:])
PY
GENESIS_ENABLE_GN901_GREETING=1 run 0 "$sndr" run --no-defaults --vllm tree -- python3 say.py a b
is "$(cat out)" "good day you vllm ['a', 'b']"
has err '[Genesis] applied: GN901 The greeting patch'
is "$(grep -c '^\[Genesis\] live: 1 of 1 in 1 process$' err)" 1
run 0 python3 say.py; is "$(cat out)" "hello you vllm []"
GENESIS_ENABLE_GN901_GREETING=1 GENESIS_ENABLE_GN902_DEEPER=1 run 0 "$sndr" run --no-defaults --vllm tree -- python3 say.py
has err 'live: 1 of 2 in 1 process'; has err 'vllm.inner.deep'
