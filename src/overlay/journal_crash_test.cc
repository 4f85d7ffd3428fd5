// SPDX-License-Identifier: Apache-2.0
//
// What happens to a tree when the process dies at any of its changes, or the disk refuses one.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "overlay/journal.h"
#include "overlay/journal_testing.h"

namespace sndr::overlay {
namespace {

using testing::die_at;
using testing::difference;
using testing::in_child;
using testing::kKilled;
using testing::picture_of;
using testing::some_edits;
using testing::Zoo;

using Picture = std::map<std::string, std::string>;

/// Applies in a child that dies before change number `step`; false where it came to the end.
bool apply_and_die(const Zoo& zoo, int step) {
  return in_child([&] {
           return zoo.journal(die_at(step)).apply(some_edits(), {"P1"}, "") ? 0 : 1;
         }) == kKilled;
}

bool revert_and_die(const Zoo& zoo, int step) {
  return in_child([&] { return zoo.journal(die_at(step)).revert() ? 0 : 1; }) == kKilled;
}

void expect_original(const Zoo& zoo, const Picture& before, const std::string& when) {
  EXPECT_EQ(difference(before, zoo.picture()), "") << when;
  EXPECT_FALSE(fs::exists(zoo.folder())) << when;
}

TEST(JournalCrash, KilledAtAnyChangeOfApplyTheNextRevertRollsBack) {
  const Zoo zoo;
  const Picture before = zoo.picture();
  int step = 0;
  for (; apply_and_die(zoo, step); ++step) {
    Journal next = zoo.journal();
    const auto reverted = next.revert();
    ASSERT_TRUE(reverted) << "killed at " << step << ": " << render(reverted.error());
    expect_original(zoo, before, "killed at " + std::to_string(step));
  }
  EXPECT_GT(step, 60);  // otherwise the hook isn't around every call
}

TEST(JournalCrash, KilledAtAnyChangeOfApplyTheNextApplyDoesItsWork) {
  const Zoo zoo;
  const Picture before = zoo.picture();
  for (int step = 0; apply_and_die(zoo, step); ++step) {
    Journal next = zoo.journal();
    ASSERT_TRUE(next.revert());
    ASSERT_TRUE(next.apply(some_edits(), {"P1"}, ""));
    for (const auto& file : some_edits())
      ASSERT_EQ(read_file(zoo.root() / file.path).value_or(""), file.bytes) << step;
    ASSERT_TRUE(zoo.journal().revert());
    expect_original(zoo, before, "killed at " + std::to_string(step));
  }
}

TEST(JournalCrash, KilledAtAnyChangeOfRevertTheNextOneFinishes) {
  const Zoo zoo;
  const Picture before = zoo.picture();
  bool died = true;
  int step = 0;
  for (; died; ++step) {
    ASSERT_TRUE(zoo.journal().apply(some_edits(), {"P1"}, ""));
    for (const char* module : {"sampling.py", "engine/new.py", "added/deep/new.py"})
      zoo.compile(module);
    died = revert_and_die(zoo, step);
    const auto state = zoo.journal().state();
    EXPECT_NE(state, JournalState::applying) << step;
    ASSERT_TRUE(zoo.journal().revert()) << step;
    expect_original(zoo, before, "killed at " + std::to_string(step));
  }
  EXPECT_GT(step, 40);
}

TEST(JournalCrash, KilledAgainWhileRollingBack) {
  const Zoo zoo;
  const Picture before = zoo.picture();
  std::size_t pairs = 0;
  for (int first = 0; apply_and_die(zoo, first); first += 7) {
    ASSERT_TRUE(zoo.journal().revert());
    for (int second = 0;; second += 3) {
      ASSERT_TRUE(apply_and_die(zoo, first));
      const bool died = revert_and_die(zoo, second);
      ASSERT_TRUE(zoo.journal().revert()) << first << ", " << second;
      ASSERT_EQ(difference(before, zoo.picture()), "") << first << ", " << second;
      ++pairs;
      if (!died) break;
    }
  }
  EXPECT_GT(pairs, 50U);
}

/// Fails change number `step`, and all after it where `forever`.
Disk::Hook refuse_at(int step, int number, bool forever) {
  return [=, seen = 0](std::string_view, const fs::path&) mutable {
    const int now = seen++;
    return now == step || (forever && now > step) ? number : 0;
  };
}

TEST(JournalDisk, ARefusedChangeIsRolledBack) {
  for (const int number : {ENOSPC, EIO, EROFS, EPERM}) {
    const Zoo zoo;
    const Picture before = zoo.picture();
    bool failed = true;
    int failures = 0;
    for (int step = 0; failed; ++step) {
      Journal journal = zoo.journal(refuse_at(step, number, false));
      const auto done = journal.apply(some_edits(), {"P1"}, "");
      failed = !done;
      if (failed) {
        ++failures;
        EXPECT_EQ(done.error().code, number == ENOSPC || number == EIO ? Errc::io : Errc::denied);
        EXPECT_EQ(difference(before, zoo.picture()), "") << number << " at " << step;
      }
      ASSERT_TRUE(zoo.journal().revert()) << number << " at " << step;
      expect_original(zoo, before, "refused at " + std::to_string(step));
    }
    EXPECT_GT(failures, 60);
  }
}

TEST(JournalDisk, ADiskThatStaysBadLeavesAWayBack) {
  const Zoo zoo;
  const Picture before = zoo.picture();
  bool failed = true;
  for (int step = 0; failed; ++step) {
    failed = !zoo.journal(refuse_at(step, ENOSPC, true)).apply(some_edits(), {"P1"}, "");
    Journal next = zoo.journal();
    ASSERT_TRUE(next.revert()) << step;
    expect_original(zoo, before, "refused from " + std::to_string(step));
  }
}

TEST(JournalDisk, ARevertThatIsRefusedCanBeRepeated) {
  const Zoo zoo;
  const Picture before = zoo.picture();
  bool failed = true;
  for (int step = 0; failed; ++step) {
    ASSERT_TRUE(zoo.journal().apply(some_edits(), {"P1"}, ""));
    failed = !zoo.journal(refuse_at(step, ENOSPC, true)).revert();
    ASSERT_TRUE(zoo.journal().revert()) << step;
    expect_original(zoo, before, "refused from " + std::to_string(step));
  }
}

/// A real file system of `options` at `place`, in a mount namespace of its own; -1 where this user
/// may not mount.
int on_tmpfs(const fs::path& place, const char* options, const std::function<int()>& body) {
  return in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return 77;
    fs::create_directories(place);
    if (::mount("none", place.c_str(), "tmpfs", 0, options) != 0) return 77;
    return body();
  });
}

TEST(JournalDisk, FullForReal) {
  const testing::TempDir dir;
  const fs::path place = dir / "disk";
  const int code = on_tmpfs(place, "size=900k,mode=755", [&] {
    const Zoo zoo(place);  // 300 kB
    const Picture before = zoo.picture();
    Journal journal = zoo.journal();
    const auto done = journal.apply(
        {{"big.py", std::string(400'000, 'x')}, {"engine/core.py", "core = 2\n"}}, {"P1"}, "");
    if (done) return 2;
    if (done.error().what.find("No space left on device") == std::string::npos) return 3;
    if (done.error().hint != "the disk is full: free some space") return 4;
    if (!difference(before, zoo.picture()).empty()) return 5;
    return zoo.journal().state() == JournalState::none ? 0 : 6;
  });
  if (code == 77) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_EQ(code, 0);
}

TEST(JournalDisk, ATreeThatIsReadOnlyForReal) {
  const testing::TempDir dir;
  const fs::path place = dir / "disk";
  const int code = on_tmpfs(place, "mode=755", [&] {
    const Zoo zoo(place);
    const Picture before = zoo.picture();
    if (::mount("none", place.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "mode=755") != 0) return 77;
    const testing::TempDir home;
    Journal journal(zoo.root(), home / "inplace/abc");
    const auto done = journal.apply(some_edits(), {"P1"}, "");
    const std::string expected =
        "cannot make " + (zoo.root() / "added").string() +
        ": Read-only file system\n  the tree can't be written: `sndr run` needs no write access to "
        "it, or run this as the user who owns it";
    if (done) return 2;
    if (render(done.error()) != expected) return 3;
    if (fs::exists(home / "inplace/abc")) return 4;
    return difference(before, zoo.picture()).empty() ? 0 : 5;
  });
  if (code == 77) GTEST_SKIP() << "needs a mount namespace";
  EXPECT_EQ(code, 0);
}

TEST(JournalDisk, ATreeOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Zoo zoo;
  fs::permissions(zoo.root().parent_path(), fs::perms::all);
  const int code = in_child([&] {
    if (::setegid(4444) != 0 || ::seteuid(4444) != 0) return 2;
    Journal journal = zoo.journal();
    const auto done = journal.apply({{"sampling.py", "x\n"}}, {"P1"}, "");
    const std::string expected = (zoo.root() / "sampling.py").string() +
                                 " belongs to another user (uid 0)\n  run this as that user, or "
                                 "use `sndr run`, which writes nothing there";
    return !done && render(done.error()) == expected ? 0 : 3;
  });
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace sndr::overlay
