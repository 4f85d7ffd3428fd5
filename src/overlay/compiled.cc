// SPDX-License-Identifier: Apache-2.0
#include "overlay/compiled.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files.h"

namespace sndr::overlay {
namespace {

constexpr std::string_view kSource = ".py";
constexpr std::string_view kCompiled = ".pyc";

/// Whether `name` is `<stem>.<tag>.pyc` or `<stem>.<tag>.opt-<n>.pyc`.
bool is_form_of(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || !name.ends_with(kCompiled)) return false;
  name.remove_prefix(stem.size());
  name.remove_suffix(kCompiled.size());
  if (!name.starts_with('.')) return false;
  name.remove_prefix(1);
  const auto dot = name.find('.');
  return !name.empty() &&
         (dot == std::string_view::npos || name.substr(dot + 1).starts_with("opt-"));
}

}  // namespace

std::string cache_folder(std::string_view path) {
  if (!path.ends_with(kSource)) return {};
  const auto slash = path.rfind('/');
  const std::string_view folder =
      slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash + 1);
  return std::string(folder) + "__pycache__";
}

std::vector<std::string> compiled_forms(const fs::path& root, std::string_view path) {
  std::vector<std::string> out;
  const std::string folder = cache_folder(path);
  if (folder.empty() || !stat_path(root / folder, Follow::no).is_dir) return out;
  const std::string stem = fs::path(path).stem().string();
  std::error_code ec;
  for (fs::directory_iterator it(root / folder, ec), end; !ec && it != end; it.increment(ec)) {
    const std::string name = it->path().filename().string();
    if (is_form_of(name, stem)) out.push_back(folder + "/" + name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sndr::overlay
