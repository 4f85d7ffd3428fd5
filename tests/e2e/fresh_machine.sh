#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fresh_machine.sh bookworm|trixie [test]: ./setup run (and with `test` ./setup test) in a bare Debian root, from a clean
# checkout, as a new user would. The network and pip's settings of this machine are lent to the root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
suite=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/genesis
base=$cache/roots/$suite
[ -e "$base/etc/debian_version" ] || { mkdir -p "$cache/roots"; debootstrap --variant=minbase "$suite" "$base"; }
root=$(mktemp -d "$cache/fresh-XXXXXX")
leave() { umount "$root/proc" "$root/dev" 2>/dev/null || true; rm -rf --one-file-system "$root"; }
trap leave EXIT
cp -a "$base/." "$root/"
chmod 755 "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
for file in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  if [ -e "$file" ]; then mkdir -p "$root$(dirname "$file")"; cp -L "$file" "$root$file"; fi
done
for file in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || cp "$file" "$root/etc/apt/apt.conf.d/"; done
git clone -q . "$root/genesis"
inside() { chroot "$root" /usr/bin/env -i HOME=/home/new PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 \
  ${https_proxy:+https_proxy="$https_proxy"} ${http_proxy:+http_proxy="$http_proxy"} sh -c "cd /genesis && $1"; }
mkdir -p "$root/home/new"
inside './setup run'
echo "--- again: seconds, not minutes"
began=$SECONDS
inside './setup run' >/dev/null
echo "second run: $((SECONDS - began)) s"
[ $((SECONDS - began)) -le 20 ]
inside '/home/new/.local/bin/sndr --version && ./install.sh --uninstall --dry-run && ./install.sh --uninstall && [ ! -e /home/new/.local/bin/sndr ]'
if [ "${2:-}" = test ]; then inside './setup test'; fi
