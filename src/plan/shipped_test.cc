// SPDX-License-Identifier: Apache-2.0
//
// The pack that this binary carries: the parts agree with each other and with the code.
// g++ 12 with -fsanitize=address takes <regex>'s unions for uninitialised (GCC bug 105562).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "pack/pack.h"
#include "plan/flags.h"
#include "plan/plan.h"

namespace sndr::plan {
namespace {

using testing::IsEmpty;

const pack::Pack& shipped() {
  static const auto pack = pack::load();
  EXPECT_TRUE(pack) << render(pack.error().front());
  return *pack;
}

TEST(ShippedPack, HasEveryPatchWithAProof) {
  std::vector<std::string> ids;
  for (const auto& patch : shipped().patches) {
    ids.push_back(patch.id);
    EXPECT_NE(patch.proof, "") << patch.id;
    EXPECT_FALSE(patch.default_on && patch.lossy) << patch.id;
  }
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end(), pack::id_less));
  for (const auto* id :
       {"GN001", "P61b", "P109", "PN71", "PN73", "PN91", "PN401", "PN523", "PN525"})
    EXPECT_NE(shipped().patch(id), nullptr) << id;
}

TEST(ShippedPack, AnswersEachOfV12sIds) {
  std::set<std::string> flags;
  std::size_t aliases = 0;
  for (const auto& entry : shipped().legacy) {
    flags.insert(entry.flag);
    aliases += entry.aliases.size();
    EXPECT_NE(shipped().answer(entry), "") << entry.id;
    EXPECT_EQ(shipped().answer(entry).find('\n'), std::string::npos) << entry.id;
  }
  EXPECT_EQ(shipped().legacy.size(), 329u);
  EXPECT_EQ(flags.size(), 327u);
  EXPECT_EQ(aliases, 6u);
}

TEST(ShippedPack, PatchesAndV12sIdsAgree) {
  const auto& pack = shipped();
  for (const auto& entry : pack.legacy) {
    const auto* by = pack.patch(entry.by);
    EXPECT_EQ(entry.disposition == pack::Disposition::patch, by != nullptr) << entry.id;
    EXPECT_EQ(pack.named(entry.id).patch, by) << entry.id;
  }
  for (const auto& patch : pack.patches)
    for (const auto& id : patch.also_covers) EXPECT_EQ(pack.legacy_id(id)->by, patch.id) << id;
}

TEST(ShippedPack, KnowsEveryFlagOfV12) {
  std::map<std::string, std::string> environment;
  for (const auto& entry : shipped().legacy) {
    environment[entry.flag] = "1";
    for (const auto& alias : entry.aliases) environment[alias] = "1";
  }
  const auto flags = read_flags(shipped(), environment);
  ASSERT_TRUE(flags);
  std::vector<std::string> bad;
  for (const auto& notice : flags->notices)
    if (notice.level != Notice::Level::note) bad.push_back(notice.name + ": " + notice.text);
  EXPECT_THAT(bad, IsEmpty());
  EXPECT_EQ(flags->legacy.size() + flags->switches.size() + flags->notices.size(), 333u);
}

TEST(ShippedPack, KnobsNameAFlag) {
  for (const auto& variable : shipped().variables) {
    if (variable.flag.empty()) continue;
    EXPECT_TRUE(shipped().by_flag(variable.flag) != nullptr ||
                shipped().legacy_flag(variable.flag) != nullptr)
        << variable.name << " acts with " << variable.flag;
  }
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Names in quotes in a file's text: what the program reads or sets.
void collect_names(const std::string& text, std::set<std::string>& out) {
  static const std::regex name(R"(["']((GENESIS|SNDR)_[A-Z][A-Z0-9_]*[A-Z0-9])=?["'])");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), name); at != std::sregex_iterator();
       ++at)
    out.insert((*at)[1].str());
}

TEST(ShippedPack, KnowsEveryVariableThatTheProgramUses) {
  std::set<std::string> names;
  const std::filesystem::path root(SNDR_SOURCE_DIR);
  for (const auto* folder : {"src", "python", "pack/patches"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const auto file = entry.path().filename().string();
      const auto end = entry.path().extension().string();
      const bool test = file.find("test") != std::string::npos;
      if (!test && (end == ".cc" || end == ".py")) collect_names(slurp(entry.path()), names);
    }
  EXPECT_GE(names.size(), 10u);
  std::map<std::string, std::string> environment;
  for (const auto& one : names) environment[one] = "";
  const auto flags = read_flags(shipped(), environment);
  ASSERT_TRUE(flags);
  std::vector<std::string> unknown;
  for (const auto& notice : flags->notices)
    if (notice.level == Notice::Level::warning) unknown.push_back(notice.name + ": " + notice.text);
  EXPECT_THAT(unknown, IsEmpty());
}

}  // namespace
}  // namespace sndr::plan
