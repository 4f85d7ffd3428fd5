// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "probe/facts.h"
#include "probe/tree.h"

/// Which of vLLM's two model runners a start takes. Internal to probe.
namespace sndr::probe {

/// "V1" or "V2" with its source, by VLLM_USE_V2_MODEL_RUNNER or by the default of this tree's
/// config/vllm.py; nothing where that depends on what we can't see. `known` holds the other facts.
[[nodiscard]] std::optional<Fact> runner_fact(
    const EngineCommand& command, const Tree* tree, const Facts& known,
    const std::function<std::string(const char*)>& environment);

}  // namespace sndr::probe
