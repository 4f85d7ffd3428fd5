// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
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
/// is patched already with another set is reverted first; with the same set nothing is done; a plan
/// that changes no file reverts.
[[nodiscard]] Result<InPlaceResult> apply_in_place(const plan::Plan& plan, const probe::Tree& tree,
                                                   const TreeReader& reader);

/// Restores the tree. A file that someone changed since is not touched, and then neither is any
/// other: half of a patch is worse than all of it. The error names each with the command that puts
/// it back, and what is left stays restorable.
[[nodiscard]] Result<InPlaceResult> revert(const probe::Tree& tree);

enum class InPlaceState : unsigned char { none, applied, interrupted };
[[nodiscard]] InPlaceState in_place_state(const probe::Tree& tree);

/// What the files that are patched in place were: path below vllm/ -> where their own bytes lie
/// now, or "" for a file that wasn't there. TreeReader reads through it, so that a patched tree is
/// planned for as the pristine one that it was.
[[nodiscard]] std::map<std::string, fs::path> originals(const probe::Tree& tree);

}  // namespace sndr::overlay
