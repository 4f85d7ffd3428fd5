#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./install.sh [--prefix DIR] [--models-dir DIR] [--uninstall [--dry-run]]: `./setup install` under the name people look for.
exec "$(dirname "${BASH_SOURCE[0]}")/setup" install "$@"
