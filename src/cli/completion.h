// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command.h"

/// Completion scripts from the table. Ids come from `sndr patches list --ids` as they are needed,
/// so that a script stays right when the pack grows.
namespace sndr::cli {

[[nodiscard]] std::string bash_completion(const Table& table);
[[nodiscard]] std::string zsh_completion(const Table& table);
[[nodiscard]] std::string fish_completion(const Table& table);

}  // namespace sndr::cli
