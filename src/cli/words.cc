// SPDX-License-Identifier: Apache-2.0
#include "cli/words.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/term.h"
#include "base/text.h"
#include "pack/patch.h"
#include "plan/flags.h"
#include "plan/plan.h"

namespace sndr::cli {

std::string_view to_text(plan::Verdict verdict) {
  switch (verdict) {
    case plan::Verdict::apply:
      return "apply";
    case plan::Verdict::skip:
      return "skip";
    case plan::Verdict::fail:
      return "fail";
  }
  return {};
}

std::string_view to_text(plan::Cause cause) {
  switch (cause) {
    case plan::Cause::none:
      return "";
    case plan::Cause::not_enabled:
      return "not_enabled";
    case plan::Cause::disabled:
      return "disabled";
    case plan::Cause::mismatch:
      return "mismatch";
    case plan::Cause::unknown_fact:
      return "unknown_fact";
    case plan::Cause::retired:
      return "retired";
    case plan::Cause::elsewhere:
      return "elsewhere";
    case plan::Cause::outside_span:
      return "outside_span";
    case plan::Cause::drift:
      return "drift";
    case plan::Cause::conflict:
      return "conflict";
    case plan::Cause::missing_requirement:
      return "missing_requirement";
    case plan::Cause::with_failed:
      return "with_failed";
    case plan::Cause::not_pristine:
      return "not_pristine";
    case plan::Cause::legacy:
      return "legacy";
  }
  return {};
}

std::string_view to_text(plan::Notice::Level level) {
  switch (level) {
    case plan::Notice::Level::note:
      return "note";
    case plan::Notice::Level::warning:
      return "warning";
    case plan::Notice::Level::error:
      return "error";
  }
  return {};
}

std::vector<std::string> files_of(const pack::Patch& patch) {
  std::set<std::string> files;
  for (const auto& edit : patch.edits)
    for (const auto& variant : edit.variants)
      files.insert(variant.file.empty() ? edit.file : variant.file);
  for (const auto& file : patch.new_files) files.insert(file.path);
  return {files.begin(), files.end()};
}

std::string hang(std::string_view lead, std::size_t column, std::string_view text,
                 std::size_t width) {
  constexpr std::size_t kLeast = 20;
  const auto room = width < column + kLeast ? kLeast : width - column;
  return std::string(lead) +
         replace_all(term::wrap(text, room), "\n", "\n" + std::string(column, ' '));
}

std::vector<std::string> name_value_pairs(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> out;
  out.reserve(environment.size());
  for (const auto& [name, value] : environment) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

std::string human_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits.at(unit));
}

std::string human_time(std::int64_t seconds) {
  if (seconds == 0) return {};
  const std::time_t time = seconds;
  std::tm local{};
  if (::localtime_r(&time, &local) == nullptr) return {};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local);
  return text.data();
}

}  // namespace sndr::cli
