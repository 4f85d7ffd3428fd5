#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `patches prove`: a proof has to show the bug on stock and pass with the patch; anything else isn't a proof.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
proof=pack/patches/GN901_greeting/proof.py
run 0 "$sndr" patches prove GN901 --vllm tree; has out 'proved GN901'; has out 'hello you'; has out 'good day you'; has out 'level engine'
echo 'raise SystemExit(0)' >$proof; run 1 "$sndr" patches prove GN901 --vllm tree; has out 'NOT PROVED GN901: stock ended with 0 (1 is expected)'
echo 'raise SystemExit(1)' >$proof; run 1 "$sndr" patches prove GN901 --vllm tree; has out 'with the patch with 1 (0 is expected)'
printf 'print("no torch here")\nraise SystemExit(2)\n' >$proof; run 1 "$sndr" patches prove GN901 --vllm tree; has out "can't run GN901: no torch here"
rm -r tree/*.dist-info; echo "# upstream's own fix" >>tree/vllm/hello.py; run 0 "$sndr" patches prove GN901 --vllm tree; has out 'not needed GN901'
run 2 "$sndr" patches prove --vllm tree; has err 'ID, or --all'
run 2 "$sndr" patches prove GN999 --vllm tree
