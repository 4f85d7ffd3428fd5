# SPDX-License-Identifier: Apache-2.0
"""Level engine: vLLM has the module, or it hasn't."""
import importlib.util
import sys

print("level: engine")
sys.exit(0 if importlib.util.find_spec("vllm.plugins.genesis_plugs_in") else 1)
