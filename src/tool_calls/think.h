// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tool_calls/lexer.h"
#include "tool_calls/prose.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {

/// Decides what <think>, </think> and the ends of a turn mean where prose is read, and moves the
/// prose between reasoning and content. A tag that may be a mention waits for the next few bytes:
/// 64 at most.
///
///   in the reasoning   </think> ends it, but not between backticks
///   in the content     <think> opens a block at the start of a line, before text or a line break;
///                      inside a line only if </think> follows on it directly
///                      </think> is dropped where no text came yet, on a line of its own, or
///                      before an empty line
///   anywhere           <|im_end|> is dropped at the very end
///
/// Anything else is a mention, and text.
class Think {
 public:
  /// False: the lexeme is none of its business, and nothing is held any more.
  bool on(const Lexeme& lexeme, Prose& prose, Scope& scope);
  /// The text ended.
  void finish(Prose& prose, Scope& scope);

  /// A call ended the reasoning: its </think> may still come.
  void expect_close() { owed_ = true; }
  /// The text itself opened the reasoning.
  [[nodiscard]] bool opened() const { return opened_; }

 private:
  enum class Hold : std::uint8_t {
    none,
    open,           // <think> at the start of a line
    open_inside,    // <think> inside a line, and text
    closed_inside,  // ... and its </think>
    close,          // </think> in the content
    close_in_span,  // </think> between backticks
    turn_end
  };

  void on_tag(const Lexeme& lexeme, Prose& prose, Scope& scope);
  void on_open(Prose& prose, Scope& scope);
  void on_close(Prose& prose, Scope& scope);
  /// The next byte of text. True: it was taken, and the tag still waits.
  bool more(char byte, Prose& prose, Scope& scope);
  bool more_behind_close(char byte, Prose& prose, Scope& scope);
  /// A tag comes next. True: it was taken.
  bool tag_follows(const Lexeme& lexeme, Prose& prose, Scope& scope);
  void as_text(Prose& prose, Scope& scope);
  void mention(Prose& prose, Scope& scope);
  void begin(Prose& prose, Scope& scope);
  void block(Prose& prose, Scope& scope);
  void drop_close(Scope& scope);
  void end(Prose& prose, Scope& scope);

  Hold hold_ = Hold::none;
  bool variant_ = false;
  bool owed_ = false;
  bool opened_ = false;
  bool at_line_ = false;  // the held tag is the first on its line
  bool dropped_ = false;  // a </think> directly in front was dropped
  int mentions_ = 0;      // <think> that were text: as many </think> are text
  std::string raw_;       // what is held, as it came
  std::string inside_;    // the text of a block inside a line
};

}  // namespace sndr::tool_calls
