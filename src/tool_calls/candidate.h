// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tool_calls/lexer.h"
#include "tool_calls/scope.h"
#include "tool_calls/tools.h"

namespace sndr::tool_calls {

/// Text that may become a call: from <tool_call>, or from a header without it, up to what proves
/// it. Everything is kept as it came, so that it can be given back.
class Candidate {
 public:
  enum class Next : std::uint8_t {
    more,        ///< not known yet
    text,        ///< no call: `raw` is text, and the lexeme comes anew
    parameter,   ///< a call in XML; the lexeme is its first parameter
    empty,       ///< a call in XML without parameters; the lexeme is its </function>
    bare_empty,  ///< the same without a wrapper; the lexeme stands behind it
    header,      ///< a call in XML, on its header's word alone
    object,      ///< a JSON object begins: {"name": ...}
    members,     ///< a JSON object begins behind a header: its arguments
    arguments    ///< behind NAME( in call syntax
  };

  Candidate() = default;
  /// At <tool_call>; or inside a wrapper that is open already, with nothing read yet.
  static Candidate wrapper(std::string_view raw);
  /// At a header; `wrapped`: inside a wrapper. `at_line`: first on its line. Nothing where it
  /// can't be a call's.
  static std::optional<Candidate> at_header(const Lexeme& header, bool wrapped, bool at_line,
                                            Scope& scope);

  /// For text, `rest` becomes what was not taken.
  Next on(const Lexeme& lexeme, std::string_view& rest, Scope& scope);

  /// Whether the end of the text cut a call off here, rather than a sentence. `partial` is the
  /// beginning of a tag at the end.
  [[nodiscard]] bool is_cut_call(Stop stop, std::string_view partial, const Scope& scope) const;
  /// The header of a tool that needs no arguments, and nothing more.
  [[nodiscard]] bool is_empty_call() const;
  /// `bare_empty`, but for what must stand behind it.
  [[nodiscard]] bool is_closed() const { return stage_ == Stage::closed; }
  /// Nothing but repetitions of <tool_call>: not even a mention.
  [[nodiscard]] bool is_cascade() const { return wrappers_ >= 3; }

  [[nodiscard]] bool wrapped() const { return wrapped_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Tool* tool() const { return tool_; }
  [[nodiscard]] bool undeclared() const { return undeclared_; }
  [[nodiscard]] std::string& raw() { return raw_; }

  /// Reports what was forgiven on the way, once it is a call.
  void report(Scope& scope) const;

 private:
  enum class Stage : std::uint8_t { wrapper, word, header, closed };

  Next on_text(std::string_view& rest, Scope& scope);
  Next on_tag(const Lexeme& lexeme, Scope& scope);
  Next take_header(const Lexeme& lexeme, Scope& scope);
  Next on_header_tag(const Lexeme& lexeme, Scope& scope);

  Stage stage_ = Stage::wrapper;
  bool wrapped_ = false;
  bool at_line_ = false;
  bool attribute_ = false;
  bool unclosed_ = false;
  bool undeclared_ = false;
  bool repeated_ = false;  // a header or wrapper stood there twice
  int wrappers_ = 0;
  bool lines_ = false;     // a line break followed <tool_call>
  std::size_t space_ = 0;  // white space since the last tag
  std::size_t most_space_ = 0;
  const Tool* tool_ = nullptr;
  std::string name_;  // of the tool; in call syntax the word so far
  std::string raw_;
};

}  // namespace sndr::tool_calls
