# SPDX-License-Identifier: Apache-2.0
"""An argument must arrive as the model wrote it, less the one line end on each side that the template adds."""

import json
import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Cannot, Proof, Words

proof = Proof()

# what stands between the tags -> the argument
CASES = [
    ("\nParis\n", "Paris"),
    ("Paris", "Paris"),
    ("\n    if x:\n        return 1\n\n", "    if x:\n        return 1\n"),
    ("\n\n    indented\n\n", "\n    indented\n"),
    ("\n\n", ""),
    ("\n", ""),
    ("", ""),
    ("\n\tx \n", "\tx "),
]

# vLLM's own fix leaves a \r here
OURS = [
    ("\r\na\r\nb\r\n", "a\r\nb"),
    ("\na\r\nb\r\n\n", "a\r\nb\r\n"),
    ("\na\r\n", "a"),
]


def cases():
    return CASES + (OURS if proof.patched("parser/qwen3.py", "GN001") else [])


def call(inner):
    return f"<tool_call>\n<function=write>\n<parameter=text>{inner}</parameter>\n</function>\n</tool_call>"


def engine():
    module = proof.load("vllm.parser.qwen3")
    words = Words()
    tools = None
    request = types.SimpleNamespace(tools=tools, tool_choice="auto", messages=[], include_reasoning=True)

    def whole(text):
        parser = module.Qwen3Parser(words, tools, chat_template_kwargs={"enable_thinking": False})
        _, _, calls = parser.parse(text, request, True, words.encode(text))
        return calls[0].arguments

    def streamed(text, size):
        parser = module.Qwen3Parser(words, tools, chat_template_kwargs={"enable_thinking": False})
        pieces = words.pieces(text)
        out = ""
        for at in range(0, len(pieces), size):
            some = pieces[at : at + size]
            delta = parser.parse_delta(
                "".join(one for one, _ in some),
                [number for _, number in some],
                request,
                [],
                finished=at + size >= len(pieces),
            )
            for one in (delta.tool_calls if delta else None) or []:
                out += (one.function and one.function.arguments) or ""
        return out

    problems = []
    for inner, expected in cases():
        found = {"whole": whole(call(inner))}
        found.update((f"in pieces of {size}", streamed(call(inner), size)) for size in (1, 2, 3, 7, 1000))
        for how, text in found.items():
            try:
                value = json.loads(text)["text"]
            except (ValueError, KeyError):
                value = text
            if value != expected:
                problems.append(f"{inner!r} {how} gives {value!r}, not {expected!r}")
                break
    return problems[:3]


def function():
    try:
        import regex as re
    except ImportError:
        import re
    if proof.file("parser/qwen3.py") is None:
        raise Cannot("this vLLM has no parser/qwen3.py")
    names = ["_PARAM_RE", "_PARTIAL_PARAM_RE", "_qwen3_arg_converter"]
    if "def _trim_wrapping_newlines(" in proof.source("parser/qwen3.py"):
        names.append("_trim_wrapping_newlines")
    space = proof.take("parser/qwen3.py", names, {"re": re, "json": json})
    convert = space["_qwen3_arg_converter"]
    ours = proof.patched("parser/qwen3.py", "GN001")
    problems = []
    for inner, expected in cases():
        value = json.loads(convert(f"<parameter=text>{inner}</parameter>", False))["text"]
        if value != expected:
            problems.append(f"{inner!r} gives {value!r}, not {expected!r}")
        before = ""
        for end in range(len(inner) + 1):  # what was streamed must stay the beginning of what comes
            now = json.loads(convert(f"<parameter=text>{inner[:end]}", True)).get("text", "")
            if not now.startswith(before) or (ours and not expected.startswith(now)):
                problems.append(f"{inner!r}: {now!r} was streamed after {before!r}, for {expected!r}")
                break
            before = now
    return problems[:3]


proof.run(engine=engine, function=function)
