// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "overlay/journal.h"
#include "probe/testing.h"

/// A tree with every kind of file that a vLLM may hold, pictures of it, and child processes that
/// die.
namespace sndr::overlay::testing {

using probe::testing::TempDir;

/// On memory where that is possible: a thousand rounds of fsync on a disk take minutes.
inline fs::path fast_folder() {
  return ::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
}

/// Everything about a tree that can be seen, one line a name: kind, mode, owner, time, bytes.
inline std::map<std::string, std::string> picture_of(const fs::path& root) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const Stat stat = stat_path(entry.path(), Follow::no);
    std::string line = fmt::format("{:o} {}:{} ", stat.mode, stat.uid, stat.gid);
    if (stat.is_link)
      line += "link " + fs::read_symlink(entry.path()).string();
    else if (stat.is_dir)
      line += "folder";
    else
      line += fmt::format("{} {}", stat.mtime_ns, sha256_hex(*read_file(entry.path())));
    out[entry.path().lexically_relative(root).string()] = std::move(line);
  }
  return out;
}

/// What differs between two pictures, for messages.
inline std::string difference(const std::map<std::string, std::string>& before,
                              const std::map<std::string, std::string>& after) {
  std::string out;
  for (const auto& [name, line] : before) {
    const auto found = after.find(name);
    if (found == after.end())
      out += "lost: " + name + "\n";
    else if (found->second != line)
      out += fmt::format("changed: {}: {} -> {}\n", name, line, found->second);
  }
  for (const auto& [name, line] : after)
    if (!before.contains(name)) out += "new: " + name + "\n";
  return out;
}

/// The tree at `root`, and the journal's folder beside it.
class Zoo {
 public:
  explicit Zoo(const fs::path& base = fast_folder()) : dir_(base) {
    put("__init__.py", "version = 1\n");
    put("sampling.py", "a = 1\r\nb = 2\r\n");  // CRLF
    put("empty.py", "");
    put("latin.py", "# caf\xe9\nx = 1\n");  // not UTF-8
    put("no_newline.py", "x = 1");
    put("caf\xc3\xa9.py", "x = 1\n");
    put("with blank.py", "x = 1\n");
    put("big.py", std::string(300'000, '#'));
    put("engine/__init__.py", "");
    put("engine/core.py", "core = 1\n", 0600);
    put("engine/read_only.py", "x = 1\n", 0444);
    put("engine/script.py", "#!/usr/bin/python\n", 0755);
    put("engine/deep/er/most.py", "x = 1\n");
    put("engine/data.json", "{}\n");
    put("engine/__pycache__/core.cpython-311.pyc", "compiled core");
    put("engine/__pycache__/core.cpython-312.opt-1.pyc", "compiled core, optimized", 0600);
    put("engine/__pycache__/core_utils.cpython-311.pyc", "another module's");
    put("__pycache__/sampling.cpython-311.pyc", "compiled sampling");
    const fs::path outside = dir_ / "outside";
    put_at(outside / "shared.py", "shared = 1\n", 0640);
    fs::create_symlink(outside / "shared.py", root() / "absolute_link.py");
    fs::create_symlink("sampling.py", root() / "relative_link.py");
    fs::create_hard_link(outside / "shared.py", root() / "hard_link.py");
    if (::geteuid() == 0) {
      own(root() / "engine/core.py", 1234, 5678);
      own(root() / "engine/__pycache__/core.cpython-311.pyc", 1234, 5678);
      own(root() / "relative_link.py", 1234, 5678);
      own(root() / "engine/deep", 4321, 8765);
    }
  }

  [[nodiscard]] fs::path root() const { return dir_.path() / "vllm"; }
  [[nodiscard]] fs::path outside() const { return dir_.path() / "outside"; }
  [[nodiscard]] fs::path folder() const { return dir_.path() / "home/inplace/abc"; }
  [[nodiscard]] Journal journal(Disk::Hook hook = {}) const {
    Journal out(root(), folder(), Disk(std::move(hook)));
    const auto loaded = out.load();
    EXPECT_TRUE(loaded) << (loaded ? "" : render(loaded.error()));
    return out;
  }
  [[nodiscard]] std::map<std::string, std::string> picture() const { return picture_of(root()); }

  /// As Python does when it imports a module.
  void compile(const std::string& module) const {
    const fs::path path = root() / module;
    const fs::path cache = path.parent_path() / "__pycache__";
    fs::create_directories(cache);
    ASSERT_TRUE(write_file(cache / (path.stem().string() + ".cpython-311.pyc"),
                           "compiled from " + read_file(path).value_or("nothing"), 0644,
                           Durable::no));
  }

 private:
  void put(std::string_view name, std::string_view bytes, mode_t mode = 0644) const {
    put_at(root() / name, bytes, mode);
  }
  static void put_at(const fs::path& path, std::string_view bytes, mode_t mode) {
    ASSERT_TRUE(write_file(path, bytes, mode, Durable::no));
    const timespec times[2] = {{1'600'000'000, 7}, {1'700'000'000, 123'456'789}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  static void own(const fs::path& path, uid_t uid, gid_t gid) {
    ASSERT_EQ(::lchown(path.c_str(), uid, gid), 0) << path;
  }

  TempDir dir_;
};

/// Some edits: one of each kind.
inline std::vector<NewFile> some_edits() {
  return {{"sampling.py", "a = 1\r\nb = 22\r\n"},
          {"engine/core.py", "core = 2\n"},
          {"absolute_link.py", "shared = 2\n"},
          {"engine/new.py", "new = 1\n"},
          {"added/deep/new.py", "new = 2\n"}};
}

/// Runs `body` in a child that may die at any point; its exit code.
inline int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr int kKilled = 9;

/// Ends the process before the change number `step`; a write is torn: some bytes of it are there.
inline Disk::Hook die_at(int step) {
  return [step, seen = 0](std::string_view call, const fs::path& path) mutable {
    if (seen++ < step) return 0;
    if (call == "write") {
      const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND);
      (void)!::write(fd, "torn", 4);
    }
    ::_exit(kKilled);
  };
}

}  // namespace sndr::overlay::testing
