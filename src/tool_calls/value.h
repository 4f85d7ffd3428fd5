// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tool_calls/call_writer.h"
#include "tool_calls/schema.h"
#include "tool_calls/scope.h"

namespace sndr::tool_calls {

/// One parameter's value in the XML notation: everything between its tags but one newline at
/// either end. Sent as it arrives if it can only be a string; else kept, and coerced at its end.
class ParameterValue {
 public:
  ParameterValue() = default;
  ParameterValue(std::string key, Schema schema, bool dropped)
      : key_(std::move(key)), schema_(std::move(schema)), dropped_(dropped) {}

  [[nodiscard]] const std::string& key() const { return key_; }

  void text(std::string_view piece, CallWriter& call, Scope& scope);
  void end(CallWriter& call, Scope& scope);
  /// The text ended inside it: what was sent stays, what was kept is dropped.
  void cut(CallWriter& call, Scope& scope);

  /// The next byte is the first of its line.
  [[nodiscard]] bool at_line_start() const { return line_ == Line::start; }
  /// Nothing but blanks stands before it on its line.
  [[nodiscard]] bool at_indent() const { return line_ != Line::text; }

 private:
  enum class Line : std::uint8_t { start, blanks, text };
  void pass(std::string_view piece, CallWriter& call, Scope& scope);
  void see_line(std::string_view piece);

  std::string key_;
  Schema schema_;
  bool dropped_ = false;  // a duplicate: read, but not written
  bool begun_ = false;
  bool newline_ = false;  // held back: it may be the last
  bool streaming_ = false;
  Line line_ = Line::start;
  std::string kept_;
};

}  // namespace sndr::tool_calls
