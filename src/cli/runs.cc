// SPDX-License-Identifier: Apache-2.0
#include "cli/runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/facts_json.h"
#include "json/json.h"
#include "overlay/overlay.h"

namespace sndr::cli {
namespace {

std::uint64_t number_at(const json::Value& value, std::string_view key) {
  const auto* found = json::find(value, key);
  if (found == nullptr || !found->is_number()) return 0;
  boost::system::error_code ec;
  const auto number = found->to_number<std::uint64_t>(ec);
  return ec ? 0 : number;
}

std::vector<std::string> words_at(const json::Value& value, std::string_view key) {
  std::vector<std::string> out;
  const auto* found = json::find(value, key);
  if (found != nullptr && found->is_array())
    for (const auto& word : found->get_array())
      if (word.is_string()) out.emplace_back(word.get_string());
  return out;
}

Run read_run(const json::Value& value) {
  Run run;
  run.pid = static_cast<pid_t>(number_at(value, "pid"));
  run.start_time = number_at(value, "start_time");
  run.since = static_cast<std::int64_t>(number_at(value, "since"));
  run.by = json::text_or(value, "by");
  run.command = words_at(value, "command");
  run.overlay = json::text_or(value, "overlay");
  run.live = json::text_or(value, "live");
  run.ids = words_at(value, "patches");
  run.vllm = json::text_or(value, "vllm");
  return run;
}

/// A process that the hook asked for makes its live file when it takes the overlay; without one,
/// the question came from somebody's script.
bool is_current(const Run& run) {
  if (run.pid <= 0 || run.start_time == 0 || process_start_time(run.pid) != run.start_time)
    return false;
  return run.by != "hook" || stat_path(run.live).exists;
}

}  // namespace

fs::path runs_dir() {
  return overlay::home() / "run";
}

fs::path live_file_of(pid_t pid) {
  return overlay::home() / "live" / std::to_string(pid);
}

Status write_run(const Run& run) {
  json::Object out;
  out["pid"] = run.pid;
  out["start_time"] = run.start_time;
  out["since"] = run.since;
  out["by"] = run.by;
  out["command"] = to_json(run.command);
  out["overlay"] = run.overlay;
  out["live"] = run.live;
  out["patches"] = to_json(run.ids);
  out["vllm"] = run.vllm;
  return write_file(runs_dir() / fmt::format("{}.json", run.pid), json::pretty(out), 0600,
                    Durable::no);
}

std::vector<Run> live_runs() {
  std::vector<Run> out;
  const auto files = list_files(runs_dir());
  if (!files) return out;
  for (const auto& name : *files) {
    if (!name.ends_with(".json")) continue;
    const auto path = runs_dir() / name;
    const auto text = read_file(path);
    const auto value = text ? json::parse(*text, path.string()) : fail(text.error());
    const auto run = value ? read_run(*value) : Run{};
    if (value && is_current(run)) {
      out.push_back(run);
      continue;
    }
    std::error_code ec;
    fs::remove(path, ec);
    if (!run.live.empty()) fs::remove(run.live, ec);
  }
  std::sort(out.begin(), out.end(), [](const Run& a, const Run& b) { return a.since < b.since; });
  return out;
}

}  // namespace sndr::cli
