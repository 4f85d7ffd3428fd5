# SPDX-License-Identifier: Apache-2.0
from sndr import main

main()
