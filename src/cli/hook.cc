// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/hook_files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "json/json.h"
#include "probe/tree.h"

namespace sndr::cli {
namespace {

constexpr Option kPython{
    .name = "--python", .value = "PY", .help = "the interpreter whose environment is meant"};
constexpr Option kForce{
    .name = "--force", .value = {}, .help = "overwrite or remove files that somebody edited, too"};
constexpr Option kQuiet{
    .name = "--quiet", .value = {}, .help = "say nothing of environments without the hook"};

/// Where an interpreter looks for .pth files. Python is asked: only it knows all of its rules.
Result<fs::path> site_of(const std::string& python) {
  SNDR_TRY(const auto done,
           run_process({.argv = {python, "-I", "-c",
                                 "import sysconfig; print(sysconfig.get_path('purelib'))"},
                        .env = {},
                        .cwd = {},
                        .input = {},
                        .timeout_ms = 30'000}));
  const auto path = std::string(trim(done.out));
  if (done.code != 0 || !stat_path(path).is_dir)
    return fail(Errc::not_found, "{} doesn't say where its packages are: {}", python,
                done.err.empty() ? path : std::string(trim(done.err)));
  return fs::path(path);
}

Result<fs::path> site_of(const probe::Tree& tree) {
  if (!tree.editable && !tree.dist_info.empty()) return tree.site;
  if (!tree.python.empty()) return site_of(tree.python);
  Error error{
      .code = Errc::invalid_input,
      .what = fmt::format("{} is no site-packages folder, so Python reads no .pth file there",
                          tree.site.string()),
      .where = {},
      .hint = "name the interpreter: sndr hook install --python /path/to/venv/bin/python",
      .trail = {}};
  return fail(std::move(error));
}

struct Environment {
  fs::path site;
  std::string python;  ///< empty where nobody knows it
};

Result<Environment> wanted(const Call& call) {
  std::string python = call.value(kPython.name);
  if (!python.empty()) {
    SNDR_TRY(auto site, site_of(python));
    return Environment{std::move(site), std::move(python)};
  }
  SNDR_TRY(const auto query, tree_query(call));
  SNDR_TRY(const auto tree, probe::find_tree(query));
  SNDR_TRY(auto site, site_of(tree));
  return Environment{std::move(site), tree.python};
}

/// Keeps the hook's bytecode, which root's environments would otherwise never get and images with
/// PYTHONDONTWRITEBYTECODE never keep: compiling costs each start 2 ms. Only a saving, so a failure
/// is nobody's business.
void keep_bytecode(const Environment& place) {
  if (place.python.empty()) return;
  (void)run_process(
      {.argv = {place.python, "-I", "-m", "py_compile", (place.site / "_sndr_hook.py").string()},
       .env = {},
       .cwd = {},
       .input = {},
       .timeout_ms = 30'000});
}

Force force_of(const Call& call) {
  return call.has(kForce.name) ? Force::yes : Force::no;
}

Result<int> hook_install(const Call& call) {
  SNDR_TRY(const auto place, wanted(call));
  const auto& site = place.site;
  SNDR_CHECK(install_hook(site, self_path(), force_of(call)));
  keep_bytecode(place);
  print("installed in {}: every vLLM that starts there asks {}\n", site.string(), self_path());
  advise("with no GENESIS_ENABLE_ flag set, vLLM stays stock; to take it away: sndr hook remove\n");
  return 0;
}

Result<int> hook_remove(const Call& call) {
  SNDR_TRY(const auto place, wanted(call));
  const auto& site = place.site;
  if (hook_status(site, {}).state == HookState::absent) {
    print("{} has no hook: nothing to do\n", site.string());
    return 0;
  }
  SNDR_CHECK(remove_hook(site, force_of(call)));
  print("removed from {}\n", site.string());
  return 0;
}

struct Place {
  fs::path site;
  HookStatus status;
};

/// The environment that was named, or every one that has a vLLM.
Result<std::vector<Place>> places(const Call& call) {
  std::vector<fs::path> sites;
  if (call.has(kPython.name) || call.has(kVllm.name)) {
    SNDR_TRY(auto place, wanted(call));
    sites.push_back(std::move(place.site));
  } else {
    SNDR_TRY(const auto trees, probe::find_trees({}));
    for (const auto& tree : trees)
      if (auto site = site_of(tree)) sites.push_back(*std::move(site));
  }
  std::vector<Place> out;
  for (auto& site : sites) {
    auto status = hook_status(site, self_path());
    if (status.state == HookState::absent && call.has(kQuiet.name)) continue;
    out.push_back({std::move(site), std::move(status)});
  }
  return out;
}

std::string_view to_text(HookState state) {
  switch (state) {
    case HookState::absent:
      return "not installed";
    case HookState::installed:
      return "installed";
    case HookState::stale:
      return "stale";
    case HookState::changed:
      return "changed";
  }
  return {};
}

Result<int> hook_status_verb(const Call& call) {
  SNDR_TRY(const auto list, places(call));
  bool good = true;
  json::Array entries;
  for (const auto& place : list) {
    const auto& status = place.status;
    good = good && (status.state == HookState::installed || status.state == HookState::absent);
    if (call.has(kJson.name)) {
      json::Object one;
      one["site"] = place.site.string();
      one["state"] = to_text(status.state);
      one["binary"] = status.binary;
      one["problem"] = status.problem;
      entries.push_back(std::move(one));
      continue;
    }
    print("{}: {}{}{}\n", place.site.string(), to_text(status.state),
          status.binary.empty() ? "" : ", calls " + status.binary,
          status.problem.empty() ? "" : " (" + status.problem + ")");
  }
  if (call.has(kJson.name)) {
    json::Object out;
    out["hooks"] = std::move(entries);
    put_json(out);
  } else if (list.empty() && !call.has(kQuiet.name)) {
    advise("no environment with a vLLM was found\n");
  }
  if (!good) advise("to write it anew: sndr hook install\n");
  return good ? 0 : 1;
}

}  // namespace

extern const Command kHookInstall{
    .name = "hook install",
    .summary = "Let every vLLM of a Python environment ask for its patches as it starts",
    .details =
        "Writes sndr_genesis.pth and _sndr_hook.py into the environment's site-packages. The hook "
        "waits for the "
        "name vllm and costs nothing else; patches fire by their flags alone, nothing is "
        "default_on.",
    .options = {kPython, kVllm, kForce},
    .example = "sndr hook install\nsndr hook install --python /opt/venv/bin/python",
    .run = hook_install};

extern const Command kHookRemove{.name = "hook remove",
                                 .summary = "Take exactly these two files away again",
                                 .options = {kPython, kVllm, kForce},
                                 .example = "sndr hook remove --python /opt/venv/bin/python",
                                 .run = hook_remove};

extern const Command kHookStatus{
    .name = "hook status",
    .summary = "Say where the hook is installed, and which sndr it calls",
    .details = "Exit 1 where a hook is stale or changed.",
    .options = {kPython, kVllm, kQuiet, kJson},
    .example = "sndr hook status",
    .run = hook_status_verb};

}  // namespace sndr::cli
