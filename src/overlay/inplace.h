// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "overlay/overlay.h"
#include "plan/plan.h"
#include "probe/tree.h"

/// `--in-place`: for platforms that can't use the import hook. vLLM's own files are replaced, under
/// a write-ahead journal in $SNDR_HOME/inplace/<tree>/, and `revert` puts every byte, mode, owner
/// and name back from any crash point.
namespace sndr::overlay {

struct InPlaceResult {
  std::size_t files = 0;
  std::vector<std::string> ids;
  fs::path journal;
};

/// Finishes or rolls back what an earlier process left half-done, then replaces files. A tree that
/// is patched already with another set is reverted first.
[[nodiscard]] Result<InPlaceResult> apply_in_place(const plan::Plan& plan, const probe::Tree& tree,
                                                   const TreeReader& reader);

/// Restores the tree. A file that someone changed since is not touched: the error names it and what
/// to do; all others stay restorable.
[[nodiscard]] Result<InPlaceResult> revert(const probe::Tree& tree);

enum class InPlaceState : unsigned char { none, applied, interrupted };
[[nodiscard]] InPlaceState in_place_state(const probe::Tree& tree);

}  // namespace sndr::overlay
