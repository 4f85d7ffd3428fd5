// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "yaml/yaml.h"

// Three forms, the most readable that says exactly the text: plain, a literal block for lines,
// double quotes for the rest. Plain is kept from whatever any YAML reader, of 1.1 or 1.2, takes for
// something else than text.
namespace sndr::yaml {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_of_yaml(std::string_view text) {
  const std::string word = lower(text);
  for (const char* special : {"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
    if (word == special) return true;
  return false;
}

/// Begins with a letter, / or _, so that it is no number, date or indicator, and holds nothing that
/// YAML may read.
bool is_plain(std::string_view text) {
  static constexpr std::string_view kInside = "_./+- ()@=<>;~^$\\";
  if (text.empty() || is_word_of_yaml(text) || text.back() == ' ') return false;
  if (!is_letter(text.front()) && text.front() != '/' && text.front() != '_') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || kInside.find(c) != std::string_view::npos;
  });
}

struct Character {
  std::uint32_t point = 0xfffd;  ///< U+FFFD for bytes that aren't UTF-8: YAML can't hold them
  std::size_t size = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + k]));
  };
  const std::uint32_t lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (size == 1) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4 || at + size > text.size()) return {};
  std::uint32_t point = lead & (0xffU >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(k) & 0x3f);
  }
  const bool too_short = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
  if (too_short || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff) return {};
  return {point, size};
}

/// YAML lets it stand as it is, and no reader takes it for a line break.
bool is_printable(const Character& c) {
  if (c.point < 0xa0) return c.point == '\t' || (c.point >= 0x20 && c.point < 0x7f);
  if (c.point >= 0xfffe && c.point < 0x10000) return false;
  return c.point != 0x2028 && c.point != 0x2029 && c.point != 0xfeff &&
         (c.point != 0xfffd || c.size == 3);
}

/// Every line can stand in a literal block.
bool fits_block(std::string_view text) {
  if (text.find_first_not_of('\n') == std::string_view::npos) return false;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (!is_printable(c) && c.point != '\n') return false;
    i += c.size;
  }
  return true;
}

std::string block(std::string_view text, std::size_t indent) {
  std::string out = "|";
  // Without the number a reader would take the first line's own blanks for indentation.
  const char first = text.front();
  if (first == ' ' || first == '\n' || first == '\t') out += '2';
  if (text.back() != '\n') {
    out += '-';
  } else if (text.size() > 1 && text[text.size() - 2] == '\n') {
    out += '+';
  }
  for (const auto line : split_lines(text)) {
    out += '\n';
    if (!line.empty()) out.append(indent, ' ').append(line);
  }
  return out;
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.point == '"' || c.point == '\\') {
      out += {'\\', text[i]};
    } else if (c.point == '\n') {
      out += "\\n";
    } else if (c.point == '\r') {
      out += "\\r";
    } else if (c.point == '\t') {
      out += "\\t";
    } else if (is_printable(c)) {
      out += text.substr(i, c.size);
    } else {
      out += c.point < 0x100     ? fmt::format("\\x{:02x}", c.point)
             : c.point < 0x10000 ? fmt::format("\\u{:04x}", c.point)
                                 : fmt::format("\\U{:08x}", c.point);
    }
    i += c.size;
  }
  return out + '"';
}

}  // namespace

std::string emit_scalar(std::string_view text, std::size_t indent) {
  if (is_plain(text)) return std::string(text);
  if (text.find('\n') != std::string_view::npos && indent >= 2 && fits_block(text))
    return block(text, indent);
  return double_quoted(text);
}

}  // namespace sndr::yaml
