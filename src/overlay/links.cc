// SPDX-License-Identifier: Apache-2.0
#include "overlay/links.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sndr::overlay {
namespace {

std::string beside(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

bool is_shared_library(std::string_view name) {
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

bool is_data(std::string_view name, std::string_view text) {
  if (name.ends_with(".py") || name.ends_with(".pyc")) return false;
  return !is_shared_library(name) || text.find(name) != std::string_view::npos;
}

bool is_package(const fs::path& folder) {
  std::error_code ec;
  return fs::exists(folder / "__init__.py", ec);
}

class Finder {
 public:
  Finder(const fs::path& package, const std::vector<std::string>& files)
      : package_(package), files_(files) {}

  void beside_module(const LinkUser& user) {
    for (std::string_view folder = user.path; !folder.empty();) {
      const auto slash = folder.rfind('/');
      folder = slash == std::string_view::npos ? std::string_view() : folder.substr(0, slash);
      visit(folder, user.text);
    }
  }

  std::vector<Link> found() {
    std::vector<Link> out;
    out.reserve(links_.size());
    for (auto& [path, target] : links_) out.push_back({path, target});
    return out;
  }

 private:
  void visit(std::string_view folder, std::string_view text) {
    std::error_code ec;
    for (fs::directory_iterator it(package_ / folder, ec), end; !ec && it != end;
         it.increment(ec)) {
      const std::string name = it->path().filename();
      const std::string path = beside(folder, name);
      const bool is_folder = it->is_directory(ec);
      if (is_folder && holds_ours(path) && !is_package(it->path())) {
        visit(path, text);
        continue;
      }
      if (is_folder ? name == "__pycache__" || is_package(it->path()) : !is_data(name, text))
        continue;
      links_.emplace("vllm/" + path, it->path().string());
    }
  }

  [[nodiscard]] bool holds_ours(const std::string& folder) const {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const std::string& file) { return file.starts_with(folder + "/"); });
  }

  const fs::path& package_;
  const std::vector<std::string>& files_;
  std::map<std::string, std::string> links_;
};

}  // namespace

std::vector<Link> find_links(const fs::path& package, const std::vector<LinkUser>& users,
                             const std::vector<std::string>& files) {
  Finder finder(package, files);
  for (const auto& user : users) finder.beside_module(user);
  return finder.found();
}

}  // namespace sndr::overlay
