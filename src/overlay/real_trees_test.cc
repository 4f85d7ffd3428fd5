// SPDX-License-Identifier: Apache-2.0
//
// Every shipped patch on the real releases, where they have been fetched.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/process.h"
#include "overlay/build_testing.h"
#include "overlay/overlay.h"
#include "pack/pack.h"

namespace sndr::overlay {
namespace {

using testing::plan_of;
using testing::ScopedEnv;
using testing::TempDir;

/// Size, time and mode of every file: an overlay that wrote into the tree would show here.
std::string state_of(const fs::path& package) {
  std::string out;
  const auto files = list_files(package).value_or(std::vector<std::string>());
  for (const auto& file : files) {
    const Stat stat = stat_path(package / file);
    out += file + " " + std::to_string(stat.size) + " " + std::to_string(stat.mtime_ns) + "\n";
  }
  return out;
}

class RealTrees : public ::testing::TestWithParam<const char*> {};

TEST_P(RealTrees, EveryPatchThatFits) {
  const auto site = probe::testing::real_tree(GetParam());
  if (site.empty()) GTEST_SKIP() << "vLLM " << GetParam() << " has not been fetched";
  const TempDir home;
  const ScopedEnv set("SNDR_HOME", home.path().string());
  const auto pack = pack::load();
  ASSERT_TRUE(pack) << render(pack.error().front());
  probe::Tree tree;
  tree.site = site;
  tree.package = site / "vllm";
  const auto before = state_of(tree.package);

  using Clock = std::chrono::steady_clock;
  const auto timed = [&](bool fresh) {
    const auto began = Clock::now();
    const TreeReader reader(tree);
    std::vector<pack::Patch> fit;
    for (const auto& patch : pack->patches)
      if (patch::judge(patch, reader.source()).state == patch::PatchState::intact)
        fit.push_back(patch);
    const auto plan = plan_of(fit, reader);
    const auto judged = Clock::now();
    const auto built = build(plan, tree, reader);
    const auto done = Clock::now();
    EXPECT_TRUE(built) << render(built.error());
    if (!built || !*built) return Built{};
    EXPECT_EQ((*built)->fresh, fresh);
    const auto ms = [](auto span) {
      return std::to_string(std::chrono::duration<double, std::milli>(span).count());
    };
    ::testing::Test::RecordProperty(fresh ? "cold_ms" : "warm_ms",
                                    ms(judged - began) + " + " + ms(done - judged));
    return **built;
  };
  const Built built = timed(true);
  ASSERT_FALSE(built.hash.empty()) << "no patch fits this release";
  EXPECT_GT(built.files, 0U);
  EXPECT_TRUE(verify(built.path));
  EXPECT_EQ(timed(false).hash, built.hash);

  const auto python = find_program("python3");
  if (!python.empty()) {
    const Spawn spawn{
        {python, "-m", "compileall", "-q", (built.path / "vllm").string()}, {}, {}, {}, 0};
    const auto done = run_process(spawn).value();
    EXPECT_EQ(done.code, 0) << done.out << done.err;
  }
  EXPECT_EQ(state_of(tree.package), before);
}

INSTANTIATE_TEST_SUITE_P(Releases, RealTrees,
                         ::testing::Values("0.22.1", "0.24.0", "0.32.0", "0.33.0"),
                         [](const auto& release) {
                           std::string name = release.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace sndr::overlay
