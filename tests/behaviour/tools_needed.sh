#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Verbs that need no tree work where there is no home, no vLLM and no Python.
. "$(dirname "$0")/lib.sh"
bare() { env -i PATH=/nonexistent HOME=/nonexistent "$sndr" "$@"; }
for verb in --version 'patches list' 'patches explain PN91' 'pins list' 'env check' 'overlay list' status 'completion bash' --help; do
  # shellcheck disable=SC2086  # words of one verb
  run 0 bare $verb
done
