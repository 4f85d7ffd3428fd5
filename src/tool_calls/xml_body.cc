// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/xml_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool_calls/events.h"
#include "tool_calls/lexer.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"

// The held tags are spelled as letters, so that the rules read as they are stated: "P" is a
// </parameter> that waits, "PF" that and a </function>, C is </tool_call>, O is <tool_call>, and T
// the end of a turn.
namespace sndr::tool_calls {
namespace {

using Kind = Lexeme::Kind;

char letter_of(Kind kind) {
  switch (kind) {
    case Kind::parameter_close:
      return 'P';
    case Kind::function_close:
      return 'F';
    case Kind::call_close:
      return 'C';
    case Kind::call_open:
      return 'O';
    case Kind::turn_end:
      return 'T';
    default:
      return 0;
  }
}

std::size_t leading_space(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? text.size() : first;
}

bool begins(std::string_view tag, std::string_view partial, std::size_t least) {
  return partial.size() >= least && tag.starts_with(partial);
}

}  // namespace

bool XmlBody::declares(std::string_view parameter) const {
  return tool_ == nullptr || tool_->declares(parameter);
}

/// A tag in a form that the rules allow.
bool XmlBody::readable(const Lexeme& lexeme, Scope& scope) const {
  if (lexeme.attribute && !scope.on(Rule::attribute_header)) return false;
  if (!lexeme.unclosed) return true;
  return scope.on(Rule::missing_bracket) && declares(lexeme.name);
}

void XmlBody::open(const Lexeme& parameter, Scope& scope) {
  if (parameter.unclosed)
    scope.repair(Rule::missing_bracket, excerpt(parameter.raw) + " has no >", call_.index());
  if (parameter.attribute)
    scope.repair(Rule::attribute_header, excerpt(parameter.raw), call_.index());
  const bool written = call_.admit(parameter.name, tool_, scope);
  value_ = ParameterValue(std::string(parameter.name),
                          tool_ == nullptr ? Schema() : tool_->parameter(parameter.name), !written);
  in_value_ = true;
  noted_ = false;
  calls_ = functions_ = parameters_ = 0;
  before_ = Kind::text;
}

XmlBody::Next XmlBody::on(const Lexeme& lexeme, Scope& scope) {
  if (!in_value_) return on_between(lexeme, scope);
  if (lexeme.kind == Kind::text) {
    on_text(lexeme.raw, scope);
    return Next::more;
  }
  auto verdict = judge(lexeme, scope);
  if (verdict == Verdict::text && !closers_.empty()) {
    release(scope);
    verdict = judge(lexeme, scope);
  }
  switch (verdict) {
    case Verdict::text:
      as_text(lexeme.kind, lexeme.raw, scope);
      return Next::more;
    case Verdict::hold:
      hold(lexeme);
      return Next::more;
    case Verdict::value:
      close_value(scope);
      return Next::more;
    case Verdict::parameter:
      if (closers_.empty())
        scope.repair(Rule::missing_close, "</parameter> of " + value_.key(), call_.index());
      close_value(scope);
      open(lexeme, scope);
      return Next::more;
    default:
      return close(lexeme, verdict == Verdict::close_and_give_back, scope);
  }
}

XmlBody::Next XmlBody::close(const Lexeme& lexeme, bool give_back, Scope& scope) {
  gives_back_ = give_back;
  if (!give_back) closers_ += letter_of(lexeme.kind);
  closed_wrapper_ = closers_.find('C') != std::string::npos;
  if (closers_ == "PO") {
    const auto next = std::find_if(held_.begin(), held_.end(), [](const HeldLexeme& held) {
      return held.kind == Kind::call_open;
    });
    behind_.assign(next, held_.end());
  }
  report_missing(scope);
  close_value(scope);
  return Next::ended;
}

/// Behind a closed value, where the first closing tag is believed whatever follows: text is
/// dropped up to the next tag.
XmlBody::Next XmlBody::on_between(const Lexeme& lexeme, Scope& scope) {
  switch (lexeme.kind) {
    case Kind::parameter_open:
      open(lexeme, scope);
      return Next::more;
    case Kind::call_close:
      closed_wrapper_ = true;
      return Next::ended;
    case Kind::function_close:
      return Next::ended;
    case Kind::function_open:
    case Kind::call_open:
      gives_back_ = true;
      return Next::ended;
    default:
      return Next::more;
  }
}

XmlBody::Verdict XmlBody::judge(const Lexeme& lexeme, Scope& scope) {
  if (lexeme.kind == Kind::turn_end)
    return scope.on(Rule::turn_end) && !closers_.ends_with('T') ? Verdict::hold : Verdict::text;
  if (closers_.empty()) return judge_first(lexeme, scope);
  if (closers_ == "P") return judge_after_parameter(lexeme, scope);
  return judge_after_close(lexeme);
}

/// Nothing is held: the lexeme stands in the middle of a value.
XmlBody::Verdict XmlBody::judge_first(const Lexeme& lexeme, Scope& scope) const {
  const bool first_closes = !scope.on(Rule::closing_tag_in_value);
  const bool mend = scope.on(Rule::missing_close) && functions_ == 0;
  switch (lexeme.kind) {
    case Kind::parameter_close:
      return first_closes ? Verdict::value : Verdict::hold;
    case Kind::function_close:
      if (first_closes) return Verdict::close;
      return mend ? Verdict::hold : Verdict::text;
    case Kind::call_close:
      if (first_closes) return Verdict::close;
      return mend && value_.at_line_start() ? Verdict::hold : Verdict::text;
    case Kind::parameter_open:
      return mend && value_.at_line_start() && readable(lexeme, scope) && declares(lexeme.name) &&
                     !call_.given(lexeme.name)
                 ? Verdict::parameter
                 : Verdict::text;
    default:
      return Verdict::text;
  }
}

/// Behind a </parameter>.
XmlBody::Verdict XmlBody::judge_after_parameter(const Lexeme& lexeme, Scope& scope) const {
  const bool mend = scope.on(Rule::missing_close) && !in_example();
  const bool at_line = held_.back().kind == Kind::text && held_.back().raw.ends_with('\n');
  switch (lexeme.kind) {
    case Kind::parameter_open:
      return is_next_parameter(lexeme, scope) ? Verdict::parameter : Verdict::text;
    case Kind::function_close:
      return in_example() ? Verdict::hold : Verdict::close;
    case Kind::call_close:
      if (!mend) return Verdict::text;
      return at_line ? Verdict::close : Verdict::hold;
    case Kind::call_open:
      return mend ? Verdict::hold : Verdict::text;
    case Kind::function_open:
      return mend && at_line && scope.tools.find(lexeme.name) != nullptr
                 ? Verdict::close_and_give_back
                 : Verdict::text;
    default:
      return Verdict::text;
  }
}

/// Behind closing tags that weren't certain yet.
XmlBody::Verdict XmlBody::judge_after_close(const Lexeme& lexeme) const {
  const auto kind = lexeme.kind;
  if (closers_ == "PO")  // a call that wasn't closed, then the next one
    return kind == Kind::function_open ? Verdict::close_and_give_back : Verdict::text;
  if (closers_ == "PF") {  // an example's, unless only the call itself has a wrapper to close
    if (kind != Kind::call_close) return Verdict::text;
    return calls_ == 0 ? Verdict::close : Verdict::hold;
  }
  if (closers_ == "PFC" || closers_.ends_with('T')) return Verdict::text;  // the end alone closes
  if (closers_ == "F" && kind == Kind::call_close)
    return held_at_line_ ? Verdict::close : Verdict::hold;
  if (kind == Kind::call_open || kind == Kind::function_open) return Verdict::close_and_give_back;
  return Verdict::text;
}

bool XmlBody::is_next_parameter(const Lexeme& lexeme, Scope& scope) const {
  if (in_example() || !readable(lexeme, scope)) return false;
  if (declares(lexeme.name) && !call_.given(lexeme.name)) return true;
  return parameters_ == 0;  // inside an open example it belongs to that
}

void XmlBody::on_text(std::string_view text, Scope& scope) {
  if (!closers_.empty()) {
    const auto space = leading_space(text);
    if (space > 0) {
      if (held_.back().kind == Kind::text)
        held_.back().raw += text.substr(0, space);
      else
        held_.push_back({Kind::text, std::string(text.substr(0, space))});
    }
    text.remove_prefix(space);
    if (text.empty()) return;
    release(scope);
  }
  if (before_ != Kind::text && leading_space(text) < text.size()) before_ = Kind::text;
  value_.text(text, call_, scope);
}

void XmlBody::hold(const Lexeme& lexeme) {
  if (closers_.empty()) held_at_line_ = value_.at_line_start();
  closers_ += letter_of(lexeme.kind);
  held_.push_back({lexeme.kind, std::string(lexeme.raw)});
}

/// What was held is part of the value.
void XmlBody::release(Scope& scope) {
  closers_.clear();
  for (const auto& lexeme : std::exchange(held_, {})) as_text(lexeme.kind, lexeme.raw, scope);
}

void XmlBody::as_text(Kind kind, std::string_view raw, Scope& scope) {
  count(kind);
  value_.text(raw, call_, scope);
  if (kind != Kind::text) note_example(raw, scope);
}

/// Keeps count of an example's tags. A header counts where it is first on its line or directly
/// behind <tool_call>, so that sentences which mention one don't.
void XmlBody::count(Kind kind) {
  const auto behind = std::exchange(before_, kind);
  switch (kind) {
    case Kind::call_open:
      ++calls_;
      break;
    case Kind::call_close:
      calls_ = std::max(0, calls_ - 1);
      break;
    case Kind::function_open:
      if (value_.at_indent() || behind == Kind::call_open) ++functions_;
      break;
    case Kind::function_close:
      functions_ = std::max(0, functions_ - 1);
      break;
    case Kind::parameter_open:
      if (value_.at_indent() || behind == Kind::function_open || behind == Kind::parameter_close)
        ++parameters_;
      break;
    case Kind::parameter_close:
      parameters_ = std::max(0, parameters_ - 1);
      break;
    default:
      before_ = kind == Kind::text ? behind : kind;
  }
}

void XmlBody::note_example(std::string_view raw, Scope& scope) {
  if (std::exchange(noted_, true)) return;
  scope.repair(Rule::closing_tag_in_value,
               fmt::format("{} stays in the value of {}", excerpt(raw), value_.key()),
               call_.index());
}

void XmlBody::close_value(Scope& scope) {
  value_.end(call_, scope);
  in_value_ = false;
  closers_.clear();
  held_.clear();
}

void XmlBody::report_missing(Scope& scope) {
  if (closers_.find('P') == std::string::npos)
    scope.repair(Rule::missing_close, "</parameter> of " + value_.key(), call_.index());
  if (closers_.find('F') == std::string::npos)
    scope.repair(Rule::missing_close, "</function> of " + call_.name(), call_.index());
}

std::vector<HeldLexeme> XmlBody::take_behind() {
  return std::exchange(behind_, {});
}

bool XmlBody::closes_at_end(Stop stop, std::string_view partial) const {
  std::string_view closers = closers_;
  if (closers.ends_with('T')) closers.remove_suffix(1);
  const bool stopped = stop == Stop::stop;
  if (closers.empty()) {
    if (functions_ > 0) return false;
    if (begins("</function>", partial, 3)) return value_.at_line_start();
    return stopped && begins("</parameter>", partial, 3);
  }
  if (closers == "P") return !in_example() && (stopped || begins("</function>", partial, 3));
  if (closers == "PF" || closers == "PFC") return stopped;
  return true;
}

bool XmlBody::finish(Stop stop, std::string_view partial, Scope& scope) {
  if (!in_value_) return stop == Stop::stop;
  if (!scope.on(Rule::missing_close) || !closes_at_end(stop, partial)) {
    value_.cut(call_, scope);
    return false;
  }
  if (begins("</function>", partial, 3)) closers_ += 'F';
  report_missing(scope);
  close_value(scope);
  return true;
}

}  // namespace sndr::tool_calls
