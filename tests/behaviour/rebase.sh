#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `patches rebase --write` adds a variant for review, and keeps every comment of patch.yaml.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack
rm -r tree/*.dist-info; sed -i 's/# says it/# says it aloud/' tree/vllm/hello.py
run 1 "$sndr" patches verify --pack pack --vllm tree; has out 'drift: GN901'
run 0 "$sndr" patches rebase GN901 --pack pack --vllm tree --as-version 1.9; has out 'says it aloud'; hasnt pack/patches/GN901_greeting/patch.yaml aloud
run 0 "$sndr" patches rebase GN901 --pack pack --vllm tree --as-version 1.9 --write
for kept in '# written by hand' '# the first' 'says it aloud'; do has pack/patches/GN901_greeting/patch.yaml "$kept"; done
run 0 "$sndr" patches verify --pack pack --vllm tree; empty out
make_tree old 1.0; run 0 "$sndr" patches verify --pack pack --vllm old; empty out
run 0 "$sndr" patches rebase GN901 --pack pack --vllm tree; has err 'needs no new variant'
run 2 "$sndr" patches rebase P67 --vllm tree; has err 'sndr patches explain P67'
echo 'nothing = 0' >tree/vllm/hello.py
run 1 "$sndr" patches rebase GN901 --pack pack --vllm tree; empty out
