#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --json: stdout is one JSON document and nothing else, whatever is said on stderr.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack
export GENESIS_ENABLE_P67=1 GENESIS_ENABLE_GN901_GREETING=1
checked() { run "$@"; json out 'isinstance(d, dict)' >/dev/null || { cat out; die "no JSON: $*"; }; }
checked 0 "$sndr" version --json
checked 0 "$sndr" --json pins list
checked 0 "$sndr" patches list --json --all
checked 0 "$sndr" patches explain PN91 --json
checked 0 "$sndr" env check --json
checked 0 "$sndr" patches plan --json --pack pack --vllm tree
checked 0 "$sndr" patches verify --json --pack pack --vllm tree
checked 0 "$sndr" patches prove --all --json --pack pack --vllm tree
checked 0 "$sndr" apply --json --pack pack --vllm tree
checked 0 "$sndr" overlay list --json
checked 0 "$sndr" overlay gc --json
checked 0 "$sndr" status --json
checked 0 "$sndr" hook status --vllm tree --json
checked 0 "$sndr" doctor --json --pack pack --vllm tree
checked 0 "$sndr" revert --json --vllm tree
