// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fd.h"
#include "base/files.h"

/// Every system call with which the in-place journal changes the disk, one function each. Tests
/// hand in `before_change`: it may end the process, or refuse the call with an errno.
namespace sndr::overlay {

/// What a file is beside its bytes.
struct Metadata {
  mode_t mode = 0644;
  uid_t uid = 0;
  gid_t gid = 0;
  std::int64_t mtime_ns = -1;  ///< -1: as it comes
};

class Disk {
 public:
  /// `call` ("write", "rename") on `path`; the answer is 0, or the errno to fail with.
  using Hook = std::function<int(std::string_view call, const fs::path& path)>;
  explicit Disk(Hook before_change = {}) : before_change_(std::move(before_change)) {}

  /// Bytes and metadata, on the disk when it returns. A file that is there is replaced.
  [[nodiscard]] Status write_new(const fs::path& path, std::string_view bytes,
                                 const Metadata& metadata) const;
  [[nodiscard]] Status link_new(const fs::path& path, const std::string& target,
                                const Metadata& metadata) const;
  /// write_new under another name, then renamed over `path`; the folder is synced.
  [[nodiscard]] Status replace(const fs::path& path, std::string_view bytes) const;
  [[nodiscard]] Status rename(const fs::path& from, const fs::path& to) const;
  [[nodiscard]] Status remove(const fs::path& path) const;         ///< nothing there is fine
  [[nodiscard]] Status remove_folder(const fs::path& path) const;  ///< not empty is fine, too
  [[nodiscard]] Status make_folder(const fs::path& path, const Metadata& metadata) const;
  [[nodiscard]] Status sync_folder(const fs::path& path) const;

 private:
  [[nodiscard]] Status refused(std::string_view call, const fs::path& path) const;
  [[nodiscard]] Status write_bytes(const Fd& fd, const fs::path& path,
                                   std::string_view bytes) const;
  [[nodiscard]] Status finish(const Fd& fd, const fs::path& path, const Metadata& metadata) const;

  Hook before_change_;
};

}  // namespace sndr::overlay
