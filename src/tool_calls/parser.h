// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tool_calls/candidate.h"
#include "tool_calls/events.h"
#include "tool_calls/json_body.h"
#include "tool_calls/lexer.h"
#include "tool_calls/options.h"
#include "tool_calls/prose.h"
#include "tool_calls/rules.h"
#include "tool_calls/scope.h"
#include "tool_calls/think.h"
#include "tool_calls/tools.h"
#include "tool_calls/utf8.h"
#include "tool_calls/xml_body.h"

/// Tool calls and reasoning out of a model's text, while it is written.
///
/// One parser reads one answer: construct, `feed` it any number of pieces, `finish` once. It is a
/// plain value: no I/O, no clock, no randomness, copyable at any point; one thread at a time. It
/// sees generated text alone, never the prompt.
///
/// The text of a call is read as one of
///
///   <tool_call>                        <tool_call>                       <tool_call>
///   <function=NAME>                    {"name": "NAME",                  NAME(KEY="VALUE")
///   <parameter=KEY>                     "arguments": {"KEY": "VALUE"}}   </tool_call>
///   VALUE                              </tool_call>
///   </parameter>
///   </function>
///   </tool_call>
///
/// or the first without its wrapper, or with `<function name="NAME">`. What else it forgives is in
/// the rules' table. A value loses one newline at its beginning and one at its end, nothing else.
///
/// Text is held back only while it may still be markup: a tag's beginning, a `<tool_call>` until a
/// declared tool's header and its first parameter follow, a closing tag until what comes next shows
/// whether it closes. A string argument is sent as it arrives; a value of another type is sent
/// whole, at its end, because only then its JSON is known.
///
/// Cost: constant per byte, amortised; nothing is read twice but what was held back, once.
namespace sndr::tool_calls {

/// Whether a prompt, rendered by the chat template, ends inside an open `<think>`: whether the
/// answer begins as reasoning. Looks at the last turn alone.
[[nodiscard]] bool prompt_opens_thinking(std::string_view rendered);

/// A special token inside a piece: `<tool_call>`, `</think>`, `<|im_end|>` that came as one token.
struct Mark {
  std::size_t offset;
  std::size_t length;
};

class Parser {
 public:
  Parser(std::shared_ptr<const Tools> tools, Options options);

  /// Reads the next piece and appends what is now certain. Bytes that aren't UTF-8 become U+FFFD; a
  /// character may be cut by the end of a piece.
  void feed(std::string_view piece, Events& out);
  /// With the special tokens in the piece, in order. Only for a parser whose options say
  /// `Tokens::marked`.
  void feed(std::string_view piece, std::span<const Mark> specials, Events& out);

  /// The text is over. Everything held back is released or dropped by the rules; ends with
  /// `finish`.
  void finish(Stop stop, Events& out);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Nothing but reasoning came so far: a gateway may still ask the engine once more.
  [[nodiscard]] bool only_reasoning() const;

 private:
  /// What the next lexeme belongs to.
  enum class Mode : std::uint8_t {
    prose,
    candidate,  // it may be a call
    held_call,  // a call without a wrapper in the reasoning, until it is complete
    xml,
    json,
    after_call,  // white space and closing tags
    skip         // the rest of a call that can't be read
  };

  [[nodiscard]] Scope scope(Events& out);
  void on(const Lexeme& lexeme, Scope& scope);
  void on_prose(const Lexeme& lexeme, Scope& scope);
  void on_candidate(const Lexeme& lexeme, Scope& scope);
  void on_held_call(const Lexeme& lexeme, Scope& scope);
  void on_xml(const Lexeme& lexeme, Scope& scope);
  void on_json(const Lexeme& lexeme, Scope& scope);
  void on_after_call(const Lexeme& lexeme, Scope& scope);
  void on_skip(const Lexeme& lexeme, Scope& scope);
  void on_text(std::string_view text, Scope& scope);

  [[nodiscard]] bool may_call(bool wrapped, const Scope& scope) const;
  void begin_wrapper(const Lexeme& lexeme, Scope& scope);
  void begin_header(const Lexeme& lexeme, bool wrapped, Scope& scope);
  void release(bool undeclared, Scope& scope);
  void commit(bool xml, Scope& scope);
  void commit_json(Scope& scope);
  void begin_json(Candidate::Next next, std::string_view rest, Scope& scope);
  void feed_json(std::string_view text, Scope& scope);
  void json_failed(Scope& scope);
  void end_json(Scope& scope);
  void end_empty_call(const Lexeme& lexeme, Scope& scope);
  void end_call(CallWriter& call, const Tool* tool, bool complete, Scope& scope);
  void leave_wrapper(Scope& scope);
  [[nodiscard]] std::string_view skip_brackets(std::string_view text, Scope& scope);

  void finish_candidate(Stop stop, std::string_view partial, Scope& scope);
  void finish_call(Stop stop, std::string_view partial, Scope& scope);
  void finish_prose(Stop stop, Scope& scope);

  std::shared_ptr<const Tools> tools_;
  Options options_;
  Counters counters_;
  int next_index_ = 0;
  int complete_ = 0;  // calls that ended complete
  Utf8Gate utf8_;
  Lexer lexer_;
  Mode mode_ = Mode::prose;
  Prose prose_;
  Think think_;
  Candidate candidate_;
  XmlBody xml_;
  JsonBody json_;
  bool committed_ = false;     // the JSON is a call, not a sentence
  bool wrapper_open_ = false;  // the call's </tool_call> didn't come yet
  bool after_json_ = false;
  bool undeclared_ = false;  // inside the block of an undeclared tool: no headers are looked for
  bool markup_ = false;      // the reasoning names a call's tags
};

/// The whole text at once.
[[nodiscard]] Outcome parse(std::string_view text, std::shared_ptr<const Tools> tools,
                            const Options& options, Stop stop = Stop::stop);

}  // namespace sndr::tool_calls
