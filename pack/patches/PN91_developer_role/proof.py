# SPDX-License-Identifier: Apache-2.0
"""A chat with role "developer" must render with a template that knows system, user and assistant only."""

import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Cannot, Proof

proof = Proof()

TEMPLATE = """{%- for m in messages %}
{%- if m.role == 'system' and not loop.first %}{{ raise_exception('system message not at the front') }}
{%- elif m.role not in ['system', 'user', 'assistant'] %}{{ raise_exception('unknown role ' + m.role) }}{%- endif %}
{{- '[' + m.role + ']' }}
{%- if m.content is string %}{{ m.content }}{%- else %}{%- for p in m.content %}{{ p.text }}{%- endfor %}{%- endif %}
{%- endfor %}"""

KNOWS = """{%- for m in messages %}{%- if m.role == 'developer' %}<D>{%- endif %}
{{- m.role + ':' + m.content + ' ' }}{%- endfor %}"""


def part(text):
    return [{"type": "text", "text": text}]


# messages -> what the template must show
CASES = [
    ([("developer", "be brief"), ("user", "hi")], "[system]be brief[user]hi"),
    ([("system", "A"), ("developer", "B"), ("user", "hi")], "[system]A\n\nB[user]hi"),
    ([("system", "A"), ("user", "hi"), ("assistant", "ho"), ("developer", "B"), ("user", "x")],
     "[system]A\n\nB[user]hi[assistant]ho[user]x"),
    ([("developer", part("A")), ("user", part("hi"))], "[system]A[user]hi"),
    ([("system", part("A")), ("developer", part("B")), ("user", part("hi"))], "[system]A\n\nB[user]hi"),
    ([("system", "A"), ("user", "hi")], "[system]A[user]hi"),
]


def check(render):
    """render(messages, template) -> text, or raises."""
    problems = []
    for messages, expected in CASES:
        given = [{"role": role, "content": content} for role, content in messages]
        for one in given:
            if one["role"] == "developer":
                one["tools"] = None
        roles = " ".join(role for role, _ in messages)
        try:
            text = render(given, TEMPLATE)
        except Exception as error:
            problems.append(f"roles {roles}: {type(error).__name__}: {error}")
            continue
        # vLLM itself joins the parts of a message with a line end, which the template can't tell apart
        if text.replace("\n\n", "\n") != expected.replace("\n\n", "\n"):
            problems.append(f"roles {roles} gave {text!r}")
    known = [{"role": "developer", "content": "A"}, {"role": "user", "content": "hi"}]
    text = render(known, KNOWS)
    if text.strip() != "<D>developer:A user:hi":
        problems.append(f"a template that knows the role gave {text!r}")
    return problems[:2]


def engine():
    module = proof.load("vllm.renderers.hf")
    try:
        from tokenizers import Tokenizer, models
        from transformers import PreTrainedTokenizerFast
    except ImportError as error:
        raise Cannot(str(error)) from error
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"a": 0}, "a")))
    config = types.SimpleNamespace(trust_remote_code=False)

    def render(messages, template):
        return module.safe_apply_chat_template(
            config, tokenizer, messages, chat_template=template, tokenize=False
        )

    return check(render)


def function():
    try:
        import jinja2
    except ImportError as error:
        raise Cannot(str(error)) from error

    def refuse(text):
        raise ValueError(text)

    class Tokenizer:
        def apply_chat_template(self, conversation, tools, chat_template, tokenize):
            found = jinja2.Template(chat_template)
            return found.render(messages=conversation, raise_exception=refuse)

    space = {
        "resolve_chat_template": lambda tokenizer, chat_template, **_: chat_template,
        "resolve_chat_template_kwargs": lambda **_: {},
        "overload": lambda given: given,
        "logger": types.SimpleNamespace(exception=lambda *_: None, info_once=lambda *_: None),
        "lru_cache": lambda **_: lambda given: given,
        "cast": lambda kind, value: value,
    }
    names = ["safe_apply_chat_template"]
    source = proof.source("renderers/hf.py")
    for name in ("_detect_developer_role_support", "_convert_developer_to_system", "_consolidate_system_messages"):
        if f"def {name}(" in source:
            names.append(name)
    proof.take("renderers/hf.py", names, space)

    def render(messages, template):
        return space["safe_apply_chat_template"](
            None, Tokenizer(), messages, chat_template=template, tokenize=False
        )

    return check(render)


proof.run(engine=engine, function=function)
