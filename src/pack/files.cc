// SPDX-License-Identifier: Apache-2.0
#include "pack/files.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "yaml/freeze.h"
#include "yaml/yaml.h"

namespace sndr::pack {
namespace {

constexpr std::string_view kPatches = "patches/";

Status add_file(Files& files, const fs::path& root, const std::string& path) {
  SNDR_TRY(auto text, read_file(root / path));
  files.owned.push_back(std::move(text));
  files.texts.emplace(path, files.owned.back());
  return {};
}

}  // namespace

std::vector<std::string> Files::patch_folders() const {
  std::vector<std::string> out;
  for (auto at = texts.lower_bound(kPatches); at != texts.end(); ++at) {
    const std::string_view path = at->first;
    if (path.substr(0, kPatches.size()) != kPatches) break;
    const auto rest = path.substr(kPatches.size());
    const auto slash = rest.find('/');
    if (slash == std::string_view::npos || rest.front() == '_') continue;
    if (out.empty() || out.back() != rest.substr(0, slash)) out.emplace_back(rest.substr(0, slash));
  }
  return out;
}

Result<yaml::Node> Files::document(std::string_view path) const {
  if (const auto at = frozen.find(path); at != frozen.end()) return yaml::thaw(at->second);
  if (const auto at = texts.find(path); at != texts.end())
    return yaml::parse(at->second, shown(path));
  return yaml::Node{};
}

Result<Files> read_files(const std::string& folder) {
  Files out;
  out.root = folder;
  while (out.root.size() > 1 && out.root.back() == '/') out.root.pop_back();
  const fs::path root(out.root);
  if (!stat_path(root / "patches").is_dir) {
    auto error = fail(Errc::not_found, "no folder {}/patches", out.root).value();
    error.hint = "SNDR_PACK and --pack name a folder that holds patches/";
    return fail(std::move(error));
  }
  SNDR_TRY(auto paths, list_files(root / "patches"));
  for (const auto& path : paths)
    if (!is_clutter(path)) SNDR_CHECK(add_file(out, root, std::string(kPatches) + path));
  for (const auto path : {kPins, kLegacy, kVariables})
    if (stat_path(root / path).is_file) SNDR_CHECK(add_file(out, root, std::string(path)));
  return out;
}

std::string frozen_path(std::string_view path) {
  return "frozen/" + std::string(path);
}

bool is_clutter(std::string_view path) {
  const auto parts = split(path, '/');
  const auto bad = [](std::string_view part) {
    return part.empty() || part.front() == '.' || part.back() == '~' || part == "__pycache__";
  };
  return std::any_of(parts.begin(), parts.end(), bad);
}

}  // namespace sndr::pack
