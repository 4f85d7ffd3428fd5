# SPDX-License-Identifier: Apache-2.0
"""</thinking> in the reasoning must end it, however the text is cut; elsewhere it is text like any other."""

import json
import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Cannot, Proof, Words

proof = Proof()

CALL = "<tool_call>\n<function=f>\n<parameter=x>\n%s\n</parameter>\n</function>\n</tool_call>"

# output -> reasoning, content, argument x of the tool call (None: no call)
CASES = [
    ("hm\n</thinking>\n\n4", "hm\n", "\n\n4", None),
    ("hm\n</think>\n\n4", "hm\n", "\n\n4", None),
    ("hm\n</thinking>\n\n" + CALL % "1", "hm\n", None, "1"),
    ("hm</thinking>4", "hm", "4", None),
    ("a </thinkin b\n</think>\n\n4", "a </thinkin b\n", "\n\n4", None),
    ("a </thi", "a </thi", None, None),
    ("hm\n</think>\n\nthe tag </thinking> is", "hm\n", "\n\nthe tag </thinking> is", None),
    ("hm\n</think>\n\n" + CALL % "a </thinking> b", "hm\n", None, "a </thinking> b"),
    ("hm\n</thinking>\n</think>\n\n4", "hm\n", "\n\n\n4", None),
]


def blank(text):
    return text if text and text.strip() else None


def differs(found, expected):
    """White space alone before a call is nobody's content."""
    reasoning, content, argument = found
    wanted = expected[:1] + (blank(expected[1]),) + expected[2:]
    return (reasoning, blank(content), argument) != wanted


def engine():
    abstract = proof.load("vllm.parser.abstract_parser")
    proof.load("vllm.parser.qwen3")
    adapters = proof.load("vllm.parser.engine.registered_adapters")
    words = Words()
    request = types.SimpleNamespace(tools=None, tool_choice="auto", messages=[], include_reasoning=True)

    class Both(abstract.DelegatingParser):
        reasoning_parser_cls = adapters.Qwen3ParserReasoningAdapter
        tool_parser_cls = adapters.Qwen3ParserToolAdapter

    def argument(text):
        try:
            return json.loads(text)["x"]
        except (ValueError, KeyError):
            return text

    def whole(text):
        reasoning, content, calls = Both(words).parse(text, request, True, words.encode(text))
        return reasoning, content, argument(calls[0].arguments) if calls else None

    def streamed(text, size):
        parser = Both(words)
        pieces = words.pieces(text)
        reasoning = content = calls = ""
        for at in range(0, len(pieces), size):
            some = pieces[at : at + size]
            delta = parser.parse_delta(
                "".join(one for one, _ in some),
                [number for _, number in some],
                request,
                [words.ids["<|im_start|>"], words.ids["<think>"]],
                finished=at + size >= len(pieces),
            )
            if delta is None:
                continue
            reasoning += delta.reasoning or ""
            content += delta.content or ""
            for one in delta.tool_calls or []:
                calls += (one.function and one.function.arguments) or ""
        return reasoning or None, content or None, argument(calls) if calls else None

    problems = []
    for text, *expected in CASES:
        ways = {"whole": whole(text)}
        ways.update((f"in pieces of {size}", streamed(text, size)) for size in (1, 2, 3, 5, 1000))
        for how, found in ways.items():
            if differs(found, tuple(expected)):
                problems.append(f"{text!r} {how} gives {found}")
                break
    return problems[:2]


def function():
    if proof.file("parser/qwen3.py") is None:
        raise Cannot("this vLLM has no parser/qwen3.py")
    try:
        import regex  # noqa: F401
    except ImportError:
        import re

        sys.modules["regex"] = re
    import functools

    proof.packages("vllm", "vllm.parser", "vllm.parser.engine")
    try:
        from vllm.parser.engine import events, parser_engine_config, streaming_parser_engine
    except TypeError as error:  # dataclass(slots=True) needs Python 3.10
        raise Cannot(str(error)) from error
    names = [
        name
        for name in ("THINK_START", "THINK_END", "TOOL_CALL_START", "TOOL_CALL_END", "FUNC_PREFIX", "FUNC_END",
                     "PARAM_START", "PARAM_END", "qwen3_config")
        if f"\n{name} = " in proof.source("parser/qwen3.py") or name == "qwen3_config"
    ]
    space = {
        "functools": functools,
        "EventType": events.EventType,
        "_qwen3_arg_converter": None,
        "_qwen3_arg_value_extender": None,
    }
    for name in ("ParserEngineConfig", "ParserState", "Transition"):
        space[name] = getattr(parser_engine_config, name)
    config = proof.take("parser/qwen3.py", names, space)["qwen3_config"](thinking=True)
    words = Words()
    kinds = events.EventType

    def parsed(text, size):
        machine = streaming_parser_engine.StreamingParserEngine(config, words)
        found = []
        pieces = words.pieces(text)
        for at in range(0, len(pieces), size):
            some = pieces[at : at + size]
            found += machine.feed("".join(one for one, _ in some), [number for _, number in some])
        found += machine.finish()

        def joined(kind):
            return "".join(one.value for one in found if one.type == kind) or None

        return joined(kinds.REASONING_CHUNK), joined(kinds.TEXT_CHUNK), joined(kinds.ARG_VALUE_CHUNK)

    problems = []
    for text, reasoning, content, argument in CASES:
        for size in (1, 2, 3, 5, 1000):
            found = parsed(text, size)
            raw = None if argument is None else f"\n<parameter=x>\n{argument}\n</parameter>\n"
            if differs(found, (reasoning, content, raw)):
                problems.append(f"{text!r} in pieces of {size} gives {found}")
                break
    return problems[:2]


proof.run(engine=engine, function=function)
