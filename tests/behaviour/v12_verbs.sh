#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a v12 user types out of habit is answered with what to type here.
. "$(dirname "$0")/lib.sh"
run 2 "$sndr" patch list; has err 'the word is '
run 2 "$sndr" run prod-qwen3.6-27b-tq-k8v4; has err 'sndr up PRESET'; has err 'sndr run -- vllm serve'
run 2 "$sndr" patches plan prod-qwen3.6-27b-tq-k8v4; has err 'presets come in a later release'; has err '--enable'
run 2 "$sndr" engines list; has err 'sndr doctor'
run 2 "$sndr" up; has err "isn't in this release yet"
