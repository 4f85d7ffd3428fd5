# SPDX-License-Identifier: Apache-2.0
"""Python imports the first `sitecustomize` on its path when it starts, and only that one. This one
installs Genesis' finder and then lets Python find the one that it would have found without us
(Debian's, a tracer's), under its own name."""
import os
import sys


def _install(boot):
    try:
        import genesis_boot

        genesis_boot.install(os.environ.get("GENESIS_OVERLAY") or os.path.dirname(boot))
    except Exception as error:
        # Python would report this and go on, and vLLM would run without its patches.
        sys.stderr.write(
            "[Genesis] FAILED: the overlay's own files in %s can't be loaded (%s: %s). Start again"
            " with `sndr run`, which builds them anew.\n" % (boot, type(error).__name__, error)
        )
        sys.stderr.flush()
        os._exit(1)


def _chain(boot):
    """Imports the next sitecustomize. What it raises is Python's to report, as ever."""
    ours = sys.modules.pop("sitecustomize")
    path = sys.path[:]
    sys.path[:] = [entry for entry in path if os.path.abspath(entry) != boot]
    without = sys.path[:]
    try:
        import sitecustomize  # noqa: F401  (another one: this folder is off the path)
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours
    finally:
        # Back where it was, in front of whatever the other one did to the path.
        sys.path[:] = path if sys.path == without else [boot] + sys.path


_boot = os.path.dirname(os.path.abspath(__file__))
_install(_boot)
_chain(_boot)
