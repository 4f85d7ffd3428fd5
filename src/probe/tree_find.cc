// SPDX-License-Identifier: Apache-2.0
#include "probe/tree_find.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "probe/dist_info.h"
#include "probe/machine.h"

/// Where vLLM lies is read from files: pyvenv.cfg, path files, *.dist-info. Starting Python for it
/// would cost 15 to 30 ms, and importing vLLM seconds.
namespace sndr::probe {
namespace {

constexpr std::string_view kForms =
    "--vllm takes a site-packages folder, vllm/ itself, a virtual environment, an unpacked wheel, "
    "a git tree, or a container's root folder";

void set_version(Tree& tree, const Distribution& found, const TreeQuery& query) {
  tree.dist_info = found.folder;
  tree.distribution = found.name;
  tree.version_text = !query.as_version.empty() ? query.as_version : found.version;
  if (tree.version_text.empty()) tree.version_text = version_py(tree.package);
  if (auto version = Version::parse(tree.version_text)) tree.version = *std::move(version);
}

fs::path resolved(const fs::path& path) {
  std::error_code ec;
  fs::path out = fs::canonical(path, ec);
  return ec ? path : out;
}

/// The vLLM that `import vllm` would find in `site`: the folder's own, else what a path file or an
/// editable install leads to.
std::vector<Tree> trees_in(const fs::path& site, const fs::path& root, const TreeQuery& query) {
  std::vector<Tree> out;
  if (holds_vllm(site)) {
    Tree tree;
    tree.package = resolved(site / "vllm");
    tree.site = resolved(site);
    set_version(tree, vllm_distribution(site, root), query);
    out.push_back(std::move(tree));
    return out;
  }
  for (const auto& folder : editable_folders(site, root)) {
    Tree tree;
    tree.package = resolved(folder / "vllm");
    tree.site = folder;
    tree.editable = true;
    set_version(tree, vllm_distribution(site, root), query);
    out.push_back(std::move(tree));
  }
  return out;
}

void add(std::vector<FoundTree>& out, std::vector<Tree> trees, const Environment& environment) {
  for (auto& tree : trees) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const FoundTree& other) {
      return other.tree.package == tree.package;
    });
    if (known) continue;
    tree.found_by = environment.found_by;
    tree.python = environment.python;
    out.push_back({std::move(tree), environment.active});
  }
}

/// "- 0.33.0 in /opt/a/vllm (python3 on PATH)", one a line, each as the flag that chooses it.
std::string listing(const std::vector<FoundTree>& trees) {
  std::string out = "name one of them:";
  for (const auto& [tree, active] : trees)
    out += fmt::format("\n    --vllm {}  ({}, {})", tree.site.string(),
                       tree.version_text.empty() ? "unknown version" : tree.version_text,
                       tree.found_by);
  return out;
}

tl::unexpected<Error> with_hint(tl::unexpected<Error> error, std::string hint) {
  Error out = std::move(error).value();
  out.hint = std::move(hint);
  return fail(std::move(out));
}

bool is_container_root(const fs::path& folder) {
  return stat_path(folder / "usr/lib").is_dir || stat_path(folder / "usr/local").is_dir;
}

/// --vllm DIR, tried as each of the forms in turn.
Result<std::vector<FoundTree>> named_trees(const TreeQuery& query, const Machine& machine) {
  fs::path folder = query.vllm;
  if (folder.is_relative()) folder = machine.cwd / folder;
  const Stat stat = stat_path(folder);
  if (!stat.exists)
    return with_hint(fail(Errc::not_found, "--vllm {}: no such folder", query.vllm),
                     std::string(kForms));
  if (folder.extension() == ".whl")
    return with_hint(fail(Errc::invalid_input, "--vllm {} is a wheel, not a folder", query.vllm),
                     "unpack it first: python3 -m zipfile -e " + shell_quote(query.vllm) + " DIR");
  if (!stat.is_dir)
    return with_hint(fail(Errc::invalid_input, "--vllm {} is a file, not a folder", query.vllm),
                     std::string(kForms));
  folder = resolved(folder);

  Environment from;
  from.found_by = "--vllm";
  from.active = true;
  std::vector<FoundTree> out;
  if (folder.filename() == "vllm" && stat_path(folder / "__init__.py").is_file)
    folder = folder.parent_path();
  add(out, trees_in(folder, "/", query), from);
  if (out.empty() && is_container_root(folder)) {
    for (const auto& site : system_sites(folder)) add(out, trees_in(site, folder, query), from);
  } else if (out.empty()) {
    const fs::path python = folder / "bin/python3";
    if (stat_path(python).is_file) from.python = python.string();
    for (const auto& site : site_folders(folder)) add(out, trees_in(site, "/", query), from);
  }
  if (out.empty())
    return with_hint(fail(Errc::not_found, "--vllm {}: no vLLM in this folder", query.vllm),
                     std::string(kForms));
  if (out.size() > 1)
    return with_hint(
        fail(Errc::conflict, "--vllm {}: {} vLLM installs are below it", query.vllm, out.size()),
        listing(out));
  return out;
}

/// A tree given without an interpreter may still have one beside it.
void find_interpreter(Tree& tree) {
  if (!tree.python.empty()) return;
  // <prefix>/lib/python3.11/site-packages -> <prefix>/bin/python3
  const fs::path prefix = tree.site.parent_path().parent_path().parent_path();
  if (stat_path(prefix / "pyvenv.cfg").is_file && stat_path(prefix / "bin/python3").is_file)
    tree.python = (prefix / "bin/python3").string();
}

}  // namespace

Result<std::vector<FoundTree>> search_trees(const TreeQuery& query, const Machine& machine,
                                            Search search) {
  if (!query.as_version.empty())
    if (!Version::parse(query.as_version))
      return with_hint(
          fail(Errc::invalid_input, "--as-version {} is not a version", query.as_version),
          "write it as pip does: --as-version 0.33.0");
  std::vector<FoundTree> out;
  if (!query.vllm.empty()) {
    SNDR_TRY(out, named_trees(query, machine));
  } else {
    for (const auto& environment : environments(machine, query.program)) {
      for (const auto& site : environment.sites) add(out, trees_in(site, "/", query), environment);
      if (search == Search::until_active && !out.empty() && out.front().active) break;
    }
  }
  for (auto& found : out) find_interpreter(found.tree);
  return out;
}

Result<Tree> choose_tree(const TreeQuery& query, const Machine& machine) {
  SNDR_TRY(const auto found, search_trees(query, machine, Search::until_active));
  if (found.empty())
    return with_hint(fail(Errc::unavailable, "no vLLM is installed where Python would look"),
                     "install it (pip install vllm), activate its environment, or pass --vllm DIR");
  if (found.front().active || found.size() == 1) return found.front().tree;
  return with_hint(
      fail(Errc::conflict, "{} vLLM installs are here and none of their environments is active",
           found.size()),
      listing(found));
}

Result<std::vector<Tree>> find_trees(const TreeQuery& query) {
  SNDR_TRY(auto found, search_trees(query, Machine::here(), Search::all));
  std::vector<Tree> out;
  out.reserve(found.size());
  for (auto& entry : found) out.push_back(std::move(entry.tree));
  return out;
}

Result<Tree> find_tree(const TreeQuery& query) {
  return choose_tree(query, Machine::here());
}

}  // namespace sndr::probe
