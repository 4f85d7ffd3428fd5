// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files.h"

/// The two files of `sndr hook`: sndr_genesis.pth, which Python reads as it starts, and
/// _sndr_hook.py, which the .pth imports. Each says in its last line what the rest hashes to, so a
/// file that somebody edited is known from one that an older sndr wrote.
namespace sndr::cli {

enum class HookState : std::uint8_t {
  absent,
  installed,  ///< both files as this sndr writes them, for this binary
  stale,      ///< ours, but from another version or for another binary, or that binary is gone
  changed,    ///< somebody edited a file, or one of the two is missing
};

struct HookStatus {
  HookState state = HookState::absent;
  std::string binary;   ///< the sndr that it calls
  std::string problem;  ///< one sentence; empty for absent and installed
};

[[nodiscard]] HookStatus hook_status(const fs::path& site, const std::string& binary);

enum class Force : std::uint8_t { no, yes };  ///< yes: overwrite or remove changed files too
[[nodiscard]] Status install_hook(const fs::path& site, const std::string& binary, Force force);
/// Removes exactly what install_hook wrote, and what Python compiled from it.
[[nodiscard]] Status remove_hook(const fs::path& site, Force force);

}  // namespace sndr::cli
