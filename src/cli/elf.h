// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.h"

namespace sndr::cli {

/// The highest glibc symbol version that a 64-bit ELF file needs, "2.35": what a container's glibc
/// must have at least. "" where it needs none.
[[nodiscard]] Result<std::string> highest_glibc(const std::string& path);

}  // namespace sndr::cli
