#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names of the environment: short forms, typing errors and other prefixes get the right full name.
. "$(dirname "$0")/lib.sh"
GENESIS_ENABLE_P67=1 run 0 "$sndr" env check; has err GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL
GENESIS_ENABLE_P61B_STREAMING_OVRLAP=1 run 0 "$sndr" env check; has err GENESIS_ENABLE_P61B_STREAMING_OVERLAP
SNDR_ENABLE_PN91_DEVELOPER_ROLE=1 run 0 "$sndr" env check; has out PN91; has err note:
SNDR_ENABLE_P62=1 run 0 "$sndr" env check; has err GENESIS_ENABLE_P62_STRUCT_OUT_SPEC_TIMING
GENESIS_ENABLE_P67=1 run 2 "$sndr" env check --strict-env
GENESIS_ENABLE_PN91_DEVELOPER_ROLE=maybe run 2 "$sndr" env check; has err 'maybe'
run 0 "$sndr" env check; empty err
make_tree tree 1.0
for verb in apply 'run --dry-run' 'patches plan'; do
  # shellcheck disable=SC2086  # words of one verb
  GENESIS_ENABLE_P67=1 run 2 "$sndr" $verb --strict-env --vllm tree -- true
  has err GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL
done
