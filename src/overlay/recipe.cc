// SPDX-License-Identifier: Apache-2.0
#include "overlay/recipe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "overlay/links.h"
#include "overlay/overlay.h"
#include "patch/edit.h"
#include "patch/normal.h"
#include "plan/plan.h"
#include "probe/tree.h"

namespace sndr::overlay {
namespace {

constexpr std::string_view kFormat = "genesis overlay 1";
constexpr std::string_view kFileVariable = "__file__";

bool uses_file(std::string_view text) {
  return patch::find_text(text, kFileVariable) != std::string_view::npos;
}

bool is_module_path(std::string_view path) {
  const auto parts = split(path, '/');
  return path.ends_with(".py") &&
         std::none_of(parts.begin(), parts.end(),
                      [](std::string_view part) { return part.empty() || part.front() == '.'; });
}

Status check_path(std::string_view id, std::string_view path) {
  if (is_module_path(path)) return {};
  return fail(Errc::invalid_input,
              "{} changes {}, which is no Python module below vllm/; the import hook can't put it "
              "in place",
              id, path);
}

/// Which text a patch puts where: its files, and the texts that may use `__file__`.
Status gather(Recipe& recipe, const TreeReader& reader, std::vector<LinkUser>& users) {
  std::set<std::string> edited, created;
  for (const auto* finding : recipe.findings) {
    for (const auto& edit : finding->edits) {
      if (edit.state != patch::EditState::usable) continue;
      SNDR_CHECK(check_path(finding->patch->id, edit.file));
      edited.insert(edit.file);
      if (uses_file(edit.variant->replacement))
        users.push_back({edit.file, edit.variant->replacement});
    }
    for (const auto& file : finding->patch->new_files) {
      SNDR_CHECK(check_path(finding->patch->id, file.path));
      created.insert(file.path);
      if (uses_file(file.text)) users.push_back({file.path, file.text});
    }
  }
  const auto source = reader.source();
  for (const auto& path : edited)
    if (const auto text = source(path); text && uses_file(*text))
      users.push_back({path, std::string(*text)});
  recipe.edited.assign(edited.begin(), edited.end());
  recipe.created.assign(created.begin(), created.end());
  return {};
}

std::size_t index_of(const patch::EditFinding& finding) {
  const auto& variants = finding.edit->variants;
  return finding.variant == nullptr ? variants.size()
                                    : static_cast<std::size_t>(finding.variant - variants.data());
}

std::string fingerprint(const Recipe& recipe, const plan::Plan& plan, const TreeReader& reader,
                        const Payload& payload) {
  Fingerprint out;
  out.add(kFormat).add(payload.version).add(plan.vllm);
  for (const auto& [path, text] : payload.boot) out.add("boot").add(path).add(text);
  for (const auto& path : recipe.edited) out.add("file").add(path).add(reader.digest(path));
  for (const auto* finding : recipe.findings) {
    out.add("patch").add(finding->patch->id).add(finding->patch->fingerprint);
    // The same patch may take another variant on a tree whose other files differ.
    for (const auto& edit : finding->edits)
      out.add(
          fmt::format("{} {} {}", edit.edit->name, static_cast<int>(edit.state), index_of(edit)));
  }
  for (const auto& link : recipe.links) out.add("link").add(link.path).add(link.target);
  return out.hex();
}

}  // namespace

Module module_of(std::string_view path) {
  constexpr std::string_view kInit = "__init__.py";
  Module out;
  std::string_view stem = path;
  if (path == kInit || path.ends_with("/__init__.py")) {
    out.package = true;
    stem.remove_suffix(std::min(stem.size(), kInit.size() + (path == kInit ? 0U : 1U)));
  } else {
    stem.remove_suffix(3);  // ".py"
  }
  out.name = "vllm";
  if (!stem.empty()) out.name += "." + replace_all(std::string(stem), "/", ".");
  return out;
}

Result<Recipe> make_recipe(const plan::Plan& plan, const probe::Tree& tree,
                           const TreeReader& reader, const Payload& payload) {
  Recipe recipe;
  for (const auto* finding : plan::applied_findings(plan)) {
    const bool edits =
        std::any_of(finding->edits.begin(), finding->edits.end(),
                    [](const auto& one) { return one.state == patch::EditState::usable; });
    if (edits || !finding->patch->new_files.empty() || !finding->patch->plugin.empty())
      recipe.findings.push_back(finding);
  }
  std::sort(recipe.findings.begin(), recipe.findings.end(),
            [](const auto* a, const auto* b) { return a->patch->id < b->patch->id; });
  if (recipe.findings.empty()) return recipe;
  std::vector<LinkUser> users;
  SNDR_CHECK(gather(recipe, reader, users));
  auto files = recipe.edited;
  files.insert(files.end(), recipe.created.begin(), recipe.created.end());
  recipe.links = find_links(tree.package, users, files);
  recipe.hash = fingerprint(recipe, plan, reader, payload);
  return recipe;
}

}  // namespace sndr::overlay
