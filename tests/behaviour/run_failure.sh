#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An enabled patch that fails stops the start; --keep-going starts without it and says so.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
rm -r tree/*.dist-info
sed -i 's/"hello "/"hallo "/' tree/vllm/hello.py
export GENESIS_ENABLE_GN901_GREETING=1
run 1 "$sndr" run --no-defaults --vllm tree --as-version 1.0 -- touch started
[ ! -e started ] || die "it was started"
has err '[Genesis] FAILED: GN901'; has err '--keep-going'
run 0 "$sndr" run --no-defaults --vllm tree --as-version 1.0 --keep-going -- touch started
[ -e started ] || die "it wasn't started"
has err '[Genesis] FAILED: GN901'
