# SPDX-License-Identifier: Apache-2.0
"""An answer that ends in a tool call's opener must not show it; everything else must stay as it is."""

import contextlib
import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Proof, Words

proof = Proof()

CALL = "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"

# output -> content, number of calls
CASES = [
    ("<tool_call>", None, 0),
    ("<tool_call>\n", None, 0),
    ("<tool_call>\n<func", None, 0),
    ("prose\n<tool_call>\n<function", "prose\n", 0),
    ("just prose", "just prose", 0),
    ("a < b and <tool b", "a < b and <tool b", 0),
    (CALL, None, 1),
]

# here upstream's own fix drops more; ours keeps what the model said
KEPT = [
    ("the tag <tool_call> opens a call", "the tag <tool_call> opens a call", 0),
    ('<tool_call>\n{"name": "f"}\n</tool_call>', '<tool_call>\n{"name": "f"}\n</tool_call>', 0),
    ("<tool_call>\n<tool_call>\n<tool_call>\n", None, 0),
]


def cases():
    patched = proof.patched("parser/abstract_parser.py", "PN525")
    return CASES + (KEPT if patched else [])


def check(ways):
    """ways: name -> function(text) that gives content and calls."""
    problems = []
    for text, content, count in cases():
        for name, parse in ways.items():
            found, calls = parse(text)
            if found != content or len(calls or []) != count:
                problems.append(f"{text!r} gives content {found!r} and {len(calls or [])} calls{name}")
    return problems[:2]


REQUEST = types.SimpleNamespace(tools=[], tool_choice="auto", messages=[], include_reasoning=True)


def engine():
    abstract = proof.load("vllm.parser.abstract_parser")
    words = Words()
    if hasattr(abstract.DelegatingParser, "_extract_tool_calls"):
        adapters = proof.load("vllm.parser.engine.registered_adapters")

        class Tools(abstract.DelegatingParser):
            reasoning_parser_cls = adapters.Qwen3ParserReasoningAdapter
            tool_parser_cls = adapters.Qwen3ParserToolAdapter

        def parse(text):
            settings = {"chat_template_kwargs": {"enable_thinking": False}}
            _, content, calls = Tools(words, **settings).parse(text, REQUEST, True, words.encode(text))
            return content, calls

        return check({"": parse})

    serving = proof.load("vllm.entrypoints.openai.engine.serving")
    coder = proof.load("vllm.tool_parsers.qwen3coder_tool_parser").Qwen3CoderToolParser
    # (the XML parser reads some of these texts as calls, whatever the patch does)

    def chat(text):
        calls, content = serving.OpenAIServing._parse_tool_calls_from_content(
            REQUEST, words, True, coder, content=text
        )
        return content, calls

    class Tools(abstract._WrappedParser):
        reasoning_parser_cls = None
        tool_parser_cls = coder

    def responses(text):
        calls, content = Tools(words)._parse_tool_calls(REQUEST, text, True)
        return content, calls

    return check({" (chat)": chat, " (responses)": responses})


class Info:
    def __init__(self, tools_called, content):
        self.tools_called, self.content = tools_called, content
        self.tool_calls = [
            types.SimpleNamespace(id="1", function=types.SimpleNamespace(name="f", arguments="{}"))
        ] * tools_called


def cleaned(text):
    """What Qwen's parser makes of the cases above."""
    called = "<function=f>" in text
    head = text.partition("<tool_call>")[0]
    return Info(called, head or None)


def function():
    proof.packages("vllm")
    kinds = {
        name: type(name, (), {})
        for name in ("ToolChoiceFunction", "ToolChoiceCustom", "ChatCompletionNamedToolChoiceParam",
                     "FunctionDefinition", "ChatCompletionRequest")
    }
    space = {
        **kinds,
        "contextlib": contextlib,
        "TypeAdapter": None,
        "ValidationError": ValueError,
        "FunctionCall": lambda **given: given,
        "is_mistral_tool_parser": lambda _: False,
        "logger": None,
    }

    class Parser:
        """The tool parser: tags as vLLM 0.22's Qwen parser has them, and as the engine has them."""

        supports_required_and_named = False
        tool_call_start_token = "<tool_call>"
        tool_call_prefix = "<function="

        def __init__(self, *_):
            config = types.SimpleNamespace(
                terminals={"TOOL_START": "<tool_call>", "TOOL_END": "</tool_call>", "FUNC_PREFIX": "<function="}
            )
            self._parser_engine = types.SimpleNamespace(parser_engine_config=config)

        def extract_tool_calls(self, text, request):
            return cleaned(text)

    abstract = proof.source("parser/abstract_parser.py")
    if "def _extract_tool_calls(" in abstract:
        proof.take("parser/abstract_parser.py", ["DelegatingParser(_extract_tool_calls)"], space)

        class Tools(space["DelegatingParser"]):
            _engine_based = True
            _tool_parser = Parser()

            def extract_tool_calls(self, text, request):
                return cleaned(text)

        def parse(text):
            calls, content = Tools()._extract_tool_calls(text, REQUEST, True)
            return content, calls

        return check({"": parse})

    space["OpenAIServing"] = None
    proof.take(
        "entrypoints/openai/engine/serving.py", ["OpenAIServing(_parse_tool_calls_from_content)"], space
    )

    def chat(text):
        calls, content = space["OpenAIServing"]._parse_tool_calls_from_content(
            REQUEST, object(), True, Parser, content=text
        )
        return content, calls

    proof.take("parser/abstract_parser.py", ["DelegatingParser(_parse_tool_calls)"], space)
    tools = space["DelegatingParser"]()
    tools._tool_parser = Parser()

    def responses(text):
        calls, content = tools._parse_tool_calls(REQUEST, text, True)
        return content, calls

    return check({" (chat)": chat, " (responses)": responses})


proof.run(engine=engine, function=function)
