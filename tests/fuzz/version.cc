// SPDX-License-Identifier: Apache-2.0
// Three lines: a range and two versions. Order is total and agrees with equality; a version and a
// range survive being printed and read again; each operator says what the order says.
#include "base/version.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"

namespace {

using sndr::Version;
using sndr::VersionRange;
using sndr::fuzz::check;

bool in(const std::string& range, const Version& version) {
  const auto parsed = VersionRange::parse(range);
  check(parsed.has_value(), "a range of a good version is good");
  return parsed->contains(version);
}

void check_print(const Version& version) {
  const auto again = Version::parse(version.canonical());
  check(again.has_value(), "a canonical version can be read");
  check(again->canonical() == version.canonical(), "canonical is final");
  check(sndr::compare(*again, version) == 0, "printing keeps the order");
  const auto local = Version::parse(version.canonical() + "+g2dfaae752");
  check(local && sndr::compare(*local, version) == 0, "the local part has no say");
}

void check_order(const Version& a, const Version& b) {
  const auto order = sndr::compare(a, b);
  check((order < 0) == (sndr::compare(b, a) > 0), "order is the same from both sides");
  check(sndr::compare(a, a) == 0, "a version equals itself");
  check(a.canonical() != b.canonical() || order == 0, "the same text is the same version");
  const std::string to = b.canonical();
  check(in("==" + to, a) == (order == 0), "== is equality");
  check(in("!=" + to, a) == (order != 0), "!= is its opposite");
  check(in(">=" + to, a) == (order >= 0), ">= is the order");
  check(in("<=" + to, a) == (order <= 0), "<= is the order");
  check(!in(">" + to, a) || order > 0, "> is never wider than the order");
  check(!in("<" + to, a) || order < 0, "< is never wider than the order");
  check(in("===" + to, a) == (a.canonical() == to), "=== is the spelling");
  if (b.release.size() > 1 && in("~=" + to, a)) check(order >= 0, "~= has a lower end");
}

void check_range(const VersionRange& range, const Version& a, const Version& b) {
  const auto again = VersionRange::parse(range.text());
  check(again && again->text() == range.text(), "a range survives being printed");
  for (const Version* version : {&a, &b}) {
    check(again->contains(*version) == range.contains(*version), "and means the same");
    check(!range.empty() || range.contains(*version), "an empty range takes all");
    // Both forms of "and" are the same.
    const std::string both = range.text() + " >=" + a.canonical();
    check(in(both, *version) == (range.contains(*version) && sndr::compare(*version, a) >= 0),
          "clauses are joined by and");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 400) return 0;
  auto lines = sndr::split(sndr::fuzz::text_of(data, size), '\n');
  lines.resize(3, "0.24.0");
  const auto range = VersionRange::parse(lines[0]);
  const auto a = Version::parse(lines[1]);
  const auto b = Version::parse(lines[2]);
  if (!range) sndr::fuzz::check_error(range.error(), lines[0]);
  if (!a) sndr::fuzz::check_error(a.error(), lines[1]);
  if (a) check_print(*a);
  if (a && b) check_order(*a, *b);
  if (a && b && range) check_range(*range, *a, *b);
  return 0;
}
