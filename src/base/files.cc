// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

namespace sndr {
namespace {

Errc errc_of(int number) {
  if (number == ENOENT || number == ENOTDIR) return Errc::not_found;
  return number == EACCES || number == EPERM || number == EROFS ? Errc::denied : Errc::io;
}

tl::unexpected<Error> fail_errno(const char* verb, const fs::path& path, int number) {
  Error error;
  error.code = errc_of(number);
  error.what = fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(number));
  if (number == ENOSPC)
    error.hint = "the disk is full: free some space, or set SNDR_HOME to another disk";
  if (number == EROFS)
    error.hint = "the file system is read-only: set SNDR_HOME to a writable folder";
  return fail(std::move(error));
}

Status write_all(int fd, const fs::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail_errno("write", path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail_errno("read", path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("read", path, errno);
  if (S_ISDIR(info.st_mode)) return fail_errno("read", path, EISDIR);
  std::string out;
  std::size_t filled = 0;
  out.resize(static_cast<std::size_t>(info.st_size) + 1);
  for (;;) {
    if (filled == out.size()) out.resize(out.size() * 2 + 4096);
    const ssize_t count = ::read(fd.get(), out.data() + filled, out.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno("read", path, errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  out.resize(filled);
  return out;
}

Status write_file(const fs::path& path, std::string_view bytes, mode_t mode, Durable durable) {
  static std::atomic<unsigned> serial{0};
  SNDR_CHECK(make_dirs(path.parent_path()));
  const fs::path staged = fmt::format("{}.{}.{}.tmp", path.string(), ::getpid(), serial++);
  Status done;
  {
    const Fd fd(::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) return fail_errno("write", staged, errno);
    done = write_all(fd.get(), staged, bytes);
    if (done && ::fchmod(fd.get(), mode) != 0) done = fail_errno("set the mode of", staged, errno);
    if (done && durable == Durable::yes && ::fsync(fd.get()) != 0)
      done = fail_errno("sync", staged, errno);
  }
  if (done && ::rename(staged.c_str(), path.c_str()) != 0) done = fail_errno("write", path, errno);
  if (!done) {
    ::unlink(staged.c_str());
    return done;
  }
  return durable == Durable::yes ? sync_dir(path.parent_path()) : Status{};
}

Status make_dirs(const fs::path& path, mode_t mode) {
  if (path.empty() || stat_path(path).is_dir) return {};
  SNDR_CHECK(make_dirs(path.parent_path(), mode));
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return fail_errno("make", path, errno);
  if (!stat_path(path).is_dir) return fail_errno("make", path, ENOTDIR);
  return {};
}

Status sync_dir(const fs::path& path) {
  const fs::path where = path.empty() ? fs::path(".") : path;
  const Fd fd(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno("sync", where, errno);
  // Some network and FUSE file systems can't sync a folder; the rename itself stays atomic there.
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    return fail_errno("sync", where, errno);
  return {};
}

Status rename_path(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fail_errno("rename to", to, errno);
  return {};
}

Status remove_tree(const fs::path& path) {
  std::error_code ec;
  fs::remove_all(path, ec);
  if (ec) return fail_errno("remove", path, ec.value());
  return {};
}

Stat stat_path(const fs::path& path, Follow follow) {
  struct stat info{};
  const int failed =
      follow == Follow::yes ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info);
  Stat out;
  if (failed != 0) return out;
  out.exists = true;
  out.is_file = S_ISREG(info.st_mode);
  out.is_dir = S_ISDIR(info.st_mode);
  out.is_link = S_ISLNK(info.st_mode);
  out.size = static_cast<std::uint64_t>(info.st_size);
  out.mtime_ns =
      static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
  out.mode = info.st_mode & 07777;
  out.uid = info.st_uid;
  out.gid = info.st_gid;
  return out;
}

Result<std::vector<std::string>> list_files(const fs::path& root) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(root, ec), end; !ec && it != end; it.increment(ec))
    if (it->symlink_status(ec).type() == fs::file_type::regular)
      out.push_back(
          it->path().native().substr(root.native().size() + (root.native().back() == '/' ? 0 : 1)));
  if (ec) return fail_errno("list", root, ec.value());
  std::sort(out.begin(), out.end());
  return out;
}

Result<FileLock> FileLock::take(const fs::path& path, Wait wait) {
  SNDR_CHECK(make_dirs(path.parent_path()));
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return fail_errno("lock", path, errno);
  while (::flock(fd.get(), LOCK_EX | (wait == Wait::no ? LOCK_NB : 0)) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK)
      return fail(Errc::conflict, "another process holds {}", path.string());
    return fail_errno("lock", path, errno);
  }
  return FileLock(std::move(fd));
}

fs::path home_dir() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? fs::path(entry->pw_dir) : fs::path("/");
}

std::string env_or(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return std::string(value != nullptr ? std::string_view(value) : otherwise);
}

}  // namespace sndr
