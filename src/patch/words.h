// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

/// Text cut up for comparing: lines and tokens that joined again are the text.
namespace sndr::patch {

/// A letter, digit or underscore, or a byte of a longer UTF-8 character.
[[nodiscard]] inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// Lines with their "\n".
[[nodiscard]] std::vector<std::string_view> whole_lines(std::string_view text);
/// Words, runs of blanks, and every other byte by itself.
[[nodiscard]] std::vector<std::string_view> tokens(std::string_view text);
/// The words alone.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

}  // namespace sndr::patch
