// SPDX-License-Identifier: Apache-2.0
#include "patch/normal.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace sndr::patch {

Normal::Normal(std::string_view raw) : raw_(raw) {
  const std::size_t first = raw.find('\n');
  crlf_ = first != std::string_view::npos && first > 0 && raw[first - 1] == '\r';
  std::size_t from = 0;
  for (std::size_t at = raw.find("\r\n"); at != std::string_view::npos;
       at = raw.find("\r\n", from)) {
    if (copy_.empty()) copy_.reserve(raw.size());
    copy_ += raw.substr(from, at - from);
    crlf_at_.push_back(copy_.size());
    copy_ += '\n';
    from = at + 2;
  }
  if (!crlf_at_.empty()) copy_ += raw.substr(from);
}

std::size_t Normal::raw_offset(std::size_t offset) const {
  const auto before = std::lower_bound(crlf_at_.begin(), crlf_at_.end(), offset);
  return offset + static_cast<std::size_t>(before - crlf_at_.begin());
}

std::string Normal::with_line_ends(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\n' && crlf_) out += '\r';
    out += c;
  }
  return out;
}

std::size_t find_text(std::string_view text, std::string_view needle, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* found = ::memmem(  // NOLINT(misc-include-cleaner): it is GNU's, in string.h
      text.data() + from, text.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::vector<std::size_t> find_all(std::string_view text, std::string_view needle) {
  std::vector<std::size_t> out;
  if (needle.empty()) return out;
  for (std::size_t at = find_text(text, needle); at != std::string_view::npos;
       at = find_text(text, needle, at + 1))
    out.push_back(at);
  return out;
}

}  // namespace sndr::patch
