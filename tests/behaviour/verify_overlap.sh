#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two patches that claim the same bytes are found without enabling them, unless they name each other as conflicts.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
cp -r pack/patches/GN901_greeting pack/patches/GN903_second
sed -i 's/GN901/GN903/; s/GREETING/SECOND/' pack/patches/GN903_second/patch.yaml
run 1 "$sndr" patches verify --vllm tree; grep -qE '^overlap: GN901 GN903 hello.py:[0-9]+$' out || die "$(cat out)"
sed -i '/^implementation/a conflicts: [GN901]' pack/patches/GN903_second/patch.yaml
run 0 "$sndr" patches verify --vllm tree; empty out
