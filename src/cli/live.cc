// SPDX-License-Identifier: Apache-2.0
#include "cli/live.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "json/json.h"

namespace sndr::cli {
namespace {

constexpr std::string_view kReady = "ready";
constexpr std::string_view kPlugin = "genesis_plugin";

bool has_line(std::string_view text, std::string_view line) {
  const auto lines = split_lines(text);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

const json::Array* array_at(const json::Value& value, std::string_view path) {
  const auto* found = json::find(value, path);
  return found == nullptr ? nullptr : found->if_array();
}

/// id -> every module that has to run before the patch is live.
std::map<std::string, std::vector<std::string>> modules_of(const json::Value& manifest) {
  std::map<std::string, std::vector<std::string>> out;
  if (const auto* patches = array_at(manifest, "patches"))
    for (const auto& patch : *patches) {
      auto& modules = out[json::text_or(patch, "id")];
      const auto* files = array_at(patch, "files");
      if (files == nullptr || files->empty()) modules.emplace_back(kPlugin);
    }
  const auto* modules = json::find(manifest, "modules");
  if (modules != nullptr && modules->is_object())
    for (const auto& entry : modules->get_object())
      if (const auto* ids = array_at(entry.value(), "ids"))
        for (const auto& id : *ids)
          if (id.is_string()) out[std::string(id.get_string())].emplace_back(entry.key());
  return out;
}

}  // namespace

Result<LiveCount> count_live(const fs::path& overlay, const fs::path& live_file) {
  const auto name = overlay / "manifest.json";
  SNDR_TRY(const auto text, read_file(name));
  SNDR_TRY(const auto manifest, json::parse(text, name.string()));
  std::string lines;  // a file that isn't there: nothing has run yet
  if (auto read = read_file(live_file)) lines = *std::move(read);
  std::set<std::string_view> ran;
  std::set<std::string_view> processes;
  for (const auto line : split_lines(lines)) {
    const auto fields = split(line, '\t');
    if (fields.size() != 3) continue;
    processes.insert(fields[0]);
    ran.insert(fields[1]);
  }
  LiveCount out;
  out.processes = processes.size();
  out.reported = has_line(lines, kReady);
  for (auto& [id, modules] : modules_of(manifest)) {
    std::erase_if(modules, [&](const std::string& module) { return ran.count(module) != 0; });
    if (modules.empty())
      out.live.push_back(id);
    else
      out.missing.emplace(id, std::move(modules));
  }
  return out;
}

bool claim_report(const fs::path& live_file) {
  const int fd = ::open(live_file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool ours = false;
  if (::flock(fd, LOCK_EX) == 0) {
    const auto text = read_file(live_file);
    ours = text && !has_line(*text, kReady) && ::write(fd, "ready\n", 6) == 6;
  }
  ::close(fd);
  return ours;
}

std::string live_line(const LiveCount& count) {
  auto out = fmt::format("[Genesis] live: {} of {} in {} process{}", count.live.size(),
                         count.planned(), count.processes, count.processes == 1 ? "" : "es");
  if (!count.missing.empty()) {
    std::vector<std::string> parts;
    parts.reserve(count.missing.size());
    for (const auto& [id, modules] : count.missing)
      parts.push_back(id + ": " + join(modules, ", "));
    out += " (not loaded: " + join(parts, "; ") + ")";
  }
  return out + "\n";
}

}  // namespace sndr::cli
