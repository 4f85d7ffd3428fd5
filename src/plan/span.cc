// SPDX-License-Identifier: Apache-2.0
#include "plan/span.h"

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/version.h"

namespace sndr::plan {
namespace {

/// One end of a span; `open` means that the version itself is outside.
struct End {
  Version version;
  bool open = false;
};

struct Ends {
  std::optional<End> low, high;
};

void narrow(std::optional<End>& end, End other, bool upper) {
  if (!end) {
    end = std::move(other);
    return;
  }
  const auto order = compare(other.version, end->version);
  const bool tighter = order == 0 ? other.open : upper ? order < 0 : order > 0;
  if (tighter) end = std::move(other);
}

/// The ends that <, <=, >, >= and == give; other clauses only make holes.
Ends ends_of(std::string_view text) {
  static constexpr std::string_view kOps = "<>=!~";
  static constexpr std::string_view kBreaks = ", \t<>=!~";
  Ends out;
  while (!text.empty()) {
    const auto op_begin = text.find_first_of(kOps);
    if (op_begin == std::string_view::npos) break;
    const auto op_end = text.find_first_not_of(kOps, op_begin);
    if (op_end == std::string_view::npos) break;
    const auto op = text.substr(op_begin, op_end - op_begin);
    const auto begin = text.find_first_not_of(" \t", op_end);
    if (begin == std::string_view::npos) break;
    const auto end = text.find_first_of(kBreaks, begin);
    const auto version = Version::parse(text.substr(begin, end - begin));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end);
    if (!version) continue;  // 1.2.* under == and !=
    if (op == ">=" || op == ">" || op == "==") narrow(out.low, {*version, op == ">"}, false);
    if (op == "<=" || op == "<" || op == "==") narrow(out.high, {*version, op == "<"}, true);
  }
  return out;
}

/// "<0.24" leaves out 0.24.0rc1 too.
bool is_above(const Version& version, const End& high) {
  auto base = version;
  if (high.open) {
    base.pre.clear();
    base.has_dev = false;
  }
  return compare(base, high.version) >= 0;
}

}  // namespace

Placed place(const VersionRange& span, const Version& version) {
  if (span.contains(version)) return {};
  const auto ends = ends_of(span.text());
  if (ends.high && is_above(version, *ends.high))
    return {Place::above, fmt::format("verified {} {}", ends.high->open ? "below" : "up to",
                                      ends.high->version.canonical())};
  if (ends.low && compare(version, ends.low->version) <= 0)
    return {Place::below, fmt::format("verified {} {}", ends.low->open ? "above" : "from",
                                      ends.low->version.canonical())};
  return {Place::hole, "needs " + span.text()};
}

}  // namespace sndr::plan
