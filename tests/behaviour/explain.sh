#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `patches explain` answers for every id and flag that v12 had; an unknown one is exit 2 with the nearest.
. "$(dirname "$0")/lib.sh"
run 0 "$sndr" patches list --all --json
python3 - "$sndr" <<'PY' || exit 1
import json, subprocess, sys
sndr, known = sys.argv[1], json.load(open("out"))
words = [w for p in known["patches"] for w in (p["id"], p["flag"], *p["aliases"], *p["covers"])]
words += [w for e in known["legacy"] for w in (e["id"], e["flag"], *e["aliases"])]
ids = {e["id"] for e in known["legacy"]} | {p["id"] for p in known["patches"]}
assert len(ids) >= 329, len(ids)
for word in words:
    done = subprocess.run([sndr, "patches", "explain", word], capture_output=True, text=True)
    if done.returncode != 0 or len(done.stdout) < 40 or done.stderr:
        sys.exit(f"{word}: exit {done.returncode}: {done.stdout}{done.stderr}")
print(len(words), "words answered")
PY
run 0 "$sndr" patches explain pn91; has out 'GENESIS_ENABLE_PN91_DEVELOPER_ROLE=1'
run 2 "$sndr" patches explain PN9999; empty out; has err "no patch is called 'PN9999'"
run 2 "$sndr" patches explain PN911; has err 'did you mean: '; has err PN91
