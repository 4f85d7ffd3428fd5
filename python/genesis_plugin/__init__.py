# SPDX-License-Identifier: Apache-2.0
"""The vLLM plugin `genesis`. vLLM calls register() in every process that it makes."""
import importlib
import json
import os
import sys


def register():
    """Runs the patches that work through vLLM's own registries, then says which patched modules this
    process loaded from somewhere else: something imported them before the hook was in place."""
    overlay = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(overlay, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    for plugin in manifest.get("plugins", []):
        module, _, function = plugin.partition(":")
        getattr(importlib.import_module(module), function)()
    finder = getattr(sys.modules.get("genesis_boot"), "finder", None)
    if finder and finder.overlay:
        finder.overlay.executed(__name__, [patch["id"] for patch in manifest["patches"] if not patch["files"]])
    strays = stray_modules(overlay, manifest)
    if strays:
        sys.stderr.write(
            "[Genesis] NOT live in process %d: %s. Something imported vLLM before the hook: see"
            " `sndr doctor`.\n" % (os.getpid(), ", ".join(strays))
        )
        sys.stderr.flush()


def stray_modules(overlay, manifest):
    strays = []
    for name, entry in sorted(manifest["modules"].items()):
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if file and not os.path.samefile(file, os.path.join(overlay, entry["file"])):
            strays.append("%s (%s)" % (name, file))
    return strays
