# SPDX-License-Identifier: Apache-2.0
"""`python3 -m sndr.cli`, as people's scripts have it."""
from sndr import main

main()
