#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One failed patch: exit 1 and no overlay; --keep-going builds the others.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
rm -r tree/*.dist-info  # without a RECORD the change below is no damage but another vLLM
sed -i 's/DEPTH = 1/DEPTH = 7/' tree/vllm/inner/deep.py
run 1 "$sndr" apply --vllm tree --as-version 1.0 --enable GN901 --enable GN902
empty out; has err '[ERROR:genesis.apply_all] [Genesis] FAILED: GN902'; has err 'inner/deep.py'; has err '[FAIL] 1'; has err '--keep-going'
[ ! -e "$SNDR_HOME/overlays" ] || [ -z "$(ls -A "$SNDR_HOME/overlays")" ] || die "something was built"
run 0 "$sndr" apply --vllm tree --as-version 1.0 --enable GN901 --enable GN902 --keep-going
has "$(cat out)/vllm/hello.py" 'good day'
