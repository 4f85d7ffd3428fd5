// SPDX-License-Identifier: Apache-2.0
#include "overlay/disk.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fd.h"
#include "base/files.h"

namespace sndr::overlay {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

tl::unexpected<Error> fail_errno(std::string_view call, const fs::path& path, int number) {
  Error error;
  const bool denied = number == EACCES || number == EPERM || number == EROFS;
  error.code = denied ? Errc::denied : Errc::io;
  error.what = fmt::format("cannot {} {}: {}", call, path.string(), std::strerror(number));
  if (number == ENOSPC || number == EDQUOT) error.hint = "the disk is full: free some space";
  if (denied)
    error.hint =
        "the tree can't be written: `sndr run` needs no write access to it, or run this "
        "as the user who owns it";
  return fail(std::move(error));
}

timespec time_of(std::int64_t nanoseconds) {
  timespec out{};
  if (nanoseconds < 0) {
    out.tv_nsec = UTIME_OMIT;
    return out;
  }
  out.tv_sec = nanoseconds / 1'000'000'000;
  out.tv_nsec = nanoseconds % 1'000'000'000;
  return out;
}

}  // namespace

Status Disk::refused(std::string_view call, const fs::path& path) const {
  if (!before_change_) return {};
  const int number = before_change_(call, path);
  if (number != 0) return fail_errno(call, path, number);
  return {};
}

Status Disk::write_bytes(const Fd& fd, const fs::path& path, std::string_view bytes) const {
  while (!bytes.empty()) {
    SNDR_CHECK(refused("write", path));
    const ssize_t count = ::write(fd.get(), bytes.data(), std::min(bytes.size(), kChunk));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status Disk::finish(const Fd& fd, const fs::path& path, const Metadata& metadata) const {
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("look at", path, errno);
  if (info.st_uid != metadata.uid || info.st_gid != metadata.gid) {
    SNDR_CHECK(refused("set the owner of", path));
    if (::fchown(fd.get(), metadata.uid, metadata.gid) != 0)
      return fail_errno("set the owner of", path, errno);
  }
  // After the owner: chown clears the set-id bits.
  SNDR_CHECK(refused("set the mode of", path));
  if (::fchmod(fd.get(), metadata.mode) != 0) return fail_errno("set the mode of", path, errno);
  if (metadata.mtime_ns >= 0) {
    SNDR_CHECK(refused("set the time of", path));
    const timespec times[2] = {time_of(-1), time_of(metadata.mtime_ns)};
    if (::futimens(fd.get(), times) != 0) return fail_errno("set the time of", path, errno);
  }
  SNDR_CHECK(refused("sync", path));
  if (::fsync(fd.get()) != 0) return fail_errno("sync", path, errno);
  return {};
}

Status Disk::write_new(const fs::path& path, std::string_view bytes,
                       const Metadata& metadata) const {
  SNDR_CHECK(remove(path));
  SNDR_CHECK(refused("create", path));
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("create", path, errno);
  SNDR_CHECK(write_bytes(fd, path, bytes));
  return finish(fd, path, metadata);
}

Status Disk::link_new(const fs::path& path, const std::string& target,
                      const Metadata& metadata) const {
  SNDR_CHECK(remove(path));
  SNDR_CHECK(refused("link", path));
  if (::symlink(target.c_str(), path.c_str()) != 0) return fail_errno("link", path, errno);
  const Stat made = stat_path(path, Follow::no);
  if (made.uid != metadata.uid || made.gid != metadata.gid) {
    SNDR_CHECK(refused("set the owner of", path));
    if (::lchown(path.c_str(), metadata.uid, metadata.gid) != 0)
      return fail_errno("set the owner of", path, errno);
  }
  SNDR_CHECK(refused("set the time of", path));
  const timespec times[2] = {time_of(-1), time_of(metadata.mtime_ns)};
  if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
    return fail_errno("set the time of", path, errno);
  return {};
}

Status Disk::replace(const fs::path& path, std::string_view bytes) const {
  const fs::path staged = path.string() + ".new";
  Metadata metadata;
  metadata.uid = ::geteuid();
  metadata.gid = ::getegid();
  SNDR_CHECK(write_new(staged, bytes, metadata));
  SNDR_CHECK(rename(staged, path));
  return sync_folder(path.parent_path());
}

Status Disk::rename(const fs::path& from, const fs::path& to) const {
  SNDR_CHECK(refused("rename to", to));
  if (::rename(from.c_str(), to.c_str()) != 0) return fail_errno("rename to", to, errno);
  return {};
}

Status Disk::remove(const fs::path& path) const {
  if (!stat_path(path, Follow::no).exists) return {};
  SNDR_CHECK(refused("remove", path));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail_errno("remove", path, errno);
  return {};
}

Status Disk::remove_folder(const fs::path& path) const {
  if (!stat_path(path, Follow::no).is_dir) return {};
  SNDR_CHECK(refused("remove", path));
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
    return fail_errno("remove", path, errno);
  return {};
}

Status Disk::make_folder(const fs::path& path, const Metadata& metadata) const {
  if (!stat_path(path).is_dir) {
    SNDR_CHECK(refused("make", path));
    if (::mkdir(path.c_str(), 0700) != 0) return fail_errno("make", path, errno);
  }
  SNDR_CHECK(refused("set the mode of", path));
  if (::chmod(path.c_str(), metadata.mode) != 0) return fail_errno("set the mode of", path, errno);
  const Stat made = stat_path(path);
  if (made.uid == metadata.uid && made.gid == metadata.gid) return {};
  SNDR_CHECK(refused("set the owner of", path));
  if (::chown(path.c_str(), metadata.uid, metadata.gid) != 0)
    return fail_errno("set the owner of", path, errno);
  return {};
}

Status Disk::sync_folder(const fs::path& path) const {
  SNDR_CHECK(refused("sync", path));
  return sync_dir(path);
}

}  // namespace sndr::overlay
