#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `apply --in-place` and `revert`: patched in the tree, and every byte, mode and time of it back again.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
chmod 640 tree/vllm/hello.py
state() { (cd tree && find . -type f -printf '%p %m %s\n' -exec sha256sum {} + | sort); }
state >before
run 0 "$sndr" apply --in-place --vllm tree --enable GN901; has err 'in place'; has tree/vllm/hello.py 'good day'
run 0 "$sndr" doctor --vllm tree; has out 'sndr revert'
run 0 "$sndr" revert --vllm tree; state | cmp -s - before || { diff before <(state); die "the tree isn't as it was"; }
run 0 "$sndr" revert --vllm tree; has out 'nothing to do'
