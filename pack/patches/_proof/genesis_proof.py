# SPDX-License-Identifier: Apache-2.0
"""What the proofs share: where vLLM's source is, how it is loaded, how the answer is given.

A proof runs as `PYTHON proof.py` with
  GENESIS_PROOF_TREE     the folder that holds vllm/
  GENESIS_PROOF_OVERLAY  the overlay, which holds vllm/ with the patched files (only on the second run)
  GENESIS_PROOF_LEVEL    engine or function: that level alone (else the best one that runs here)
and says with its exit code 0 = behaviour right, 1 = bug shown, 2 = can't run here.

Level engine: the real vllm is imported, with the patched modules where an overlay is in use.
Level function: single functions or modules of the real source run with stand-ins around them, so that no
torch is needed.
"""

import __future__

import ast
import importlib
import os
import sys
import types


class Cannot(Exception):
    """This level can't run here, and why."""


class Proof:
    def __init__(self):
        tree = os.environ.get("GENESIS_PROOF_TREE", "")
        if not os.path.isdir(os.path.join(tree, "vllm")):
            print(f"can't run: GENESIS_PROOF_TREE={tree!r} holds no vllm/")
            sys.exit(2)
        self.tree = os.path.realpath(tree)
        overlay = os.environ.get("GENESIS_PROOF_OVERLAY", "")
        self.overlay = os.path.realpath(overlay) if overlay else ""

    # Source

    def patched(self, path, patch):
        """Does vllm/<path> hold the edits of this patch? (Each says "Genesis <ID>" in a comment.)"""
        return self.file(path) is not None and f"Genesis {patch}" in self.source(path)

    def file(self, path):
        """The file that vllm/<path> is on this run, or None."""
        roots = [self.overlay, self.tree] if self.overlay else [self.tree]
        for root in roots:
            name = os.path.join(root, "vllm", path)
            if os.path.isfile(name):
                return name
        return None

    def first(self, *paths):
        """The first of these paths that this tree has."""
        for path in paths:
            if self.file(path):
                return path
        raise Cannot("this vLLM has none of " + ", ".join(paths))

    def source(self, path):
        name = self.file(path)
        if name is None:
            raise Cannot(f"this vLLM has no {path}")
        with open(name, encoding="utf-8") as stream:
            return stream.read()

    # Level engine

    def load(self, name):
        """Imports a module of the real vLLM and makes sure that it is the one to be judged."""
        os.environ.setdefault("VLLM_CONFIGURE_LOGGING", "0")
        if self.tree not in sys.path:
            sys.path.insert(0, self.tree)
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            raise Cannot(f"import {name}: {type(error).__name__}: {error}") from error
        real = os.path.realpath(module.__file__)
        path = name.replace(".", "/").split("/", 1)[1]
        wanted = [self.file(path + ".py"), self.file(path + "/__init__.py")]
        if real not in [os.path.realpath(one) for one in wanted if one]:
            raise Cannot(f"import {name} gave {real}, which is not the file to be judged")
        return module

    # Level function

    def packages(self, *names):
        """Empty packages whose modules come from the tree (patched ones from the overlay)."""
        # No hook: it would take the overlay for the tree, and what it does is done here.
        sys.meta_path[:] = [one for one in sys.meta_path if _module_of(one).startswith("_frozen")]
        for name in names:
            package = types.ModuleType(name)
            folder = name.replace(".", os.sep)
            roots = [self.overlay, self.tree] if self.overlay else [self.tree]
            package.__path__ = [os.path.join(root, folder) for root in roots]
            sys.modules[name] = package
            parent, _, leaf = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], leaf, package)

    def stand_in(self, name, **members):
        """A module that has these members, and for any other name a function that gives None."""
        module = types.ModuleType(name)
        module.__dict__.update(members)
        module.__getattr__ = lambda attribute: _nothing(attribute)
        sys.modules[name] = module
        return module

    def take(self, path, names, namespace):
        """Runs chosen definitions of vllm/<path> in `namespace`, in the order of the file.

        A name is a top-level name, or "Class(method, ...)" for a class with these methods only and no base.
        What a patch of ours adds (names with "genesis") is always taken.
        """
        wanted, methods = set(), {}
        for name in names:
            head, _, inner = name.partition("(")
            wanted.add(head)
            if inner:
                methods[head] = {one.strip() for one in inner.rstrip(")").split(",")}
        try:
            tree = ast.parse(self.source(path))
        except SyntaxError as error:
            raise Cannot(f"this Python is too old for {path}: {error.msg}") from error
        body, found = [], set()
        for node in tree.body:
            names_here = _defined(node) & wanted
            ours = any("genesis" in one for one in _defined(node))
            if not names_here and not ours:
                continue
            found |= names_here
            if isinstance(node, ast.ClassDef) and node.name in methods:
                node.bases, node.keywords, node.decorator_list = [], [], []
                node.body = [
                    one
                    for one in node.body
                    if any(n in methods[node.name] or "genesis" in n for n in _defined(one))
                ] or [ast.Pass()]
            body.append(node)
        if wanted - found:
            raise Cannot(f"{path} has no {', '.join(sorted(wanted - found))}")
        tree.body = body
        flags = __future__.annotations.compiler_flag
        code = compile(ast.fix_missing_locations(tree), self.file(path), "exec", flags, True)
        exec(code, namespace)
        return namespace

    # The answer

    def run(self, **levels):
        """Runs the first level that can run; each gives the list of what is wrong."""
        only = os.environ.get("GENESIS_PROOF_LEVEL", "")
        order = [one for one in ("engine", "function", "text") if one in levels and only in ("", one)]
        reasons = []
        for place, level in enumerate(order):
            try:
                problems = levels[level]()
            except Cannot as why:
                print(f"level {level}: can't run: {why}", flush=True)
                reasons.append(level)
                if place + 1 < len(order):  # a half-imported vllm must not be in the way
                    os.environ["GENESIS_PROOF_LEVEL"] = order[place + 1]
                    os.execv(sys.executable, [sys.executable, *sys.argv])
                continue
            print(f"level: {level}")
            if problems:
                print("bug: " + "; ".join(problems))
                sys.exit(1)
            print("right")
            sys.exit(0)
        print("can't run at any level")
        sys.exit(2)


def _module_of(finder):
    return getattr(finder, "__module__", None) or type(finder).__module__


def _nothing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *args, **kwargs: None


def _defined(node):
    """The names that a statement defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {one.id for one in node.targets if isinstance(one, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


class Words:
    """A tokenizer of fixed words, enough for the parsers: every other character is a token of its own."""

    eos_token_id = bos_token_id = pad_token_id = None
    all_special_tokens = []
    all_special_ids = []
    special = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_start|>", "<|im_end|>")

    def __init__(self):
        self.ids = {word: 100000 + number for number, word in enumerate(self.special)}
        self.words = {number: word for word, number in self.ids.items()}

    def get_vocab(self):
        return dict(self.ids)

    def decode(self, ids, **_):
        return "".join(self.words.get(one) or chr(one) for one in ids)

    def encode(self, text, **_):
        return [one for _, one in self.pieces(text)]

    def convert_ids_to_tokens(self, ids, **_):
        return [self.decode([one]) for one in ids]

    def pieces(self, text):
        """[(text, id)] in order."""
        out, at = [], 0
        while at < len(text):
            word = next((one for one in self.special if text.startswith(one, at)), text[at])
            out.append((word, self.ids.get(word, ord(word[0]))))
            at += len(word)
        return out
