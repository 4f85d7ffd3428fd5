// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool_calls/scope.h"
#include "tool_calls/tools.h"

namespace sndr::tool_calls {

/// Writes one call's events. The call starts with its first value, so that one which turns out to
/// be none, or to be cut off before it said anything, leaves no trace; what was written is a prefix
/// of a JSON object at any time.
class CallWriter {
 public:
  CallWriter() = default;
  explicit CallWriter(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool started() const { return index_ >= 0; }
  /// -1 before it started.
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] bool given(std::string_view key) const;

  /// A member begins: reports one that is given again, or that the tool doesn't declare. False: it
  /// isn't to be written.
  [[nodiscard]] bool admit(std::string_view key, const Tool* tool, Scope& scope);

  /// A member whose value is JSON already.
  void value(std::string_view key, std::string_view json, Scope& scope);

  /// A member whose value is a string that comes in pieces.
  void begin_text(std::string_view key, Scope& scope);
  void text(std::string_view piece, Scope& scope);
  void end_text(Scope& scope);

  /// Closes what is open. A call that never started and isn't complete leaves nothing; a complete
  /// one has `{}` for arguments. Reports required members that aren't there.
  void end(bool complete, const Tool* tool, Scope& scope);

 private:
  void start(Scope& scope);
  void begin_member(std::string_view key, Scope& scope);

  std::string name_;
  int index_ = -1;
  bool in_text_ = false;
  bool written_ = false;  // a member
  std::vector<std::string> given_;
};

}  // namespace sndr::tool_calls
