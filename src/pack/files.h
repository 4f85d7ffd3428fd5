// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "yaml/yaml.h"

/// A pack as files, before it means anything: a folder on disk, or what travels in the binary.
namespace sndr::pack {

struct Files {
  using Texts = std::map<std::string, std::string_view, std::less<>>;
  std::string root;  ///< what messages put before a path: "pack", or the folder
  Texts texts;       ///< by path below the root
  Texts frozen;      ///< parsed YAML of the same paths, and each patch folder's fingerprint
  std::deque<std::string> owned;  ///< a folder's texts; the binary's stand in its read-only data

  /// Names of the folders below patches/, sorted. A name that begins with `_` is no patch: what
  /// several proofs share.
  [[nodiscard]] std::vector<std::string> patch_folders() const;
  /// The parsed file. A file that isn't there gives a null node.
  [[nodiscard]] Result<yaml::Node> document(std::string_view path) const;
  [[nodiscard]] std::string shown(std::string_view path) const {
    return root + "/" + std::string(path);
  }
};

/// The lists beside patches/.
inline constexpr std::string_view kPins = "pins.yaml";
inline constexpr std::string_view kLegacy = "legacy.yaml";
inline constexpr std::string_view kVariables = "variables.yaml";

/// patches/** and the lists. A folder without patches/ is an error.
[[nodiscard]] Result<Files> read_files(const std::string& folder);
[[nodiscard]] const Files& embedded_files();

/// Where the build puts a YAML file's parsed form, or a patch folder's fingerprint, in the archive.
[[nodiscard]] std::string frozen_path(std::string_view path);

/// What a pack or boot folder holds that isn't for users: hidden files, byte code, editors' copies.
[[nodiscard]] bool is_clutter(std::string_view path);

}  // namespace sndr::pack
