// SPDX-License-Identifier: Apache-2.0
#include "overlay/inplace.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "overlay/build_testing.h"
#include "overlay/journal_testing.h"

namespace sndr::overlay {
namespace {

using testing::difference;
using testing::picture_of;
using testing::plan_of;
using testing::text_of;
using testing::World;

class InPlace : public ::testing::Test {
 protected:
  Result<InPlaceResult> apply(const std::vector<pack::Patch>& patches) {
    const TreeReader reader(world_.tree());
    return apply_in_place(plan_of(patches, reader), world_.tree(), reader);
  }
  [[nodiscard]] fs::path file(const char* name) const { return world_.tree().package / name; }
  [[nodiscard]] std::map<std::string, std::string> picture() const {
    return picture_of(world_.tree().package);
  }

  World world_;
};

TEST_F(InPlace, AppliesAndReverts) {
  const auto before = picture();
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::none);
  const auto applied = apply(world_.patches);
  ASSERT_TRUE(applied) << render(applied.error());
  EXPECT_EQ(applied->files, 3U);
  EXPECT_EQ(applied->ids, (std::vector<std::string>{"P2", "P1"}));
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::applied);
  EXPECT_EQ(text_of(file("params.py")), "one = 11\ntwo = 22\n");
  EXPECT_EQ(text_of(file("moe/extra.py")), "extra = True\n");

  const auto reverted = revert(world_.tree());
  ASSERT_TRUE(reverted) << render(reverted.error());
  EXPECT_EQ(reverted->files, 3U);
  EXPECT_EQ(reverted->ids, (std::vector<std::string>{"P2", "P1"}));
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::none);
  EXPECT_EQ(difference(before, picture()), "");
}

TEST_F(InPlace, RevertOfAnUntouchedTreeDoesNothing) {
  const auto reverted = revert(world_.tree());
  ASSERT_TRUE(reverted);
  EXPECT_EQ(reverted->files, 0U);
  EXPECT_FALSE(fs::exists(world_.path() / "home"));
}

TEST_F(InPlace, AnotherSetReplacesTheFirst) {
  const auto before = picture();
  ASSERT_TRUE(apply(world_.patches));
  // The reader sees the tree as it was, so every anchor is found again.
  const auto second = apply({World::first()});
  ASSERT_TRUE(second) << render(second.error());
  EXPECT_EQ(second->files, 1U);
  EXPECT_EQ(text_of(file("params.py")), "one = 11\ntwo = 2\n");
  EXPECT_FALSE(fs::exists(file("moe/extra.py")));
  const auto none = apply({});
  ASSERT_TRUE(none) << render(none.error());
  EXPECT_EQ(none->files, 0U);
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::none);
  EXPECT_EQ(difference(before, picture()), "");
}

TEST_F(InPlace, TheSameSetAgainTouchesNothing) {
  ASSERT_TRUE(apply(world_.patches));
  const auto patched = picture();
  const auto again = apply(world_.patches);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->files, 3U);
  EXPECT_EQ(difference(patched, picture()), "");
}

TEST_F(InPlace, APatchedTreeIsReadAsTheOneThatItWas) {
  ASSERT_TRUE(apply(world_.patches));
  const TreeReader reader(world_.tree());
  const auto source = reader.source();
  EXPECT_EQ(source("params.py"), "one = 1\ntwo = 2\n");
  EXPECT_EQ(source("moe/extra.py"), std::nullopt);
  EXPECT_EQ(source("moe/other.py"), "x = 1\n");
  EXPECT_EQ(reader.digest("params.py"), sha256_hex("one = 1\ntwo = 2\n"));
  ASSERT_TRUE(write_file(file("params.py"), "mine\n"));
  EXPECT_EQ(TreeReader(world_.tree()).source()("params.py"), "mine\n");
}

TEST_F(InPlace, AFileEditedSinceIsRefusedByName) {
  ASSERT_TRUE(apply(world_.patches));
  ASSERT_TRUE(write_file(file("params.py"), "mine\n"));
  const auto reverted = revert(world_.tree());
  ASSERT_FALSE(reverted);
  EXPECT_EQ(reverted.error().what, "a file was changed since Genesis patched it: params.py");
  EXPECT_EQ(text_of(file("params.py")), "mine\n");
  EXPECT_EQ(text_of(file("moe/extra.py")), "extra = True\n");
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::applied);
}

TEST_F(InPlace, AV12PatchedTreeIsRefusedWithTheWayOut) {
  world_.write("site/vllm/params.py", "# [Genesis wiring marker: P1 v7]\none = 1\ntwo = 2\n");
  const auto before = picture();
  const auto applied = apply({World::first()});
  ASSERT_FALSE(applied);
  EXPECT_EQ(render(applied.error()), file("params.py").string() +
                                         " carries an edit of Genesis v12\n"
                                         "  put vLLM's own files back first: git -C " +
                                         (world_.path() / "site").string() + " checkout -- vllm");
  EXPECT_EQ(difference(before, picture()), "");
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::none);
}

TEST_F(InPlace, AFileThatChangesUnderThePlanIsRefused) {
  const TreeReader reader(world_.tree());
  const auto plan = plan_of(world_.patches, reader);
  world_.write("site/vllm/params.py", "one = 1\ntwo = 2\nthree = 3\n");
  const auto applied = apply_in_place(plan, world_.tree(), reader);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().what, file("params.py").string() + " changed while the plan was made");
}

TEST_F(InPlace, WindowsLineEndsStay) {
  world_.write("site/vllm/params.py", "one = 1\r\ntwo = 2\r\n");
  const auto applied = apply({World::first()});
  ASSERT_TRUE(applied) << render(applied.error());
  EXPECT_EQ(text_of(file("params.py")), "one = 11\r\ntwo = 2\r\n");
  ASSERT_TRUE(revert(world_.tree()));
  EXPECT_EQ(text_of(file("params.py")), "one = 1\r\ntwo = 2\r\n");
}

TEST_F(InPlace, AReinstalledTreeIsLeftAsPipMadeIt) {
  world_.write("site/vllm-9.9.9.dist-info/RECORD", "vllm/params.py,sha256=a,1\n");
  probe::Tree tree = world_.tree();
  tree.dist_info = world_.path() / "site/vllm-9.9.9.dist-info";
  {
    const TreeReader reader(tree);
    ASSERT_TRUE(apply_in_place(plan_of(world_.patches, reader), tree, reader));
  }
  world_.write("site/vllm-9.9.9.dist-info/RECORD", "vllm/params.py,sha256=b,1\n");
  world_.write("site/vllm/params.py", "one = 100\n");
  world_.write("site/vllm/__init__.py", "__version__ = '10.0'\n");
  const auto reverted = revert(tree);
  ASSERT_TRUE(reverted) << render(reverted.error());
  EXPECT_EQ(text_of(file("params.py")), "one = 100\n");
  EXPECT_FALSE(fs::exists(file("moe/extra.py")));
  EXPECT_EQ(in_place_state(tree), InPlaceState::none);
}

TEST_F(InPlace, APluginCantBePutInPlace) {
  auto patch = World::first();
  patch.plugin = "module:register";
  const auto applied = apply({patch});
  ASSERT_FALSE(applied);
  EXPECT_EQ(render(applied.error()),
            "P1 brings a vLLM plugin, which can't be put in place\n"
            "  use `sndr run`, or leave it out: --disable P1");
}

TEST_F(InPlace, ADamagedJournalCountsAsInterrupted) {
  const auto applied = apply(world_.patches);
  ASSERT_TRUE(applied);
  ASSERT_TRUE(write_file(applied->journal / "journal.json", "{"));
  EXPECT_EQ(in_place_state(world_.tree()), InPlaceState::interrupted);
  const auto reverted = revert(world_.tree());
  ASSERT_FALSE(reverted);
  EXPECT_EQ(reverted.error().hint, "reinstall vLLM, then remove " + applied->journal.string());
}

TEST_F(InPlace, AFolderThatOthersCanWriteIsRefused) {
  fs::create_directories(world_.path() / "home/inplace");
  fs::permissions(world_.path() / "home/inplace", fs::perms::all);
  const auto applied = apply(world_.patches);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, Errc::denied);
}

/// All have planned before the first of them changes anything.
TEST_F(InPlace, ManyAtOnceEndWithOneSet) {
  const auto before = picture();
  const TreeReader reader(world_.tree());
  const auto plan = plan_of(world_.patches, reader);
  constexpr int kProcesses = 16;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(apply_in_place(plan, world_.tree(), reader) ? 0 : 1);
    children.push_back(pid);
  }
  int failures = 0;
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    failures += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(text_of(file("params.py")), "one = 11\ntwo = 22\n");
  ASSERT_TRUE(revert(world_.tree()));
  EXPECT_EQ(difference(before, picture()), "");
}

}  // namespace
}  // namespace sndr::overlay
