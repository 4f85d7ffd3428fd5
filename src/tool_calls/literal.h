// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tool_calls/schema.h"

namespace sndr::tool_calls {

/// Reads one literal of JSON, or of Python where `loose`, and writes it as JSON, each part coerced
/// by its schema. Digits are copied, never rounded. Recursive to a depth of 128.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, bool loose) : text_(text), allow_loose_(loose) {}

  /// The whole text is one literal. False: it isn't; what was written to `out` means nothing.
  [[nodiscard]] bool read(const Schema& schema, std::string& out);

  [[nodiscard]] bool loose() const { return loose_; }    ///< something wasn't JSON
  [[nodiscard]] bool misfit() const { return misfit_; }  ///< some part doesn't fit its schema

 private:
  bool value(const Schema& schema, std::string& out);
  bool object(const Schema& schema, std::string& out);
  bool array(const Schema& schema, char close, std::string& out);
  bool text(const Schema& schema, std::string& out);
  bool word(const Schema& schema, std::string& out);
  bool string(std::string& decoded);
  bool use_loose();
  void blanks();
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  /// Skips blanks and takes one byte if it is this one.
  bool skip(char byte);

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool allow_loose_;
  bool loose_ = false;
  bool misfit_ = false;
};

}  // namespace sndr::tool_calls
