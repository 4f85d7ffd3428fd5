// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Text into lexemes: the few tags that calls and thinking are made of, and the text between them.
///
/// The lexer knows no grammar: whether a tag means anything is decided behind it. It holds back the
/// beginning of a tag, at most 160 bytes, and never looks at a byte twice.
namespace sndr::tool_calls {

struct Lexeme {
  enum class Kind : std::uint8_t {
    text,
    call_open,        ///< <tool_call>
    call_close,       ///< </tool_call>
    function_open,    ///< <function=NAME>
    function_close,   ///< </function>
    parameter_open,   ///< <parameter=NAME>
    parameter_close,  ///< </parameter>
    think_open,       ///< <think>
    think_close,      ///< </think>
    turn_end          ///< <|im_end|>, <|endoftext|>
  };
  Kind kind = Kind::text;
  std::string_view raw;    ///< as it stood in the text; all lexemes' `raw`, joined, are the text
  std::string_view name;   ///< of a function or parameter, without quotes and blanks around it
  bool unclosed = false;   ///< its > is missing: the line ended, or another tag began
  bool attribute = false;  ///< name="NAME", quotes, or blanks
  bool variant = false;    ///< <thinking>
};

/// A lexeme that outlives the piece it came from.
struct HeldLexeme {
  Lexeme::Kind kind;
  std::string raw;
};

class Lexer {
 public:
  /// `marked`: the four special tokens, and the ends of a turn, come through `special` alone; as
  /// letters they are text.
  explicit Lexer(bool marked) : marked_(marked) {}

  /// Calls `take(const Lexeme&)` for every lexeme that is complete. Views live until the call
  /// returns.
  template <class Take>
  void feed(std::string_view piece, Take&& take) {
    std::string_view rest = piece;
    while (!rest.empty()) {
      const Lexeme lexeme = next(rest);
      if (!lexeme.raw.empty()) take(lexeme);
    }
  }

  /// A special token. What was held back before it is text.
  template <class Take>
  void special(std::string_view token, Take&& take) {
    if (const Lexeme before = flush(); !before.raw.empty()) take(before);
    take(special_lexeme(token));
  }

  /// The beginning of a tag that never ended; "" if there is none. The lexer is empty afterwards.
  [[nodiscard]] std::string take_held();

 private:
  enum class Stage : std::uint8_t {
    text,       // no tag
    literal,    // inside a tag that is one fixed word
    word,       // behind <function or <parameter
    attribute,  // inside `name`
    equals,     // before the name
    bare,       // inside the name
    quoted,     // inside a quoted name
    end         // behind the name
  };

  [[nodiscard]] Lexeme next(std::string_view& rest);
  [[nodiscard]] Lexeme flush();
  [[nodiscard]] static Lexeme special_lexeme(std::string_view token);
  bool step(char byte, Lexeme& found);
  bool step_literal(char byte, Lexeme& found);
  bool step_name(char byte, Lexeme& found);
  bool end_tag(Lexeme& found, bool unclosed);
  void start();
  [[nodiscard]] Lexeme give_up();

  bool marked_;
  bool parameter_ = false;
  bool attribute_ = false;
  char quote_ = 0;
  Stage stage_ = Stage::text;
  std::string held_;  // the tag so far
  std::string name_;
  std::string out_;  // what `raw` of the last lexeme points to
  std::string out_name_;
};

}  // namespace sndr::tool_calls
