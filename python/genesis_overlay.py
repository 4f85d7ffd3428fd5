# SPDX-License-Identifier: Apache-2.0
"""Imports vLLM's patched modules from an overlay, and keeps count of what is live.

<overlay>/manifest.json maps a module's name to the file that replaces it and to the pristine file
that it was made from. The files are real ones with their own paths, so tracebacks, inspect, Triton
and compile caches see the text that runs. A module that the manifest doesn't name is none of our
business.

Two rules hold everywhere. vLLM never runs half-patched: where the pristine file isn't the one that
the overlay was built from, or the overlay can't be trusted, the process ends, with a sentence that
says why. And looking does no harm: programs probe for vLLM with importlib.util.find_spec, so such an
end comes when the module is run, not when it is found.
"""
import json
import os
import sys
import threading
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location

FORMAT = 1
PLUGIN = "genesis_plugin"


def say(text):
    if sys.stderr is not None:
        sys.stderr.write("[Genesis] %s\n" % text)
        sys.stderr.flush()


def stop(text):
    """Ends the process. vLLM guards some imports with `except Exception`, so this isn't one; and
    the end of a thread isn't the end of a process, so there it is _exit."""
    say("FAILED: " + text)
    if threading.current_thread() is threading.main_thread():
        raise SystemExit(1)
    os._exit(1)


def distrust(path):
    """Why `path` may hold someone else's code, or "". Whoever can write it runs code as this user."""
    info = os.stat(path)
    if info.st_uid not in (0, os.geteuid()):
        problem = "belongs to another user (uid %d)" % info.st_uid
    elif info.st_mode & 0o022:
        problem = "can be written by other users (mode %o)" % (info.st_mode & 0o777)
    else:
        return ""
    return "%s %s. Make it yours alone (chown, chmod go-w), or set SNDR_HOME to a folder that is" % (path, problem)


def read_manifest(path):
    """The manifest of the overlay at `path`. Raises OSError or ValueError."""
    with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    if manifest.get("format") != FORMAT:
        raise ValueError("format %r, this hook reads %d" % (manifest.get("format"), FORMAT))
    return manifest


class Stopper:
    """The loader of a vLLM that must not run: finding it is fine, importing it ends the process."""

    def __init__(self, text):
        self.text = text

    def spec(self, name):
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        stop(self.text)

    def exec_module(self, module):
        pass


class Loader(SourceFileLoader):
    """Runs one patched file, once its pristine file is seen to be the right one."""

    def __init__(self, name, file, overlay, entry, stock):
        super().__init__(name, file)
        self.overlay = overlay
        self.entry = entry
        self.stock = stock  # where the finders behind us see this module, or None

    def get_code(self, fullname):
        self._check()
        code = super().get_code(fullname)
        # `python -m` runs the code without exec_module, under the name __main__.
        if sys._getframe(1).f_globals.get("__name__") == "runpy":
            self.overlay.executed(self.name, self.entry["ids"])
        return code

    def exec_module(self, module):
        super().exec_module(module)
        self.overlay.executed(self.name, self.entry["ids"])

    def _check(self):
        problem = self._distrusted() or self._changed()
        if problem:
            self.overlay.stop(problem)

    def _distrusted(self):
        try:
            return distrust(self.path)
        except OSError as error:
            return "the overlay has lost %s (%s)" % (self.path, error.strerror)

    def _changed(self):
        """How vLLM's own file differs from the one that the patched copy was made from, or ""."""
        entry, origin = self.entry, self.stock.origin if self.stock else None
        if not entry.get("pristine"):
            if origin and not origin.startswith(self.overlay.path + os.sep):
                return "vLLM has a file of its own now where a patch adds one: %s" % origin
            return ""
        if not origin:
            return "vLLM has no %s (module %s) any more" % (entry["pristine"], self.name)
        try:
            info = os.stat(origin)
            if info.st_size == entry["size"]:
                if info.st_mtime_ns == entry["mtime_ns"]:
                    return ""
                import hashlib

                with open(origin, "rb") as file:
                    if hashlib.sha256(file.read()).hexdigest() == entry["sha256"]:
                        return ""
        except OSError as error:
            return "%s can't be read (%s)" % (origin, error.strerror)
        return "%s isn't the file that the patched copy was made from" % origin


class Overlay:
    """One overlay in this process. Made when the name `vllm` first comes up."""

    def __init__(self, path, finder):
        self.path = os.path.abspath(path)
        self.finder = finder
        self.modules = {}
        self.stopper = None   # set: no module of vLLM is imported any more
        self.done = {}        # module -> ids, executed in this process or in the one it was forked from
        self.asking = set()   # (module, thread) of searches under way among the other finders
        self.live = os.environ.get("GENESIS_LIVE", "")
        try:
            problem = self._distrusted()
            if not problem:
                self.modules = read_manifest(self.path)["modules"]
        except (OSError, ValueError, KeyError) as error:
            problem = "the overlay at %s can't be read (%s)" % (self.path, error)
        if problem:
            self.stopper = Stopper(self._advised(problem))
            return
        self._join_plugins()
        if self.live:
            os.register_at_fork(after_in_child=self._forked)
            self._watch_for_readiness()

    def _distrusted(self):
        for part in ("", "boot", "manifest.json"):
            problem = distrust(os.path.join(self.path, part))
            if problem:
                return problem
        return ""

    def _advised(self, problem):
        return problem + ". Start again with `sndr run`, which builds a fresh overlay; `sndr doctor` says more."

    def stop(self, problem):
        """Ends the process, and should something swallow that, every later import of vLLM."""
        self.stopper = Stopper(self._advised(problem))
        stop(self.stopper.text)

    def find_spec(self, fullname, path, target):
        if self.stopper:
            return self.stopper.spec(fullname)
        entry = self.modules.get(fullname)
        if entry is None or (fullname, threading.get_ident()) in self.asking:
            return None
        stock = self._stock(fullname, path, target)
        file = os.path.join(self.path, entry["file"])
        places = None
        if entry.get("package"):
            # Most of a package's modules stay in vLLM's tree; new ones may lie beside our __init__.
            places = list((stock and stock.submodule_search_locations) or [])
            if os.path.dirname(file) not in places:
                places.append(os.path.dirname(file))
        return spec_from_file_location(
            fullname,
            file,
            loader=Loader(fullname, file, self, entry, stock),
            submodule_search_locations=places,
        )

    def _stock(self, fullname, path, target):
        """What the module would be without us: from an install, or from an editable one's finder.
        Some finders ask all of sys.meta_path in turn; to those, we answer nothing meanwhile."""
        search = (fullname, threading.get_ident())
        self.asking.add(search)
        try:
            for finder in list(sys.meta_path):
                find_spec = getattr(finder, "find_spec", None)
                if finder is self.finder or find_spec is None:
                    continue
                spec = find_spec(fullname, path, target)
                if spec is not None:
                    return spec
        finally:
            self.asking.discard(search)
        return None

    def _join_plugins(self):
        """The plugin's dist-info lies in boot/; VLLM_PLUGINS, where it is set, must let it in."""
        boot = os.path.join(self.path, "boot")
        if boot not in sys.path:
            sys.path.append(boot)
        allowed = os.environ.get("VLLM_PLUGINS")
        if allowed is not None and "genesis" not in allowed.split(","):
            os.environ["VLLM_PLUGINS"] = allowed + ",genesis" if allowed else "genesis"

    def executed(self, name, ids):
        """`name` runs in this process now, and with it (its part of) the patches `ids`."""
        if name not in self.done:
            self.done[name] = ids
            self._append([name])

    def _forked(self):
        self._append(list(self.done))

    def _append(self, names):
        """One write, so that lines of different processes never mix. The count is a report: an
        engine doesn't die because it can't be written."""
        if not self.live or not names:
            return
        text = "".join("%d\t%s\t%s\n" % (os.getpid(), name, ",".join(self.done[name])) for name in names)
        try:
            file = os.open(self.live, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(file, text.encode())
            finally:
                os.close(file)
        except OSError:
            pass

    def _watch_for_readiness(self):
        """The API server's last word before it serves is a log record of uvicorn's."""
        import logging

        def watch(record):
            if record.msg == "Application startup complete.":
                report(self.path)
            return True

        logging.getLogger("uvicorn.error").addFilter(watch)


def count(manifest, lines):
    """(live, all, processes, what is missing) from the lines of a live file. A patch is live when
    each module that it changes has run somewhere; one that changes none works through the plugin."""
    ran, processes = set(), set()
    for line in lines:
        fields = line.split("\t")
        if len(fields) == 3:
            processes.add(fields[0])
            ran.add(fields[1])
    waiting = {}
    for patch in manifest.get("patches", []):
        waiting[patch["id"]] = [] if patch["files"] or PLUGIN in ran else [PLUGIN]
    for name, entry in manifest["modules"].items():
        if name not in ran:
            for patch_id in entry["ids"]:
                waiting.setdefault(patch_id, []).append(name)
    missing = {patch_id: names for patch_id, names in waiting.items() if names}
    return len(waiting) - len(missing), len(waiting), len(processes), missing


def report(path):
    """Prints how many patches are live, once for a run: the live file's line `ready` says that it
    was done. Called at readiness and, where that never came, as the main process ends."""
    live = os.environ.get("GENESIS_LIVE", "")
    try:
        manifest = read_manifest(path)
        import fcntl

        with open(live, "a+", encoding="utf-8", errors="replace") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            lines = file.read().splitlines()
            if "ready" in lines:
                return
            file.write("ready\n")
    except (OSError, ValueError):
        return
    done, total, processes, missing = count(manifest, lines)
    text = "live: %d of %d in %d process%s" % (done, total, processes, "" if processes == 1 else "es")
    if missing:
        text += " (not loaded: %s)" % "; ".join(
            "%s: %s" % (patch_id, ", ".join(sorted(names))) for patch_id, names in sorted(missing.items())
        )
    say(text)
