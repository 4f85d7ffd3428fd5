// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pack/patch.h"
#include "probe/facts.h"

/// The conditions of applies_to against what is known about this start.
namespace sndr::plan {

enum class GateState : unsigned char { open, closed, unknown };

struct GateFinding {
  GateState state = GateState::open;
  std::string reason;  ///< not open: "applies_to mismatch: ..." or "... unknown: pass --assume ..."
};

/// A mismatch counts before what is unknown: no answer would open the patch then.
[[nodiscard]] GateFinding judge_gates(const pack::Patch& patch, const probe::Facts& facts);

}  // namespace sndr::plan
