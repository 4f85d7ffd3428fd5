#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Help is data: stdout, exit 0, without colour in a file; bare `sndr` is help too.
. "$(dirname "$0")/lib.sh"
run 0 "$sndr"; cp out bare; empty err
for words in --help -h help; do run 0 "$sndr" $words; cmp -s out bare || die "sndr $words differs from bare sndr"; done
has out 'patches explain'
has out 'sndr run -- vllm serve'
run 0 "$sndr" patches --help; has out 'patches rebase'; hasnt out 'overlay gc'
run 0 "$sndr" help patches; has out 'patches rebase'
run 0 "$sndr" patches explain --help; has out 'sndr patches explain ID [OPTION...]'; has out '--json'
run 0 "$sndr" run --help -- anything; has out '[-- CMD...]'
hasnt bare $'\e'
