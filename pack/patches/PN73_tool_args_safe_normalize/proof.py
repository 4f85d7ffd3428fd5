# SPDX-License-Identifier: Apache-2.0
"""A history with broken tool arguments must render; the template walks over the arguments as Qwen's does."""

import copy
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Proof

proof = Proof()

FILES = (
    "renderers/chat_utils/chat_message.py",
    "renderers/chat_utils.py",
    "entrypoints/chat_utils.py",
)

CUT = '{"path": "/a", "content": "abc'

# arguments -> what the template must see, on any vLLM that has no bug
SAME = [
    ('{"city": "Paris"}', {"city": "Paris"}),
    ({"city": "Paris"}, {"city": "Paris"}),
    ("", {}),
    (None, {}),
    ("null", {}),
    ("   ", {}),
    ("[]", {}),
]

# arguments -> what our patch makes of them; upstream's own fix may answer with another mapping
OURS = [
    (CUT, {"arguments": CUT}),
    ("ls -la", {"arguments": "ls -la"}),
    ("[1, 2]", {"arguments": [1, 2]}),
    (["a"], {"arguments": ["a"]}),
    ("42", {"arguments": 42}),
    ("true", {"arguments": True}),
    (7, {"arguments": 7}),
    ('{"text": "a\nb"}', {"text": "a\nb"}),
    ('"{\\"city\\": \\"Paris\\"}"', {"city": "Paris"}),
    ('"just text"', {"arguments": "just text"}),
]
DEEP = "[" * 100000


def rendered(postprocess, arguments):
    function = {"name": "f", "arguments": copy.deepcopy(arguments)}
    call = {"id": "1", "type": "function", "function": function}
    postprocess([{"role": "assistant", "content": "", "tool_calls": [call]}])
    return function["arguments"]


def check(postprocess):
    problems = []
    patched = any(proof.patched(path, "PN73") for path in FILES)
    cases = [(*one, True) for one in SAME] + [(*one, patched) for one in OURS]
    if patched:
        cases.append((DEEP, {"arguments": DEEP}, True))
    for arguments, expected, exact in cases:
        shown = f"arguments {arguments!r:.40}"
        try:
            found = rendered(postprocess, arguments)
        except Exception as error:
            problems.append(f"{shown}: {type(error).__name__}: {error}")
            continue
        if not isinstance(found, dict):
            problems.append(f"{shown}: the template gets {found!r}, which has no items")
        elif exact and found != expected:
            problems.append(f"{shown}: the template gets {found!r:.60}")
    empty = {"role": "assistant", "content": "hi", "tool_calls": []}
    postprocess([empty])
    if "tool_calls" in empty:
        problems.append("an empty list of calls is kept")
    return problems[:3]


def engine():
    path = proof.first(*FILES)
    module = proof.load("vllm." + path[: -len(".py")].replace("/", "."))
    return check(module._postprocess_messages)


def function():
    import json
    import logging
    import typing

    space = {
        "json": json,
        "Any": typing.Any,
        "logger": logging.getLogger("stand-in"),
        "VLLMValidationError": type("VLLMValidationError", (ValueError,), {}),
    }
    proof.take(proof.first(*FILES), ["_postprocess_messages"], space)
    return check(space["_postprocess_messages"])


proof.run(engine=engine, function=function)
