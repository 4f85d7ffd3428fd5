#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `patches new` writes a patch that the pack loads, and refuses names that it wouldn't.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack
run 0 "$sndr" patches new GN910 empty_stop --pack pack; is "$(cat out)" pack/patches/GN910_empty_stop
run 0 "$sndr" patches list --pack pack --ids; has out GN910
run 0 "$sndr" patches verify --pack pack --vllm tree; has err '1 elsewhere'
run 1 "$sndr" patches new GN910 other --pack pack; has err 'has a patch GN910 already'
run 0 "$sndr" patches new GN911_in_one_word --pack pack; is "$(cat out)" pack/patches/GN911_in_one_word
run 2 "$sndr" patches new gn912 x --pack pack
run 2 "$sndr" patches new GN912 'Not A Slug' --pack pack
run 2 "$sndr" patches new PX1 x --pack pack; has err 'GN and three digits'
run 2 "$sndr" patches new GN912 x --pack nowhere; has err "isn't a pack"
