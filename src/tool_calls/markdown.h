// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sndr::tool_calls {

/// Follows Markdown just far enough to know whether the next byte stands in code: in a fence, a
/// code span, an indented block, or a quoted line.
///
/// A code span ends with its line, so that one stray backtick doesn't hide a call below it.
class Markdown {
 public:
  void text(std::string_view piece);

  [[nodiscard]] bool in_code() const;
  /// Between backticks on this line; not in a fence.
  [[nodiscard]] bool in_span() const { return fence_ == 0 && !opening_ && span_now() != 0; }
  /// The next byte is the first of its line.
  [[nodiscard]] bool at_line_start() const { return column_ == 0; }
  /// Nothing but blanks stands before it.
  [[nodiscard]] bool at_indent() const { return blank_; }

 private:
  void byte(char c);
  void end_run();
  void new_line();
  [[nodiscard]] std::size_t span_now() const;

  std::size_t column_ = 0;  // bytes of this line so far
  std::size_t indent_ = 0;  // columns of white space before its first byte
  bool blank_ = true;       // only white space so far
  bool lead_ = true;        // only white space, > and list markers so far
  bool quoted_ = false;     // begins with >
  char run_ = 0;            // the run of ` or ~ that the line ends with
  std::size_t run_length_ = 0;
  bool run_leads_ = false;
  std::size_t span_ = 0;  // backticks that opened a code span
  char fence_char_ = 0;
  std::size_t fence_ = 0;  // length of the open fence
  bool opening_ = false;   // this line opens one, unless it closes it again
  std::size_t opening_length_ = 0;
  bool closing_ = false;  // this line closes it, if nothing follows
};

}  // namespace sndr::tool_calls
