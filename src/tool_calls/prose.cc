// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/prose.h"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tool_calls/rules.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {
namespace {

constexpr std::string_view kNewlines = "\r\n";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kLongRun = 256;

}  // namespace

void Prose::text(std::string_view piece, Scope& scope) {
  if (piece.empty()) return;
  markdown_.text(piece);
  if (reasoning_)
    reasoning_text(piece, scope);
  else
    content_text(piece, scope);
}

void Prose::reasoning_text(std::string_view piece, Scope& scope) {
  if (!has_reasoning_ || after_markup_) {
    const auto begin = piece.find_first_not_of(kNewlines);
    if (begin == std::string_view::npos) return;
    piece.remove_prefix(begin);
  }
  const auto last = piece.find_last_not_of(kNewlines);
  if (last == std::string_view::npos) {
    held_ += piece;
    return;
  }
  if (after_markup_ && has_reasoning_) send_reasoning("\n", scope);  // a second block
  send_reasoning(std::exchange(held_, {}), scope);
  send_reasoning(piece.substr(0, last + 1), scope);
  held_ = piece.substr(last + 1);
  has_reasoning_ = true;
  after_markup_ = false;
}

void Prose::send_reasoning(std::string_view piece, Scope& scope) {
  if (piece.empty()) return;
  scope.reasoning(piece);
  if (keep_) kept_ += piece;
}

void Prose::content_text(std::string_view piece, Scope& scope) {
  const auto last = piece.find_last_not_of(kSpace);
  if (last == std::string_view::npos) {
    held_ += piece;
    return;
  }
  if (after_markup_ && !has_content_) {  // newlines at the front belong to the markup
    const auto first = piece.find_first_not_of(kSpace);
    held_ += piece.substr(0, first);
    piece.remove_prefix(first);
    const auto line = held_.find_last_of('\n');
    held_.erase(0, line == std::string::npos ? 0 : line + 1);
  }
  if (!held_.empty()) scope.content(std::exchange(held_, {}));
  const auto end = piece.find_last_not_of(kSpace) + 1;
  scope.content(piece.substr(0, end));
  held_ = piece.substr(end);
  has_content_ = true;
  after_markup_ = false;
}

void Prose::begin_reasoning(Scope& scope) {
  if (has_content_ && !held_.empty()) scope.content(std::exchange(held_, {}));
  held_.clear();
  reasoning_ = true;
  after_markup_ = has_reasoning_;
  markdown_ = {};
}

void Prose::end_reasoning() {
  reasoning_ = keep_ = false;
  kept_.clear();
  after_markup_ = true;
  held_.clear();
  markdown_ = {};
}

void Prose::before_call() {
  after_markup_ = true;
  markdown_ = {};
}

void Prose::finish(Scope& scope) {
  if (after_markup_ || held_.empty()) return;
  if (reasoning_) {
    send_reasoning(held_, scope);
  } else if (held_.size() > kLongRun && scope.on(Rule::whitespace_run)) {
    scope.repair(Rule::whitespace_run, fmt::format("{} bytes at the end", held_.size()));
  } else {
    scope.content(held_);
  }
  held_.clear();
}

}  // namespace sndr::tool_calls
