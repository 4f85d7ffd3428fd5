#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every benchmark on the release build; fails where a target isn't met.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
python3 bench/patching.py build/release/sndr --write
