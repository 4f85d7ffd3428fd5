# SPDX-License-Identifier: Apache-2.0
GENESIS_MARK = "GN901"


def register():
    print("GN901 is plugged in")
