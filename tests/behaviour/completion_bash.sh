#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The bash script completes verbs, families, options, values and ids.
. "$(dirname "$0")/lib.sh"
run 0 "$sndr" completion bash
mkdir bin; ln -s "$sndr" bin/sndr; PATH=$PWD/bin:$PATH
. ./out
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sndr; echo "${COMPREPLY[*]}"; }
is "$(complete_words sndr doc)" doctor
is "$(complete_words sndr patches pl)" plan
is "$(complete_words sndr patches explain --)" '--help --pack --json'
is "$(complete_words sndr patches explain PN9)" PN91
is "$(complete_words sndr completion z)" zsh
is "$(complete_words sndr apply --log-style t)" tags
mkdir a_folder
is "$(complete_words sndr doctor --vllm a_)" a_folder
complete_words sndr run -- py | grep -qw python3 || die "no commands after --"
