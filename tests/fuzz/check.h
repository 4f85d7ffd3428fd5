// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

/// What the fuzz targets share. Each target states what must hold for any input, not only that
/// nothing crashes.
namespace sndr::fuzz {

/// Ends the run, as a crash does, so that libFuzzer keeps the input.
inline void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// An error that a person can act on: it says something, and its place lies in the text.
inline void check_error(const Error& error, std::string_view text) {
  check(!error.what.empty(), "an error says what is wrong");
  check(error.what.back() != '.' || error.what.size() > 2, "no period at the end");
  check(error.where.line >= 0 && error.where.column >= 0, "a place is never negative");
  const auto lines = static_cast<int>(count_of(text, "\n")) +
                     static_cast<int>(count_of(text, "\r")) +
                     3 * static_cast<int>(count_of(text, "\xe2\x80")) +
                     static_cast<int>(count_of(text, "\xc2\x85")) + 2;
  check(error.where.line <= lines, "a place lies in the text");
  check(!render(error).empty(), "an error can be shown");
}

}  // namespace sndr::fuzz
