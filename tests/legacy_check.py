#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks pack/legacy.yaml against itself, the patches and, where they are, unpacked vLLM trees.

usage: legacy_check.py [FOLDER]      FOLDER holds vllm-0.22.1/, vllm-0.24.0/, ... each with a vllm/

The pack's own loader checks the file's form. This checks its truth: the numbers that the project
promises (329 ids, 327 flags, 6 aliases), the order, and that each `native` text stands in the tree
that has it and doesn't stand in the one that lacks it.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREES = ["0.22.1", "0.24.0", "0.32.0", "0.33.0"]
SHARED_FLAGS = [{"P67", "P67b"}, {"PN40", "PN40-classifier"}]


def unquote(text):
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text[1:-1])


def read(path):
    """The entries, as the file is written: one key a line, `aliases` as a list, `native` as a map."""
    entries, inner = [], None
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("#") or line == "ids:":
                continue
            if line.startswith("      - "):
                entries[-1][inner].append(line[8:])
                continue
            key, _, value = line.lstrip(" -").partition(":")
            value = unquote(value.strip())
            if line.startswith("  - "):
                entries.append({})
            if line.startswith("      "):
                entries[-1][inner][key] = value
            elif value:
                entries[-1][key] = value
            else:
                inner = key
                entries[-1][key] = [] if key == "aliases" else {}
    return entries


def order(name):
    letters, digits, rest = re.match(r"([A-Za-z]+)(\d*)(.*)", name).groups()
    return letters.lower(), int(digits or 0), rest.lower()


class Trees:
    def __init__(self, folder):
        self.folder = folder
        self.texts = {}

    def text(self, version, path):
        key = (version, path)
        if key not in self.texts:
            name = os.path.join(self.folder, "vllm-" + version, "vllm", path)
            try:
                with open(name, encoding="utf-8") as file:
                    self.texts[key] = file.read()
            except OSError:
                self.texts[key] = None
        return self.texts[key]

    def anywhere(self, version, wanted):
        for folder, _, names in os.walk(os.path.join(self.folder, "vllm-" + version, "vllm")):
            for name in names:
                if not name.endswith(".py"):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    if wanted in file.read():
                        return True
        return False


def check_evidence(entry, trees, errors):
    native = entry["native"]
    path, _, wanted = native["evidence"].partition(": ")
    present, absent = native["present"], native.get("absent")
    if wanted not in (trees.text(present, path) or ""):
        errors.append("%s: %s of %s doesn't hold: %s" % (entry["id"], path, present, wanted))
    if absent is None:
        if present != TREES[0]:
            errors.append("%s: no `absent`, so `present` must be %s" % (entry["id"], TREES[0]))
        return
    if TREES.index(present) != TREES.index(absent) + 1:
        errors.append("%s: %s and %s aren't neighbours" % (entry["id"], absent, present))
    there = trees.text(absent, path)
    # A file that the older tree lacks is no evidence if the text stands elsewhere in it.
    if wanted in there if there is not None else trees.anywhere(absent, wanted):
        errors.append("%s: %s has it already: %s" % (entry["id"], absent, wanted))


def main():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(cache, "genesis", "trees")
    entries = read(os.path.join(ROOT, "pack", "legacy.yaml"))
    errors = []

    def count(what, found, wanted):
        if found != wanted:
            errors.append("%s: %d, expected %d" % (what, found, wanted))

    ids = [entry["id"] for entry in entries]
    count("ids", len(set(ids)), 329)
    count("flags", len({entry["flag"] for entry in entries}), 327)
    count("aliases", sum(len(entry.get("aliases", [])) for entry in entries), 6)
    if ids != sorted(ids, key=order):
        errors.append("ids aren't in natural order")
    by_flag = {}
    for entry in entries:
        by_flag.setdefault(entry["flag"], set()).add(entry["id"])
    if sorted(map(sorted, SHARED_FLAGS)) != sorted(sorted(s) for s in by_flag.values() if len(s) > 1):
        errors.append("other flags are shared than P67's and PN40's")

    patches = {name.partition("_")[0] for name in os.listdir(os.path.join(ROOT, "pack", "patches"))}
    for entry in entries:
        if entry["disposition"] == "patch" and entry["by"] not in patches:
            errors.append("%s: pack/patches has no %s" % (entry["id"], entry["by"]))

    checked = 0
    if all(os.path.isdir(os.path.join(folder, "vllm-" + version)) for version in TREES):
        trees = Trees(folder)
        for entry in entries:
            if "native" in entry:
                check_evidence(entry, trees, errors)
                checked += 1
    elif len(sys.argv) > 1:
        errors.append("%s doesn't hold vllm-%s" % (folder, ", vllm-".join(TREES)))
    else:
        print("no trees in %s: evidence not checked" % folder)
    for error in errors:
        print("legacy.yaml: " + error)
    print("%s legacy.yaml: %d ids, %d native texts checked, %d errors"
          % ("not ok" if errors else "ok", len(ids), checked, len(errors)))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
