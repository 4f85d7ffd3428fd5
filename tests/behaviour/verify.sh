#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `patches verify` judges any number of trees by their text; one line per drift, what changed on stderr.
. "$(dirname "$0")/lib.sh"
make_tree one 1.0; make_tree two 9.9; make_pack pack; export SNDR_PACK=$PWD/pack
run 0 "$sndr" patches verify --vllm one two; empty out; has err '2 intact'
run 0 "$sndr" patches verify one --vllm two; empty out
rm -r two/*.dist-info; sed -i 's/"hello " + name/"hallo " + name/' two/vllm/hello.py
run 1 "$sndr" patches verify --vllm one --vllm two
is "$(cat out)" 'drift: GN901 hello.py:2'
has err '[-'; has err '+}'; has err 'sndr patches rebase'
run 1 "$sndr" patches verify --vllm two --json; is "$(json out 'd["trees"][0]["drift"][0]["line"]')" 2
echo "# upstream's own fix" >>two/vllm/hello.py
run 0 "$sndr" patches verify --vllm two; has err '1 retired'
rm two/vllm/hello.py
run 1 "$sndr" patches verify --vllm two; grep -qE '^drift: GN901 hello.py:0$' out || die "$(cat out)"
run 2 "$sndr" patches verify --vllm no/such/folder
run 2 "$sndr" patches verify 0.0.1; has err 'no tree of vLLM 0.0.1 is in the cache'
