// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sndr {

/// SHA-256, the only identity used for files, overlays and downloads. 1.6 GB/s a core through
/// libcrypto.
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// The form a wheel's RECORD uses: urlsafe base64 without padding.
[[nodiscard]] std::string sha256_record(std::string_view bytes);

/// Several fields under one hash, each preceded by its length, so that no two lists of fields
/// collide.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view field);
  [[nodiscard]] std::string hex() const { return sha256_hex(text_); }

 private:
  std::string text_;
};

}  // namespace sndr
