// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

/// Files as one run of bytes inside the binary, found without unpacking.
///
///   64 bytes   sha256 over everything that follows, as hex: the archive's identity
///   4 bytes    number of files, then for each, in the order of their paths:
///   4 x 4      path offset, path length, text offset, text length (from the archive's beginning)
///   paths and texts
///
/// Numbers are little-endian. The build makes it and the loader trusts it.
namespace sndr::pack {

[[nodiscard]] std::string write_archive(const std::map<std::string, std::string>& files);

class Archive {
 public:
  explicit Archive(std::string_view bytes);
  [[nodiscard]] const std::map<std::string_view, std::string_view>& files() const { return files_; }
  [[nodiscard]] std::string_view fingerprint() const { return fingerprint_; }

 private:
  std::string_view fingerprint_;
  std::map<std::string_view, std::string_view> files_;
};

}  // namespace sndr::pack
