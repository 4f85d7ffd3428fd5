# SPDX-License-Identifier: Apache-2.0
"""Written by `sndr hook install`; `sndr hook remove` takes it away. sndr_genesis.pth imports it when
Python starts.

It waits for the name `vllm`. Then `sndr apply` builds or finds the overlay for the patches that the
environment asks for, and the overlay's own finder takes over; children inherit the answer. With no
GENESIS_* or SNDR_* variable nothing is asked and vLLM stays as it is. A patch that was asked for is
never dropped in silence: where it can't be had, importing vLLM ends the process.
"""
import _thread
import os
import sys

SNDR = "@SNDR@"
ON = ("1", "true", "yes", "on")
OFF = ("", "0", "false", "no", "off")


class Hook:
    """A finder that finds nothing of its own. The first search for `vllm` sets it off."""

    def __init__(self):
        self.lock = _thread.RLock()  # one thread asks, the others wait for its answer
        self.asked = False
        self.problem = ""
        self.finder = None

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "vllm":
            return None
        with self.lock:
            if not self.asked:
                self.asked = True
                try:
                    self.finder = take_over()
                except Problem as problem:
                    self.problem = str(problem)
        if self.problem:
            from importlib.machinery import ModuleSpec

            return ModuleSpec(fullname, self, is_package=True)
        return self.finder and self.finder.find_spec(fullname, path, target)

    # Programs look for vLLM without importing it, so a problem waits for the import.
    def create_module(self, spec):
        sys.stderr.write("[Genesis] FAILED: %s\n" % self.problem)
        sys.stderr.flush()
        raise SystemExit(1)

    def exec_module(self, module):
        pass


class Problem(Exception):
    pass


def take_over():
    """Puts the overlay's finder in place and returns it, or None where vLLM is to stay stock."""
    if "genesis_boot" in sys.modules:  # `sndr run` came first, through sitecustomize
        return sys.modules["genesis_boot"].finder
    overlay = os.environ.get("GENESIS_OVERLAY")
    if overlay is None:
        overlay = ask_sndr()
        if overlay is None:
            return None
        os.environ["GENESIS_OVERLAY"] = overlay  # empty: children needn't ask again
        if overlay and "GENESIS_LIVE" not in os.environ:
            share_live_file(overlay)
    if not overlay:
        return None
    boot = os.path.join(overlay, "boot")
    for path in (overlay, boot, os.path.join(boot, "genesis_boot.py")):
        try:
            info = os.stat(path)
        except OSError as error:
            raise Problem("the overlay has lost %s (%s). Start again." % (path, error.strerror))
        if info.st_uid not in (0, os.geteuid()) or info.st_mode & 0o022:
            raise Problem("%s belongs to another user or can be written by others. Make it yours alone"
                          " (chown, chmod go-w), or set SNDR_HOME to a folder that is." % path)
    sys.path.append(boot)  # at the end: vLLM finds the plugin there, and nothing else is shadowed
    import genesis_boot

    return genesis_boot.install(overlay)


def ask_sndr():
    """The overlay's path, "" where nothing applies, None where nobody asked for anything."""
    names = [name for name in os.environ if name.startswith(("GENESIS_", "SNDR_"))]
    if not names:
        return None
    from importlib.util import find_spec

    stock = find_spec("vllm")
    if stock is None or not stock.origin:
        return None
    tree = os.path.dirname(os.path.dirname(stock.origin))
    if not os.access(SNDR, os.X_OK):
        wanted = [name for name in names if name.startswith(("GENESIS_ENABLE_", "SNDR_ENABLE_"))
                  and os.environ[name].strip().lower() not in OFF]
        advice = "Install Genesis again, or remove %s and sndr_genesis.pth beside it" % __file__
        if wanted:
            raise Problem("%s asks for a patch, but %s is gone. %s." % (wanted[0], SNDR, advice))
        sys.stderr.write("[Genesis] warning: %s is gone; vLLM runs unpatched. %s.\n" % (SNDR, advice))
        sys.stderr.flush()
        return None
    import subprocess

    command = [SNDR, "apply", "--print-overlay", "--vllm", tree, "--"] + command_line()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise Problem("`sndr apply` ended with %d; what it says stands above. vLLM isn't started without a patch"
                      " that was asked for: unset its flag, or set GENESIS_DISABLE=1." % done.returncode)
    return os.fsdecode(done.stdout).rstrip("\n")


def command_line():
    """This process' own, for the facts about model and flags: `vllm serve ...`, `python -m vllm...`."""
    script = getattr(sys, "argv", [""])
    if script[:1] in (["-m"], ["-c"], [""]):
        return list(getattr(sys, "orig_argv", script))
    return list(script)


def share_live_file(overlay):
    """Where this process and its children write what is live; this one reports it."""
    folder = os.path.join(os.path.dirname(os.path.dirname(overlay)), "live")
    path = os.path.join(folder, str(os.getpid()))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        open(path, "w").close()
    except OSError:
        return
    os.environ["GENESIS_LIVE"] = path
    os.environ["GENESIS_MAIN_PID"] = str(os.getpid())


if os.environ.get("GENESIS_DISABLE", "").strip().lower() not in ON:
    sys.meta_path.insert(0, Hook())
