// SPDX-License-Identifier: Apache-2.0
//
// What travels in the binary. The build's `sndr_packc` writes the archive and a source that holds
// it between two symbols; see cmake/pack.cmake.
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "pack/archive.h"
#include "pack/files.h"
#include "pack/pack.h"

extern "C" {
extern const char sndr_archive_begin[];
extern const char sndr_archive_end[];
}

namespace sndr::pack {
namespace {

constexpr std::string_view kPack = "pack/";

const Archive& archive() {
  static const Archive one(std::string_view(
      sndr_archive_begin, static_cast<std::size_t>(sndr_archive_end - sndr_archive_begin)));
  return one;
}

/// Read once; a caller keeps views into it.
std::optional<std::string_view> from_folder(const std::string& folder, std::string_view path) {
  static std::mutex guard;
  static std::map<std::string, std::optional<std::string>> read;
  const std::lock_guard<std::mutex> lock(guard);
  const auto name = folder + "/" + std::string(path);
  auto at = read.find(name);
  if (at == read.end()) {
    auto text = read_file(name);
    at = read.emplace(name, text ? std::optional(*std::move(text)) : std::nullopt).first;
  }
  if (!at->second) return std::nullopt;
  return *at->second;
}

}  // namespace

const Files& embedded_files() {
  static const Files files = [] {
    Files out;
    out.root = "pack";
    const auto frozen = frozen_path(kPack);
    for (const auto& [path, text] : archive().files()) {
      if (path.substr(0, kPack.size()) == kPack)
        out.texts.emplace_hint(out.texts.end(), path.substr(kPack.size()), text);
      if (path.substr(0, frozen.size()) == frozen)
        out.frozen.emplace_hint(out.frozen.end(), path.substr(frozen.size()), text);
    }
    return out;
  }();
  return files;
}

std::optional<std::string_view> embedded(std::string_view path) {
  const auto folder = env_or("SNDR_PACK");
  if (!folder.empty() && path.substr(0, kPack.size()) == kPack)
    return from_folder(folder, path.substr(kPack.size()));
  const auto at = archive().files().find(path);
  if (at == archive().files().end()) return std::nullopt;
  return at->second;
}

const std::string& embedded_fingerprint() {
  static const std::string hex(archive().fingerprint());
  return hex;
}

}  // namespace sndr::pack
