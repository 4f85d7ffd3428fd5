// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"

/// The folder of overlays: whose it is, who may change it, what a crash left in it.
namespace sndr::overlay {

/// Refuses a folder that another non-root user owns, or that its group or others can write: whoever
/// can write an overlay runs code as the user who starts vLLM. One that isn't there is fine.
[[nodiscard]] Status check_owner(const fs::path& folder);

/// The lock under which overlays are made and removed; it makes the folder first.
[[nodiscard]] Result<FileLock> lock_store();

/// 64 lower-case hex digits: an overlay's name. Whatever else lies there is not listed.
[[nodiscard]] bool is_overlay_name(std::string_view name);
[[nodiscard]] std::vector<std::string> entries(const fs::path& folder);

/// A name for an overlay that is being made or removed; nobody looks below it.
[[nodiscard]] fs::path building_name(std::string_view hash);
[[nodiscard]] fs::path removing_name(std::string_view hash);
/// Removes what killed processes left under such names. Under the lock only.
[[nodiscard]] Status sweep();

/// Out of sight by one rename, then removed.
[[nodiscard]] Status remove_overlay(std::string_view hash);

/// Which living processes use which overlay: hash -> pids, sorted.
[[nodiscard]] std::map<std::string, std::vector<pid_t>> running_overlays();

}  // namespace sndr::overlay
