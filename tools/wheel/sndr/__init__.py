# SPDX-License-Identifier: Apache-2.0
"""The `sndr` program as a Python package: it carries the binary, and `python -m sndr` starts it."""
import os
import sys
import sysconfig


def binary():
    """The path of the `sndr` binary that came with this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [sysconfig.get_path("scripts")]
    # `pip install --user` and `--target` put scripts elsewhere; the wheel's own RECORD knows where.
    try:
        from importlib.metadata import distribution
        places += [os.path.dirname(str(f.locate())) for f in distribution("sndr").files or [] if f.name == "sndr" and "bin" in str(f)]
    except Exception:  # no metadata: only the places below are left
        pass
    places += [os.path.join(os.path.dirname(here), "bin"), os.path.join(here, "bin")]
    for place in places:
        path = os.path.realpath(os.path.join(place, "sndr"))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise SystemExit("sndr: the binary is missing from this installation: pip install --force-reinstall sndr")


def main():
    path = binary()
    os.execv(path, [path] + sys.argv[1:])
