// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/think.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tool_calls/lexer.h"
#include "tool_calls/prose.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {
namespace {

using Kind = Lexeme::Kind;

constexpr std::size_t kLongestHold = 64;

bool is_newline(char c) {
  return c == '\n' || c == '\r';
}

/// A letter or digit: a block goes on directly, while a mention is followed by a blank or a mark.
bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_text(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

}  // namespace

bool Think::on(const Lexeme& lexeme, Prose& prose, Scope& scope) {
  std::string_view rest = lexeme.raw;
  const bool text = lexeme.kind == Kind::text;
  if (hold_ != Hold::none && text) {
    while (!rest.empty() && hold_ != Hold::none && more(rest.front(), prose, scope))
      rest.remove_prefix(1);
    if (has_text(rest)) dropped_ = false;
    prose.text(rest, scope);
    return true;
  }
  if (hold_ != Hold::none && tag_follows(lexeme, prose, scope)) return true;
  if (lexeme.kind == Kind::think_open || lexeme.kind == Kind::think_close ||
      lexeme.kind == Kind::turn_end) {
    on_tag(lexeme, prose, scope);
    return true;
  }
  if (!text || has_text(rest)) dropped_ = false;
  return false;
}

void Think::on_tag(const Lexeme& lexeme, Prose& prose, Scope& scope) {
  variant_ = lexeme.variant;
  raw_ = lexeme.raw;
  at_line_ = prose.markdown().at_line_start();
  const bool unread = variant_ && !scope.on(Rule::thinking_variant);
  if (lexeme.kind == Kind::turn_end) {
    if (scope.on(Rule::turn_end))
      hold_ = Hold::turn_end;
    else
      as_text(prose, scope);
  } else if (unread) {
    as_text(prose, scope);
  } else if (lexeme.kind == Kind::think_open) {
    on_open(prose, scope);
  } else {
    on_close(prose, scope);
  }
}

void Think::on_open(Prose& prose, Scope& scope) {
  const bool in_code = prose.markdown().in_code() && scope.on(Rule::fenced_example);
  if (prose.reasoning()) {
    if (prose.has_reasoning() || in_code) return as_text(prose, scope);
    opened_ = true;  // the prompt's <think>, said again
    if (variant_) scope.repair(Rule::thinking_variant, raw_);
    return;
  }
  if (in_code || !scope.on(Rule::think_in_content)) return mention(prose, scope);
  hold_ = !prose.has_content() || at_line_ ? Hold::open : Hold::open_inside;
  inside_.clear();
}

void Think::on_close(Prose& prose, Scope& scope) {
  if (prose.reasoning()) {
    if (prose.markdown().in_span() && scope.on(Rule::fenced_example))
      hold_ = Hold::close_in_span;
    else
      end(prose, scope);
    return;
  }
  if (std::exchange(owed_, false)) return;
  const bool in_code = prose.markdown().in_code() && scope.on(Rule::fenced_example);
  if (in_code || mentions_ > 0 || !scope.on(Rule::extra_think_close)) {
    if (mentions_ > 0) --mentions_;
    return as_text(prose, scope);
  }
  if (!prose.has_content() || dropped_) return drop_close(scope);
  hold_ = Hold::close;
}

bool Think::more(char byte, Prose& prose, Scope& scope) {
  switch (hold_) {
    case Hold::open:
      if (is_newline(byte) || is_word(byte))
        begin(prose, scope);
      else
        mention(prose, scope);
      return false;
    case Hold::open_inside:
      if (is_newline(byte) || (inside_.empty() && !is_word(byte)) ||
          inside_.size() >= kLongestHold) {
        mention(prose, scope);
        return false;
      }
      inside_ += byte;
      raw_ += byte;
      return true;
    case Hold::closed_inside:
      if (is_newline(byte) || is_word(byte))
        block(prose, scope);
      else
        as_text(prose, scope);
      return false;
    case Hold::close:
      return more_behind_close(byte, prose, scope);
    case Hold::close_in_span:
      if (byte == '`')
        as_text(prose, scope);
      else
        end(prose, scope);
      return false;
    default:  // Hold::turn_end
      if (has_text(std::string_view(&byte, 1))) {
        as_text(prose, scope);
        return false;
      }
      raw_ += byte;
      return true;
  }
}

/// A </think> on its own line, or with an empty line behind it, isn't a mention.
bool Think::more_behind_close(char byte, Prose& prose, Scope& scope) {
  const bool one = raw_.ends_with('\n');
  if (byte == '\r' && !one) {
    raw_ += byte;
    return true;
  }
  if (byte == '\n' && !at_line_ && !one) {
    raw_ += byte;
    return true;
  }
  if (byte == '\n') {
    drop_close(scope);
    if (one) prose.text("\n", scope);
  } else {
    as_text(prose, scope);
  }
  return false;
}

bool Think::tag_follows(const Lexeme& lexeme, Prose& prose, Scope& scope) {
  switch (hold_) {
    case Hold::open:
      begin(prose, scope);
      return false;
    case Hold::open_inside:
      if (lexeme.kind != Kind::think_close || inside_.empty()) {
        mention(prose, scope);
        return false;
      }
      raw_ += lexeme.raw;
      hold_ = Hold::closed_inside;
      return true;
    case Hold::closed_inside:
      block(prose, scope);
      return false;
    case Hold::close:
      drop_close(scope);
      if (raw_.ends_with('\n')) prose.text("\n", scope);
      return false;
    case Hold::close_in_span:
      end(prose, scope);
      return false;
    default:
      as_text(prose, scope);
      return false;
  }
}

void Think::finish(Prose& prose, Scope& scope) {
  switch (hold_) {
    case Hold::none:
      return;
    case Hold::open:
      if (prose.has_content())
        mention(prose, scope);
      else
        begin(prose, scope);
      return;
    case Hold::open_inside:
      return mention(prose, scope);
    case Hold::closed_inside:
      return block(prose, scope);
    case Hold::close:
      if (at_line_)
        drop_close(scope);
      else
        as_text(prose, scope);
      return;
    case Hold::close_in_span:
      return end(prose, scope);
    case Hold::turn_end:
      hold_ = Hold::none;
      scope.repair(Rule::turn_end, raw_);
      return;
  }
}

void Think::as_text(Prose& prose, Scope& scope) {
  hold_ = Hold::none;
  dropped_ = false;
  prose.text(raw_, scope);
}

/// A <think> that is only mentioned; its </think> will be, too.
void Think::mention(Prose& prose, Scope& scope) {
  if (!prose.markdown().in_code()) ++mentions_;
  as_text(prose, scope);
}

void Think::begin(Prose& prose, Scope& scope) {
  hold_ = Hold::none;
  opened_ = true;
  scope.repair(Rule::think_in_content, variant_ ? "<thinking>" : "<think>");
  prose.begin_reasoning(scope);
}

/// <think>text</think> inside a line.
void Think::block(Prose& prose, Scope& scope) {
  hold_ = Hold::none;
  scope.repair(Rule::think_in_content, excerpt(raw_));
  prose.begin_reasoning(scope);
  prose.text(inside_, scope);
  prose.end_reasoning();
}

/// Said once for a whole run of them; each is counted.
void Think::drop_close(Scope& scope) {
  hold_ = Hold::none;
  if (std::exchange(dropped_, true))
    scope.counters.add(Rule::extra_think_close);
  else
    scope.repair(Rule::extra_think_close, variant_ ? "</thinking>" : "</think>");
}

void Think::end(Prose& prose, Scope& scope) {
  hold_ = Hold::none;
  if (variant_) scope.repair(Rule::thinking_variant, "</thinking>");
  owed_ = false;
  prose.end_reasoning();
}

}  // namespace sndr::tool_calls
