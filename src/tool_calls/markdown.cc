// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/markdown.h"

#include <cstddef>
#include <string_view>

namespace sndr::tool_calls {

void Markdown::text(std::string_view piece) {
  for (const char c : piece) byte(c);
}

void Markdown::byte(char c) {
  ++column_;
  if (run_length_ > 0 && c == run_) {
    ++run_length_;
    return;
  }
  if (run_length_ > 0) end_run();
  if (c == '\n') return new_line();
  if (c == '`' || c == '~') {
    run_ = c;
    run_length_ = 1;
    run_leads_ = lead_;
    blank_ = lead_ = false;
    return;
  }
  if (c == ' ' || c == '\t' || c == '\r') {
    if (blank_) indent_ += c == '\t' ? 4 : c == ' ' ? 1 : 0;
    return;
  }
  closing_ = false;
  if (blank_ && c == '>') quoted_ = true;
  blank_ = false;
  lead_ = lead_ && std::string_view(">-*+.)0123456789").find(c) != std::string_view::npos;
}

/// A run of ` or ~ is over: it opens or closes a fence or a code span, or it is text.
void Markdown::end_run() {
  const auto length = run_length_;
  run_length_ = 0;
  if (fence_ > 0) {
    closing_ = run_leads_ && run_ == fence_char_ && length >= fence_;
  } else if (opening_) {  // ```code``` on one line is a span
    if (run_ == fence_char_ && run_ == '`' && length == opening_length_) opening_ = false;
  } else if (run_leads_ && length >= 3) {
    opening_ = true;
    opening_length_ = length;
    fence_char_ = run_;
  } else if (run_ == '`') {
    if (span_ == 0)
      span_ = length;
    else if (span_ == length)
      span_ = 0;
  }
}

void Markdown::new_line() {
  if (opening_) fence_ = opening_length_;
  if (closing_) fence_ = 0;
  opening_ = closing_ = false;
  span_ = 0;
  column_ = indent_ = 0;
  blank_ = lead_ = true;
  quoted_ = false;
}

/// The open code span, as if the run before the next byte were over.
std::size_t Markdown::span_now() const {
  if (run_length_ == 0 || run_ != '`' || (run_leads_ && run_length_ >= 3)) return span_;
  if (span_ == 0) return run_length_;
  return span_ == run_length_ ? 0 : span_;
}

bool Markdown::in_code() const {
  if (fence_ > 0 || opening_ || quoted_ || indent_ >= 4) return true;
  if (run_length_ >= 3 && run_leads_) return true;
  return span_now() != 0;
}

}  // namespace sndr::tool_calls
