#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A reader that goes away ends the program quietly; a full disk is an error.
. "$(dirname "$0")/lib.sh"
for _ in 1 2 3 4 5; do
  { "$sndr" patches list --all; echo "$?" >code; } 2>err | true
  is "$(cat code)" 0
  ! grep -qiE 'pipe|terminate|signal' err || { cat err; die "it speaks of the pipe"; }
done
[ -e /dev/full ] || skip "no /dev/full here"
"$sndr" patches list >/dev/full 2>err; is $? 1
has err 'cannot write the output: No space left on device'
