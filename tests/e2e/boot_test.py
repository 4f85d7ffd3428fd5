# SPDX-License-Identifier: Apache-2.0
"""The boot hook on a small package named vllm: every way in which Python imports, and every reason to
refuse. Needs no vLLM and no sndr; engine_test.py has the real ones."""
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import unittest

from tests.e2e.fake_vllm import (PYTHON, STOCK, code, environment, python, write, write_overlay, write_tree)

PATCHED_LEAF = STOCK["leaf.py"].replace("stock", "patched") + "\n\ndef fail():\n    raise ValueError('patched line')\n"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="genesis boot ")  # a space in every path
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.site = self.top / "site"
        self.live = self.top / "live"
        write_tree(self.site)

    def overlay(self, edits, name="overlay", **options):
        return write_overlay(self.top / name, self.site, edits, **options)

    def run_with(self, overlay, arguments, **env):
        """Python as `sndr run` starts it, with the package on PYTHONPATH behind the overlay."""
        path = os.pathsep.join([str(overlay / "boot"), str(self.site)] + [str(p) for p in env.pop("path", [])])
        return python(arguments, environment(**{"PYTHONPATH": path, "GENESIS_OVERLAY": overlay,
                                                "GENESIS_LIVE": self.live, **env}))

    def good(self, done, stdout=None):
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout + done.stderr)
        if stdout is not None:
            self.assertEqual(done.stdout, stdout)
        return done

    def stopped(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("[Genesis] FAILED: ", done.stderr)
        self.assertEqual(done.stderr.count("FAILED"), 1, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)

    def live_lines(self):
        """(module, ids) of each process that wrote, in order of first appearance."""
        processes = {}
        for line in self.live.read_text().splitlines():
            if line != "ready":
                pid, module, ids = line.split("\t")
                processes.setdefault(int(pid), []).append((module, ids))
        return list(processes.values())


class Imports(Case):
    def setUp(self):
        super().setUp()
        self.patched = self.overlay({"leaf.py": PATCHED_LEAF})

    def test_patched_file_runs_and_the_rest_is_stock(self):
        done = self.run_with(self.patched, code("""
            import vllm.leaf as leaf, vllm.other as other, vllm
            print(leaf.value(), other.value)
            print(leaf.__file__, leaf.__spec__.origin, leaf.__cached__, sep='\\n')
            print(other.__file__, vllm.__file__, sep='\\n')
            """))
        file = self.patched / "vllm/leaf.py"
        lines = self.good(done).stdout.splitlines()
        self.assertEqual(lines[0], "patched stock")
        self.assertEqual(lines[1:3], [str(file)] * 2)
        self.assertEqual(pathlib.Path(lines[3]).parent, file.parent / "__pycache__")
        self.assertEqual(lines[4:], [str(self.site / "vllm/other.py"), str(self.site / "vllm/__init__.py")])
        self.assertTrue(pathlib.Path(lines[3]).exists(), "bytecode is cached")

    def test_inspect_and_tracebacks_show_the_patched_text(self):
        done = self.run_with(self.patched, code("""
            import inspect, traceback
            from vllm import leaf
            print(inspect.getsource(leaf.value).strip().splitlines()[-1].strip())
            print(inspect.getsourcefile(leaf.Thing))
            try:
                leaf.fail()
            except ValueError:
                print(traceback.format_exc().splitlines()[-2].strip())
            """))
        lines = self.good(done).stdout.splitlines()
        self.assertEqual(lines[:2], ["return 'patched'", str(self.patched / "vllm/leaf.py")])
        self.assertIn("raise ValueError('patched line')", done.stdout)

    def test_reload(self):
        self.good(self.run_with(self.patched, code("""
            import importlib
            from vllm import leaf
            leaf.value = None
            again = importlib.reload(leaf)
            print(again is leaf, leaf.value(), leaf.__file__.count('overlay'))
            """)), "True patched 1\n")
        self.assertEqual(self.live_lines(), [[("vllm.leaf", "P1")]], "counted once")

    def test_pickle(self):
        self.good(self.run_with(self.patched, code("""
            import pickle
            from vllm import leaf
            print(pickle.loads(pickle.dumps(leaf.value))(), pickle.loads(pickle.dumps(leaf.Thing())).value)
            """)), "patched patched\n")

    def test_looking_runs_and_counts_nothing(self):
        self.good(self.run_with(self.patched, code("""
            import importlib.util, sys
            print(importlib.util.find_spec('vllm') is not None, 'vllm' in sys.modules)
            print(importlib.util.find_spec('vllm.leaf').origin.count('overlay'), 'vllm.leaf' in sys.modules)
            """)), "True False\n1 False\n")
        self.assertFalse(self.live.exists())

    def test_threads(self):
        self.good(self.run_with(self.patched, code("""
            import threading
            got = []
            def work():
                from vllm import leaf
                got.append(leaf.value())
            threads = [threading.Thread(target=work) for _ in range(8)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            print(set(got), len(got))
            """)), "{'patched'} 8\n")

    def test_package_and_new_modules(self):
        overlay = self.overlay({
            "deep/__init__.py": "import json, os\norigin = 'patched'\n"
                                "data = json.load(open(os.path.join(os.path.dirname(__file__), 'data.json')))\n",
            "deep/fresh.py": "value = 'new'\n",
            "plain/__init__.py": "", "plain/leaf.py": "value = 'new package'\n",
        }, "packages", created=("deep/fresh.py", "plain/__init__.py", "plain/leaf.py"))
        os.symlink(self.site / "vllm/deep/data.json", overlay / "vllm/deep/data.json")
        done = self.run_with(overlay, code("""
            import importlib.resources, pkgutil
            import vllm.deep, vllm.deep.inner, vllm.deep.fresh, vllm.plain.leaf
            print(vllm.deep.origin, vllm.deep.data, vllm.deep.inner.value, vllm.deep.fresh.value, vllm.plain.leaf.value)
            print(vllm.deep.inner.__file__)
            print(vllm.deep.__path__)
            print((importlib.resources.files('vllm.deep') / 'data.json').read_text().strip(),
                  pkgutil.get_data('vllm.deep', 'data.json') == b'{"n": 1}\\n')
            print(sorted(m.name for m in pkgutil.iter_modules(vllm.deep.__path__)))
            """))
        deep = self.site / "vllm/deep"
        self.good(done, "patched {'n': 1} stock inner new new package\n%s\n%s\n{\"n\": 1} True\n%s\n" % (
            deep / "inner.py", [str(deep), str(overlay / "vllm/deep")], ["__main__", "fresh", "inner"]))

    def test_the_package_vllm_itself(self):
        overlay = self.overlay({"__init__.py": "__version__ = 'patched'\n"}, "root")
        self.good(self.run_with(overlay, code("""
            import vllm, vllm.leaf
            print(vllm.__version__, vllm.leaf.value(), vllm.__path__[0].endswith('site/vllm'))
            """)), "patched stock True\n")

    def test_python_dash_m(self):
        overlay = self.overlay({"tool.py": STOCK["tool.py"].replace("stock", "patched"),
                                "deep/__main__.py": "print('patched main', __file__)\n"}, "tools")
        self.good(self.run_with(overlay, ["-m", "vllm.tool", "a b"]), "patched ['a b']\n")
        self.assertEqual(self.live_lines(), [[("vllm.tool", "P2")]])
        self.good(self.run_with(overlay, ["-m", "vllm.deep"]),
                  "patched main %s\n" % (overlay / "vllm/deep/__main__.py"))
        self.assertEqual(self.live_lines()[1], [("vllm.deep.__main__", "P1")])

    def test_editable_install(self):
        """Its finder stands in front of ours or behind, and may know every submodule."""
        finder = """
            import importlib.util, os, sys
            ROOT = %r
            class Editable:
                @classmethod
                def find_spec(cls, name, path=None, target=None):
                    if not DEEP and name != 'vllm' or name.partition('.')[0] != 'vllm':
                        return None
                    base = os.path.join(ROOT, *name.split('.'))
                    for file, places in ((base + '/__init__.py', [base]), (base + '.py', None)):
                        if os.path.exists(file):
                            return importlib.util.spec_from_file_location(
                                name, file, submodule_search_locations=places)
            """ % str(self.top / "elsewhere")
        os.rename(self.site, self.top / "elsewhere")
        program = finder + """
            %s
            import vllm, vllm.leaf, vllm.other
            print(vllm.leaf.value(), vllm.other.value, vllm.__file__ == ROOT + '/vllm/__init__.py')
            """
        for deep in ("True", "False"):
            for put in ("sys.meta_path.append(Editable)", "sys.meta_path.insert(1, Editable)"):
                with self.subTest(deep=deep, put=put):
                    text = program.replace("DEEP", deep) % put
                    self.good(self.run_with(self.patched, code(text)), "patched stock True\n")

    def test_a_finder_that_asks_all_the_others(self):
        """Tracers put one in front that looks a module up again, to wrap its loader."""
        self.good(self.run_with(self.patched, code("""
            import importlib.util, sys
            class Tracer:
                def __init__(self):
                    self.busy = set()
                def find_spec(self, name, path=None, target=None):
                    if name in self.busy:
                        return None
                    self.busy.add(name)
                    try:
                        return importlib.util.find_spec(name)
                    finally:
                        self.busy.discard(name)
            for place in (0, 2, len(sys.meta_path)):  # in front of ours, just behind it, last
                sys.meta_path.insert(place, Tracer())
            from vllm import leaf
            print(leaf.value())
            """)), "patched\n")

    def test_without_vllm(self):
        shutil.rmtree(self.site / "vllm")
        self.good(self.run_with(self.patched, code("""
            try:
                import vllm
            except ModuleNotFoundError as error:
                print(error)
            """)), "No module named 'vllm'\n")

    def test_disable(self):
        for value in ("1", "true", "YES", "on"):
            self.good(self.run_with(self.patched, code("from vllm import leaf; print(leaf.value())"),
                                    GENESIS_DISABLE=value), "stock\n")
        self.good(self.run_with(self.patched, code("from vllm import leaf; print(leaf.value())"),
                                GENESIS_DISABLE="0"), "patched\n")


CHILDREN = """
    import multiprocessing, os, sys

    def look(_=0):
        import inspect
        from vllm import leaf
        return leaf.value(), leaf.__file__, inspect.getsource(leaf.value), os.getpid()

    if __name__ == '__main__':
        context = multiprocessing.get_context(sys.argv[1])
        with context.Pool(2) as pool:
            for _ in range(2):
                value, file, source, pid = pool.apply(look)
                assert value == 'patched' and 'patched' in source and pid != os.getpid(), (value, file, source)
                print(file)
    """


class Children(Case):
    def test_spawn_fork_and_forkserver(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF})
        script = self.top / "children.py"
        write(script, code(CHILDREN)[1])
        for method in ("spawn", "fork", "forkserver"):
            with self.subTest(method=method):
                done = self.run_with(overlay, [script, method])
                self.good(done, str(overlay / "vllm/leaf.py") + "\n" + str(overlay / "vllm/leaf.py") + "\n")

    def test_spawn_under_dash_m_of_a_patched_module(self):
        overlay = self.overlay({"tool.py": code(CHILDREN)[1], "leaf.py": PATCHED_LEAF})
        done = self.run_with(overlay, ["-m", "vllm.tool", "spawn"])
        self.good(done, str(overlay / "vllm/leaf.py") + "\n" + str(overlay / "vllm/leaf.py") + "\n")

    def test_a_forked_child_counts_what_it_inherited(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF, "other.py": "value = 'patched'\n"})
        self.good(self.run_with(overlay, code("""
            import os
            from vllm import leaf
            child = os.fork()
            if child == 0:
                from vllm import other
                os._exit(0)
            os.waitpid(child, 0)
            """)))
        self.assertEqual(self.live_lines(),
                         [[("vllm.leaf", "P1")], [("vllm.leaf", "P1"), ("vllm.other", "P2")]])

    def test_subprocess_inherits(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF})
        self.good(self.run_with(overlay, code("""
            import subprocess, sys
            subprocess.check_call([sys.executable, '-c', 'from vllm import leaf; print(leaf.value())'])
            """)), "patched\n")


class Refusals(Case):
    def setUp(self):
        super().setUp()
        self.patched = self.overlay({"leaf.py": PATCHED_LEAF})
        self.pristine = self.site / "vllm/leaf.py"

    def test_a_changed_file_stops_the_process(self):
        self.pristine.write_text(STOCK["leaf.py"] + "# upgraded\n")
        done = self.run_with(self.patched, code("from vllm import leaf"))
        self.stopped(done, self.pristine, "sndr run", "sndr doctor")

    def test_same_size_other_text(self):
        self.pristine.write_text(STOCK["leaf.py"].replace("stock", "other"))
        os.utime(self.pristine, ns=(1, 1))
        self.stopped(self.run_with(self.patched, code("from vllm import leaf")), self.pristine)

    def test_other_size_same_time(self):
        time = self.pristine.stat().st_mtime_ns
        self.pristine.write_text(STOCK["leaf.py"] + "# upgraded\n")
        os.utime(self.pristine, ns=(time, time))
        self.stopped(self.run_with(self.patched, code("from vllm import leaf")), self.pristine)

    def test_same_text_other_time_is_fine(self):
        os.utime(self.pristine, ns=(1, 1))
        self.good(self.run_with(self.patched, code("from vllm import leaf; print(leaf.value())")), "patched\n")

    def test_a_missing_file(self):
        self.pristine.unlink()
        self.stopped(self.run_with(self.patched, code("from vllm import leaf")), "leaf.py", "vllm.leaf")

    def test_other_modules_stay_importable(self):
        self.pristine.unlink()
        self.good(self.run_with(self.patched, code("import vllm.other; print(vllm.other.value)")), "stock\n")

    def test_vllm_has_the_created_file_now(self):
        overlay = self.overlay({"fresh.py": "value = 'new'\n"}, "adds", created=("fresh.py",))
        self.good(self.run_with(overlay, code("import vllm.fresh; print(vllm.fresh.value)")), "new\n")
        write(self.site / "vllm/fresh.py", "value = 'of its own'\n")
        self.stopped(self.run_with(overlay, code("import vllm.fresh")), self.site / "vllm/fresh.py")

    def test_except_exception_does_not_swallow_it(self):
        self.pristine.unlink()
        self.stopped(self.run_with(self.patched, code("import vllm.guarded; print('went on')")), "leaf.py")

    def test_swallowed_all_the_same_it_comes_back(self):
        self.pristine.unlink()
        done = self.run_with(self.patched, code("""
            try:
                import vllm.leaf
            except BaseException:
                print('swallowed')
            import vllm.other
            print('went on')
            """))
        self.assertEqual((done.returncode, done.stdout), (1, "swallowed\n"))
        self.assertEqual(done.stderr.count("[Genesis] FAILED: vLLM has no leaf.py"), 2)

    def test_in_a_thread(self):
        self.pristine.unlink()
        self.stopped(self.run_with(self.patched, code("""
            import threading
            thread = threading.Thread(target=lambda: __import__('vllm.leaf'))
            thread.start()
            thread.join()
            print('went on')
            """)), "leaf.py")

    def test_in_a_spawned_child(self):
        write(self.top / "child.py", code("""
            import multiprocessing
            def work():
                import vllm.leaf
            if __name__ == '__main__':
                child = multiprocessing.get_context('spawn').Process(target=work)
                child.start()
                child.join()
                print(child.exitcode)
            """)[1])
        self.pristine.unlink()
        done = self.run_with(self.patched, [self.top / "child.py"])
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
        self.assertIn("[Genesis] FAILED: vLLM has no leaf.py", done.stderr)

    def test_under_dash_m(self):
        overlay = self.overlay({"tool.py": "print('patched')\n"}, "tools")
        (self.site / "vllm/tool.py").write_text("print('upgraded')\n")
        self.stopped(self.run_with(overlay, ["-m", "vllm.tool"]), "tool.py")

    def test_looking_does_not_stop(self):
        self.pristine.unlink()
        self.good(self.run_with(self.patched, code("""
            import importlib.util
            print(importlib.util.find_spec('vllm.leaf') is not None)
            """)), "True\n")
        (self.patched / "manifest.json").unlink()
        self.good(self.run_with(self.patched, code("""
            import importlib.util
            print(importlib.util.find_spec('vllm') is not None)
            """)), "True\n")

    def test_a_manifest_that_cannot_be_used(self):
        manifest = self.patched / "manifest.json"
        for text, word in (("{", "line 1"), ('{"format": 2, "modules": {}}', "format 2"), ('{"format": 1}', "modules")):
            manifest.write_text(text)
            self.stopped(self.run_with(self.patched, code("import vllm")), self.patched, word)
        manifest.unlink()
        self.stopped(self.run_with(self.patched, code("import vllm")), manifest)
        self.good(self.run_with(self.patched, code("print('no vllm, no matter')")))

    def test_others_can_write(self):
        parts = (".", "boot", "manifest.json", "vllm/leaf.py")
        for part in parts:
            for bit, who in ((0o020, "g"), (0o002, "o")):
                with self.subTest(part=part, who=who):
                    path = (self.patched / part).resolve()
                    mode = path.stat().st_mode
                    path.chmod(mode | bit)
                    self.stopped(self.run_with(self.patched, code("import vllm.leaf")), path, "written by other")
                    path.chmod(mode)
        self.good(self.run_with(self.patched, code("import vllm.leaf")))

    @unittest.skipUnless(os.geteuid() == 0, "needs root to give files away")
    def test_another_users_overlay(self):
        for part in (".", "boot", "manifest.json", "vllm/leaf.py"):
            with self.subTest(part=part):
                path = (self.patched / part).resolve()
                os.chown(path, 4242, -1)
                self.stopped(self.run_with(self.patched, code("import vllm.leaf")), path, "uid 4242")
                os.chown(path, 0, -1)

    def test_lost_files(self):
        (self.patched / "vllm/leaf.py").unlink()
        self.stopped(self.run_with(self.patched, code("import vllm.leaf")), self.patched / "vllm/leaf.py")
        (self.patched / "boot/genesis_boot.py").unlink()
        self.stopped(self.run_with(self.patched, code("print('went on')")), self.patched / "boot")


class Live(Case):
    def setUp(self):
        super().setUp()
        self.patched = self.overlay({"leaf.py": PATCHED_LEAF, "other.py": "value = 'patched'\n"})

    def run_main(self, arguments):
        """With GENESIS_MAIN_PID as `sndr run` sets it: the shell's pid stays Python's after exec."""
        path = os.pathsep.join([str(self.patched / "boot"), str(self.site)])
        env = environment(PYTHONPATH=path, GENESIS_OVERLAY=self.patched, GENESIS_LIVE=self.live)
        return python(["-c", 'GENESIS_MAIN_PID=$$ exec "$@"', "sh", sys.executable] + arguments, env, "/bin/sh")

    def test_one_line_as_the_main_process_ends(self):
        done = self.run_main(code("import vllm.leaf, vllm.other; print('out')"))
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "out\n", "[Genesis] live: 2 of 2 in 1 process\n"))
        self.assertEqual(self.live.read_text().splitlines()[-1], "ready")
        self.assertEqual(self.live.stat().st_mode & 0o777, 0o600)

    def test_what_was_not_loaded_is_named(self):
        done = self.run_main(code("import vllm.other"))
        self.assertEqual(done.stderr, "[Genesis] live: 1 of 2 in 1 process (not loaded: P1: vllm.leaf)\n")

    def test_a_main_process_that_never_imports_vllm(self):
        self.live.write_text("")
        done = self.run_main(code("pass"))
        self.assertEqual(done.stderr, "[Genesis] live: 0 of 2 in 0 processes"
                                      " (not loaded: P1: vllm.leaf; P2: vllm.other)\n")

    def test_children_count_and_stay_silent(self):
        done = self.run_main(code("""
            import os, subprocess, sys
            import vllm.leaf
            child = os.fork()
            if child == 0:
                sys.exit(0)
            os.waitpid(child, 0)
            subprocess.check_call([sys.executable, '-c', 'import vllm.other'])
            """))
        self.assertEqual(done.stderr, "[Genesis] live: 2 of 2 in 3 processes\n")

    def test_ready_was_said_already(self):
        self.live.write_text("ready\n")
        self.assertEqual(self.run_main(code("import vllm.leaf")).stderr, "")

    def test_readiness_of_the_server(self):
        done = self.run_main(code("""
            import sys
            import vllm.leaf, vllm.other
            import logging, logging.config
            logging.config.dictConfig({'version': 1, 'disable_existing_loggers': False,
                                       'loggers': {'uvicorn.error': {'level': 'INFO'}}})
            logger = logging.getLogger('uvicorn.error')
            logger.info('Waiting for application startup.')
            print('starting', file=sys.stderr)
            logger.info('Application startup complete.')
            logger.info('Application startup complete.')
            print('serving', file=sys.stderr)
            """))
        self.assertEqual(done.stderr, "starting\n[Genesis] live: 2 of 2 in 1 process\nserving\n")

    def test_a_live_file_that_cannot_be_written_is_no_reason_to_die(self):
        self.live.mkdir()
        self.assertEqual(self.run_main(code("import vllm.leaf; print(1)")).stdout, "1\n")


class Plugin(Case):
    REGISTER = "import importlib.metadata as m\n" \
               "found = [e for e in m.distribution('genesis').entry_points if e.group == 'vllm.general_plugins']\n" \
               "found[0].load()()\n"

    def test_functions_of_the_patches_are_called_and_counted(self):
        patches = [{"id": "P1", "title": "Edits", "files": ["leaf.py"]}, {"id": "P7", "title": "Plugs in", "files": []}]
        write(self.site / "vllm/plug.py", "def register():\n    print('registered')\n")
        overlay = self.overlay({"leaf.py": PATCHED_LEAF}, patches=patches, plugins=["vllm.plug:register"])
        self.good(self.run_with(overlay, code("import vllm.leaf\n" + self.REGISTER)), "registered\n")
        self.assertIn(("genesis_plugin", "P7"), self.live_lines()[0])
        self.live.unlink()
        report = "import genesis_overlay; genesis_overlay.report(%r)\n" % str(overlay)
        for program, said in (("import vllm.leaf\n", "1 of 2 in 1 process (not loaded: P7: genesis_plugin)"),
                              ("import vllm.leaf\n" + self.REGISTER, "2 of 2 in 1 process")):
            self.live.write_text("")
            self.assertEqual(self.run_with(overlay, code(program + report)).stderr, "[Genesis] live: %s\n" % said)

    def test_a_program_that_cleans_its_path(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF})
        cleans = "import sys\nsys.path[:] = [entry for entry in sys.path if not entry.endswith('boot')]\n"
        program = cleans + "import vllm.leaf\nprint(vllm.leaf.value())\n" + self.REGISTER
        self.good(self.run_with(overlay, code(program)), "patched\n")

    def test_a_function_that_fails_is_not_hidden(self):
        overlay = self.overlay({"plug.py": "def register():\n    raise ValueError('no kernels')\n"},
                               created=("plug.py",), plugins=["vllm.plug:register"])
        done = self.run_with(overlay, code("import vllm\n" + self.REGISTER))
        self.assertEqual(done.returncode, 1)
        self.assertIn("ValueError: no kernels", done.stderr)

    def test_modules_that_were_imported_before_the_hook(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF, "other.py": "value = 'patched'\n"})
        done = python(["-S"] + code("import vllm.leaf\n" + self.REGISTER),
                      environment(PYTHONPATH=os.pathsep.join([str(self.site), str(overlay / "boot")])))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^\[Genesis\] NOT live in process \d+: "
                                      r"vllm\.leaf \(.*site/vllm/leaf\.py\)\. .*\n$")

    def test_vllm_plugins(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF})
        for given, expected in ((None, "None"), ("", "genesis"), ("a,b", "a,b,genesis"), ("genesis,a", "genesis,a")):
            with self.subTest(given=given):
                self.good(self.run_with(overlay, code("""
                    import vllm, os
                    print(os.environ.get('VLLM_PLUGINS'))
                    """), VLLM_PLUGINS=given), expected + "\n")


class Sitecustomize(Case):
    """Another sitecustomize runs as if ours weren't there."""
    OTHER = "import os, sys\nprint('other', __name__, os.path.basename(os.path.dirname(__file__)))\n"

    def setUp(self):
        super().setUp()
        self.patched = self.overlay({"leaf.py": PATCHED_LEAF})
        self.show = code("""
            import sys, vllm.leaf
            print(vllm.leaf.value(), sys.modules['sitecustomize'].__file__.split('/')[-2], sys.path.count(BOOT))
            """.replace("BOOT", repr(str(self.patched / "boot"))))

    def test_none(self):
        self.good(self.run_with(self.patched, self.show), "patched boot 1\n")

    def test_behind_ours(self):
        write(self.top / "debian/sitecustomize.py", self.OTHER)
        self.good(self.run_with(self.patched, self.show, path=[self.top / "debian"]),
                  "other sitecustomize debian\npatched debian 1\n")

    def test_first_of_two(self):
        for name in ("one", "two"):
            write(self.top / name / "sitecustomize.py", self.OTHER)
        self.good(self.run_with(self.patched, self.show, path=[self.top / "one", self.top / "two"]),
                  "other sitecustomize one\npatched one 1\n")

    def test_one_that_chains_itself(self):
        """A tracer's takes itself off the path and imports the next, before or after ours."""
        write(self.top / "tracer/sitecustomize.py", self.OTHER + code("""
            here = os.path.dirname(__file__)
            at = sys.path.index(here)
            del sys.path[at]
            mine = sys.modules.pop('sitecustomize')
            try:
                import sitecustomize
            except ImportError:
                sys.modules['sitecustomize'] = mine
            finally:
                sys.path.insert(at, here)
            """)[1])
        write(self.top / "last/sitecustomize.py", self.OTHER)
        said = "other sitecustomize tracer\nother sitecustomize last\npatched last 1\n"
        self.good(self.run_with(self.patched, self.show, path=[self.top / "tracer", self.top / "last"]), said)
        path = [self.top / "tracer", self.patched / "boot", self.top / "last", self.site]
        self.good(python(self.show, environment(PYTHONPATH=os.pathsep.join(map(str, path)))), said)

    def test_one_that_changes_the_path(self):
        write(self.top / "debian/sitecustomize.py", "import sys\nsys.path.append('/added')\n")
        self.good(self.run_with(self.patched, code("""
            import sys, vllm.leaf
            print(vllm.leaf.value(), sys.path[-1], [p for p in sys.path if p][0].endswith('boot'))
            """), path=[self.top / "debian"]), "patched /added True\n")

    def test_its_errors_are_pythons_to_report(self):
        write(self.top / "debian/sitecustomize.py", "import no_such_module\n")
        alone = python(code("print(1)"), environment(PYTHONPATH=self.top / "debian"))
        done = self.run_with(self.patched, code("import vllm.leaf; print(vllm.leaf.value())"),
                             path=[self.top / "debian"])
        self.assertEqual((done.returncode, done.stdout), (0, "patched\n"))
        self.assertIn("no_such_module", alone.stderr)
        self.assertEqual(done.stderr, alone.stderr)

    def test_two_overlays_the_first_wins(self):
        """`sndr run` inside `sndr run`."""
        outer = self.overlay({"leaf.py": PATCHED_LEAF.replace("patched", "outer")}, "outer")
        self.good(self.run_with(self.patched, code("import vllm.leaf; print(vllm.leaf.value())"),
                                path=[outer / "boot"]), "patched\n")

    def test_its_folder_under_other_names(self):
        """As the current folder, with a slash behind it, and through a link: loaded once more at most."""
        boot = self.patched / "boot"
        os.symlink(boot, self.top / "alias")
        write(self.top / "debian/sitecustomize.py", self.OTHER)
        for name in ("", ".", str(boot) + "/", str(self.top / "alias")):
            with self.subTest(name=name):
                path = os.pathsep.join([name, str(boot), str(self.top / "debian"), str(self.site)])
                done = python(["-S"] + code("""
                    import sitecustomize, vllm.leaf
                    print(vllm.leaf.value())
                    """), environment(PYTHONPATH=path), cwd=str(boot))
                self.good(done, "other sitecustomize debian\npatched\n")

    def test_without_genesis_overlay_the_folder_says_which(self):
        path = os.pathsep.join([str(self.patched / "boot"), str(self.site)])
        self.good(python(self.show, environment(PYTHONPATH=path)), "patched boot 1\n")

    def test_isolated_python_is_stock(self):
        for flag in ("-I", "-E"):
            done = self.run_with(self.patched, [flag, "-c", "import sys; print('genesis_boot' in sys.modules)"])
            self.good(done, "False\n")


class PthHook(Case):
    """`sndr hook install` in a venv, with a stand-in for sndr."""

    def setUp(self):
        super().setUp()
        venv = self.top / "a venv"
        python(["-m", "venv", "--without-pip", venv], environment())
        self.python = venv / "bin/python"
        self.site = next((venv / "lib").glob("python3*/site-packages"))
        write_tree(self.site)
        self.patched = self.overlay({"leaf.py": PATCHED_LEAF}, "home/overlays/0123")
        self.sndr = self.top / "bin dir/sndr"
        self.calls = self.top / "calls"
        hook = (PYTHON / "_sndr_hook.py").read_text()
        self.assertEqual(hook.count("@SNDR@"), 1)
        write(self.site / "_sndr_hook.py", hook.replace("@SNDR@", str(self.sndr)))
        shutil.copy(PYTHON / "sndr_genesis.pth", self.site)
        self.answer(self.patched)

    def answer(self, overlay, exit_code=0, says=""):
        write(self.sndr, '#!/bin/sh\nfor a in "$@"; do printf "<%%s>" "$a"; done >>"%s"; echo >>"%s"\n'
                         'printf "%s" >&2\necho "%s"\nexit %d\n' % (self.calls, self.calls, says, overlay, exit_code))
        self.sndr.chmod(0o755)

    def asked(self):
        """One line for each call; a line break inside an argument is shown as one."""
        text = self.calls.read_text() if self.calls.exists() else ""
        return text.replace(">\n", ">\0").replace("\n", "\\n").split("\0")[:-1]

    def run_hooked(self, arguments, **env):
        return python(arguments, environment(**{"GENESIS_ENABLE_P1_X": "1", **env}), self.python)

    LOOK = code("import vllm.leaf as l; print(l.value())")

    def test_patched_when_asked_for(self):
        done = self.run_hooked(self.LOOK)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "patched\n", "[Genesis] live: 1 of 1 in 1 process\n"))
        self.assertEqual(len(self.asked()), 1)
        self.assertTrue(self.asked()[0].startswith("<apply><--print-overlay><--vllm><%s><-->" % self.site))

    def test_stock_and_unasked_without_a_flag(self):
        self.good(self.run_hooked(self.LOOK, GENESIS_ENABLE_P1_X=None), "stock\n")
        self.assertEqual(self.asked(), [])

    def test_stock_when_nothing_applies(self):
        self.answer("")
        done = self.run_hooked(code("""
            import subprocess, sys, vllm.leaf
            print(vllm.leaf.value(), flush=True)
            subprocess.check_call([sys.executable, '-c', 'import vllm.leaf as l; print(l.value())'])
            """))
        self.good(done, "stock\nstock\n")
        self.assertEqual(len(self.asked()), 1)

    def test_nothing_happens_before_vllm(self):
        self.good(self.run_hooked(code("""
            import json, sys
            print('genesis_boot' in sys.modules, 'subprocess' in sys.modules)
            """)), "False False\n")
        self.assertEqual(self.asked(), [])

    def test_children_use_the_parents_answer(self):
        script = self.top / "children.py"
        write(script, code(CHILDREN)[1].replace("context =", "look(); context ="))
        for number, method in enumerate(("spawn", "fork", "forkserver"), 1):
            with self.subTest(method=method):
                done = self.run_hooked([script, method])
                self.assertEqual(done.stdout, (str(self.patched / "vllm/leaf.py") + "\n") * 2, done.stderr)
                self.assertRegex(done.stderr, r"^\[Genesis\] live: 1 of 1 in [23] processes\n$")
                self.assertEqual(len(self.asked()), number)
                self.assertTrue(self.asked()[-1].endswith("<--><%s><%s>" % (script, method)))

    def test_the_command_line_it_tells(self):
        tail = "<%s>" % self.python if sys.version_info >= (3, 10) else ""
        write(self.site / "vllm/runs.py", "import vllm.leaf\n")
        self.run_hooked(["-m", "vllm.runs", "--model", "m"])
        if tail:
            self.assertTrue(self.asked()[-1].endswith("<-->%s<-m><vllm.runs><--model><m>" % tail), self.asked())

    def test_a_failing_patch_stops_the_start(self):
        self.answer("", 1, "FAILED: P1 (anchor drifted)\\n")
        done = self.run_hooked(code("""
            try:
                import vllm
            except Exception:
                pass
            print('went on')
            """))
        self.stopped(_without(done, "FAILED: P1 (anchor drifted)\n"), "ended with 1")
        self.assertEqual(done.stdout, "")

    def test_a_failing_patch_does_not_stop_who_only_looks(self):
        self.answer("", 1)
        self.good(self.run_hooked(code("""
            import importlib.util
            print(importlib.util.find_spec('vllm') is not None)
            """)), "True\n")

    def test_looking_first_changes_nothing(self):
        done = self.run_hooked(code("""
            import importlib.util
            importlib.util.find_spec('vllm')
            import vllm.leaf
            print(vllm.leaf.value())
            """))
        self.assertEqual(done.stdout, "patched\n", done.stderr)
        self.assertEqual(len(self.asked()), 1)

    def test_sndr_is_gone(self):
        self.sndr.unlink()
        self.stopped(self.run_hooked(self.LOOK), "GENESIS_ENABLE_P1_X", self.sndr, "sndr_genesis.pth")
        done = self.run_hooked(self.LOOK, GENESIS_ENABLE_P1_X="0")
        self.assertEqual((done.returncode, done.stdout), (0, "stock\n"))
        self.assertRegex(done.stderr, r"^\[Genesis\] warning: .*sndr is gone; vLLM runs unpatched\. .*\n$")
        self.good(self.run_hooked(self.LOOK, GENESIS_ENABLE_P1_X=None), "stock\n")

    def test_kill_switch(self):
        self.good(self.run_hooked(self.LOOK, GENESIS_DISABLE="1"), "stock\n")
        self.assertEqual(self.asked(), [])

    def test_with_sitecustomize_too(self):
        done = self.run_hooked(code("""
            import sys, vllm.leaf
            print(vllm.leaf.value(), [type(f).__name__ for f in sys.meta_path].count('Finder'))
            """), PYTHONPATH=self.patched / "boot")
        self.good(done, "patched 1\n")
        self.assertEqual(self.asked(), [])

    def test_nothing_runs_from_an_overlay_that_others_can_write(self):
        with open(self.patched / "boot/genesis_boot.py", "a") as file:
            file.write("print('ran')\n")
        for part in (".", "boot", "boot/genesis_boot.py"):
            with self.subTest(part=part):
                path = (self.patched / part).resolve()
                mode = path.stat().st_mode
                path.chmod(mode | 0o020)
                done = self.run_hooked(self.LOOK)
                path.chmod(mode)
                self.stopped(done, path, "SNDR_HOME")
                self.assertEqual(done.stdout, "")

    def test_an_inherited_overlay_that_is_gone(self):
        self.stopped(self.run_hooked(self.LOOK, GENESIS_OVERLAY=self.top / "gone"), self.top / "gone")

    def test_the_plugin_is_found(self):
        done = self.run_hooked(code("import vllm\n" + Plugin.REGISTER + "import sys; print(sys.path[-1])"))
        self.assertEqual(done.stdout, "%s\n" % (self.patched / "boot"), done.stderr)

    def test_an_environment_without_vllm(self):
        shutil.rmtree(self.site / "vllm")
        self.good(self.run_hooked(code("import importlib.util as u; print(u.find_spec('vllm'))")), "None\n")
        self.assertEqual(self.asked(), [])


def _without(done, text):
    done.stderr = done.stderr.replace(text, "", 1)
    return done


class Cost(Case):
    """What the hook adds to a process that never imports vllm, timed inside the interpreter."""
    STARTS, LIMIT_MS = 50, 2.0

    def median(self, statement, env):
        times = []
        for _ in range(self.STARTS):
            done = python(["-S"] + code("""
                import os, site, sys, time
                began = time.perf_counter()
                %s
                print((time.perf_counter() - began) * 1e3)
                """ % statement), env)
            self.good(done)
            times.append(float(done.stdout))
        return statistics.median(times)

    def test_sitecustomize(self):
        overlay = self.overlay({"leaf.py": PATCHED_LEAF})
        took = self.median("import sitecustomize; assert 'genesis_boot' in sys.modules",
                           environment(PYTHONPATH=overlay / "boot", GENESIS_OVERLAY=overlay))
        print("sitecustomize: median %.3f ms over %d starts" % (took, self.STARTS), file=sys.stderr)
        self.assertLess(took, self.LIMIT_MS)

    def test_pth(self):
        for file in ("_sndr_hook.py", "sndr_genesis.pth"):
            shutil.copy(PYTHON / file, self.top)
        took = self.median("site.addpackage(%r, 'sndr_genesis.pth', set()); assert '_sndr_hook' in sys.modules"
                           % str(self.top), environment(PYTHONPATH=self.top, GENESIS_ENABLE_P1_X="1"))
        print(".pth hook: median %.3f ms over %d starts" % (took, self.STARTS), file=sys.stderr)
        self.assertLess(took, self.LIMIT_MS)


if __name__ == "__main__":
    unittest.main()
