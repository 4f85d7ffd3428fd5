#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With nothing enabled `run` starts the command untouched: same words, same environment, same exit code and pid.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
env | grep -v '^_=' | sort >before
run 0 "$sndr" run --no-defaults --vllm tree -- env; grep -v '^_=' out | sort | cmp -s - before || { diff before <(sort out); die "the environment changed"; }
has err '   stock   vllm 1.0'
run 7 "$sndr" run --no-defaults --vllm tree -- sh -c 'exit 7'
run 0 "$sndr" run --no-defaults --vllm tree -- printf '%s|' 'a b' '' -- '*'; is "$(cat out)" 'a b||--|*|'
sh -c 'echo $$; exec "$0" run --no-defaults --vllm tree -- sh -c "echo \$\$"' "$sndr" >out 2>err
is "$(sed -n 1p out)" "$(sed -n 2p out)"
run 2 "$sndr" run -- no-such-program-here; has err "cannot find the program 'no-such-program-here'"
run 2 "$sndr" run; has err 'sndr run -- CMD'
sh -c '"$0" run --no-defaults --vllm tree -- sh -c "kill -PIPE \$\$"' "$sndr" 2>/dev/null; is $? 141
# What our parent ignores stays ignored, as it would without us.
sh -c 'trap "" PIPE INT; exec "$0" run --no-defaults --vllm tree -- sh -c "kill -PIPE \$\$; kill -INT \$\$; echo alive"' "$sndr" >out 2>/dev/null; is "$(cat out)" alive
# An engine that nobody will be told about starts all the same.
mkdir -p tree/vllm/entrypoints/openai; touch tree/vllm/entrypoints/__init__.py tree/vllm/entrypoints/openai/__init__.py tree/vllm/entrypoints/openai/api_server.py
: >not_a_folder; PYTHONPATH=$PWD/tree SNDR_HOME=$PWD/not_a_folder run 0 "$sndr" run --no-defaults --vllm tree -- python3 -m vllm.entrypoints.openai.api_server --model m
has err note:
