// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace sndr::overlay {

/// "v1/__pycache__" for "v1/engine.py"; "" for what is no Python module.
[[nodiscard]] std::string cache_folder(std::string_view path);

/// The compiled forms of a module that lie below `root`, for every interpreter and optimization, as
/// paths like "v1/__pycache__/engine.cpython-311.opt-1.pyc"; sorted.
[[nodiscard]] std::vector<std::string> compiled_forms(const fs::path& root, std::string_view path);

}  // namespace sndr::overlay
