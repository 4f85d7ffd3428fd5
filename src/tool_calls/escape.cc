// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/escape.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sndr::tool_calls {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kHex = "0123456789abcdef";

/// What a byte of a string is written as in JSON; "" where it stands for itself.
std::string_view escape_of(char byte) {
  switch (byte) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    default:
      return {};
  }
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6));
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x110000) {
    byte(0xf0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3f));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    out += kReplacement;
  }
}

/// The value of a hexadecimal digit, or 16.
std::uint32_t digit_of(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<std::uint32_t>(byte - '0');
  if (byte >= 'a' && byte <= 'f') return static_cast<std::uint32_t>(byte - 'a' + 10);
  if (byte >= 'A' && byte <= 'F') return static_cast<std::uint32_t>(byte - 'A' + 10);
  return 16;
}

/// What a letter behind a backslash stands for, or 0.
char simple_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '/':
    case '\\':
    case '"':
    case '\'':
      return letter;
    default:
      return 0;
  }
}

}  // namespace

void append_escaped(std::string_view text, std::string& out) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out += text.substr(begin, at - begin);
    begin = at + 1;
    if (const auto escape = escape_of(text[at]); !escape.empty()) {
      out += escape;
    } else {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xf];
    }
  }
  out += text.substr(begin);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  append_escaped(text, out);
  out += '"';
  return out;
}

bool Unescape::take(char byte, std::string& out) {
  switch (stage_) {
    case Stage::none:
      stage_ = Stage::backslash;
      raw_ = byte;
      return true;
    case Stage::backslash:
      return take_letter(byte, out);
    case Stage::digits: {
      const auto digit = digit_of(byte);
      if (digit == 16) {
        finish(out);
        return false;
      }
      raw_ += byte;
      code_ = (code_ << 4) | digit;
      if (--left_ == 0) take_code(code_, out);
      return true;
    }
    case Stage::pair:
      if (byte == '\\') {
        stage_ = Stage::pair_backslash;
        return true;
      }
      finish(out);
      return false;
    default:  // Stage::pair_backslash
      raw_ = '\\';
      if (byte != 'u') {
        high_ = 0;
        out += kReplacement;
      }
      return take_letter(byte, out);
  }
}

bool Unescape::take_letter(char byte, std::string& out) {
  raw_ += byte;
  if (byte == 'u' || byte == 'x' || byte == 'U') {
    loose_ = loose_ || byte != 'u';
    stage_ = Stage::digits;
    left_ = byte == 'u' ? 4 : byte == 'x' ? 2 : 8;
    code_ = 0;
    return true;
  }
  stage_ = Stage::none;
  loose_ = loose_ || byte == '\'';
  if (const char simple = simple_escape(byte); simple != 0) {
    out += simple;
    return true;
  }
  loose_ = true;
  raw_.pop_back();
  out +=
      raw_;  // the backslash; the byte may be the end of the piece's character, so it comes again
  return false;
}

void Unescape::take_code(std::uint32_t code, std::string& out) {
  stage_ = Stage::none;
  const bool high = code >= 0xd800 && code < 0xdc00;
  const bool low = code >= 0xdc00 && code < 0xe000;
  if (high_ != 0 && low) {
    append_utf8(0x10000 + ((high_ - 0xd800) << 10) + (code - 0xdc00), out);
    high_ = 0;
    return;
  }
  if (high_ != 0) out += kReplacement;
  high_ = high ? code : 0;
  if (high)
    stage_ = Stage::pair;
  else if (low)
    out += kReplacement;
  else
    append_utf8(code, out);
}

void Unescape::finish(std::string& out) {
  if (stage_ == Stage::none) return;
  if (high_ != 0) out += kReplacement;
  if (stage_ == Stage::digits || stage_ == Stage::backslash) {
    loose_ = true;
    out += raw_;
  }
  if (stage_ == Stage::pair_backslash) out += '\\';
  high_ = 0;
  stage_ = Stage::none;
}

}  // namespace sndr::tool_calls
