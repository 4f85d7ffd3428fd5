// SPDX-License-Identifier: Apache-2.0
#include "pack/archive.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace sndr::pack {
namespace {

constexpr std::size_t kHash = 64;
constexpr std::size_t kNumber = 4;
constexpr std::size_t kRow = 4 * kNumber;

void put(std::string& out, std::size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>(static_cast<std::uint8_t>(value >> shift));
}

std::size_t get(std::string_view bytes, std::size_t at) {
  std::size_t value = 0;
  for (unsigned i = 0; i < kNumber; ++i)
    value |= std::size_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

}  // namespace

std::string write_archive(const std::map<std::string, std::string>& files) {
  std::string table;
  std::string body;
  const std::size_t begin = kHash + kNumber + kRow * files.size();
  put(table, files.size());
  for (const auto& [path, text] : files) {
    put(table, begin + body.size());
    put(table, path.size());
    body += path;
    put(table, begin + body.size());
    put(table, text.size());
    body += text;
  }
  return sha256_hex(table + body) + table + body;
}

Archive::Archive(std::string_view bytes) {
  if (bytes.size() < kHash + kNumber) return;
  fingerprint_ = bytes.substr(0, kHash);
  const auto count = get(bytes, kHash);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = kHash + kNumber + kRow * i;
    const auto part = [&](std::size_t at) {
      return bytes.substr(get(bytes, at), get(bytes, at + kNumber));
    };
    files_.emplace_hint(files_.end(), part(row), part(row + 2 * kNumber));
  }
}

}  // namespace sndr::pack
