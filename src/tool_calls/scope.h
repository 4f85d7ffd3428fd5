// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tool_calls/events.h"
#include "tool_calls/options.h"
#include "tool_calls/rules.h"
#include "tool_calls/tools.h"

namespace sndr::tool_calls {

/// What every part of a parser works with while one piece is read. Made anew for each piece, so
/// that the parts themselves are plain values.
struct Scope {
  const Tools& tools;
  const Options& options;
  Counters& counters;
  int& next_index;  ///< of the next call
  Events& out;

  [[nodiscard]] bool on(Rule rule) const { return options.rules.on(rule); }
  /// Counts, and reports.
  void repair(Rule rule, std::string detail, int index = -1);
  void reasoning(std::string_view text) { text_of(Event::Kind::reasoning, -1) += text; }
  void content(std::string_view text) { text_of(Event::Kind::content, -1) += text; }
  /// Where the next piece of a call's JSON is written to; valid until the next event.
  [[nodiscard]] std::string& arguments(int index) { return text_of(Event::Kind::arguments, index); }

 private:
  /// The last event's text if it is of this kind, else a new one's: pieces of one kind that come
  /// in one piece of text are one event.
  [[nodiscard]] std::string& text_of(Event::Kind kind, int index);
};

/// A piece of text for a message: on one line, at most 60 bytes, cut between characters.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace sndr::tool_calls
