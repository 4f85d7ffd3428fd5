# SPDX-License-Identifier: Apache-2.0
"""`python3 -m sndr.cli.legacy VERB`, as people's scripts have it: there is one command line now."""
from sndr import main

if __name__ == "__main__":
    main()
