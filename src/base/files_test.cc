// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace sndr {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sndr-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(root_)); }

  std::vector<std::string> names() const { return *list_files(root_); }

  fs::path root_;
};

TEST_F(Files, WriteThenRead) {
  const std::string bytes("a\0b\r\n\xff", 6);
  ASSERT_TRUE(write_file(root_ / "deep" / "er" / "file", bytes));
  EXPECT_EQ(*read_file(root_ / "deep" / "er" / "file"), bytes);
  EXPECT_EQ(names(), std::vector<std::string>{"deep/er/file"}) << "no temporary name is left";
}

TEST_F(Files, WriteReplacesAndKeepsReadersOfTheOldFile) {
  ASSERT_TRUE(write_file(root_ / "f", "old"));
  const Fd reader(::open((root_ / "f").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(write_file(root_ / "f", "new", 0644, Durable::no));
  std::array<char, 8> buffer{};
  EXPECT_EQ(::read(reader.get(), buffer.data(), buffer.size()), 3);
  EXPECT_STREQ(buffer.data(), "old");
  EXPECT_EQ(*read_file(root_ / "f"), "new");
}

TEST_F(Files, ModeIsExact) {
  const mode_t before = ::umask(077);
  ASSERT_TRUE(write_file(root_ / "open", "", 0666));
  ASSERT_TRUE(write_file(root_ / "secret", "", 0600));
  ASSERT_TRUE(write_file(root_ / "program", "", 0755));
  ::umask(before);
  EXPECT_EQ(stat_path(root_ / "open").mode, 0666U);
  EXPECT_EQ(stat_path(root_ / "secret").mode, 0600U);
  EXPECT_EQ(stat_path(root_ / "program").mode, 0755U);
}

TEST_F(Files, ReadsFilesWhoseSizeTheKernelDoesNotSay) {
  const auto status = read_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("VmRSS"), std::string::npos);
}

TEST_F(Files, ReadErrors) {
  const auto missing = read_file(root_ / "missing");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_EQ(missing.error().what,
            "cannot read " + (root_ / "missing").string() + ": No such file or directory");
  const auto folder = read_file(root_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().what, "cannot read " + root_.string() + ": Is a directory");
}

TEST_F(Files, WriteWhereAFileIsInTheWay) {
  ASSERT_TRUE(write_file(root_ / "f", "x"));
  const auto below = write_file(root_ / "f" / "g", "y");
  ASSERT_FALSE(below);
  EXPECT_EQ(below.error().what, "cannot make " + (root_ / "f").string() + ": Not a directory");
  ASSERT_TRUE(make_dirs(root_ / "folder" / "in"));
  const auto over = write_file(root_ / "folder", "y");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().what, "cannot write " + (root_ / "folder").string() + ": Is a directory");
  EXPECT_EQ(names(), std::vector<std::string>{"f"}) << "the temporary file is gone";
}

// The limit on a file's size stands in for a disk that fills up in the middle of a write.
TEST_F(Files, FailedWriteLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(write_file(root_ / "f", "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(1);
    const auto done = write_file(root_ / "f", std::string(100'000, 'n'));
    ::_exit(!done && done.error().code == Errc::io &&
                    done.error().what.find(": File too large") != std::string::npos
                ? 0
                : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*read_file(root_ / "f"), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"f"});
}

// A file system of 64 KB in a name space of its own: what a full disk really answers.
TEST_F(Files, FullDiskSaysWhatToDo) {
  const fs::path disk = root_ / "disk";
  ASSERT_TRUE(make_dirs(disk));
  static constexpr int kNotAllowed = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
      ::_exit(kNotAllowed);
    const bool small = write_file(disk / "f", "old").has_value();
    const auto big = write_file(disk / "f", std::string(1'000'000, 'n'));
    const bool said =
        !big && big.error().code == Errc::io &&
        big.error().what.find(": No space left on device") != std::string::npos &&
        big.error().hint == "the disk is full: free some space, or set SNDR_HOME to another disk";
    const bool kept = *read_file(disk / "f") == "old" && list_files(disk)->size() == 1;
    ::_exit(small && said && kept ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(status, 0);
}

TEST_F(Files, FolderWithoutPermission) {
  ASSERT_EQ(::chmod(root_.c_str(), 0755), 0);
  ASSERT_TRUE(make_dirs(root_ / "locked", 0555));
  const pid_t child = ::fork();
  if (child == 0) {
    // Root may write everywhere; 65534 is nobody.
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
    const auto done = write_file(root_ / "locked" / "f", "x");
    ::_exit(!done && done.error().code == Errc::denied ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Files, StatTellsKindsApart) {
  ASSERT_TRUE(write_file(root_ / "f", "12345"));
  fs::create_symlink("f", root_ / "link");
  fs::create_symlink("nowhere", root_ / "dangling");
  const auto file = stat_path(root_ / "f");
  EXPECT_TRUE(file.exists && file.is_file && !file.is_dir && !file.is_link);
  EXPECT_EQ(file.size, 5U);
  EXPECT_EQ(file.uid, ::getuid());
  EXPECT_GT(file.mtime_ns, 1'600'000'000'000'000'000);
  EXPECT_TRUE(stat_path(root_).is_dir);
  EXPECT_TRUE(stat_path(root_ / "link").is_file);
  EXPECT_TRUE(stat_path(root_ / "link", Follow::no).is_link);
  EXPECT_FALSE(stat_path(root_ / "dangling").exists);
  EXPECT_TRUE(stat_path(root_ / "dangling", Follow::no).exists);
  EXPECT_FALSE(stat_path(root_ / "none").exists);
}

TEST_F(Files, ListIsSortedRelativeAndFollowsNoLinks) {
  for (const char* name : {"b", "a/z", "a/b/c", "a.txt"}) ASSERT_TRUE(write_file(root_ / name, ""));
  fs::create_directory_symlink(root_, root_ / "a" / "loop");
  fs::create_symlink("b", root_ / "link");
  const std::vector<std::string> expected = {"a.txt", "a/b/c", "a/z", "b"};
  EXPECT_EQ(names(), expected);
  EXPECT_EQ(*list_files(root_.string() + "/"), expected);
  EXPECT_FALSE(list_files(root_ / "none"));
}

TEST_F(Files, RenameAndRemove) {
  ASSERT_TRUE(write_file(root_ / "from" / "x", "1"));
  ASSERT_TRUE(rename_path(root_ / "from", root_ / "to"));
  EXPECT_EQ(names(), std::vector<std::string>{"to/x"});
  EXPECT_FALSE(rename_path(root_ / "from", root_ / "to"));
  ASSERT_TRUE(remove_tree(root_ / "to"));
  EXPECT_TRUE(remove_tree(root_ / "to")) << "what is gone is gone";
  EXPECT_TRUE(names().empty());
}

TEST_F(Files, LockHoldsBackAnotherProcess) {
  const fs::path path = root_ / "locks" / "one";
  auto lock = FileLock::take(path);
  ASSERT_TRUE(lock) << lock.error().what;
  const auto try_in_child = [&path] {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto second = FileLock::take(path, FileLock::Wait::no);
      ::_exit(second ? 0 : second.error().code == Errc::conflict ? 1 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(try_in_child(), 1);
  const auto again = FileLock::take(path, FileLock::Wait::no);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().what, "another process holds " + path.string());
  {
    const FileLock released = *std::move(lock);
    EXPECT_EQ(try_in_child(), 1) << "a moved lock still holds";
  }
  EXPECT_EQ(try_in_child(), 0);
}

TEST_F(Files, LockWaitsUntilItsHolderDies) {
  const fs::path path = root_ / "lock";
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = FileLock::take(path);
    if (::write(ready[1], held ? "y" : "n", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  std::thread killer([child] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(child, SIGKILL);
  });
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(FileLock::take(path));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(50));
  killer.join();
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(Environment, HomeAndVariables) {
  ASSERT_EQ(::setenv("SNDR_TEST_VALUE", "x", 1), 0);
  EXPECT_EQ(env_or("SNDR_TEST_VALUE", "y"), "x");
  ASSERT_EQ(::unsetenv("SNDR_TEST_VALUE"), 0);
  EXPECT_EQ(env_or("SNDR_TEST_VALUE", "y"), "y");
  EXPECT_EQ(env_or("SNDR_TEST_VALUE"), "");
  const std::string before = env_or("HOME");
  ::setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(home_dir(), "/somewhere");
  ::unsetenv("HOME");
  EXPECT_EQ(home_dir().string().front(), '/');
  EXPECT_NE(home_dir(), "/somewhere");
  if (!before.empty()) ::setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace sndr
