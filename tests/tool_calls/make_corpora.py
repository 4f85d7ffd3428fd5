#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the corpora that tests of tool calls read; the same seed gives the same bytes.

  make_corpora.py prose > prose_generated.txt    texts about tool calls, without one: sentences in ten languages, put into
                                                 paragraphs, lists, tables, quotes, headings, fences and source code
  make_corpora.py calls > calls.txt              real calls of the tools in tools.json, in the notations that models use
  make_corpora.py wellformed N                   N well-formed Qwen answers, as JSON lines, for differential.py

`prose.txt` is written by hand. prose.txt and prose_generated.txt hold 500 texts together, calls.txt holds 500.
"""
import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = {t["function"]["name"]: t["function"]["parameters"].get("properties", {}) for t in json.loads((HERE / "tools.json").read_text())}

# ---- texts about tool calls ------------------------------------------------------------------------------------------------
# {t} is a tag, {u} another, {n} a tool's name, {p} a parameter's name.
SENTENCES = {
    "en": ["The tag {t} comes before {u}.", "I would write {t} here, but nothing needs to be called.", "Never put {t} and {u} on one line.",
           "When {n} is called, the text holds {t} first.", "Parsers differ in what they do with {t}; ours keeps it.",
           "Between {t} and {u} stands the value of {p}.", "My answer has {t} in it and still calls nothing.", "{t} is a tag, {n} is a tool, {p} is a parameter.",
           "Somebody asked why {t} shows up in the output.", "To close it, write {u}; to open it, write {t}."],
    "de": ["Zuerst kommt {t}, danach {u}.", "Das Werkzeug {n} steht hinter {t}.", "Wer {t} vergisst, bekommt nur Text.", "{t} ist hier nur erwähnt, nicht benutzt.",
           "Der Wert von {p} steht zwischen {t} und {u}."],
    "fr": ["On écrit {t} puis {u}.", "L'outil {n} est nommé après {t}.", "Sans {t}, ce n'est que du texte.", "La valeur de {p} se trouve entre {t} et {u}."],
    "es": ["Primero {t} y después {u}.", "La herramienta {n} va detrás de {t}.", "Aquí {t} solo se menciona.", "El valor de {p} está entre {t} y {u}."],
    "ru": ["Сначала {t}, затем {u}.", "Инструмент {n} указывается после {t}.", "Здесь {t} только упомянут.", "Значение {p} стоит между {t} и {u}."],
    "zh": ["先写 {t}，再写 {u}。", "工具 {n} 写在 {t} 之后。", "这里只是提到 {t}，并没有调用。", "{p} 的值位于 {t} 与 {u} 之间。"],
    "ja": ["まず {t}、次に {u} です。", "{n} は {t} の後に書きます。", "ここでは {t} に触れただけです。"],
    "ko": ["먼저 {t}, 그다음 {u} 입니다.", "{n} 은(는) {t} 뒤에 옵니다.", "여기서는 {t} 를 언급만 합니다."],
    "ar": ["أولاً {t} ثم {u}.", "تأتي الأداة {n} بعد {t}."],
    "tr": ["Önce {t}, sonra {u} yazılır.", "{n} aracı {t} etiketinden sonra gelir."],
}
PLAIN_TAGS = ["<tool_call>", "</tool_call>", "</function>", "</parameter>", "<function=NAME>", "<function=...>", "<parameter=KEY>", "<parameter=...>"]


def tag(r):
    name = r.choice(list(TOOLS))
    keys = list(TOOLS[name]) or ["x"]
    return r.choice(PLAIN_TAGS + [f"<function={name}>", f"<parameter={r.choice(keys)}>", "<tool_call>", f'<function name="{name}">',
                                  "<tool_call><tool_call>", "<tool_call></tool_call>", f"<function={name}></function>", "`<tool_call>`",
                                  f"“<function={name}>”", "<|im_end|>", "<think> … </think>", f"<tool_call> <function={name}> … </function> </tool_call>"])


def sentence(r, lang=None):
    name = r.choice(list(TOOLS))
    return r.choice(SENTENCES[lang or r.choice(list(SENTENCES))]).format(t=tag(r), u=tag(r), n=name, p=r.choice(list(TOOLS[name]) or ["x"]))


def block(r):
    """A whole call of a declared tool, for places where it is an example."""
    return call(r, r.choice(["qwen3", "qwen3", "hermes"]))[0]


def quoted(text, prefix):
    return "\n".join(prefix + line for line in text.split("\n"))


def paragraph(r):
    lang = r.choice(list(SENTENCES))
    return " ".join(sentence(r, lang) for _ in range(r.randint(1, 4)))


def bullets(r):
    marks = r.choice([["- "] * 9, ["* "] * 9, [f"{i}. " for i in range(1, 10)]])
    return "\n".join(marks[i] + sentence(r) for i in range(r.randint(2, 5)))


def table(r):
    return "\n".join(["| tag | note |", "|---|---|"] + [f"| {tag(r)} | {sentence(r)} |" for _ in range(r.randint(2, 4))])


def fenced(r):
    fence = r.choice(["```", "```", "~~~", "````"])
    info = r.choice(["", "xml", "text", "html", "python"])
    return f"{paragraph(r)}\n\n{fence}{info}\n{block(r)}\n{fence}\n\n{paragraph(r)}"


def blockquote(r):
    return paragraph(r) + "\n\n" + quoted(block(r), "> ") + "\n\n" + paragraph(r)


def indented(r):
    return paragraph(r) + "\n\n" + quoted(block(r), r.choice(["    ", "\t"])) + "\n\n" + paragraph(r)


def heading(r):
    return f"## {tag(r)}\n\n{paragraph(r)}\n\n## {tag(r)}\n\n{paragraph(r)}"


def undeclared(r):
    name = r.choice(["delete_all", "example_function_name", "NAME", "my_tool", "foo", "readfile", "Read_File"])
    body = f"<function={name}>\n<parameter={r.choice(['path', 'x', 'KEY'])}>\n{r.choice(['value', 'VALUE', '1', '...'])}\n</parameter>\n</function>"
    if r.random() < 0.3:
        body = json.dumps({"name": name, "arguments": {"path": "value"}})
    return f"{paragraph(r)}\n\n<tool_call>\n{body}\n</tool_call>\n\n{paragraph(r)}"


def alone(r):
    """A tag alone on its line, prose below."""
    t = r.choice(["<tool_call>", "</tool_call>", "</function>", "</parameter>", f"<function={r.choice(list(TOOLS))}>", "<parameter=path>"])
    return f"{paragraph(r)}\n{t}\n{paragraph(r)}"


def cut(r):
    return paragraph(r) + " " + r.choice(["<tool_c", "<tool_call", "<function=", "<function=read_fi", "</tool", "<", "</", "<parameter=pa"])


SOURCES = [
    "```python\nTEXT = {j}\nassert parse(TEXT) == []\n```",
    "```js\nconst text = {j};\nexpect(parse(text)).toEqual([]);\n```",
    "```rust\nlet text = {j};\nassert!(parse(text).is_empty());\n```",
    "```go\ntext := {j}\nif len(parse(text)) != 0 {{ t.Fatal(text) }}\n```",
    "```json\n{{\"role\": \"assistant\", \"content\": {j}}}\n```",
    "The log has {j}, escaped.",
    "curl -d '{{\"prompt\": {j}}}' localhost:8000/v1/completions",
    "print({j}.count(\"<tool_call>\"))",
    "INFO 12-01 10:00:00 [engine.py:99] output={j}",
]


def source(r):
    return r.choice(SOURCES).format(j=json.dumps(r.choice([block(r), sentence(r), tag(r)]), ensure_ascii=False))


def windows(r):
    return r.choice([paragraph, bullets, alone])(r).replace("\n", "\r\n") + "\r\n"


KINDS = [paragraph, paragraph, bullets, table, fenced, fenced, blockquote, indented, heading, undeclared, alone, alone, cut, source, source, windows]


def prose():
    r = random.Random(20261201)
    want = 500 - sum(line.startswith("=== ") for line in (HERE / "prose.txt").read_text().splitlines())
    print("# Texts about tool calls that call nothing, generated by make_corpora.py; the same format as prose.txt.")
    for i in range(want):
        kind = KINDS[i % len(KINDS)]
        sys.stdout.write(f"=== {kind.__name__}\n{kind(r)}\n")


# ---- calls -----------------------------------------------------------------------------------------------------------------
WORDS = "alpha beta gamma delta print return x y value if else for while <b> a<b && || \\n \"quoted\" 'single' {brace} [list] é 日本 🛠️ #1 50% $HOME".split()


def text_value(r):
    kind = r.randrange(8)
    if kind == 0:
        return r.choice(["Paris", "New York", "São Paulo", "東京", "a.txt", "/etc/hosts", "src/main.cc", "true", "42", "007", "null-ish", "{}"])
    if kind == 1:
        return "\n".join("    " * r.randint(0, 3) + " ".join(r.choice(WORDS) for _ in range(r.randint(1, 6))) for _ in range(r.randint(2, 12)))
    if kind == 2:
        return "\n" * r.randint(1, 2) + "  indented" + "\n" * r.randint(1, 3)
    if kind == 3:
        return json.dumps({"a": [1, 2, {"b": None}], "c": "d\n"})
    if kind == 4:
        return "if a < b and c > d: <div class=\"x\">" + r.choice(WORDS) + "</div>"
    if kind == 5:
        return ""
    return " ".join(r.choice(WORDS) for _ in range(r.randint(1, 12)))


def value(r, schema):
    """A value and its text in the XML notation."""
    types = schema.get("type")
    if "anyOf" in schema:
        types = [s["type"] for s in schema["anyOf"]]
    kind = r.choice(types) if isinstance(types, list) else types
    if "enum" in schema:
        v = r.choice(schema["enum"])
        return v, v
    if kind == "string":
        v = text_value(r)
        while isinstance(types, list) and v in ("null", "None"):
            v = text_value(r)
        return v, v
    v = {"integer": lambda: r.randint(-5, 9999), "number": lambda: round(r.uniform(-5, 500), 2), "boolean": lambda: r.random() < 0.5,
         "null": lambda: None, "object": lambda: {"depth": r.randint(0, 9)}, "array": lambda: [r.choice(WORDS) for _ in range(r.randint(0, 4))]}[kind]()
    return v, json.dumps(v, ensure_ascii=False)


def call(r, notation, name=None):
    """The text of a call, the tool's name, its arguments."""
    name = name or r.choice(list(TOOLS))
    keys = [k for k in TOOLS[name] if r.random() < 0.8] or list(TOOLS[name])[:1]
    pairs = [(k, *value(r, TOOLS[name][k])) for k in keys]
    arguments = {k: v for k, v, _ in pairs}
    if notation == "hermes":
        return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False) + "\n</tool_call>", name, arguments
    if notation == "syntax":
        return "<tool_call>\n" + name + "(" + ", ".join(f"{k}={v!r}" for k, v, _ in pairs) + ")\n</tool_call>", name, arguments
    header, key = ('<function name="%s">', '<parameter name="%s">') if notation == "attribute" else ("<function=%s>", "<parameter=%s>")
    body = header % name + "\n" + "".join(f"{key % k}\n{t}\n</parameter>\n" for k, _, t in pairs) + "</function>"
    return body if notation == "bare" else f"<tool_call>\n{body}\n</tool_call>", name, arguments


def calls():
    r = random.Random(500)
    print("# Real calls, generated by make_corpora.py: after each text, `--- ` and what it calls, as JSON.")
    for i in range(500):
        notation = ["qwen3", "qwen3", "hermes", "bare", "attribute", "syntax"][i % 6]
        text, name, arguments = call(r, notation)
        before = r.choice(["", "", "Let me look.\n\n", "I'll use `%s` for that.\n" % name, "<tool_call> is how I call it. Now:\n\n"])
        sys.stdout.write(f"=== {notation}\n{before}{text}\n--- {json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n")


def wellformed(count):
    r = random.Random(2000)
    for _ in range(count):
        thinking = r.random() < 0.6
        parts, expected = [], []
        if thinking:
            parts.append(r.choice(["I should look.", "Okay.\n\nFirst the file, then the rest.", "日本語で考える。", "a < b, so b > a"]) + "\n</think>\n\n")
        if r.random() < 0.4:
            parts.append(r.choice(["Let me check.", "Here we go:\n\n* one\n* two", "Schön."]) + "\n\n")
        for k in range(r.choice([0, 1, 1, 1, 2, 3])):
            text, name, arguments = call(r, "qwen3")
            parts.append(("\n" if k else "") + text)
            expected.append({"name": name, "arguments": arguments})
        print(json.dumps({"text": "".join(parts), "thinking": thinking, "calls": expected}, ensure_ascii=False))


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "prose":
        prose()
    elif what == "calls":
        calls()
    elif what == "wellformed":
        wellformed(int(sys.argv[2]))
    else:
        sys.exit(__doc__)
