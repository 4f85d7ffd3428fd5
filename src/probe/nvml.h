// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "probe/gpu.h"

/// NVIDIA's management library, loaded at run time. Internal to probe.
namespace sndr::probe {

/// Where the loader finds it, WSL's folder included.
[[nodiscard]] const std::vector<std::string>& nvml_libraries();

/// Asks the first of `libraries` that loads. Without one, or without a card, `problem` says why;
/// `root` is where /sys and /dev are looked at for cards of other makers.
[[nodiscard]] GpuReport ask_nvml(const std::vector<std::string>& libraries, const fs::path& root);

/// What kinds of cards the kernel shows: "NVIDIA", "AMD", "Intel".
[[nodiscard]] std::vector<std::string> card_makers(const fs::path& root);

}  // namespace sndr::probe
