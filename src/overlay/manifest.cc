// SPDX-License-Identifier: Apache-2.0
#include "overlay/manifest.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "json/json.h"
#include "overlay/overlay.h"
#include "overlay/recipe.h"
#include "patch/edit.h"
#include "plan/plan.h"

namespace sndr::overlay {
namespace {

constexpr int kFormat = 1;

json::Array words(const std::vector<std::string>& list) {
  json::Array out;
  for (const auto& word : list) out.emplace_back(word);
  return out;
}

json::Object module_entry(const patch::PatchedFile& file, const TreeReader& reader) {
  json::Object out;
  out["file"] = "vllm/" + file.path;
  if (!file.created) {
    const Stat stat = reader.stat(file.path);
    out["pristine"] = file.path;
    out["size"] = stat.size;
    out["mtime_ns"] = stat.mtime_ns;
    out["sha256"] = reader.digest(file.path);
  }
  out["package"] = module_of(file.path).package;
  out["ids"] = words(file.ids);
  return out;
}

json::Array patch_entries(const Recipe& recipe, const std::vector<patch::PatchedFile>& patched) {
  std::map<std::string_view, std::vector<std::string>> files;
  for (const auto& file : patched)
    for (const auto& id : file.ids) files[id].push_back(file.path);
  json::Array out;
  for (const auto* finding : recipe.findings) {
    json::Object entry;
    entry["id"] = finding->patch->id;
    entry["title"] = finding->patch->title;
    entry["files"] = words(files[finding->patch->id]);
    out.emplace_back(std::move(entry));
  }
  return out;
}

/// A map of strings to strings, or an error that names the key.
Result<std::map<std::string, std::string>> texts_at(const json::Value& value, std::string_view key,
                                                    const std::string& where) {
  const auto* found = json::find(value, key);
  std::map<std::string, std::string> out;
  if (found == nullptr || !found->is_object())
    return fail(Errc::conflict, "{} has no '{}'", where, key);
  for (const auto& [name, text] : found->get_object()) {
    if (!text.is_string()) return fail(Errc::conflict, "{} has no text in '{}'", where, key);
    out.emplace(name, std::string(text.get_string()));
  }
  return out;
}

}  // namespace

std::string write_manifest(const Recipe& recipe, const plan::Plan& plan, const TreeReader& reader,
                           const Payload& payload, const std::vector<patch::PatchedFile>& patched,
                           const Contents& contents) {
  json::Object modules, files, links;
  json::Array created, plugins;
  for (const auto& file : patched) {
    modules[module_of(file.path).name] = module_entry(file, reader);
    if (file.created) created.emplace_back("vllm/" + file.path);
  }
  for (const auto* finding : recipe.findings)
    if (!finding->patch->plugin.empty()) plugins.emplace_back(finding->patch->plugin);
  for (const auto& [path, text] : contents.files) files[path] = sha256_hex(text);
  for (const auto& link : contents.links) links[link.path] = link.target;
  json::Object out;
  out["format"] = kFormat;
  out["genesis"] = payload.version;
  out["hash"] = recipe.hash;
  out["vllm"] = plan.vllm;
  out["modules"] = std::move(modules);
  out["created"] = std::move(created);
  out["patches"] = patch_entries(recipe, patched);
  out["plugins"] = std::move(plugins);
  out["files"] = std::move(files);
  out["links"] = std::move(links);
  return json::pretty(out);
}

Result<Manifest> read_manifest(const fs::path& overlay) {
  const fs::path path = overlay / "manifest.json";
  SNDR_TRY(const auto text, read_file(path));
  SNDR_TRY(const auto value, json::parse(text, path.string()));
  const auto* format = json::find(value, "format");
  if (format == nullptr || !format->is_int64() || format->get_int64() != kFormat)
    return fail(Errc::conflict, "{} has another format than {}", path.string(), kFormat);
  Manifest out;
  out.hash = json::text_or(value, "hash");
  out.vllm = json::text_or(value, "vllm");
  const auto* patches = json::find(value, "patches");
  if (patches != nullptr && patches->is_array())
    for (const auto& entry : patches->get_array()) out.ids.push_back(json::text_or(entry, "id"));
  SNDR_TRY(out.files, texts_at(value, "files", path.string()));
  SNDR_TRY(out.links, texts_at(value, "links", path.string()));
  return out;
}

}  // namespace sndr::overlay
