// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// The cards of this machine, by NVML (loaded at run time, WSL's path too), or as --fake-gpus
/// describes them.
namespace sndr::probe {

struct Gpu {
  std::string name;  ///< "NVIDIA GeForce RTX 3090"
  std::uint64_t vram_mib = 0;
  int major = 0, minor = 0;  ///< compute capability
  std::string uuid;          ///< empty for a fake
  bool fake = false;
};

struct GpuReport {
  std::vector<Gpu> gpus;
  std::string driver;   ///< "580.126.09", or empty
  std::string cuda;     ///< highest CUDA that the driver serves, "13.0", or empty
  std::string problem;  ///< why there is none: no driver, no device, denied
};

/// `fake` empty: ask NVML. Else `[Nx]NAME[,...]` ("2x3090") or `NAME:VRAM_MIB:CC;...`; an unknown
/// name is an error that lists the known ones.
[[nodiscard]] Result<GpuReport> read_gpus(std::string_view fake);

}  // namespace sndr::probe
