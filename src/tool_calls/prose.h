// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tool_calls/markdown.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {

/// The text that isn't a call: reasoning, then content.
///
/// Newlines next to markup belong to the markup: reasoning has none at either end, and content
/// none where a </think> or a call stands before or behind it. Between two pieces of content that
/// a call divides they stay, so that no two words are glued together. Text without any markup
/// comes out byte for byte.
class Prose {
 public:
  /// `keep`: keeps a copy of the reasoning, as long as there is no content.
  Prose(bool reasoning, bool keep) : reasoning_(reasoning), keep_(keep) {}

  [[nodiscard]] bool reasoning() const { return reasoning_; }
  [[nodiscard]] bool has_reasoning() const { return has_reasoning_; }
  [[nodiscard]] bool has_content() const { return has_content_; }
  [[nodiscard]] const Markdown& markdown() const { return markdown_; }
  [[nodiscard]] const std::string& kept() const { return kept_; }

  void text(std::string_view piece, Scope& scope);
  void begin_reasoning(Scope& scope);
  void end_reasoning();
  /// A call comes next; what follows it begins a line.
  void before_call();
  /// Releases what was held back.
  void finish(Scope& scope);

 private:
  void reasoning_text(std::string_view piece, Scope& scope);
  void send_reasoning(std::string_view piece, Scope& scope);
  void content_text(std::string_view piece, Scope& scope);

  bool reasoning_;
  bool keep_;
  bool has_reasoning_ = false;
  bool has_content_ = false;
  bool after_markup_ = false;  // a </think> or a call came, and no content since
  std::string held_;           // white space that may stand next to markup
  std::string kept_;
  Markdown markdown_;
};

}  // namespace sndr::tool_calls
