// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sndr {

std::string_view trim(std::string_view text) {
  static constexpr std::string_view kBlank = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.empty()) return {};
  if (text.back() == '\n') text.remove_suffix(1);
  return split(text, '\n');
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const auto& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::string lower(std::string_view ascii) {
  std::string out(ascii);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return out;
}

std::string upper(std::string_view ascii) {
  std::string out(ascii);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  });
  return out;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  for (const auto& candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    if (distance <= limit) ranked.emplace_back(distance, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> out;
  for (auto& entry : ranked)
    if (out.size() < most) out.push_back(std::move(entry.second));
  return out;
}

int line_of(std::string_view text, std::size_t offset) {
  const auto head = text.substr(0, offset);
  return 1 + static_cast<int>(std::count(head.begin(), head.end(), '\n'));
}

std::size_t count_of(std::string_view text, std::string_view needle) {
  if (needle.empty()) return 0;
  std::size_t count = 0;
  for (auto at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1))
    ++count;
  return count;
}

Truth truth_of(std::string_view value) {
  const std::string word = lower(trim(value));
  for (const char* yes : {"1", "true", "yes", "on"})
    if (word == yes) return Truth::yes;
  for (const char* no : {"", "0", "false", "no", "off"})
    if (word == no) return Truth::no;
  return Truth::neither;
}

std::string shell_quote(std::string_view word) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos)
    return std::string(word);
  return "'" + replace_all(std::string(word), "'", "'\\''") + "'";
}

std::string shell_quote(const std::vector<std::string>& argv) {
  std::string out;
  for (const auto& word : argv) {
    if (!out.empty()) out += ' ';
    out += shell_quote(word);
  }
  return out;
}

namespace {

// Enough of East Asian Width and the combining marks for names and paths; not a full Unicode table.
std::size_t columns_of(std::uint32_t point) {
  if ((point >= 0x300 && point < 0x370) || point == 0x200b || point == 0x200d ||
      (point >= 0xfe00 && point < 0xfe10))
    return 0;
  const bool wide = (point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point < 0xa4d0) ||
                    (point >= 0xac00 && point < 0xd7a4) || (point >= 0xf900 && point < 0xfb00) ||
                    (point >= 0xfe30 && point < 0xfe70) || (point >= 0xff00 && point < 0xff61) ||
                    (point >= 0x1f300 && point < 0x1f650) ||
                    (point >= 0x1f900 && point < 0x1fa00) || (point >= 0x20000 && point < 0x3fffe);
  return wide ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    std::uint32_t point = lead < 0x80 ? lead : lead & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < utf8.size(); ++k)
      point = point << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3fU);
    width += columns_of(point);
    i += length;
  }
  return width;
}

}  // namespace sndr
