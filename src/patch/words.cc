// SPDX-License-Identifier: Apache-2.0
#include "patch/words.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace sndr::patch {

std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> out;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() && is_word(text[end])) ++end;
    else if (is_blank(text[at]))
      while (end < text.size() && is_blank(text[end])) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

}  // namespace sndr::patch
