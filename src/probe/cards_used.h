// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "probe/facts.h"
#include "probe/gpu.h"

/// Which of the machine's cards a start of vLLM takes. Internal to probe.
namespace sndr::probe {

struct UsedCards {
  std::vector<Gpu> cards;
  std::string note;  ///< what couldn't be told
};

/// By CUDA_VISIBLE_DEVICES, --device-ids and the number of processes; `command` may be nullptr.
[[nodiscard]] UsedCards cards_used(const std::vector<Gpu>& gpus, const EngineCommand* command,
                                   const std::function<std::string(const char*)>& environment);

}  // namespace sndr::probe
