// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "json/json.h"
#include "pack/pack.h"
#include "plan/flags.h"

namespace sndr::cli {
namespace {

std::string state_of(const plan::Switch& entry, bool all_off) {
  if (entry.disabled || all_off) return "off";
  return entry.enabled ? "on" : "off";
}

json::Object to_json(const plan::Flags& flags) {
  json::Object out;
  out["all_off"] = flags.all_off;
  json::Array switches;
  for (const auto& [id, entry] : flags.switches) {
    json::Object one;
    one["id"] = id;
    one["enabled"] = entry.enabled && !entry.disabled && !flags.all_off;
    one["by"] = entry.by;
    switches.push_back(std::move(one));
  }
  out["patches"] = std::move(switches);
  json::Array notices;
  for (const auto& notice : flags.notices) notices.push_back(cli::to_json(notice));
  out["notices"] = std::move(notices);
  json::Array legacy;
  for (const auto& set : flags.legacy) {
    json::Object one;
    one["name"] = set.name;
    one["id"] = set.entry->id;
    legacy.push_back(std::move(one));
  }
  out["legacy"] = std::move(legacy);
  return out;
}

std::size_t count_of(const plan::Flags& flags, plan::Notice::Level level) {
  return static_cast<std::size_t>(
      std::count_if(flags.notices.begin(), flags.notices.end(),
                    [&](const plan::Notice& notice) { return notice.level == level; }));
}

Result<int> env_check(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  SNDR_TRY(const auto flags, plan::read_flags(pack, plan::process_environment()));
  const bool bad = flags.has_errors() || (call.has(kStrictEnv.name) && flags.has_warnings());
  if (call.has(kJson.name)) {
    put_json(to_json(flags));
    return bad ? 2 : 0;
  }
  show_notices(call, flags.notices, Notes::yes);
  if (flags.all_off) put("GENESIS_DISABLE is set: every patch is off\n");
  term::Table table({"PATCH", "STATE", "BY"});
  for (const auto& [id, entry] : flags.switches)
    table.add({id, state_of(entry, flags.all_off), entry.by});
  if (!flags.switches.empty()) put(table.render(call.out));
  for (const auto& set : flags.legacy) print("{}: {}\n", set.name, pack.answer(*set.entry));
  print("{} errors, {} warnings, {} notes\n", count_of(flags, plan::Notice::Level::error),
        count_of(flags, plan::Notice::Level::warning), count_of(flags, plan::Notice::Level::note));
  return bad ? 2 : 0;
}

}  // namespace

extern const Command kEnvCheck{
    .name = "env check",
    .summary = "Check every GENESIS_ and SNDR_ variable of the environment",
    .details =
        "A patch fires only if its full flag is set. A name that isn't known is warned about, with "
        "the "
        "right one; exit 2 for a value that is neither true nor false, and under --strict-env for "
        "any "
        "warning.",
    .options = {kStrictEnv, kPack, kJson},
    .example = "sndr env check\nsndr env check --strict-env",
    .run = env_check};

}  // namespace sndr::cli
