// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tool_calls/call_writer.h"
#include "tool_calls/escape.h"
#include "tool_calls/events.h"
#include "tool_calls/schema.h"
#include "tool_calls/scope.h"
#include "tool_calls/tools.h"

namespace sndr::tool_calls {

/// A call written as JSON, or in call syntax, byte by byte:
///
///   object     {"name": "f", "arguments": {"a": "x"}}     the keys in any order
///   members    {"a": "x"}                                 the name is known already
///   arguments  (a="x")                                    behind a name
///
/// A string where the schema allows one is sent as it arrives; any other value at its end. A quote
/// inside a string closes it only if a comma and the next key, or a bracket, follow.
class JsonBody {
 public:
  enum class Form : std::uint8_t { object, members, arguments };
  enum class Status : std::uint8_t { more, ended, failed };

  JsonBody() = default;
  explicit JsonBody(Form form) : form_(form), state_(first_state(form)) {}
  JsonBody(Form form, const Tool* tool, CallWriter call)
      : form_(form), state_(first_state(form)), tool_(tool), call_(std::move(call)) {}

  /// Takes bytes off the front of `text`. `ended` and `failed` leave what wasn't taken.
  Status feed(std::string_view& text, Scope& scope);
  /// A closing tag of the call's markup came. `more`: it is part of a string.
  Status close(Scope& scope);
  /// The text ended. Whether the call is complete.
  [[nodiscard]] bool finish(Stop stop, Scope& scope);

  [[nodiscard]] Form form() const { return form_; }
  [[nodiscard]] CallWriter& call() { return call_; }
  [[nodiscard]] const Tool* tool() const { return tool_; }
  /// Why it failed, or which name it was that isn't declared.
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] bool undeclared() const { return undeclared_; }
  /// A key and its colon were read: prose doesn't get that far.
  [[nodiscard]] bool has_key() const { return has_key_; }

 private:
  enum class State : std::uint8_t {
    outer_open,
    outer_key,
    outer_colon,
    outer_value,
    outer_name,
    outer_skip,
    outer_next,
    open,
    key,
    key_text,
    colon,
    value,
    text,
    quote,        // a quote inside a text: is it its end?
    quote_comma,  // a quote and a comma
    literal,
    next,
    done,
    failed
  };
  static State first_state(Form form);

  void outer(char byte, Scope& scope);
  void outer_value(char byte, Scope& scope);
  void begin_arguments(char byte, Scope& scope);
  bool find_tool(Scope& scope);
  void unquoted(char byte, Scope& scope);
  void end_outer(Scope& scope);
  void member(char byte, Scope& scope);
  void begin_value(char byte, Scope& scope);
  void in_text(char byte, Scope& scope);
  void after_quote(char byte, Scope& scope);
  void quote_was_text(char byte, Scope& scope);
  void end_text(Scope& scope);
  void end_literal(Scope& scope);
  void end_members();
  void begin_capture();
  void skip_value(char byte, Scope& scope);
  /// A string of a key or of the name. True at its end.
  bool string(char byte);
  bool begin_string(char byte, Scope& scope);
  bool capture(char byte);
  void fail(std::string why);
  bool mend(std::string what, Scope& scope);
  [[nodiscard]] bool inside_string() const;

  Form form_ = Form::object;
  State state_ = State::outer_open;
  const Tool* tool_ = nullptr;
  CallWriter call_;
  std::string why_;
  bool undeclared_ = false;
  bool has_key_ = false;
  bool named_ = false;
  bool has_arguments_ = false;
  bool as_text_ = false;  // the arguments are a string of JSON
  bool early_ = false;    // the arguments came before the name
  bool mended_ = false;   // reported once a call
  bool dropped_ = false;  // a duplicate: read, but not written
  char quote_ = 0;
  char outer_quote_ = 0;
  Unescape escape_;        // of a key, a name or a text
  Unescape outer_escape_;  // of arguments that are a string
  std::string early_arguments_;
  std::string key_;
  std::string word_;  // the string that is being read
  std::string held_;  // a quote that may be the end, and what followed
  Schema schema_;
  std::string captured_;  // a value that isn't streamed
  std::string brackets_;  // open inside it
  char captured_quote_ = 0;
  bool captured_escape_ = false;
};

}  // namespace sndr::tool_calls
