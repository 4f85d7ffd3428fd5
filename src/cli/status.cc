// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/live.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/words.h"
#include "json/json.h"

namespace sndr::cli {
namespace {

struct Seen {
  Run run;
  LiveCount live;
  std::string problem;  ///< why it can't be counted
};

Seen look(Run run) {
  Seen out;
  if (!run.overlay.empty()) {
    auto live = count_live(run.overlay, run.live);
    if (live)
      out.live = *std::move(live);
    else
      out.problem = render(live.error());
  }
  out.run = std::move(run);
  return out;
}

json::Object to_json(const Seen& seen) {
  json::Object out;
  out["pid"] = seen.run.pid;
  out["since"] = seen.run.since;
  out["by"] = seen.run.by;
  out["command"] = cli::to_json(seen.run.command);
  out["vllm"] = seen.run.vllm;
  out["overlay"] = seen.run.overlay;
  out["reported"] = seen.live.reported;
  out["processes"] = seen.live.processes;
  out["live"] = cli::to_json(seen.live.live);
  json::Object missing;
  for (const auto& [id, modules] : seen.live.missing) missing[id] = cli::to_json(modules);
  out["not_loaded"] = std::move(missing);
  out["problem"] = seen.problem;
  return out;
}

std::string state_of(const Seen& seen) {
  if (!seen.problem.empty()) return seen.problem;
  if (seen.run.overlay.empty()) return "stock";
  return fmt::format("{} of {} in {}", seen.live.live.size(), seen.live.planned(),
                     seen.live.processes);
}

void show(const Call& call, const std::vector<Seen>& list) {
  term::Table table({"PID", "SINCE", "VLLM", "OVERLAY", "LIVE", "COMMAND"}, 5);
  for (const auto& seen : list)
    table.add({std::to_string(seen.run.pid), human_time(seen.run.since), seen.run.vllm,
               fs::path(seen.run.overlay).filename().string().substr(0, 8), state_of(seen),
               shell_quote(seen.run.command)});
  put(table.render(call.out));
  for (const auto& seen : list) {
    if (!seen.live.live.empty()) print("{} live: {}\n", seen.run.pid, join(seen.live.live, " "));
    for (const auto& [id, modules] : seen.live.missing)
      print("{} not loaded: {} ({})\n", seen.run.pid, id, join(modules, ", "));
  }
}

Result<int> status(const Call& call) {
  std::vector<Seen> list;
  for (auto& run : live_runs()) list.push_back(look(std::move(run)));
  if (call.has(kJson.name)) {
    json::Array runs;
    for (const auto& seen : list) runs.push_back(to_json(seen));
    json::Object out;
    out["runs"] = std::move(runs);
    put_json(out);
    return 0;
  }
  if (list.empty()) {
    put("nothing runs that `sndr run` or the hook started\n");
    return 0;
  }
  show(call, list);
  return 0;
}

}  // namespace

extern const Command kStatus{.name = "status",
                             .summary = "Say what runs, and which patches are live in it",
                             .details =
                                 "A patch is live once every module that it changes was imported "
                                 "in one of the engine's processes.",
                             .options = {kJson},
                             .example = "sndr status\nsndr status --json",
                             .run = status};

}  // namespace sndr::cli
