// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

/// Files on disk. Every write goes to a temporary name in the same folder, is fsynced, and renamed
/// into place, so that a reader, or a crash, sees the old file or the new one and nothing between.
namespace sndr {

namespace fs = std::filesystem;

[[nodiscard]] Result<std::string> read_file(const fs::path& path);

enum class Durable : unsigned char { no, yes };  ///< yes: fsync the file and its folder

/// `mode` is set exactly (the umask doesn't apply). Parent folders are made.
[[nodiscard]] Status write_file(const fs::path& path, std::string_view bytes, mode_t mode = 0644,
                                Durable durable = Durable::yes);

[[nodiscard]] Status make_dirs(const fs::path& path, mode_t mode = 0755);
[[nodiscard]] Status sync_dir(const fs::path& path);
[[nodiscard]] Status rename_path(const fs::path& from, const fs::path& to);
[[nodiscard]] Status remove_tree(const fs::path& path);

/// Size, time, kind and owner in one call; `exists` false instead of an error where nothing is
/// there.
struct Stat {
  bool exists = false;
  bool is_file = false;
  bool is_dir = false;
  bool is_link = false;  ///< only with `stat_path(path, Follow::no)`
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  mode_t mode = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};
enum class Follow : unsigned char { no, yes };
[[nodiscard]] Stat stat_path(const fs::path& path, Follow follow = Follow::yes);

/// Every regular file below `root`, as paths relative to it, sorted; symbolic links are not
/// followed.
[[nodiscard]] Result<std::vector<std::string>> list_files(const fs::path& root);

/// An advisory lock on a file, held until destroyed; other processes wait. Crash-safe: the kernel
/// drops it.
class FileLock {
 public:
  enum class Wait : unsigned char { no, yes };
  [[nodiscard]] static Result<FileLock> take(const fs::path& path, Wait wait = Wait::yes);

 private:
  explicit FileLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

/// $HOME, or the passwd entry where HOME is unset.
[[nodiscard]] fs::path home_dir();

/// A variable of the environment, or "".
[[nodiscard]] std::string env_or(const char* name, std::string_view otherwise = {});

}  // namespace sndr
