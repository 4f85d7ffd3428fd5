#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The zsh and fish scripts load in their shells and complete a verb.
. "$(dirname "$0")/lib.sh"
run 0 "$sndr" completion zsh; cp out _sndr
run 0 "$sndr" completion fish; cp out sndr.fish
mkdir bin; ln -s "$sndr" bin/sndr; PATH=$PWD/bin:$PATH
seen=0
if command -v zsh >/dev/null; then
  zsh -n _sndr || die "zsh can't read it"
  seen=1
fi
if command -v fish >/dev/null; then
  is "$(fish --no-config -c 'source sndr.fish; complete -C "sndr patches expl"' | cut -f1)" explain
  is "$(fish --no-config -c 'source sndr.fish; complete -C "sndr doct"' | cut -f1)" doctor
  fish --no-config -c 'source sndr.fish; complete -C "sndr patches explain --"' | grep -qF -- --json || die "no option"
  fish --no-config -c 'source sndr.fish; complete -C "sndr patches explain PN9"' | grep -qw PN91 || die "no id"
  seen=1
fi
[ $seen = 1 ] || skip "neither zsh nor fish is here"
run 2 "$sndr" completion tcsh; has err 'bash, zsh or fish'
