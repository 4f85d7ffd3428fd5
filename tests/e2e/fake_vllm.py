# SPDX-License-Identifier: Apache-2.0
"""A small package named vllm, overlays for it written by hand, and interpreters that import it."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

REPO = pathlib.Path(__file__).resolve().parents[2]
PYTHON = REPO / "python"

STOCK = {
    "__init__.py": "__version__ = '9.9.9'\n",
    "version.py": "number = '9.9.9'\n",
    "leaf.py": "class Thing:\n    value = 'stock'\n\n\ndef value():\n    return 'stock'\n",
    "other.py": "value = 'stock'\n",
    "guarded.py": "try:\n    from vllm import leaf\nexcept Exception:\n    leaf = None\n",
    "tool.py": "import sys\n\nif __name__ == '__main__':\n    print('stock', sys.argv[1:])\n",
    "deep/__init__.py": "origin = 'stock'\n",
    "deep/inner.py": "value = 'stock inner'\n",
    "deep/__main__.py": "print('stock main')\n",
    "deep/data.json": '{"n": 1}\n',
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_tree(site):
    """The package below `site`, as pip would leave it."""
    for name, text in STOCK.items():
        write(site / "vllm" / name, text)


def module_name(file):
    name = ("vllm/" + file)[: -len(".py")].replace("/", ".")
    return name[: -len(".__init__")] if name.endswith(".__init__") else name


def write_overlay(path, site, edits, created=(), patches=None, plugins=()):
    """An overlay as `sndr apply` builds one. `edits` maps files below vllm/ to their new text, each the
    work of a patch named after the file; `created` names those that vLLM doesn't have."""
    modules, listed = {}, []
    for number, (file, text) in enumerate(sorted(edits.items()), 1):
        write(path / "vllm" / file, text)
        if not file.endswith(".py"):
            continue
        entry = {"file": "vllm/" + file, "package": file.endswith("__init__.py"), "ids": ["P%d" % number]}
        if file not in created:
            pristine = site / "vllm" / file
            info = pristine.stat()
            entry.update(pristine=file, size=info.st_size, mtime_ns=info.st_mtime_ns,
                         sha256=hashlib.sha256(pristine.read_bytes()).hexdigest())
        modules[module_name(file)] = entry
        listed.append({"id": "P%d" % number, "title": "Edits " + file, "files": [file]})
    manifest = {"format": 1, "genesis": "0.0.0", "hash": path.name, "vllm": "9.9.9", "modules": modules,
                "created": ["vllm/" + file for file in created],
                "patches": listed if patches is None else patches, "plugins": list(plugins)}
    write(path / "manifest.json", json.dumps(manifest))
    boot = path / "boot"
    for file in ("sitecustomize.py", "genesis_boot.py", "genesis_overlay.py", "genesis_plugin/__init__.py"):
        (boot / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PYTHON / file, boot / file)
    info = boot / "genesis-0.0.0.dist-info"
    write(info / "METADATA", "Metadata-Version: 2.1\nName: genesis\nVersion: 0.0.0\n")
    write(info / "entry_points.txt", "[vllm.general_plugins]\ngenesis = genesis_plugin:register\n")
    for folder, _, files in os.walk(path):
        os.chmod(folder, 0o755)
        for file in files:
            os.chmod(os.path.join(folder, file), 0o644)
    return path


def environment(**more):
    """This one without what Python or Genesis would read from it."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("GENESIS_", "SNDR", "PYTHON", "VLLM"))}
    clean.update({name: str(value) for name, value in more.items() if value is not None})
    return clean


def python(arguments, env, executable=sys.executable, **options):
    return subprocess.run([str(executable)] + [str(a) for a in arguments], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=60, **options)


def code(text):
    return ["-c", textwrap.dedent(text)]
