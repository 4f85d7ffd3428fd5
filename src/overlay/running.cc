// SPDX-License-Identifier: Apache-2.0
//
// Two witnesses, either is enough. The record that `sndr run` and the hook leave in
// $SNDR_HOME/run/<pid>.json holds for every user's processes. The environment of a process holds
// for its children too, workers whose parent died among them; another user's can't be read.
#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "json/json.h"
#include "overlay/overlay.h"
#include "overlay/store.h"

namespace sndr::overlay {
namespace {

using Users = std::map<std::string, std::set<pid_t>>;  // NOLINT(misc-include-cleaner): sys/types.h

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// An overlay is known by its name wherever it is mounted.
void note(Users& users, std::string_view overlay, pid_t pid) {
  while (overlay.ends_with('/')) overlay.remove_suffix(1);
  const auto name = overlay.substr(overlay.rfind('/') + 1);
  if (is_overlay_name(name)) users[std::string(name)].insert(pid);
}

void from_records(Users& users) {
  const fs::path folder = home() / "run";
  for (const auto& name : entries(folder)) {
    if (!name.ends_with(".json")) continue;
    const auto text = read_file(folder / name);
    const auto value = text ? json::parse(*text) : fail(Errc::io, "unreadable");
    if (!value) continue;
    const auto number = [&](std::string_view key) -> std::uint64_t {
      const auto* found = json::find(*value, key);
      return found != nullptr && found->is_int64() && found->get_int64() > 0
                 ? static_cast<std::uint64_t>(found->get_int64())
                 : 0;
    };
    const auto pid = static_cast<pid_t>(number("pid"));
    const auto began = number("start_time");
    if (pid > 0 && began != 0 && process_start_time(pid) == began)
      note(users, json::text_or(*value, "overlay"), pid);
  }
}

void from_environments(Users& users) {
  constexpr std::string_view kName = "GENESIS_OVERLAY=";
  for (const auto& name : entries("/proc")) {
    const auto pid = number_of<pid_t>(name);
    if (!pid || *pid == ::getpid()) continue;
    const auto text = read_file(fs::path("/proc") / name / "environ");
    if (!text) continue;
    for (const auto variable : split(*text, '\0'))
      if (variable.starts_with(kName)) note(users, variable.substr(kName.size()), *pid);
  }
}

}  // namespace

std::map<std::string, std::vector<pid_t>> running_overlays() {
  Users users;
  from_records(users);
  from_environments(users);
  std::map<std::string, std::vector<pid_t>> out;
  for (const auto& [hash, pids] : users) out[hash].assign(pids.begin(), pids.end());
  return out;
}

}  // namespace sndr::overlay
