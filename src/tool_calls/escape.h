// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The inside of a JSON string, both ways.
namespace sndr::tool_calls {

/// `text` with JSON's escapes, without quotes; appended. UTF-8 passes through.
void append_escaped(std::string_view text, std::string& out);
[[nodiscard]] std::string quoted(std::string_view text);

/// Escapes of JSON and of Python, byte by byte: what stands behind a backslash, until it is whole.
/// An escape that doesn't exist, as the \d of a regular expression, stays as it is written.
class Unescape {
 public:
  /// Inside an escape; false at first.
  [[nodiscard]] bool active() const { return stage_ != Stage::none; }
  /// The backslash itself, or a byte of the escape it began. Appends to `out` what became certain.
  /// False: the byte doesn't belong to the escape and comes as ordinary text.
  bool take(char byte, std::string& out);
  /// The text ends, or goes on without the second half of a surrogate pair.
  void finish(std::string& out);
  /// An escape was met that JSON doesn't have.
  [[nodiscard]] bool loose() const { return loose_; }

 private:
  enum class Stage : std::uint8_t { none, backslash, digits, pair, pair_backslash };
  bool take_letter(char byte, std::string& out);
  void take_code(std::uint32_t code, std::string& out);

  Stage stage_ = Stage::none;
  bool loose_ = false;
  char letter_ = 0;
  std::uint8_t left_ = 0;  // digits still to come
  std::uint32_t code_ = 0;
  std::uint32_t high_ = 0;  // the first half of a surrogate pair, or 0
  std::string raw_;         // the escape as written
};

}  // namespace sndr::tool_calls
