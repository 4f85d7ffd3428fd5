#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `patches plan` says apply, skip or fail for every patch, with the reason; exit 1 if one would fail.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
plan() { run "$1" "$sndr" patches plan --vllm tree "${@:2}"; }
plan 0; has out 'not enabled'; has out '0 to apply'
plan 0 --enable GN901; grep -qE '^apply +GN901 ' out || die "$(cat out)"; has out '1 to apply, 1 to skip, 0 would fail'
plan 0 --enable "$ours" --enable gn902; has out '2 to apply'
GENESIS_ENABLE_GN901_GREETING=1 plan 0; has out '1 to apply'
GENESIS_ENABLE_GN901_GREETING=1 plan 0 --disable GN901; has out '0 to apply'
GENESIS_ENABLE_GN901_GREETING=1 GENESIS_DISABLE=1 plan 0; has out '0 to apply'
plan 2 --enable GN90; empty out; has err GN901
plan 0 --enable GN901 --as-version 3.0; has out 'verified up to'; has out '0 to apply'
plan 0 --enable GN901 --as-version 3.0 --try-newer; has out '1 to apply'
sed -i 's/"hello "/"hallo "/' tree/vllm/hello.py
plan 1 --enable GN901; grep -qE '^fail +GN901 ' out || die "$(cat out)"
plan 0 --enable GN902
