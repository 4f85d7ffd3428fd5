// SPDX-License-Identifier: Apache-2.0
#include "cli/live.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"

namespace sndr::cli {
namespace {

constexpr const char* kManifest = R"({
  "format": 1,
  "patches": [
    {"id": "PN1", "files": ["a.py", "b.py"]},
    {"id": "PN2", "files": ["b.py"]},
    {"id": "PN3", "files": []}
  ],
  "modules": {
    "vllm.a": {"file": "vllm/a.py", "ids": ["PN1"]},
    "vllm.b": {"file": "vllm/b.py", "ids": ["PN1", "PN2"]}
  }
})";

class Live : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    ASSERT_TRUE(write_file(folder_ / "manifest.json", kManifest).has_value());
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path file() const { return folder_ / "live"; }
  void wrote(const std::string& text) const { ASSERT_TRUE(write_file(file(), text).has_value()); }

  fs::path folder_;
};

TEST_F(Live, NothingHasRunYet) {
  const auto count = count_live(folder_, file());
  ASSERT_TRUE(count.has_value());
  EXPECT_EQ(
      live_line(*count),
      "[Genesis] live: 0 of 3 in 0 processes (not loaded: PN1: vllm.a, vllm.b; PN2: vllm.b; PN3: "
      "genesis_plugin)\n");
  EXPECT_FALSE(count->reported);
}

TEST_F(Live, APatchIsLiveOnceAllItsModulesRanSomewhere) {
  wrote("10\tvllm.a\tPN1\n11\tvllm.b\tPN1,PN2\n");
  auto count = count_live(folder_, file());
  ASSERT_TRUE(count.has_value());
  EXPECT_EQ(count->live, (std::vector<std::string>{"PN1", "PN2"}));
  EXPECT_EQ(live_line(*count),
            "[Genesis] live: 2 of 3 in 2 processes (not loaded: PN3: genesis_plugin)\n");
  wrote("10\tvllm.a\tPN1\n10\tvllm.b\tPN1,PN2\n10\tgenesis_plugin\tPN3\ncut off");
  count = count_live(folder_, file());
  ASSERT_TRUE(count.has_value());
  EXPECT_EQ(live_line(*count), "[Genesis] live: 3 of 3 in 1 process\n");
}

TEST_F(Live, TheReportIsClaimedOnce) {
  wrote("10\tvllm.a\tPN1\n");
  EXPECT_TRUE(claim_report(file()));
  EXPECT_FALSE(claim_report(file()));
  const auto count = count_live(folder_, file());
  ASSERT_TRUE(count.has_value());
  EXPECT_TRUE(count->reported);
  EXPECT_EQ(count->processes, 1U);
  EXPECT_FALSE(claim_report(folder_ / "no" / "such"));
}

TEST_F(Live, AnOverlayThatIsGoneIsAnError) {
  const auto count = count_live(folder_ / "gone", file());
  ASSERT_FALSE(count.has_value());
  EXPECT_EQ(count.error().code, Errc::not_found);
}

}  // namespace
}  // namespace sndr::cli
