// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.h"
#include "pack/files.h"
#include "pack/pack.h"
#include "pack/read_lists.h"
#include "pack/read_patch.h"
#include "yaml/yaml.h"

namespace sndr::pack {
namespace {

template <class T>
using ListReader = std::vector<T> (*)(const yaml::Node&, const std::string&, std::vector<Error>&);

template <class T>
std::vector<T> read_list(const Files& files, std::string_view path, ListReader<T> read,
                         std::vector<Error>& errors) {
  auto node = files.document(path);
  if (node) return read(*node, files.shown(path), errors);
  errors.push_back(std::move(node).error());
  return {};
}

std::vector<PatchDocument> read_patches(const Files& files, std::vector<Error>& errors) {
  std::vector<PatchDocument> out;
  for (const auto& folder : files.patch_folders()) out.push_back(read_patch(files, folder, errors));
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return id_less(a.patch.id, b.patch.id); });
  return out;
}

void take_patches(std::vector<PatchDocument> documents, Pack& pack) {
  pack.patches.reserve(documents.size());
  for (auto& document : documents) pack.patches.push_back(std::move(document.patch));
}

std::vector<Error> sorted(std::vector<Error> errors) {
  std::sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) {
    return std::tie(a.where.file, a.where.line, a.where.column, a.what) <
           std::tie(b.where.file, b.where.line, b.where.column, b.what);
  });
  return errors;
}

/// v12's flags are known by their ids here, so that a patch of ours may take over v12's flag of its
/// own id, and no other's.
void check_flags_against_v12(const std::vector<PatchDocument>& documents,
                             const std::vector<Legacy>& legacy, std::vector<Error>& errors) {
  for (const auto& document : documents) {
    const auto& patch = document.patch;
    for (const auto& entry : legacy) {
      if (entry.id != patch.id || entry.flag == patch.flag || patch.flag.empty()) continue;
      const auto* flag = document.node.find("flag");
      Error error;
      error.code = Errc::invalid_input;
      error.what = fmt::format("v12's flag of {} is {}", patch.id, entry.flag);
      error.where = {patch.file, flag == nullptr ? 0 : flag->mark.line,
                     flag == nullptr ? 0 : flag->mark.column};
      error.hint = "a v12 user's environment has to go on working: take that one";
      // Other v12 flags (LEGACY_, INFO_) never acted, so a patch of that id has a new one.
      if (entry.flag.substr(0, 15) == "GENESIS_ENABLE_") errors.push_back(std::move(error));
    }
  }
}

/// The three lists, each from the folder or, where it lacks one, from the built-in pack.
struct Lists {
  std::vector<Pin> pins;
  std::vector<Legacy> legacy;
  std::vector<Variable> variables;

  Lists(const Files& files, std::vector<Error>& errors)
      : pins(read_list<Pin>(from(files, kPins), kPins, read_pins, errors)),
        legacy(read_list<Legacy>(from(files, kLegacy), kLegacy, read_legacy, errors)),
        variables(
            read_list<Variable>(from(files, kVariables), kVariables, read_variables, errors)) {}

 private:
  static const Files& from(const Files& files, std::string_view path) {
    return files.texts.find(path) == files.texts.end() ? embedded_files() : files;
  }
};

Pack built_in(std::vector<Error>& errors) {
  const auto& files = embedded_files();
  Pack pack;
  pack.source = "built in";
  take_patches(read_patches(files, errors), pack);  // the build checked them against each other
  pack.pins = read_list<Pin>(files, kPins, read_pins, errors);
  pack.legacy = Lazy<Legacy>([&files] {
    std::vector<Error> none;
    return read_list<Legacy>(files, kLegacy, read_legacy, none);
  });
  pack.variables = Lazy<Variable>([&files] {
    std::vector<Error> none;
    return read_list<Variable>(files, kVariables, read_variables, none);
  });
  return pack;
}

}  // namespace

tl::expected<Pack, std::vector<Error>> load_folder(const std::string& folder) {
  auto files = read_files(folder);
  if (!files) return tl::unexpected(std::vector<Error>{std::move(files).error()});
  std::vector<Error> errors;
  auto documents = read_patches(*files, errors);
  Lists lists(*files, errors);
  std::vector<std::string> v12_ids;
  for (const auto& entry : lists.legacy) v12_ids.push_back(entry.id);
  check_patches(documents, v12_ids, errors);
  check_flags_against_v12(documents, lists.legacy, errors);
  if (!errors.empty()) return tl::unexpected(sorted(std::move(errors)));
  Pack pack;
  pack.source = files->root;
  take_patches(std::move(documents), pack);
  pack.pins = std::move(lists.pins);
  pack.legacy = std::move(lists.legacy);
  pack.variables = std::move(lists.variables);
  return pack;
}

tl::expected<Pack, std::vector<Error>> load() {
  if (const auto folder = env_or("SNDR_PACK"); !folder.empty()) return load_folder(folder);
  std::vector<Error> errors;
  auto pack = built_in(errors);
  if (!errors.empty()) return tl::unexpected(sorted(std::move(errors)));
  return pack;
}

}  // namespace sndr::pack
