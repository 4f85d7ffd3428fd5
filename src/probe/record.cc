// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "probe/tree.h"

namespace sndr::probe {
namespace {

constexpr std::string_view kPackage = "vllm/";
constexpr std::string_view kSha256 = "sha256=";

/// The first field of a RECORD line and what follows it. Only names with a comma are quoted.
std::pair<std::string_view, std::string_view> first_field(std::string_view line) {
  const bool quoted = line.starts_with('"');
  if (quoted) line.remove_prefix(1);
  const auto end = line.find(quoted ? std::string_view("\",") : std::string_view(","));
  if (end == std::string_view::npos) return {};
  return {line.substr(0, end), line.substr(end + (quoted ? 2 : 1))};
}

}  // namespace

Result<Record> Record::read(const Tree& tree) {
  Record out;
  if (tree.dist_info.empty() || tree.editable) return out;
  const fs::path file = tree.dist_info / "RECORD";
  if (!stat_path(file).exists) return out;
  SNDR_TRY(auto text, read_file(file));
  out.text_ = std::make_shared<const std::string>(std::move(text));
  const auto lines = split_lines(*out.text_);
  out.digests_.reserve(lines.size());
  for (const auto line : lines) {
    auto [name, rest] = first_field(line);
    if (!name.starts_with(kPackage) || !rest.starts_with(kSha256)) continue;
    rest.remove_prefix(kSha256.size());
    out.digests_.emplace(name.substr(kPackage.size()), rest.substr(0, rest.find(',')));
  }
  out.known_ = !out.digests_.empty();
  return out;
}

std::optional<std::string_view> Record::digest(std::string_view relative) const {
  const auto found = digests_.find(relative);
  if (found == digests_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> Record::names() const {
  std::vector<std::string_view> out;
  out.reserve(digests_.size());
  for (const auto& [name, digest] : digests_) out.push_back(name);
  return out;
}

}  // namespace sndr::probe
