// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/json_body.h"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "tool_calls/events.h"
#include "tool_calls/literal.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_quote(char c) {
  return c == '"' || c == '\'';
}
bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

JsonBody::State JsonBody::first_state(Form form) {
  if (form == Form::object) return State::outer_open;
  return form == Form::members ? State::open : State::key;
}

JsonBody::Status JsonBody::feed(std::string_view& text, Scope& scope) {
  while (!text.empty() && state_ != State::done && state_ != State::failed) {
    if (state_ == State::text && !as_text_ && !escape_.active()) {  // the long stretches
      const char stops[] = {quote_, '\\', 0};
      const auto plain = text.substr(0, text.find_first_of(stops));
      text.remove_prefix(plain.size());
      if (plain.find('\n') != std::string_view::npos &&
          !mend(fmt::format("a line break in the value of {} isn't escaped", key_), scope))
        break;
      if (!dropped_) call_.text(plain, scope);
      if (text.empty()) break;
    }
    const char byte = text.front();
    text.remove_prefix(1);
    if (as_text_)
      unquoted(byte, scope);
    else if (form_ == Form::object && state_ <= State::outer_next)
      outer(byte, scope);
    else
      member(byte, scope);
  }
  if (state_ == State::failed) return Status::failed;
  return state_ == State::done ? Status::ended : Status::more;
}

void JsonBody::fail(std::string why) {
  why_ = std::move(why);
  state_ = State::failed;
}

/// What isn't JSON: goes on only where that is allowed; reported once a call.
bool JsonBody::mend(std::string what, Scope& scope) {
  if (!scope.on(Rule::json_repair)) {
    fail(std::move(what));
    return false;
  }
  if (!std::exchange(mended_, true))
    scope.repair(Rule::json_repair, std::move(what), call_.index());
  return true;
}

bool JsonBody::begin_string(char byte, Scope& scope) {
  if (byte == '\'' && form_ != Form::arguments && !mend("single quotes", scope)) return false;
  quote_ = byte;
  word_.clear();
  escape_ = Unescape();
  return true;
}

bool JsonBody::string(char byte) {
  if ((escape_.active() || byte == '\\') && escape_.take(byte, word_)) return false;
  if (byte == '\\') return string(byte);  // one escape broke off, the next begins
  if (byte == quote_) return true;
  word_ += byte;
  return false;
}

// ---- {"name": ..., "arguments": ...} ----

void JsonBody::outer(char byte, Scope& scope) {
  if (state_ != State::outer_key && state_ != State::outer_name && state_ != State::outer_skip &&
      is_blank(byte))
    return;
  switch (state_) {
    case State::outer_open:
      if (byte == '{')
        state_ = State::outer_next;
      else
        fail("no object");
      quote_ = 0;
      return;
    case State::outer_next:
      if (byte == '}') {
        end_outer(scope);
      } else if (is_quote(byte)) {
        if (begin_string(byte, scope)) state_ = State::outer_key;
      } else if (byte != ',') {
        fail("no key");
      }
      return;
    case State::outer_key:
      if (!string(byte)) return;
      key_ = word_;
      state_ = State::outer_colon;
      return;
    case State::outer_colon:
      if (byte != ':') return fail("no colon behind a key");
      has_key_ = true;
      state_ = State::outer_value;
      return;
    case State::outer_value:
      return outer_value(byte, scope);
    case State::outer_name:
      if (!string(byte)) return;
      call_ = CallWriter(word_);
      named_ = true;
      state_ = State::outer_next;
      return;
    default:  // State::outer_skip
      if (capture(byte)) return;
      state_ = State::outer_next;
      if (std::exchange(early_, false)) early_arguments_ = captured_;
      return outer(byte, scope);
  }
}

void JsonBody::outer_value(char byte, Scope& scope) {
  const bool arguments = key_ == "arguments" || key_ == "parameters";
  if (key_ == "name" && is_quote(byte) && !named_) {
    if (begin_string(byte, scope)) state_ = State::outer_name;
    return;
  }
  if (arguments && named_ && !has_arguments_) return begin_arguments(byte, scope);
  early_ = arguments && !named_ && early_arguments_.empty();
  skip_value(byte, scope);
}

void JsonBody::skip_value(char byte, Scope& scope) {
  begin_capture();
  state_ = State::outer_skip;
  outer(byte, scope);
}

void JsonBody::begin_arguments(char byte, Scope& scope) {
  if (!find_tool(scope)) return;
  has_arguments_ = byte != 'n';
  if (byte == '{') {
    state_ = State::open;
    member(byte, scope);
  } else if (is_quote(byte) && scope.on(Rule::arguments_as_text)) {
    quote_ = 0;
    as_text_ = true;
    outer_quote_ = byte;
    outer_escape_ = Unescape();
    state_ = State::open;
    scope.repair(Rule::arguments_as_text, "the arguments are a string", call_.index());
  } else if (byte == 'n') {  // null
    skip_value(byte, scope);
  } else {
    fail("the arguments are no object");
  }
}

bool JsonBody::find_tool(Scope& scope) {
  tool_ = scope.tools.find(call_.name());
  undeclared_ = tool_ == nullptr;
  if (!undeclared_ || !scope.on(Rule::undeclared_tool)) return true;
  fail("undeclared");
  return false;
}

void JsonBody::end_outer(Scope& scope) {
  if (!named_) return fail("no name");
  if (tool_ == nullptr && !find_tool(scope)) return;
  if (!early_arguments_.empty() && !has_arguments_) {
    const auto arguments = std::exchange(early_arguments_, {});
    std::string_view rest = trim(arguments);
    key_ = "arguments";
    state_ = State::outer_value;
    if (feed(rest, scope) == Status::failed) return;
    if (state_ != State::outer_next || as_text_) return fail("the arguments aren't complete");
  }
  if (!has_arguments_ && tool_ != nullptr && !tool_->required().empty())
    return fail("no arguments");
  state_ = State::done;
}

/// A byte of arguments that are a string: what it stands for is a byte of the arguments.
void JsonBody::unquoted(char byte, Scope& scope) {
  std::string decoded;
  if (outer_escape_.active() || byte == '\\') {
    if (!outer_escape_.take(byte, decoded)) decoded += byte;
  } else if (byte == outer_quote_) {
    as_text_ = false;
    if (state_ == State::outer_next) return;
    return fail("the arguments aren't complete");
  } else {
    decoded = byte;
  }
  for (const char one : decoded) {
    if (state_ == State::failed) return;
    if (state_ == State::outer_next) {  // the object in the string has ended
      if (!is_blank(one)) fail("more than one value in the arguments");
    } else {
      member(one, scope);
    }
  }
}

// ---- {"a": "x"} and (a="x") ----

void JsonBody::member(char byte, Scope& scope) {
  if (state_ == State::text) return in_text(byte, scope);
  if (state_ == State::quote || state_ == State::quote_comma) return after_quote(byte, scope);
  if (state_ == State::key_text && form_ != Form::arguments) {
    if (!string(byte)) return;
    key_ = word_;
    state_ = State::colon;
    return;
  }
  if (state_ == State::literal) {
    if (capture(byte)) return;
    end_literal(scope);
    if (state_ == State::failed) return;
  }
  const char close = form_ == Form::arguments ? ')' : '}';
  if (state_ == State::key_text) {  // a bare word
    if (is_word(byte)) {
      key_ += byte;
      return;
    }
    state_ = State::colon;
  }
  if (is_blank(byte)) return;
  switch (state_) {
    case State::open:
      if (byte == '{')
        state_ = State::key;
      else
        fail("no object");
      return;
    case State::key:
      if (byte == close) return end_members();
      if (form_ == Form::arguments && is_word(byte)) {
        key_ = byte;
        state_ = State::key_text;
      } else if (form_ != Form::arguments && is_quote(byte)) {
        if (begin_string(byte, scope)) state_ = State::key_text;
      } else {
        fail("no key");
      }
      return;
    case State::colon:
      if (byte != (form_ == Form::arguments ? '=' : ':')) return fail("no value behind a key");
      has_key_ = true;
      state_ = State::value;
      return;
    case State::value:
      return begin_value(byte, scope);
    default:  // State::next
      if (byte == ',')
        state_ = State::key;
      else if (byte == close)
        end_members();
      else
        fail(fmt::format("no comma behind the value of {}", key_));
  }
}

void JsonBody::begin_value(char byte, Scope& scope) {
  schema_ = tool_ == nullptr ? Schema() : tool_->parameter(key_);
  dropped_ = !call_.admit(key_, tool_, scope);
  if (is_quote(byte) && schema_.types().takes_text()) {
    if (!begin_string(byte, scope)) return;
    if (!dropped_) call_.begin_text(key_, scope);
    state_ = State::text;
    return;
  }
  begin_capture();
  state_ = State::literal;
  if (!capture(byte)) fail(fmt::format("no value for {}", key_));
}

void JsonBody::in_text(char byte, Scope& scope) {
  word_.clear();
  if (byte == quote_ && !escape_.active()) {
    held_ = byte;
    state_ = State::quote;
    return;
  }
  if ((!escape_.active() && byte != '\\') || !escape_.take(byte, word_)) {
    if (byte == quote_ || byte == '\\') {  // an escape broke off
      if (!dropped_) call_.text(word_, scope);
      return in_text(byte, scope);
    }
    word_ += byte;
  }
  if (!dropped_) call_.text(word_, scope);
}

/// Behind a quote inside a text. It is the text's end if a bracket follows, or a comma and a key.
void JsonBody::after_quote(char byte, Scope& scope) {
  const bool comma = state_ == State::quote_comma;
  if (is_blank(byte)) {
    held_ += byte;
  } else if (!comma && byte == ',' && form_ != Form::arguments) {
    held_ += byte;
    state_ = State::quote_comma;
  } else if (byte == (form_ == Form::arguments ? ')' : '}') ||
             (comma ? is_quote(byte) : byte == ',')) {
    end_text(scope);
    if (comma) state_ = State::key;
    member(byte, scope);
  } else {
    quote_was_text(byte, scope);
  }
}

void JsonBody::quote_was_text(char byte, Scope& scope) {
  if (!mend(fmt::format("a quote inside the value of {} isn't escaped", key_), scope)) return;
  if (!dropped_) call_.text(held_, scope);
  state_ = State::text;
  member(byte, scope);
}

void JsonBody::end_text(Scope& scope) {
  if (!dropped_) call_.end_text(scope);
  state_ = State::next;
}

void JsonBody::end_literal(Scope& scope) {
  state_ = State::next;
  const auto literal = trim(captured_);
  LiteralReader reader(literal, scope.on(Rule::json_repair) || form_ == Form::arguments);
  std::string json;
  const bool read = reader.read(schema_, json);
  if (!read && !call_.started()) return fail(fmt::format("{} is no value", excerpt(literal)));
  if (!read) json = quoted(literal);
  if (!dropped_) call_.value(key_, json, scope);
  if (read && reader.loose() && form_ != Form::arguments)
    mend(fmt::format("{}: {}", key_, excerpt(literal)), scope);
  if ((!read || reader.misfit()) && scope.on(Rule::uncoerced_value))
    scope.repair(
        Rule::uncoerced_value,
        fmt::format("{}: {} is not {}", key_, excerpt(literal), to_string(schema_.types())),
        call_.index());
}

void JsonBody::end_members() {
  state_ = form_ == Form::object ? State::outer_next : State::done;
}

void JsonBody::begin_capture() {
  captured_.clear();
  brackets_.clear();
  captured_quote_ = 0;
  captured_escape_ = false;
}

/// Takes a byte into a value that is kept whole. False: the value ended before it.
bool JsonBody::capture(char byte) {
  if (captured_quote_ != 0) {
    captured_ += byte;
    if (std::exchange(captured_escape_, false)) return true;
    captured_escape_ = byte == '\\';
    if (byte == captured_quote_) captured_quote_ = 0;
    return true;
  }
  if (is_quote(byte) && (captured_.empty() || !is_word(captured_.back()))) {
    captured_quote_ = byte;
  } else if (byte == '{' || byte == '[' || byte == '(') {
    brackets_ += byte == '{' ? '}' : byte == '[' ? ']' : ')';
  } else if (byte == '}' || byte == ']' || byte == ')' || byte == ',') {
    if (brackets_.empty()) return false;
    if (byte == brackets_.back()) brackets_.pop_back();
  }
  captured_ += byte;
  return true;
}

bool JsonBody::inside_string() const {
  return state_ == State::text || state_ == State::outer_key || state_ == State::outer_name ||
         (state_ == State::key_text && form_ != Form::arguments) ||
         ((state_ == State::literal || state_ == State::outer_skip) && captured_quote_ != 0);
}

JsonBody::Status JsonBody::close(Scope& scope) {
  if (inside_string() && !as_text_) return Status::more;
  if (finish(Stop::stop, scope)) return Status::ended;
  if (state_ != State::failed) fail("it isn't complete");
  return Status::failed;
}

bool JsonBody::finish(Stop stop, Scope& scope) {
  if (state_ == State::done) return true;
  if (state_ == State::failed || inside_string() || !scope.on(Rule::json_repair)) return false;
  if (state_ == State::outer_next && has_arguments_ && named_) {
    end_outer(scope);
    return state_ == State::done && mend("the last } is missing", scope);
  }
  if (stop == Stop::length || (!call_.started() && state_ != State::literal)) return false;
  if (state_ == State::quote || state_ == State::quote_comma) end_text(scope);
  if (state_ == State::literal) {
    while (!brackets_.empty()) {
      captured_ += brackets_.back();
      brackets_.pop_back();
    }
    end_literal(scope);
  }
  if (state_ != State::next && !(state_ == State::key && call_.started())) return false;
  return mend("closing brackets are missing", scope);
}

}  // namespace sndr::tool_calls
