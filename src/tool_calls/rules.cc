// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/rules.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace sndr::tool_calls {
namespace {

constexpr bool on = true;
constexpr bool off = false;

constexpr std::array<RuleInfo, kRuleCount> kRules = {{
    {Rule::prose_mention, "prose_mention", on,
     "A tag that no declared tool's header and first parameter follow is text",
     "a declared tool's header inside <tool_call> is a call, whatever follows"},
    {Rule::fenced_example, "fenced_example", on,
     "A call in a Markdown fence, a code span, an indented or a quoted block is text",
     "Markdown is ignored"},
    {Rule::undeclared_tool, "undeclared_tool", on,
     "A call of a tool that the request doesn't declare stays in the answer as text",
     "it is a call; all its values are strings"},
    {Rule::missing_wrapper, "missing_wrapper", on,
     "A declared tool's header without <tool_call> is a call", "it is text"},
    {Rule::call_in_reasoning, "call_in_reasoning", on,
     "A call inside the reasoning ends the reasoning", "it is reasoning"},
    {Rule::bare_call_in_reasoning, "bare_call_in_reasoning", off,
     "A complete call without <tool_call> inside the reasoning is a call", "it is reasoning"},
    {Rule::tag_cascade, "tag_cascade", on,
     "A tag or header that is repeated without anything between counts once",
     "the repetition is text"},
    {Rule::other_dialect, "other_dialect", on,
     "A call in the notation that isn't the chosen dialect's is a call", "it is text"},
    {Rule::call_syntax, "call_syntax", on, "NAME(KEY=VALUE) inside <tool_call> is a call",
     "it is text"},
    {Rule::attribute_header, "attribute_header", on,
     "<function name=\"f\">, quotes and blanks around a name are read as <function=f>",
     "such a tag is text"},
    {Rule::missing_bracket, "missing_bracket", on,
     "A header or parameter without its > ends at the end of the line", "such a tag is text"},
    {Rule::json_body, "json_body", on,
     "A JSON object where parameters should stand is the call's arguments", "it is text"},
    {Rule::closing_tag_in_value, "closing_tag_in_value", on,
     "A closing tag, or a whole nested block, inside a value is part of the value",
     "the first closing tag ends the value, and text up to the next tag is dropped"},
    {Rule::missing_close, "missing_close", on,
     "What follows ends a parameter, function or wrapper that wasn't closed",
     "a value runs on until its closing tag"},
    {Rule::duplicate_parameter, "duplicate_parameter", on,
     "Of a parameter that is given twice the first one counts",
     "both are written, and the reader of the JSON decides"},
    {Rule::json_repair, "json_repair", on,
     "Quotes inside strings, missing or extra brackets and Python's notation in JSON are mended",
     "the call is broken"},
    {Rule::arguments_as_text, "arguments_as_text", on,
     "Arguments that are a string of JSON are read as the JSON in it", "the call is broken"},
    {Rule::truncated_call, "truncated_call", on,
     "A call that the end of the text cut off is closed, but not complete: it isn't to be run",
     "it counts as complete, with what there is"},
    {Rule::broken_call, "broken_call", on,
     "A call whose arguments can't be read is closed, but not complete: it isn't to be run",
     "it counts as complete, with what there is"},
    {Rule::whitespace_run, "whitespace_run", on,
     "More than 256 white-space characters between tags or at the end of the text are dropped",
     "at the end of the text they are content; between tags they are never anything"},
    {Rule::loose_literal, "loose_literal", on,
     "Python's True, False, None, single quotes, tuples, trailing commas, and yes or no are read "
     "where the schema wants no string",
     "such a value stays text"},
    {Rule::uncoerced_value, "uncoerced_value", on,
     "A value that its schema doesn't allow stays the text that it was",
     "the same, without a report"},
    {Rule::undeclared_parameter, "undeclared_parameter", on,
     "A parameter that the schema doesn't name is kept, as a string", "the same, without a report"},
    {Rule::missing_required, "missing_required", on,
     "A required parameter that isn't there is reported; none is invented",
     "the same, without a report"},
    {Rule::thinking_variant, "thinking_variant", on,
     "<thinking> and </thinking> are read as <think> and </think>", "they are text"},
    {Rule::extra_think_close, "extra_think_close", on,
     "A </think> that closes nothing is dropped where it can't be a mention", "it is content"},
    {Rule::think_in_content, "think_in_content", on, "A <think> block in the answer is reasoning",
     "it is content"},
    {Rule::answer_in_thinking, "answer_in_thinking", on,
     "Where the text ended without </think> and there is no answer, the reasoning is the answer, "
     "too",
     "the answer is empty"},
    {Rule::turn_end, "turn_end", on, "<|im_end|> or <|endoftext|> at the very end is dropped",
     "it is text"},
}};

}  // namespace

std::span<const RuleInfo, kRuleCount> rules() {
  return kRules;
}

const RuleInfo& info(Rule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

std::optional<Rule> rule_named(std::string_view name) {
  for (const auto& entry : kRules)
    if (entry.name == name) return entry.rule;
  return std::nullopt;
}

RuleSet::RuleSet() {
  for (const auto& entry : kRules) set(entry.rule, entry.on);
}

}  // namespace sndr::tool_calls
