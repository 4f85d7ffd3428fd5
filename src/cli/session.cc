// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "overlay/overlay.h"
#include "pack/pack.h"
#include "pack/patch.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/facts.h"
#include "probe/gpu.h"
#include "probe/tree.h"

namespace sndr::cli {
namespace {

fs::path cache_home() {
  const auto given = env_or("XDG_CACHE_HOME");
  return given.empty() ? home_dir() / ".cache" : fs::path(given);
}

plan::Options plan_options(const Call& call) {
  return {.all_legacy = call.has(kAll.name),
          .try_newer = call.has(kTryNewer.name),
          .keep_going = call.has(kKeepGoing.name)};
}

/// NVML takes tens of milliseconds to load, so it is asked only where the plan can depend on it.
bool gpus_matter(const Session& session) {
  return std::any_of(session.pack.patches.begin(), session.pack.patches.end(),
                     [&](const pack::Patch& patch) {
                       const auto found = session.flags.switches.find(patch.id);
                       return found != session.flags.switches.end() && found->second.enabled &&
                              !found->second.disabled && !patch.gates.empty();
                     });
}

}  // namespace

Result<pack::Pack> load_pack(const Call& call) {
  // embedded() has to see the folder as well, so the option becomes the variable.
  if (call.has(kPack.name)) ::setenv("SNDR_PACK", call.value(kPack.name).c_str(), 1);
  auto loaded = pack::load();
  if (loaded) return *std::move(loaded);
  const auto& errors = loaded.error();
  if (errors.size() == 1) return fail(errors.front());
  for (const auto& error : errors) report(call.err, error);
  return fail(Errc::invalid_input, "the pack has {} errors", errors.size());
}

Result<fs::path> pack_folder(const Call& call) {
  auto folder = call.value(kPack.name, env_or("SNDR_PACK"));
  if (folder.empty()) folder = "pack";
  if (stat_path(fs::path(folder) / "patches").is_dir) return fs::path(folder);
  Error error{.code = Errc::not_found,
              .what = fmt::format("{} isn't a pack: it has no folder patches/", folder),
              .where = {},
              .hint = "name it: --pack DIR, the folder `pack` of a checkout",
              .trail = {}};
  return fail(std::move(error));
}

Result<std::string> tree_folder(std::string_view dir) {
  std::string text(dir);
  const bool version_like = !text.empty() &&
                            std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
                            text.find('/') == std::string::npos;
  if (!version_like || stat_path(text).exists) return text;
  const auto tree = cache_home() / "genesis" / "trees" / ("vllm-" + text);
  if (stat_path(tree).is_dir) return tree.string();
  Error error{.code = Errc::not_found,
              .what = fmt::format("no tree of vLLM {} is in the cache ({})", text, tree.string()),
              .where = {},
              .hint = fmt::format("in a checkout: python3 tools/fetch_vllm.py {} {}", text,
                                  shell_quote(tree.string())),
              .trail = {}};
  return fail(std::move(error));
}

Result<probe::TreeQuery> tree_query(const Call& call) {
  probe::TreeQuery query;
  SNDR_TRY(query.vllm, tree_folder(call.value(kVllm.name)));
  query.as_version = call.value(kAsVersion.name);
  if (!call.rest.empty()) query.program = call.rest.front();
  return query;
}

std::string describe(const probe::Tree& tree) {
  return fmt::format("{} {} in {}", tree.distribution.empty() ? "vllm" : tree.distribution,
                     tree.version_text.empty() ? "(no version to read)" : tree.version_text,
                     tree.site.string());
}

void show_notices(const Call& call, const std::vector<plan::Notice>& notices, Notes notes) {
  using Level = plan::Notice::Level;
  for (const auto& notice : notices) {
    if (notice.level == Level::note && notes == Notes::no) continue;
    const auto word =
        notice.level == Level::error     ? term::paint(call.err, term::Style::red, "error:")
        : notice.level == Level::warning ? term::paint(call.err, term::Style::yellow, "warning:")
                                         : std::string("note:");
    advise(fmt::format("{} {}: {}\n", word, notice.name, notice.text));
    if (!notice.hint.empty()) advise("  " + notice.hint + "\n");
  }
}

Result<plan::Flags> read_flags(const Call& call, const pack::Pack& pack,
                               const std::map<std::string, std::string>& environment) {
  SNDR_TRY(auto flags, plan::read_flags(pack, environment, call.values(kEnable.name),
                                        call.values(kDisable.name)));
  const bool strict = call.has(kStrictEnv.name) && flags.has_warnings();
  if (!flags.has_errors() && !strict) return flags;
  show_notices(call, flags.notices, Notes::no);
  return fail(Errc::invalid_input, "{}",
              strict ? "the environment has names that we don't know (--strict-env)"
                     : "a flag's value is neither true nor false");
}

bool any_enabled(const plan::Flags& flags) {
  return !flags.all_off &&
         std::any_of(flags.switches.begin(), flags.switches.end(), [](const auto& entry) {
           return entry.second.enabled && !entry.second.disabled;
         });
}

Result<std::unique_ptr<Session>> open_session(const Call& call, Defaults defaults) {
  auto session = std::make_unique<Session>();
  SNDR_TRY(session->pack, load_pack(call));
  session->environment = plan::process_environment();
  if (defaults == Defaults::yes)
    for (const auto& [name, value] : plan::default_flags(session->pack, session->environment)) {
      session->environment[name] = value;
      session->default_flags.push_back(name);
    }
  SNDR_TRY(session->flags, read_flags(call, session->pack, session->environment));
  return session;
}

Status make_plan(const Call& call, Session& session) {
  if (!call.rest.empty()) {
    SNDR_TRY(auto command, probe::read_engine_command(call.rest));
    if (command.is_vllm) session.command = std::move(command);
  }
  SNDR_TRY(const auto query, tree_query(call));
  SNDR_TRY(session.tree, probe::find_tree(query));
  SNDR_TRY(session.record, probe::Record::read(session.tree));
  session.reader = std::make_unique<overlay::TreeReader>(session.tree);
  if (call.has(kFakeGpus.name) || gpus_matter(session)) {
    SNDR_TRY(session.gpus, probe::read_gpus(call.value(kFakeGpus.name)));
  }
  SNDR_TRY(session.facts,
           probe::gather(session.command, session.tree, session.gpus, call.values(kAssume.name)));
  const auto decide = [&](const std::vector<std::string>& changed) {
    return plan::make_plan(session.pack, session.flags, session.facts, session.tree.version,
                           session.reader->source(), changed, plan_options(call));
  };
  // Which files matter is known once they were read; that a second look finds them changed is rare.
  session.plan = decide({});
  const auto changed = session.reader->changed(session.record);
  if (!changed.empty()) session.plan = decide(changed);
  return {};
}

}  // namespace sndr::cli
