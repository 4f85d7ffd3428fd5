#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The watcher ends with its server: nothing of ours is left, and a reader of the log sees its end at once.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
mkdir -p bin; cat >bin/vllm <<'SH'
#!/bin/sh
sleep 0.3
SH
chmod +x bin/vllm; export PATH=$PWD/bin:$PATH GENESIS_ENABLE_GN901_GREETING=1
began=$(date +%s%N)
"$sndr" run --no-defaults --vllm tree -- vllm serve m --port 1 2>&1 | cat >log
spent=$((($(date +%s%N) - began) / 1000000))
[ $spent -lt 3000 ] || die "the pipe was held for $spent ms"
for file in /proc/[0-9]*/environ; do
  tr '\0' '\n' <"$file" 2>/dev/null | grep -qxF "SNDR_HOME=$SNDR_HOME" || continue
  one=$(basename "$(dirname "$file")")
  [ "$(readlink "/proc/$one/exe")" != "$sndr" ] || die "process $one is left"
done
