// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sndr::tool_calls {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Lead {
  std::size_t length;  // 0: no character begins so
  unsigned char low,
      high;  // of the second byte: no overlong form, no surrogate, nothing past U+10FFFF
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xc2) return {0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf};
  if (byte == 0xe0) return {3, 0xa0, 0xbf};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3, 0x80, 0xbf};
  if (byte == 0xf0) return {4, 0x90, 0xbf};
  if (byte < 0xf4) return {4, 0x80, 0xbf};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

struct Character {
  std::size_t length;  // of what belongs together: a character, or the part of one before it breaks
  bool whole;
  bool cut;  // the text ends before it does
};

Character character_at(std::string_view text) {
  const auto lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.length == 0) return {1, false, false};
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {i, false, true};
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : (byte & 0xc0) == 0x80;
    if (!fits) return {i, false, false};
  }
  return {lead.length, true, false};
}

std::size_t ascii_prefix(std::string_view text) {
  std::size_t at = 0;
  std::uint64_t word = 0;
  while (at + sizeof word <= text.size()) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & 0x8080808080808080U) != 0) break;
    at += sizeof word;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::size_t valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at += ascii_prefix(text.substr(at));
    if (at == text.size()) return at;
    const auto next = character_at(text.substr(at));
    if (!next.whole) return at;
    at += next.length;
  }
}

std::string_view Utf8Gate::feed(std::string_view piece) {
  if (held_.empty()) {
    const auto valid = valid_prefix(piece);
    if (valid == piece.size()) return piece;
  }
  held_ += piece;
  out_.clear();
  std::string_view rest = held_;
  while (!rest.empty()) {
    const auto valid = valid_prefix(rest);
    out_ += rest.substr(0, valid);
    rest.remove_prefix(valid);
    if (rest.empty()) break;
    const auto next = character_at(rest);
    if (next.cut) break;
    out_ += kReplacement;
    rest.remove_prefix(next.length);
  }
  held_.erase(0, held_.size() - rest.size());
  return out_;
}

std::string_view Utf8Gate::finish() {
  out_.clear();
  if (!held_.empty()) out_ = kReplacement;
  held_.clear();
  return out_;
}

}  // namespace sndr::tool_calls
