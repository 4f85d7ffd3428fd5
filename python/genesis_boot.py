# SPDX-License-Identifier: Apache-2.0
"""Waits for `import vllm`, then hands every import below it to genesis_overlay.

This file runs at the start of every Python process that inherits the environment, most of which
never see vLLM. So it imports nothing that isn't loaded already; what costs time (json, the manifest,
the loader) stands in genesis_overlay.py, which is read when the name `vllm` comes up.
"""
import os
import sys

finder = None


class Finder:
    """Stands first in sys.meta_path and answers for `vllm` and what lies below it."""

    def __init__(self, path):
        self.path = path
        self.overlay = None

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "vllm" and not fullname.startswith("vllm."):
            return None
        if self.overlay is None:
            self.overlay = _overlay_module(self.path).Overlay(self.path, self)
        return self.overlay.find_spec(fullname, path, target)


def install(path):
    """Puts the finder for the overlay at `path` in place and returns it. A second call, from the
    other of the two hooks, changes nothing."""
    global finder
    if finder is None and not disabled():
        finder = Finder(path)
        sys.meta_path.insert(0, finder)
        if os.environ.get("GENESIS_MAIN_PID") == str(os.getpid()):
            import atexit

            atexit.register(_at_exit)
    return finder


def disabled():
    return os.environ.get("GENESIS_DISABLE", "").strip().lower() in ("1", "true", "yes", "on")


def _at_exit():
    # Registered in the main process; a child that it forks inherits the registration.
    if os.environ.get("GENESIS_MAIN_PID") == str(os.getpid()):
        _overlay_module(finder.path).report(finder.path)


def _overlay_module(path):
    """genesis_overlay, from beside this file whatever the program has done to sys.path since."""
    module = sys.modules.get("genesis_overlay")
    if module is None:
        from importlib import util

        file = os.path.join(path, "boot", "genesis_overlay.py")
        spec = util.spec_from_file_location("genesis_overlay", file)
        module = util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules["genesis_overlay"] = module
    return module
