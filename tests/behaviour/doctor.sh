#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `doctor`: which vLLM and how it was found, its foreign files, drift, and exit 1 if an enabled patch would fail.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
run 0 "$sndr" doctor --vllm tree; has out 'vllm 1.0'; has out 'pristine'; has out 'no drift'; has out ready
GENESIS_ENABLE_P67=1 run 0 "$sndr" doctor --vllm tree; has out GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL
run 0 "$sndr" doctor --vllm tree --fake-gpus 2x3090 --json; is "$(json out 'len(d["gpu"]["gpus"]), d["gpu"]["gpus"][0]["compute_capability"]')" "(2, '8.6')"
sed -i 's/"hello "/"hallo "/' tree/vllm/hello.py
run 0 "$sndr" doctor --vllm tree; has out "hello.py isn't vLLM's own text"; has out 'drifted: GN901 hello.py:2'; has out '--force-reinstall'
run 1 "$sndr" doctor --vllm tree --enable GN901; has out 'GN901 would fail'; has out 'not ready'
run 1 "$sndr" doctor --vllm tree --enable GN901 --json; is "$(json out 'd["ready"], d["vllm"]["pristine"]')" '(False, False)'
sed -i '1i # [Genesis wiring marker: P1 x]' tree/vllm/inner/deep.py
run 0 "$sndr" doctor --vllm tree; has out 'patched by Genesis v12'
env -u VIRTUAL_ENV PATH=/nonexistent "$sndr" doctor >out 2>err; is $? 1; has out 'not ready'; has out GPU
