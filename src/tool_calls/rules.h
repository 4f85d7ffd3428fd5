// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// The repair rules: every liberty that the parser takes with a model's text, by name.
///
/// Each rule can be switched off, is counted, and is reported where it acts
/// (`Event::Kind::repair`). The table in rules.cc says what each does, what happens without it, and
/// its default; docs and `sndr calls rules` are printed from it.
namespace sndr::tool_calls {

enum class Rule : std::uint8_t {
  // Which text is a call.
  prose_mention,
  fenced_example,
  undeclared_tool,
  missing_wrapper,
  call_in_reasoning,
  bare_call_in_reasoning,
  tag_cascade,
  other_dialect,
  call_syntax,
  // How a call's markup is read.
  attribute_header,
  missing_bracket,
  json_body,
  closing_tag_in_value,
  missing_close,
  duplicate_parameter,
  json_repair,
  arguments_as_text,
  truncated_call,
  broken_call,
  whitespace_run,
  // What a value becomes.
  loose_literal,
  uncoerced_value,
  undeclared_parameter,
  missing_required,
  // Where thinking begins and ends.
  thinking_variant,
  extra_think_close,
  think_in_content,
  answer_in_thinking,
  turn_end,
};
inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(Rule::turn_end) + 1;

struct RuleInfo {
  Rule rule;
  std::string_view name;  ///< "missing_close"
  bool on;                ///< the default
  std::string_view does;  ///< one sentence without a period
  std::string_view off;   ///< what happens when it is switched off
};

/// In the order of `Rule`.
[[nodiscard]] std::span<const RuleInfo, kRuleCount> rules();
[[nodiscard]] const RuleInfo& info(Rule rule);
[[nodiscard]] std::optional<Rule> rule_named(std::string_view name);

/// Which rules are on; begins with the defaults.
class RuleSet {
 public:
  RuleSet();
  [[nodiscard]] bool on(Rule rule) const { return on_.test(static_cast<std::size_t>(rule)); }
  void set(Rule rule, bool on) { on_.set(static_cast<std::size_t>(rule), on); }

 private:
  std::bitset<kRuleCount> on_;
};

/// How often each rule acted in one text.
class Counters {
 public:
  void add(Rule rule) { ++counts_[static_cast<std::size_t>(rule)]; }
  [[nodiscard]] std::uint32_t of(Rule rule) const {
    return counts_[static_cast<std::size_t>(rule)];
  }

 private:
  std::array<std::uint32_t, kRuleCount> counts_{};
};

}  // namespace sndr::tool_calls
