# SPDX-License-Identifier: Apache-2.0
"""Tool calls in the reasoning must reach the tool parser; text that only looks like one must not get lost."""

import json
import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Cannot, Proof, Words

proof = Proof()
words = Words()

FILE = "reasoning/qwen3_reasoning_parser.py"


def call(value):
    return f"<tool_call>\n<function=f>\n<parameter=x>\n{value}\n</parameter>\n</function>\n</tool_call>"


OPEN = "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>"

# whole output -> reasoning, content
WHOLE = [
    ("think</think>ok", "think", "ok"),
    (f"A{call(1)}B</think>ok", "AB", "ok\n\n" + call(1)),
    (f"A\n{call(1)}\n</think>\n\n", "A", "\n\n" + call(1)),
    (f"A{call(1)}{call(2)}</think>", "A", call(1) + "\n" + call(2)),
    (f"{call(1)}</think>ok\n{call(2)}", None, "ok\n\n" + call(1) + "\n" + call(2)),
    (f"A{OPEN}</think>ok", "A", "ok\n\n" + OPEN + "\n</tool_call>"),
    ("A <tool_call> is the tag</think>ok", "A <tool_call> is the tag", "ok"),
    ("A <tool_call>\n<function=f></think>ok", "A <tool_call>\n<function=f>", "ok"),
    (f"A <tool_call> is {call(1)}</think>ok", "A <tool_call> is", "ok\n\n" + call(1)),
    (f"A{call(1)}", "A", call(1)),
]

# streamed text without a call: it must all come back as reasoning
PLAIN = [
    "a <b",
    "a <too",
    "a <tool_call>",
    "a <tool_call>\n\n<fun",
    "<tool_call> is a tag, <tool_call>{",
    "x <<tool_call",
    "a<",
]


def stream(make, pieces, size):
    """What parse_delta does with a reasoning parser, up to the end of the reasoning."""
    parser = make()
    reasoning, text, ids = "", "", []
    for at in range(0, len(pieces), size):
        some = pieces[at : at + size]
        delta, new = "".join(one for one, _ in some), [number for _, number in some]
        found = parser.extract_reasoning_streaming(text, text + delta, delta, ids, ids + new, new)
        text, ids = text + delta, ids + new
        reasoning += (found and found.reasoning) or ""
        if parser.is_reasoning_end_streaming(ids, new):
            content = (found and found.content) or ""
            return reasoning, content + "".join(one for one, _ in pieces[at + size :])
    return reasoning + getattr(parser, "genesis_rest", str)(), ""


def spelled(text):
    """The text in ordinary tokens, a character each: no token id tells that a tag is there."""
    return [(one, ord(one)) for one in text]


def check(make):
    problems = []
    for text, *expected in WHOLE:
        found = make().extract_reasoning(text, None)
        if found != tuple(expected):
            problems.append(f"{text!r} gives reasoning {found[0]!r} and content {found[1]!r}")
            break
    sizes = (1, 2, 3, 5, 8, 1000)
    for text in PLAIN:
        for size in sizes:
            found = stream(make, spelled(text), size)
            if found != (text, ""):
                problems.append(f"{text!r} streamed in pieces of {size} gives {found}")
                break
    for text in (f"A {call(1)}", f"A <b <tool {call(1)}", f"<tool_call> is {call(1)}", f"A{call(1)}{call(2)}"):
        begin = text.index("<tool_call>\n<function=")
        for size in sizes:
            found = stream(make, spelled(text), size)
            if found != (text[:begin], text[begin:]):
                problems.append(
                    f"a call spelled in ordinary tokens, streamed in pieces of {size}: "
                    f"reasoning {found[0]!r}, content {found[1]!r}"
                )
                break
    for text, expected in ((f"A {call(1)}", ("A ", call(1))), ("a <too</think>b", ("a <too", "b"))):
        for size in sizes:
            found = stream(make, words.pieces(text), size)
            if found != expected:
                problems.append(f"{text!r} streamed in pieces of {size} gives {found}")
                break
    # the tag's token arrives, its text comes a delta later
    late = [("a <tool", words.ids["<tool_call>"]), ("_call>\n", ord("\n"))]
    if stream(make, late, 1) != ("a ", "<tool_call>\n"):
        problems.append(f"a tag whose text comes late gives {stream(make, late, 1)}")
    late = [("a <", ord("<")), ("b", words.ids["</think>"])]
    if stream(make, late, 1)[0] != "a <b":
        problems.append(f"a </think> whose text comes late gives {stream(make, late, 1)}")
    found = stream(lambda: make(enable_thinking=False), spelled("hello <b"), 1)
    if found != ("", "hello <b"):
        problems.append(f"an answer without thinking streams as reasoning {found[0]!r}, content {found[1]!r}")
    return problems[:3]


def engine():
    module = proof.load("vllm.reasoning.qwen3_reasoning_parser")
    abstract = proof.load("vllm.parser.abstract_parser")
    coder = proof.load("vllm.tool_parsers.qwen3coder_tool_parser")
    chat = proof.load("vllm.entrypoints.openai.chat_completion.serving")

    def make(**settings):
        return module.Qwen3ReasoningParser(words, chat_template_kwargs=settings)

    problems = check(make)

    class Both(abstract._WrappedParser):
        reasoning_parser_cls = module.Qwen3ReasoningParser
        tool_parser_cls = coder.Qwen3CoderToolParser

    request = types.SimpleNamespace(tools=None, tool_choice="auto", messages=[])
    for size in (1, 2, 3):
        parser = Both(words)
        pieces = spelled(f"A {call(1)}")
        reasoning = arguments = ""
        for at in range(0, len(pieces), size):
            some = pieces[at : at + size]
            delta = parser.parse_delta(
                "".join(one for one, _ in some), [number for _, number in some], request, [words.ids["<think>"]]
            )
            reasoning += (delta and delta.reasoning) or ""
            for one in (delta and delta.tool_calls) or []:
                arguments += one.function.arguments or ""
        if reasoning != "A " or not arguments or json.loads(arguments) != {"x": "1"}:
            problems.append(f"streamed call: reasoning {reasoning!r}, arguments {arguments!r}")
            break
    text = chat_stream(chat, Both, "a <too")
    if text != "a <too":
        problems.append(f"a chat stream that ends in 'a <too' shows {text!r}")
    asks = "genesis_rest()" in proof.source("entrypoints/openai/responses/serving.py")
    if proof.patched(FILE, "P61b") and not asks:
        problems.append("the responses stream never asks for the text that was held back")
    return problems[:3]


def chat_stream(chat, parser_class, text):
    """The reasoning that the real chat stream shows of `text`, a token for each character."""
    import asyncio

    class Serving(chat.OpenAIServingChat):
        def __init__(self):
            self.parser_cls = parser_class

        def __getattr__(self, name):  # every setting that is asked for is off
            return None

    async def outputs():
        for at, one in enumerate(text):
            last = at + 1 == len(text)
            output = types.SimpleNamespace(
                index=0,
                text=one,
                token_ids=[ord(one)],
                logprobs=None,
                finish_reason="length" if last else None,
                stop_reason=None,
            )
            yield types.SimpleNamespace(
                prompt_token_ids=[words.ids["<think>"]],
                encoder_prompt_token_ids=None,
                num_cached_tokens=None,
                prompt=None,
                outputs=[output],
            )

    async def run():
        messages = [{"role": "user", "content": "x"}]
        request = chat.ChatCompletionRequest(model="m", messages=messages, stream=True)
        shown = ""
        stream = Serving().chat_completion_stream_generator(
            request, outputs(), "1", "m", [], words, types.SimpleNamespace()
        )
        async for event in stream:
            if not event.startswith("data: {"):
                continue
            event = json.loads(event[len("data: ") :])
            if "error" in event:
                return f"the error {event['error']}"
            for choice in event["choices"]:
                shown += choice["delta"].get("reasoning") or ""
        return shown

    return asyncio.run(run())


def function():
    if proof.file(FILE) is None:
        raise Cannot(f"this vLLM has no {FILE}")

    class Delta:
        def __init__(self, reasoning=None, content=None):
            self.reasoning, self.content = reasoning, content

    class Base:
        """As much of BaseThinkingReasoningParser as Qwen's parser leans on."""

        def __init__(self, tokenizer, *_, **__):
            self.vocab = tokenizer.get_vocab()
            self.start_token_id = self.vocab[self.start_token]
            self.end_token_id = self.vocab[self.end_token]

        def is_reasoning_end_streaming(self, input_ids, delta_ids):
            return self.end_token_id in delta_ids

    inner = ("vllm.entrypoints", "vllm.entrypoints.openai", "vllm.entrypoints.openai.engine")
    proof.packages("vllm", "vllm.reasoning", *inner)
    proof.stand_in("vllm.entrypoints.openai.engine.protocol", DeltaMessage=Delta)
    proof.stand_in("vllm.reasoning.basic_parsers", BaseThinkingReasoningParser=Base)
    try:
        from vllm.reasoning.qwen3_reasoning_parser import Qwen3ReasoningParser
    except TypeError as error:  # "X | None" in annotations needs Python 3.10
        raise Cannot(str(error)) from error

    def make(**settings):
        return Qwen3ReasoningParser(words, chat_template_kwargs=settings)

    return check(make)


proof.run(engine=engine, function=function)
