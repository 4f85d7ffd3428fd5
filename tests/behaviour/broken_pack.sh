#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A pack with errors: all of them at once, each with file, line and column; exit 2.
. "$(dirname "$0")/lib.sh"
make_pack pack
sed -i 's/^mechanism: text/mechanism: magic/' pack/patches/GN901_greeting/patch.yaml
sed -i 's/^title:.*/titel: x/' pack/patches/GN902_deeper/patch.yaml
run 2 "$sndr" patches list --pack pack; empty out
grep -qE 'GN901_greeting/patch.yaml:[0-9]+:[0-9]+: ' err || { cat err; die "no place for GN901"; }
grep -qE 'GN902_deeper/patch.yaml:[0-9]+:[0-9]+: ' err || { cat err; die "no place for GN902"; }
has err magic; has err titel
