#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `hook install` patches every start of that environment by its flags; `remove` takes exactly its files away.
. "$(dirname "$0")/lib.sh"
python3 -m venv --without-pip venv || skip "no venv here"
site=$(venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
make_tree "$site" 1.0; make_pack pack; export SNDR_PACK=$PWD/pack
find "$site" | sort >before
say() { venv/bin/python -c 'from vllm import hello; print(hello.hello("you"))'; }
run 0 "$sndr" hook install --python venv/bin/python; has out "$site"
run 0 "$sndr" hook status --python venv/bin/python; has out ': installed, calls '
is "$(say)" 'hello you'
is "$(GENESIS_ENABLE_GN901_GREETING=1 say 2>err)" 'good day you'; has err 'applied: GN901'; has err 'live: 1 of 1'
run 0 "$sndr" hook install --vllm "$site"
echo '# mine' >>"$site/_sndr_hook.py"
run 1 "$sndr" hook status --python venv/bin/python; has out 'somebody edited _sndr_hook.py'
run 1 "$sndr" hook remove --python venv/bin/python; has err '--force'; [ -e "$site/_sndr_hook.py" ] || die "it was removed"
run 1 "$sndr" hook install --python venv/bin/python
run 0 "$sndr" hook remove --python venv/bin/python --force
find "$site" -name __pycache__ -prune -o -print | sort >after; find "$site" -name '_sndr_hook*' | grep . && die "something is left"
cmp -s before after || { diff before after; die "the environment isn't as it was"; }
run 0 "$sndr" hook remove --python venv/bin/python; has out 'nothing to do'
run 0 "$sndr" hook status --python venv/bin/python --quiet; empty out
