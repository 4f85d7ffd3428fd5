// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/words.h"
#include "json/json.h"
#include "overlay/overlay.h"

namespace sndr::cli {
namespace {

constexpr Option kKeep{.name = "--keep",
                       .value = "N",
                       .help = "how many to keep, the most recently used ones; 3 unless given"};
constexpr Option kDryRun{
    .name = "--dry-run", .value = {}, .help = "say what would be removed, and remove nothing"};

json::Object to_json(const overlay::Listed& entry) {
  json::Object out;
  out["hash"] = entry.hash;
  out["path"] = entry.path.string();
  out["vllm"] = entry.vllm;
  out["patches"] = cli::to_json(entry.ids);
  out["bytes"] = entry.bytes;
  out["built_at"] = entry.built_at;
  out["used_at"] = entry.used_at;
  json::Array running;
  for (const auto pid : entry.running) running.emplace_back(pid);
  out["running"] = std::move(running);
  out["problem"] = entry.problem;
  return out;
}

json::Object to_json(const std::vector<overlay::Listed>& list) {
  json::Array entries;
  for (const auto& entry : list) entries.push_back(to_json(entry));
  json::Object out;
  out["overlays"] = std::move(entries);
  return out;
}

std::string state_of(const overlay::Listed& entry) {
  if (!entry.problem.empty()) return entry.problem;
  if (entry.running.empty()) return "";
  return fmt::format("runs in {} process{}", entry.running.size(),
                     entry.running.size() == 1 ? "" : "es");
}

Result<int> overlay_list(const Call& call) {
  SNDR_TRY(const auto list, overlay::list());
  if (call.has(kJson.name)) {
    put_json(to_json(list));
    return 0;
  }
  if (list.empty()) {
    advise("no overlays in " + overlay::overlays_dir().string() + "\n");
    return 0;
  }
  term::Table table({"OVERLAY", "VLLM", "SIZE", "USED", "STATE", "PATCHES"}, 5);
  std::uint64_t bytes = 0;
  for (const auto& entry : list) {
    bytes += entry.bytes;
    table.add({entry.hash.substr(0, 8), entry.vllm, human_size(entry.bytes),
               human_time(entry.used_at), state_of(entry), join(entry.ids, " ")});
    if (!entry.problem.empty()) table.style(4, term::Style::red);
  }
  put(table.render(call.out));
  advise(fmt::format("{} in {}\n", human_size(bytes), overlay::overlays_dir().string()));
  return 0;
}

Result<int> overlay_gc(const Call& call) {
  const auto text = call.value(kKeep.name, "3");
  char* end = nullptr;
  const auto keep = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text.front() < '0' || text.front() > '9')
    return fail(Errc::invalid_input, "--keep takes a number, not '{}'", text);
  const bool dry_run = call.has(kDryRun.name);
  SNDR_TRY(const auto removed, overlay::collect(keep, dry_run));
  if (call.has(kJson.name)) {
    auto out = to_json(removed);
    out["dry_run"] = dry_run;
    put_json(out);
    return 0;
  }
  std::uint64_t bytes = 0;
  for (const auto& entry : removed) {
    bytes += entry.bytes;
    print("{} {} ({}, vllm {})\n", dry_run ? "would remove" : "removed", entry.hash.substr(0, 8),
          human_size(entry.bytes), entry.vllm);
  }
  print("{} of {}{}\n", removed.size(), human_size(bytes),
        dry_run ? " would be removed" : " removed");
  return 0;
}

}  // namespace

extern const Command kOverlayList{.name = "overlay list",
                                  .summary = "List the overlays on disk, and which of them run",
                                  .options = {kJson},
                                  .example = "sndr overlay list",
                                  .run = overlay_list};

extern const Command kOverlayGc{
    .name = "overlay gc",
    .summary = "Remove overlays that haven't been used lately; never one that runs",
    .options = {kKeep, kDryRun, kJson},
    .example = "sndr overlay gc --keep 3 --dry-run",
    .run = overlay_gc};

}  // namespace sndr::cli
