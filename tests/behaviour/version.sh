#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --version: one line; with --json the highest glibc symbol, which is at most 2.35.
. "$(dirname "$0")/lib.sh"
run 0 "$sndr" --version; grep -qE '^sndr [0-9]+\.[0-9]+\.[0-9]+$' out || die "$(cat out)"
run 0 "$sndr" version --json
is "sndr $(json out 'd["version"]')" "$("$sndr" --version)"
wanted=$(objdump -T "$sndr" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
is "GLIBC_$(json out 'd["glibc"]')" "$wanted"
