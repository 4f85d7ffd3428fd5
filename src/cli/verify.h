// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "cli/command.h"
#include "pack/pack.h"
#include "patch/drift.h"
#include "patch/edit.h"
#include "probe/tree.h"

/// Every patch against one tree, for `patches verify` and `doctor`.
namespace sndr::cli {

struct Verified {
  probe::Tree tree;
  std::vector<patch::PatchFinding> findings;  ///< as the pack's patches; they point into the pack
  std::vector<patch::DriftReport> drift;
  std::vector<patch::Overlap>
      overlaps;  ///< between patches that don't name each other as conflicts
};

/// Reads every file that a patch names, once. Safe from several threads on one pack.
[[nodiscard]] Verified verify_tree(const pack::Pack& pack, probe::Tree tree);

[[nodiscard]] std::string_view to_text(patch::PatchState state);

/// "drift: ID FILE:LINE" on stdout, what changed on stderr.
void show_drift(const Call& call, const std::vector<patch::DriftReport>& drift);

}  // namespace sndr::cli
