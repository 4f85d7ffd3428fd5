#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A hook whose sndr moved away is stale: `status` says so, and `install` writes it anew.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0
cp "$sndr" ./old-sndr
run 0 ./old-sndr hook install --vllm tree
run 1 "$sndr" hook status --vllm tree; has out 'it calls another sndr'
rm old-sndr
run 1 "$sndr" hook status --vllm tree; has out 'old-sndr is gone'
run 0 "$sndr" hook install --vllm tree; run 0 "$sndr" hook status --vllm tree; has out installed
