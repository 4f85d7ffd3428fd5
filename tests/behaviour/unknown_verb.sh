#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A word that is no verb: exit 2, the nearest one on stderr, nothing on stdout.
. "$(dirname "$0")/lib.sh"
run 2 "$sndr" docter; empty out; has err "unknown verb 'docter'"; has err 'did you mean: sndr doctor'
run 2 "$sndr" patches explian PN91; empty out; has err 'did you mean: sndr patches explain'
run 2 "$sndr" patches; empty out; has err 'see: sndr patches --help'
run 2 "$sndr" patches list --jsn; has err 'did you mean: --json'
run 2 "$sndr" patches explain; has err 'for example: sndr patches explain PN91'
