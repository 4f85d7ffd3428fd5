// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pack/pack.h"

/// Documents that are generated from the pack, so that they can't be stale: CI compares them.
namespace sndr::cli {

/// docs/PATCHES_AUTO.md
[[nodiscard]] std::string patches_markdown(const pack::Pack& pack);
/// docs/CONFIGURATION.md
[[nodiscard]] std::string configuration_markdown(const pack::Pack& pack);

}  // namespace sndr::cli
