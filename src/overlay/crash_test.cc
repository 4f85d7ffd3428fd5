// SPDX-License-Identifier: Apache-2.0
//
// What happens to the disk when a build is killed, many run at once, or the disk says no.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "overlay/build_testing.h"
#include "overlay/overlay.h"
#include "overlay/store.h"

namespace sndr::overlay {
namespace {

using ::testing::HasSubstr;
using testing::World;

/// Runs `body` in a child. What it returns, and how it ended.
struct Child {
  std::string said;
  int code = 0;
};
Child in_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {"no pipe", -1};
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto text = body();
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  Child out;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    out.said.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

std::string outcome(const Result<std::optional<Built>>& built) {
  if (!built) return render(built.error());
  return *built ? (*built)->hash + ((*built)->fresh ? " fresh" : "") : "nothing";
}

TEST(Crash, AKillAtAnyStepLeavesTheOldStateOrTheNewOne) {
  World world;
  world.patches.push_back(World::third());  // with links
  int step = 0;
  std::size_t with = 0, without = 0;
  for (bool done = false; !done; ++step) {
    world.payload.before_change = [&, left = step](std::string_view) mutable {
      if (left-- == 0) ::_exit(9);
    };
    const auto child = in_child([&] { return outcome(world.build()); });
    ASSERT_THAT(child.code, ::testing::AnyOf(0, 9)) << child.said;
    done = child.code == 0;
    world.payload.before_change = nullptr;
    const auto found = list().value();
    ASSERT_LE(found.size(), 1U);
    ++(found.empty() ? without : with);
    for (const auto& entry : found) {
      EXPECT_EQ(entry.problem, "");
      const auto whole = verify(entry.path);
      EXPECT_TRUE(whole) << "killed at step " << step << ": " << render(whole.error());
    }
    // The next build finishes the work and cleans up.
    const Built built = world.built();
    EXPECT_EQ(built.fresh, found.empty()) << "killed at step " << step;
    EXPECT_TRUE(verify(built.path));
    if (built.fresh) {
      EXPECT_EQ(entries(overlays_dir()), (std::vector<std::string>{".lock", built.hash}))
          << "killed at step " << step;
    }
    ASSERT_TRUE(remove_overlay(built.hash));
  }
  EXPECT_GT(without, 20U);
  EXPECT_EQ(with, 2U) << "killed between rename and sync, and not killed";
}

TEST(Crash, AHalfRemovedOverlayIsSwept) {
  World world;
  const Built built = world.built();
  ASSERT_TRUE(rename_path(built.path, removing_name(built.hash)));
  EXPECT_TRUE(list().value().empty());
  EXPECT_TRUE(collect(5, false).value().empty());
  EXPECT_EQ(entries(overlays_dir()), std::vector<std::string>{".lock"});
}

TEST(Crash, AnOverlayThatLostItsManifestIsBuiltAnew) {
  World world;
  const Built built = world.built();
  fs::remove(built.path / "manifest.json");
  const Built again = world.built();
  EXPECT_TRUE(again.fresh);
  EXPECT_EQ(again.hash, built.hash);
  EXPECT_TRUE(verify(again.path));
}

TEST(Race, SixteenProcessesEndWithOneOverlay) {
  World world;
  std::array<int, 2> gate{}, answers{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  ASSERT_EQ(::pipe(answers.data()), 0);
  constexpr int kProcesses = 16;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      char byte = 0;
      ::close(gate[1]);
      (void)!::read(gate[0], &byte, 1);  // ends when the parent closes it
      const auto text = outcome(world.build()) + "\n";
      (void)!::write(answers[1], text.data(), text.size());
      ::_exit(0);
    }
    children.push_back(pid);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  ::close(answers[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(answers[0], buffer.data(), buffer.size())) > 0;)
    said.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(answers[0]);
  for (const pid_t pid : children) ::waitpid(pid, nullptr, 0);
  const auto lines = split_lines(said);
  ASSERT_EQ(lines.size(), 16U) << said;
  std::size_t fresh = 0;
  std::set<std::string_view> hashes;
  for (const auto line : lines) {
    if (line.ends_with(" fresh")) ++fresh;
    hashes.insert(line.substr(0, 64));
  }
  EXPECT_EQ(fresh, 1U) << said;
  ASSERT_EQ(hashes.size(), 1U) << said;
  EXPECT_EQ(entries(overlays_dir()),
            (std::vector<std::string>{".lock", std::string(*hashes.begin())}));
  EXPECT_TRUE(verify(overlays_dir() / *hashes.begin()));
}

/// In a mount namespace of its own, with a small file system at $SNDR_HOME. "skip" where this user
/// may not do that.
Child on_disk(const World& world, const char* options, const std::function<std::string()>& body,
              bool read_only = false) {
  return in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return "skip";
    const fs::path home = world.path() / "home";
    if (!make_dirs(home) || ::mount("none", home.c_str(), "tmpfs", 0, options) != 0) return "skip";
    if (read_only && ::mount("none", home.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, options) != 0)
      return "skip";
    return body();
  });
}

TEST(Disk, Full) {
  World world;
  world.patches[1].new_files[0].text = std::string(300'000, '#');
  const auto child = on_disk(world, "size=200k,mode=755", [&] {
    auto text = outcome(world.build());
    for (const auto& name : entries(overlays_dir())) text += "\n" + name;
    return text;
  });
  if (child.said == "skip") GTEST_SKIP() << "needs a mount namespace";
  EXPECT_THAT(child.said, HasSubstr("cannot write " + (world.path() / "home").string()));
  EXPECT_THAT(child.said, HasSubstr("moe/extra.py"));
  EXPECT_THAT(child.said,
              HasSubstr(": No space left on device\n  the disk is full: free some space, or set "
                        "SNDR_HOME to another disk"));
  EXPECT_TRUE(child.said.ends_with("\n.lock")) << "nothing is left: " << child.said;
}

TEST(Disk, ReadOnly) {
  World world;
  const auto child =
      on_disk(world, "size=200k,mode=755", [&] { return outcome(world.build()); }, true);
  if (child.said == "skip") GTEST_SKIP() << "needs a mount namespace";
  EXPECT_EQ(child.said, "cannot make " + (world.path() / "home/overlays").string() +
                            ": Read-only file system\n  the file system is read-only: set "
                            "SNDR_HOME to a writable folder");
}

TEST(Disk, AWarmOverlayOnAReadOnlyDiskIsUsed) {
  World world;
  const auto child = on_disk(world, "size=2m,mode=755", [&]() -> std::string {
    const auto first = outcome(world.build());
    const auto home = (world.path() / "home").string();
    if (::mount("none", home.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=2m,mode=755") != 0)
      return "skip";
    return first == outcome(world.build()) + " fresh" ? "same" : outcome(world.build());
  });
  if (child.said == "skip") GTEST_SKIP() << "needs a mount namespace";
  EXPECT_EQ(child.said, "same");
}

TEST(Disk, AHomeThatThisUserCannotWrite) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  World world;
  ASSERT_EQ(::chmod(world.path().c_str(), 0755), 0);
  const auto child = in_child([&]() -> std::string {
    if (::setgid(54321) != 0 || ::setuid(54321) != 0) return "skip";
    return outcome(world.build());
  });
  EXPECT_EQ(child.said, "cannot make " + (world.path() / "home").string() +
                            ": Permission denied\n  set SNDR_HOME to a folder that you can write");
}

TEST(Owner, FoldersThatOthersMayChangeAreRefused) {
  World world;
  const Built built = world.built();
  const auto folder = overlays_dir().string();
  const auto refused = [&] { return outcome(world.build()); };
  ASSERT_EQ(::chmod(folder.c_str(), 0775), 0);
  EXPECT_EQ(refused(), folder +
                           " can be written by other users (mode 775)\n  overlays are code that "
                           "vLLM runs: chmod go-w " +
                           folder);
  ASSERT_EQ(::chmod(folder.c_str(), 01777), 0);
  EXPECT_EQ(refused(), folder +
                           " can be written by other users (mode 1777)\n  overlays are code that "
                           "vLLM runs: chmod go-w " +
                           folder);
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(built.path.c_str(), 0757), 0);
  EXPECT_EQ(refused(), built.path.string() +
                           " can be written by other users (mode 757)\n  overlays are code that "
                           "vLLM runs: chmod go-w " +
                           built.path.string());
  EXPECT_EQ(list().value()[0].problem,
            built.path.string() + " can be written by other users (mode 757)");
}

TEST(Owner, AnotherUsersFoldersAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a folder away";
  World world;
  const Built built = world.built();
  const auto expected = [](const fs::path& path) {
    return path.string() +
           " belongs to another user (uid 54321)\n  overlays are code that vLLM runs: set "
           "SNDR_HOME to a folder of your own";
  };
  ASSERT_EQ(::chown(built.path.c_str(), 54321, 54321), 0);
  EXPECT_EQ(outcome(world.build()), expected(built.path));
  ASSERT_EQ(::chown(overlays_dir().c_str(), 54321, 54321), 0);
  EXPECT_EQ(outcome(world.build()), expected(overlays_dir()));
}

TEST(Owner, RootsOverlayServesOthers) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  World world;
  ASSERT_EQ(::chmod(world.path().c_str(), 0755), 0);
  const Built built = world.built();
  const auto child = in_child([&]() -> std::string {
    if (::setgid(54321) != 0 || ::setuid(54321) != 0) return "skip";
    return outcome(world.build());
  });
  EXPECT_EQ(child.said, built.hash);
}

TEST(Owner, AFileWhereTheFolderShouldBe) {
  World world;
  world.write("home/overlays", "x");
  EXPECT_EQ(outcome(world.build()), overlays_dir().string() +
                                        " is no folder\n  move it away, or set SNDR_HOME to "
                                        "another folder");
}

}  // namespace
}  // namespace sndr::overlay
