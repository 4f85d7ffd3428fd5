#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `overlay list` and `gc`: what there is, and the least recently used away.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
run 0 "$sndr" overlay list; empty out; has err 'no overlays'
first=$("$sndr" apply --vllm tree --enable GN901 2>/dev/null); sleep 1.1
second=$("$sndr" apply --vllm tree --enable GN902 2>/dev/null)
run 0 "$sndr" overlay list; has out GN901; has out GN902; has out "$(basename "$first" | cut -c1-8)"
run 0 "$sndr" overlay gc --keep 1 --dry-run; has out 'would remove'; [ -d "$first" ] || die "--dry-run removed it"
run 0 "$sndr" overlay gc --keep 1; has out '1 of'
[ ! -d "$first" ] || die "the old one is still there"; [ -d "$second" ] || die "the new one is gone"
run 2 "$sndr" overlay gc --keep some; has err "--keep takes a number, not 'some'"
