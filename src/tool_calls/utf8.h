// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sndr::tool_calls {

/// Bytes in, whole characters out, so that everything behind it may cut text at any ASCII byte and
/// every event holds valid UTF-8.
class Utf8Gate {
 public:
  /// What of `piece`, and of what was held back, is certain now. The result lives until the next
  /// call, or as long as `piece`. Each byte that can't be part of a character becomes U+FFFD.
  [[nodiscard]] std::string_view feed(std::string_view piece);
  /// The beginning of a character that never ended: U+FFFD or nothing.
  [[nodiscard]] std::string_view finish();

 private:
  std::string held_;
  std::string out_;
};

/// The length of the whole characters at the front of `text`: all of it, up to the first byte that
/// isn't part of one, or up to a character that the end cuts.
[[nodiscard]] std::size_t valid_prefix(std::string_view text);

}  // namespace sndr::tool_calls
