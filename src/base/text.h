// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Text without locale: bytes in, bytes out. UTF-8 is passed through; only `display_width` looks
/// into it.
namespace sndr {

[[nodiscard]] std::string_view trim(std::string_view text);
/// Pieces between separators; "a,,b" gives three, "" gives one empty piece.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
/// Lines without their "\n" (a "\r" stays); no extra empty line for a trailing newline.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);
/// Pieces of a string that is gone: give it a name first.
template <std::same_as<std::string> S>
void split(S&& temporary, char separator) = delete;
template <std::same_as<std::string> S>
void split_lines(S&& temporary) = delete;

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
[[nodiscard]] std::string lower(std::string_view ascii);
[[nodiscard]] std::string upper(std::string_view ascii);
[[nodiscard]] std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// Damerau-Levenshtein (adjacent swaps count one), for "did you mean".
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidates nearest to `word`, best first: at most `most`, none further than a third of the
/// word's length.
[[nodiscard]] std::vector<std::string> nearest(std::string_view word,
                                               const std::vector<std::string>& candidates,
                                               std::size_t most = 3);

/// 1-based line of a byte offset.
[[nodiscard]] int line_of(std::string_view text, std::size_t offset);

/// How many times `needle` occurs (overlapping occurrences count).
[[nodiscard]] std::size_t count_of(std::string_view text, std::string_view needle);

/// 1/true/yes/on and 0/false/no/off/empty, without case and outer blanks; anything else is
/// `neither`.
enum class Truth : unsigned char { no, yes, neither };
[[nodiscard]] Truth truth_of(std::string_view value);

/// One shell word, quoted only where needed: the one function that every generated script goes
/// through.
[[nodiscard]] std::string shell_quote(std::string_view word);
[[nodiscard]] std::string shell_quote(const std::vector<std::string>& argv);

/// Columns on a terminal (wide CJK and emoji count two, combining marks none).
[[nodiscard]] std::size_t display_width(std::string_view utf8);

}  // namespace sndr
