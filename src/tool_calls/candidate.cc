// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/candidate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tool_calls/events.h"
#include "tool_calls/lexer.h"
#include "tool_calls/options.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"

// The difference between a call and a sentence about calls: a call's <tool_call> is followed by
// nothing but white space and the header of a declared tool, and that by nothing but white space
// and a parameter, a closing tag or an object. A sentence breaks off at its first word, so that no
// more than its tag is ever held back.
namespace sndr::tool_calls {
namespace {

using Kind = Lexeme::Kind;

constexpr std::size_t kLongRun = 256;

bool is_word(char c) {
  return c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

}  // namespace

Candidate Candidate::wrapper(std::string_view raw) {
  Candidate out;
  out.wrapped_ = true;
  out.wrappers_ = raw.empty() ? 0 : 1;
  out.raw_ = raw;
  return out;
}

std::optional<Candidate> Candidate::at_header(const Lexeme& header, bool wrapped, bool at_line,
                                              Scope& scope) {
  Candidate out;
  out.wrapped_ = wrapped;
  out.at_line_ = at_line;
  out.raw_ = header.raw;
  if (out.take_header(header, scope) == Next::text) return std::nullopt;
  return out;
}

Candidate::Next Candidate::on(const Lexeme& lexeme, std::string_view& rest, Scope& scope) {
  if (lexeme.kind == Kind::text) return on_text(rest, scope);
  const auto next = on_tag(lexeme, scope);
  if (next == Next::more || next == Next::header) raw_ += lexeme.raw;
  if (next != Next::text) space_ = 0;
  return next;
}

Candidate::Next Candidate::on_text(std::string_view& rest, Scope& scope) {
  while (!rest.empty()) {
    const char c = rest.front();
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (stage_ == Stage::closed) return c == '\n' || c == '\r' ? Next::bare_empty : Next::text;
    if (stage_ == Stage::word && !space) {
      if (c == '(' && (tool_ = scope.tools.find(name_)) != nullptr) {
        raw_ += c;
        rest.remove_prefix(1);
        return Next::arguments;
      }
      name_ += c;
      if (!is_word(c) || !scope.tools.any_begins(name_)) return Next::text;
    } else if (space) {
      most_space_ = std::max(most_space_, ++space_);
      lines_ = lines_ || c == '\n';
      if (stage_ == Stage::word) return Next::text;
      if (space_ > kLongRun && !scope.on(Rule::whitespace_run)) return Next::text;
    } else if (stage_ == Stage::header) {
      return c == '{' && scope.on(Rule::json_body) ? Next::members : Next::text;
    } else if (c == '{') {
      const bool own = scope.options.dialect != Dialect::qwen3;
      return own || scope.on(Rule::other_dialect) ? Next::object : Next::text;
    } else {
      name_ = c;
      if (!scope.on(Rule::call_syntax) || !scope.tools.any_begins(name_)) return Next::text;
      stage_ = Stage::word;
    }
    raw_ += c;
    rest.remove_prefix(1);
  }
  return Next::more;
}

Candidate::Next Candidate::on_tag(const Lexeme& lexeme, Scope& scope) {
  if (stage_ == Stage::closed)
    return lexeme.kind == Kind::call_close || lexeme.kind == Kind::call_open ? Next::bare_empty
                                                                             : Next::text;
  if (stage_ == Stage::word) return Next::text;
  const bool again = lexeme.kind == Kind::call_open && wrapped_ && scope.on(Rule::tag_cascade);
  if (again) {
    repeated_ = true;
    wrappers_ += stage_ == Stage::wrapper ? 1 : 0;
    stage_ = Stage::wrapper;
    return Next::more;
  }
  if (stage_ == Stage::header) return on_header_tag(lexeme, scope);
  return lexeme.kind == Kind::function_open ? take_header(lexeme, scope) : Next::text;
}

Candidate::Next Candidate::take_header(const Lexeme& lexeme, Scope& scope) {
  tool_ = scope.tools.find(lexeme.name);
  undeclared_ = tool_ == nullptr && scope.on(Rule::undeclared_tool);
  const bool foreign = scope.options.dialect == Dialect::hermes && !scope.on(Rule::other_dialect);
  if (undeclared_ || foreign || (lexeme.attribute && !scope.on(Rule::attribute_header)) ||
      (lexeme.unclosed && !scope.on(Rule::missing_bracket)))
    return Next::text;
  name_ = lexeme.name;
  attribute_ = lexeme.attribute;
  unclosed_ = lexeme.unclosed;
  stage_ = Stage::header;
  return wrapped_ && !scope.on(Rule::prose_mention) ? Next::header : Next::more;
}

Candidate::Next Candidate::on_header_tag(const Lexeme& lexeme, Scope& scope) {
  switch (lexeme.kind) {
    case Kind::parameter_open:
      if (lexeme.unclosed && !(tool_ != nullptr && tool_->declares(lexeme.name))) return Next::text;
      if (!wrapped_ && tool_ != nullptr && !tool_->declares(lexeme.name)) return Next::text;
      return Next::parameter;
    case Kind::function_close:
      if (wrapped_) return Next::empty;
      if (!at_line_) return Next::text;
      stage_ = Stage::closed;
      return Next::more;
    case Kind::call_close:
      return wrapped_ && is_empty_call() && scope.on(Rule::missing_close) ? Next::empty
                                                                          : Next::text;
    case Kind::function_open:
      if (lexeme.name != name_ || !scope.on(Rule::tag_cascade)) return Next::text;
      repeated_ = true;
      return Next::more;
    default:
      return Next::text;
  }
}

bool Candidate::is_empty_call() const {
  return stage_ >= Stage::header && tool_ != nullptr && tool_->required().empty();
}

bool Candidate::is_cut_call(Stop stop, std::string_view partial, const Scope& scope) const {
  constexpr std::string_view kHeader = "<function=";
  if (!wrapped_ || !lines_) return stop == Stop::length && stage_ == Stage::header && at_line_;
  if (stage_ == Stage::header) return true;
  if (stage_ == Stage::word) return stop == Stop::length;
  if (partial.size() > kHeader.size())
    return partial.starts_with(kHeader) && scope.tools.any_begins(partial.substr(kHeader.size()));
  return kHeader.starts_with(partial) && (partial.size() > 1 || stop == Stop::length);
}

void Candidate::report(Scope& scope) const {
  if (!wrapped_) scope.repair(Rule::missing_wrapper, "<tool_call> before " + name_);
  if (attribute_) scope.repair(Rule::attribute_header, "the header of " + name_);
  if (unclosed_) scope.repair(Rule::missing_bracket, "the header of " + name_ + " has no >");
  if (repeated_) scope.repair(Rule::tag_cascade, "a tag in front of the call stands there twice");
  if (most_space_ > kLongRun)
    scope.repair(Rule::whitespace_run, fmt::format("{} characters", most_space_));
}

}  // namespace sndr::tool_calls
