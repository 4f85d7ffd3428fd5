#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# portable.sh SNDR: the release binary needs glibc alone, no symbol of it above 2.35, and runs in bare Debian 12 and 13
# roots (debootstrap's minimal base: libc6 and nothing that we link).
set -uo pipefail
sndr=$(readlink -f "$1")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/genesis
status=0
report() { if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; status=1; fi; }

highest=$(objdump -T "$sndr" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
echo "highest glibc symbol: $highest"
if [ "$(. /etc/os-release && echo "${VERSION_ID:-}")" = 12 ]; then
  [ "$(printf '%s\nGLIBC_2.35\n' "$highest" | sort -V | tail -n 1)" = GLIBC_2.35 ]; report $? "glibc symbols up to 2.35"
fi
"$sndr" --version --json | grep -qF "\"${highest#GLIBC_}\""; report $? "--version --json says $highest"
foreign=$(objdump -p "$sndr" | awk '$1 == "NEEDED" {print $2}' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so' || true)
[ -z "$foreign" ] || echo "needs: $foreign"
[ -z "$foreign" ]; report $? "needs nothing but glibc"

for suite in bookworm trixie; do
  root=$cache/roots/$suite
  if [ "$(id -u)" != 0 ]; then echo "# $suite: needs root for chroot, not run"; continue; fi
  if [ ! -e "$root/etc/debian_version" ]; then
    staged=$(mktemp -d "$cache/roots-XXXXXX")
    debootstrap --variant=minbase "$suite" "$staged" >"$staged.log" 2>&1 || { tail -n 5 "$staged.log"; report 1 "debootstrap $suite"; continue; }
    chmod 755 "$staged"; mkdir -p "$cache/roots"; mv "$staged" "$root"; rm -f "$staged.log"
  fi
  install -m 755 "$sndr" "$root/usr/local/bin/sndr"
  for call in '--version' 'patches list' 'patches explain PN91' 'pins list' 'doctor --help' 'completion bash'; do
    # shellcheck disable=SC2086  # the words of one call
    chroot "$root" /usr/local/bin/sndr $call >/dev/null; report $? "$suite: sndr $call"
  done
  rm -f "$root/usr/local/bin/sndr"
done
exit $status
