// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <gtest/gtest.h>

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace sndr {
namespace {

// Every row of testdata/versions.tsv is what Python's `packaging` says (tests/version_table.py).
TEST(Version, AgreesWithPackaging) {
  const auto table = read_file(SNDR_SOURCE_DIR "/src/base/testdata/versions.tsv");
  ASSERT_TRUE(table) << table.error().what;
  std::map<std::string_view, int> rows;
  for (const auto line : split_lines(*table)) {
    const auto cells = split(line, '\t');
    if (cells.size() < 2) continue;
    ++rows[cells[0]];
    if (cells[0] == "version") {
      const auto version = Version::parse(cells[1]);
      EXPECT_EQ(version ? version->canonical() : "-", cells[2]) << line;
    } else if (cells[0] == "order") {
      const auto order = compare(*Version::parse(cells[1]), *Version::parse(cells[2]));
      EXPECT_EQ(order < 0 ? "<" : order > 0 ? ">" : "=", cells[3]) << line;
    } else if (cells[0] == "range") {
      const auto range = VersionRange::parse(cells[1]);
      ASSERT_TRUE(range) << line << ": " << render(range.error());
      EXPECT_EQ(range->contains(*Version::parse(cells[2])) ? "yes" : "no", cells[3]) << line;
    } else {
      EXPECT_FALSE(VersionRange::parse(cells[1])) << line;
    }
  }
  EXPECT_GT(rows["version"], 80);
  EXPECT_GT(rows["order"], 1000);
  EXPECT_GT(rows["range"], 3000);
  EXPECT_GT(rows["bad"], 10);
}

struct Pair {
  const char* range;
  const char* version;
  bool in;
};

TEST(VersionRange, LocalPartsAndPreReleases) {
  for (const auto& [range, version, in] : {
           Pair{">=0.24.0", "0.24.0+cu129", true},
           Pair{"==0.24.0", "v0.24.0", true},
           Pair{"==0.24.0+cu129", "0.24.0", true},
           Pair{"==0.24.0", "0.24.0+cu129", true},
           Pair{"===0.24.0", "0.24.0+cu129", true},
           Pair{"===0.24", "0.24.0", false},
           Pair{"==0.23.1rc1.dev748+g2dfaae752", "0.23.1rc1.dev748+g09663abde", true},
           // Order isn't code order: this nightly holds later code than 0.23.0 and sorts before
           // 0.23.1.
           Pair{">=0.23.1", "0.23.1rc1.dev748+g2dfaae752", false},
           Pair{"<0.23.1", "0.23.1rc1.dev748+g2dfaae752", false},
           Pair{">0.23.0", "0.23.1rc1.dev748+g2dfaae752", true},
           Pair{">=0.20.0 <0.23.0", "0.22.1", true},
           Pair{">=0.20.0 <0.23.0", "0.23.0", false},
           Pair{">= 0.20.0  < 0.23.0", "0.20.0", true},
           Pair{">=0.20.0<0.23.0", "0.22.1", true},
       }) {
    const auto parsed = VersionRange::parse(range);
    ASSERT_TRUE(parsed) << range;
    EXPECT_EQ(parsed->contains(*Version::parse(version)), in) << range << " with " << version;
  }
}

TEST(VersionRange, EmptyTakesAll) {
  const auto range = VersionRange::parse("  ");
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->empty());
  EXPECT_TRUE(range->contains(*Version::parse("0.0.dev0")));
  EXPECT_FALSE(VersionRange::parse(">=1")->empty());
}

TEST(VersionRange, KeepsItsText) {
  EXPECT_EQ(VersionRange::parse(" >=0.22.1,<0.34 ")->text(), ">=0.22.1,<0.34");
}

TEST(Version, Messages) {
  const auto bad = Version::parse(" latest ");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::invalid_input);
  EXPECT_EQ(render(bad.error()),
            "'latest' is not a version\n"
            "  write it as 0.24.0, 0.24.0rc2 or 0.23.1rc1.dev748+g2dfaae752");
}

TEST(VersionRange, Messages) {
  static constexpr std::string_view kOperators = "expected one of === == != ~= >= <= > < before ";
  const std::map<std::string, std::string> expected = {
      {"0.24.0", std::string(kOperators) + "'0.24.0'"},
      {">=1, 0.24.0", std::string(kOperators) + "'0.24.0'"},
      {">=", "no version after '>='"},
      {">=,<1", "no version after '>='"},
      {">=abc", "'abc' is not a version"},
      {"~=1", "'~=1': ~= needs two numbers or more, as in ~=0.24.0"},
      {">=1.*", "'>=1.*': .* goes with == and != alone"},
      {"==1.0rc1.*", "'1.0rc1.*': only a release goes before .*"},
      {">=99999999999999999999", "'99999999999999999999' is not a version"},
  };
  for (const auto& [range, why] : expected) {
    const auto bad = VersionRange::parse(range);
    ASSERT_FALSE(bad) << range;
    EXPECT_EQ(render(bad.error()),
              "'" + range + "' is not a version range: " + why + "\n  write it as >=0.22.1,<0.34");
  }
}

}  // namespace
}  // namespace sndr
