# SPDX-License-Identifier: Apache-2.0
"""Level engine: the mark is there, or it isn't."""
import sys

import vllm.plugins

print("level: engine")
sys.exit(0 if getattr(vllm.plugins, "GENESIS_MARK", "") == "GN900" else 1)
