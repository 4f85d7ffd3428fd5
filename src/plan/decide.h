// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/version.h"
#include "pack/pack.h"
#include "patch/edit.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/facts.h"

/// The two halves of a plan: each patch by itself, then patches among each other.
namespace sndr::plan {

/// What `make_plan` was given.
struct Situation {
  const pack::Pack& pack;
  const Flags& flags;
  const probe::Facts& facts;
  const std::optional<Version>& version;
  const patch::Source& source;
  const std::vector<std::string>& changed_files;
  const Options& options;
};

/// Switch, tree, gates and version, in that order; what other patches do isn't looked at.
[[nodiscard]] Decision decide(const pack::Patch& patch, const Situation& situation);

/// Conflicts, requirements and overlapping edits among the decisions that apply. The result doesn't
/// depend on their order.
void settle_together(std::vector<Decision>& decisions, const Situation& situation);

}  // namespace sndr::plan
