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
