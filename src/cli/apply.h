// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "overlay/overlay.h"
#include "plan/plan.h"

/// What `apply` and `run` say about a plan.
namespace sndr::cli {

inline constexpr std::string_view kAfterFailure =
    "an enabled patch failed, so nothing was started\n"
    "  what stands there now: sndr doctor; to go on without it: --keep-going, or unset its flag\n";

[[nodiscard]] std::vector<std::string> applied_ids(const plan::Plan& plan);

/// "overlay 4f1c9ab2", or "stock"
[[nodiscard]] std::string layer_of(const std::optional<overlay::Built>& built);

/// The boot log on stderr, as --log-style asks.
void log_plan(const Call& call, const plan::Plan& plan, std::string_view layer);

}  // namespace sndr::cli
