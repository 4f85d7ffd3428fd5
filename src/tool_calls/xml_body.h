// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool_calls/call_writer.h"
#include "tool_calls/events.h"
#include "tool_calls/lexer.h"
#include "tool_calls/scope.h"
#include "tool_calls/tools.h"
#include "tool_calls/value.h"

namespace sndr::tool_calls {

/// A call's body in the XML notation, from its first parameter to what closes it.
///
/// A value may hold any text, closing tags and whole calls included: models write code about tool
/// calls. What closes it is decided by what follows. Tags that may close are held back, with the
/// white space between them, until the next lexeme tells:
///
///   </parameter> then a parameter of the tool, or </function>       closes
///   </parameter> then anything else                                 is text
///   a declared parameter not given yet, at the start of its line    closes what wasn't closed
///   </function> then </tool_call>, <tool_call> or the end           closes, too
///   </tool_call> at the start of its line, then <tool_call> or the end   closes, too
///
/// A whole call inside a value, its header first on its line, is an example: its own closing tags
/// don't close, unless they are the last ones of the text.
class XmlBody {
 public:
  enum class Next : std::uint8_t { more, ended };

  XmlBody() = default;
  XmlBody(const Tool* tool, CallWriter call) : tool_(tool), call_(std::move(call)) {}

  /// The first parameter.
  void open(const Lexeme& parameter, Scope& scope);
  Next on(const Lexeme& lexeme, Scope& scope);
  /// The text ended; `partial` is the beginning of a tag at its end. Whether the call is complete.
  [[nodiscard]] bool finish(Stop stop, std::string_view partial, Scope& scope);

  [[nodiscard]] CallWriter& call() { return call_; }
  [[nodiscard]] const Tool* tool() const { return tool_; }
  /// Tags that turned out to stand behind the call, in order; the last lexeme comes after them.
  [[nodiscard]] std::vector<HeldLexeme> take_behind();
  /// The lexeme that ended it belongs to what follows.
  [[nodiscard]] bool gives_back() const { return gives_back_; }
  /// Its </tool_call> was taken.
  [[nodiscard]] bool closed_wrapper() const { return closed_wrapper_; }

 private:
  /// What a lexeme means to the held tags in front of it.
  enum class Verdict : std::uint8_t { text, hold, value, parameter, close, close_and_give_back };

  Verdict judge(const Lexeme& lexeme, Scope& scope);
  Verdict judge_first(const Lexeme& lexeme, Scope& scope) const;
  Verdict judge_after_parameter(const Lexeme& lexeme, Scope& scope) const;
  [[nodiscard]] Verdict judge_after_close(const Lexeme& lexeme) const;
  [[nodiscard]] bool is_next_parameter(const Lexeme& lexeme, Scope& scope) const;
  [[nodiscard]] bool readable(const Lexeme& lexeme, Scope& scope) const;
  [[nodiscard]] bool declares(std::string_view parameter) const;
  [[nodiscard]] bool closes_at_end(Stop stop, std::string_view partial) const;
  /// The next </parameter> is one of an example's.
  [[nodiscard]] bool in_example() const { return functions_ > 0 && parameters_ > 0; }

  Next on_between(const Lexeme& lexeme, Scope& scope);
  void on_text(std::string_view text, Scope& scope);
  void hold(const Lexeme& lexeme);
  void release(Scope& scope);
  void as_text(Lexeme::Kind kind, std::string_view raw, Scope& scope);
  void count(Lexeme::Kind kind);
  void note_example(std::string_view raw, Scope& scope);
  Next close(const Lexeme& lexeme, bool give_back, Scope& scope);
  void close_value(Scope& scope);
  void report_missing(Scope& scope);

  const Tool* tool_ = nullptr;  // nullptr: an undeclared tool that was let through
  CallWriter call_;
  ParameterValue value_;
  bool in_value_ = false;
  bool noted_ = false;         // an example inside this value was reported
  bool held_at_line_ = false;  // the first held tag stands first on its line
  bool gives_back_ = false;
  bool closed_wrapper_ = false;
  int calls_ = 0;  // tags of an example inside the value that aren't closed yet
  int functions_ = 0;
  int parameters_ = 0;
  Lexeme::Kind before_ = Lexeme::Kind::text;  // the tag directly in front, white space aside
  std::string closers_;                       // a letter for each held tag: P F C O T
  std::vector<HeldLexeme> held_;
  std::vector<HeldLexeme> behind_;
};

}  // namespace sndr::tool_calls
