// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "overlay/manifest.h"
#include "overlay/overlay.h"
#include "overlay/store.h"

namespace sndr::overlay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Listed look_at(const std::string& hash) {
  Listed out;
  out.hash = hash;
  out.path = overlays_dir() / hash;
  for (const auto& file : list_files(out.path).value_or(std::vector<std::string>()))
    out.bytes += stat_path(out.path / file).size;
  out.built_at = stat_path(out.path / "manifest.json").mtime_ns / kSecond;
  out.used_at = stat_path(out.path / "used").mtime_ns / kSecond;
  auto manifest = read_manifest(out.path);
  if (const auto owner = check_owner(out.path); !owner) {
    out.problem = owner.error().what;
  } else if (!manifest) {
    out.problem = manifest.error().what;
  } else if (manifest->hash != hash) {
    out.problem = "its manifest belongs to " + manifest->hash.substr(0, 8);
  } else {
    out.vllm = std::move(manifest->vllm);
    out.ids = std::move(manifest->ids);
  }
  return out;
}

tl::unexpected<Error> damaged(const fs::path& overlay, std::string what) {
  Error error;
  error.code = Errc::conflict;
  error.what = std::move(what);
  error.hint = fmt::format("remove {} and start again; it is built anew", overlay.string());
  return fail(std::move(error));
}

bool is_our_own(std::string_view path) {
  return path == "manifest.json" || path == "used" || path.ends_with(".pyc");
}

}  // namespace

Result<std::vector<Listed>> list() {
  std::vector<Listed> out;
  auto running = running_overlays();
  for (const auto& name : entries(overlays_dir())) {
    if (!is_overlay_name(name)) continue;
    out.push_back(look_at(name));
    out.back().running = std::move(running[name]);
  }
  const auto used = [](const Listed& one) { return stat_path(one.path / "used").mtime_ns; };
  std::sort(out.begin(), out.end(), [&](const Listed& a, const Listed& b) {
    const auto of_a = used(a), of_b = used(b);
    return of_a != of_b ? of_a > of_b : a.hash < b.hash;
  });
  return out;
}

Result<std::vector<Listed>> collect(std::size_t keep, bool dry_run) {
  std::vector<Listed> removed;
  if (!stat_path(overlays_dir()).exists) return removed;
  std::optional<FileLock> lock;
  if (!dry_run) {
    SNDR_TRY(lock, lock_store());
    SNDR_CHECK(sweep());
  }
  SNDR_TRY(auto all, list());
  for (auto& entry : all) {
    const bool kept = entry.problem.empty() && keep > 0;
    if (kept) --keep;
    if (kept || !entry.running.empty()) continue;
    if (!dry_run) SNDR_CHECK(remove_overlay(entry.hash));
    removed.push_back(std::move(entry));
  }
  return removed;
}

Status verify(const fs::path& overlay) {
  SNDR_TRY(const auto manifest, read_manifest(overlay));
  if (manifest.hash != overlay.filename().string())
    return damaged(overlay,
                   fmt::format("{} has the manifest of {}", overlay.string(), manifest.hash));
  for (const auto& [path, digest] : manifest.files) {
    const auto text = read_file(overlay / path);
    if (!text) return damaged(overlay, text.error().what);
    if (sha256_hex(*text) != digest)
      return damaged(overlay, fmt::format("{} was changed", (overlay / path).string()));
  }
  for (const auto& [path, target] : manifest.links) {
    std::error_code ec;
    if (fs::read_symlink(overlay / path, ec) != target)
      return damaged(overlay,
                     fmt::format("{} is no link to {}", (overlay / path).string(), target));
    if (!fs::exists(target, ec))
      return damaged(overlay,
                     fmt::format("{} is gone; {} links to it", target, (overlay / path).string()));
  }
  SNDR_TRY(const auto files, list_files(overlay));
  for (const auto& path : files)
    if (!manifest.files.contains(path) && !is_our_own(path))
      return damaged(overlay,
                     fmt::format("{} is none of the overlay's files", (overlay / path).string()));
  return {};
}

}  // namespace sndr::overlay
