# SPDX-License-Identifier: Apache-2.0
"""Genesis PN525: content without a tool call that had only just begun when the output ended."""


def without_open_call(content, tool_parser):
    """`content` without call openers at its end.

    An opener goes if nothing but white space, or the beginning of the next piece of markup, stands
    behind it. With any other text behind it the content stays whole: it may be prose about the tag,
    or a call in a form that the parser can't read.
    """
    opener, markup = _markup_of(tool_parser)
    if not content or not opener:
        return content
    kept = content
    while True:
        head, tag, tail = kept.rpartition(opener)
        if not tag or not any(one.startswith(tail.strip()) for one in markup):
            break
        kept = head
    if kept == content:
        return content
    return kept if kept.strip() else None


def _markup_of(tool_parser):
    """The tag that opens a call, and the markup that may follow it."""
    engine = getattr(tool_parser, "_parser_engine", None)
    terminals = getattr(getattr(engine, "parser_engine_config", None), "terminals", None)
    if terminals:
        return terminals.get("TOOL_START"), list(terminals.values())
    for holder in (tool_parser, getattr(tool_parser, "parser", None)):  # vLLM 0.22's Qwen parsers
        opener = getattr(holder, "tool_call_start_token", None)
        head = getattr(holder, "tool_call_prefix", getattr(holder, "function_start_token", None))
        if opener == "<tool_call>" and head == "<function=":
            return opener, [head, "</tool_call>"]
    return None, []
