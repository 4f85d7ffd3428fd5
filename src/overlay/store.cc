// SPDX-License-Identifier: Apache-2.0
#include "overlay/store.h"

#include <fmt/core.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "overlay/overlay.h"

namespace sndr::overlay {
namespace {

constexpr std::string_view kBuilding = ".building-";
constexpr std::string_view kRemoving = ".removing-";

tl::unexpected<Error> refuse(std::string what, std::string hint) {
  Error error;
  error.code = Errc::denied;
  error.what = std::move(what);
  error.hint = std::move(hint);
  return fail(std::move(error));
}

fs::path temporary(std::string_view prefix, std::string_view hash) {
  return overlays_dir() / fmt::format("{}{}-{}", prefix, hash, ::getpid());
}

/// Whatever stops us from making a folder, the way out is another SNDR_HOME.
Status make_folder(const fs::path& path) {
  auto made = make_dirs(path);
  if (!made && made.error().hint.empty())
    made.error().hint = "set SNDR_HOME to a folder that you can write";
  return made;
}

}  // namespace

fs::path home() {
  const auto set = env_or("SNDR_HOME");
  auto out = set.empty() ? home_dir() / ".sndr" : fs::absolute(set).lexically_normal();
  return out.has_filename() ? out : out.parent_path();  // no trailing slash
}

fs::path overlays_dir() {
  return home() / "overlays";
}

Status check_owner(const fs::path& folder) {
  const Stat stat = stat_path(folder);
  if (!stat.exists) return {};
  if (!stat.is_dir)
    return refuse(fmt::format("{} is no folder", folder.string()),
                  "move it away, or set SNDR_HOME to another folder");
  if (stat.uid != 0 && stat.uid != ::geteuid())
    return refuse(fmt::format("{} belongs to another user (uid {})", folder.string(), stat.uid),
                  "overlays are code that vLLM runs: set SNDR_HOME to a folder of your own");
  if ((stat.mode & 022U) != 0)
    return refuse(
        fmt::format("{} can be written by other users (mode {:o})", folder.string(), stat.mode),
        fmt::format("overlays are code that vLLM runs: chmod go-w {}",
                    shell_quote(folder.string())));
  return {};
}

Result<FileLock> lock_store() {
  SNDR_CHECK(check_owner(overlays_dir()));
  SNDR_CHECK(make_folder(overlays_dir()));
  SNDR_CHECK(check_owner(overlays_dir()));
  return FileLock::take(overlays_dir() / ".lock");
}

bool is_overlay_name(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    out.push_back(it->path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

fs::path building_name(std::string_view hash) {
  return temporary(kBuilding, hash);
}
fs::path removing_name(std::string_view hash) {
  return temporary(kRemoving, hash);
}

Status sweep() {
  for (const auto& name : entries(overlays_dir()))
    if (name.starts_with(kBuilding) || name.starts_with(kRemoving))
      SNDR_CHECK(remove_tree(overlays_dir() / name));
  return {};
}

Status remove_overlay(std::string_view hash) {
  const fs::path away = removing_name(hash);
  SNDR_CHECK(rename_path(overlays_dir() / hash, away));
  return remove_tree(away);
}

}  // namespace sndr::overlay
