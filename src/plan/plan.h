// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pack/pack.h"
#include "patch/edit.h"
#include "plan/flags.h"
#include "probe/facts.h"

/// Which patches, and why: one Decision for each, the same for `patches plan`, `doctor`, the boot
/// log and `apply`.
namespace sndr::plan {

enum class Verdict : std::uint8_t { apply, skip, fail };

/// Why a patch is skipped or failed, for programs; `reason` says it to people.
enum class Cause : std::uint8_t {
  none,  ///< apply
  not_enabled,
  disabled,             ///< GENESIS_DISABLE or GENESIS_DISABLE_<rest>
  mismatch,             ///< a gate says no
  unknown_fact,         ///< a gate can't be answered
  retired,              ///< vLLM has the fix
  elsewhere,            ///< this tree never had the code
  outside_span,         ///< the version is outside the verified span
  drift,                ///< fail: an anchor is missing or ambiguous
  conflict,             ///< fail: with another enabled patch, or their edits overlap
  missing_requirement,  ///< fail: it isn't enabled
  with_failed,          ///< skip: what it requires failed
  not_pristine,         ///< fail: a file that it edits isn't vLLM's own text
  legacy,               ///< a v12 id without a patch of ours
};

struct Decision {
  std::string id;
  std::string title;
  Verdict verdict = Verdict::skip;
  Cause cause = Cause::not_enabled;
  std::string reason;  ///< "applies_to mismatch: kv_cache_dtype is fp8, needs turboquant_k8v4"
  const pack::Patch* patch = nullptr;  ///< nullptr for a v12 id that we don't ship
  const pack::Legacy* legacy = nullptr;
  std::optional<patch::PatchFinding> finding;  ///< where the tree was looked at
};

enum class Mode : std::uint8_t {
  pinned,            ///< the version is a pin
  verified_anchors,  ///< no pin, or no version: anchors decide
};

struct Options {
  bool all_legacy = false;  ///< a decision for each of v12's 329, too
  bool try_newer = false;   ///< judge by anchors above the verified span
  bool keep_going = false;
};

struct Plan {
  Mode mode = Mode::pinned;
  std::string mode_line;            ///< said first, where the mode isn't `pinned`
  std::string vllm;                 ///< version text, or "unknown version"
  std::vector<Decision> decisions;  ///< by id
  std::vector<Notice> notices;
  std::size_t applied = 0, skipped = 0, failed = 0;
};

/// Pure: everything it needs is handed in. `changed_files` are paths below vllm/ that aren't
/// pristine.
[[nodiscard]] Plan make_plan(const pack::Pack& pack, const Flags& flags, const probe::Facts& facts,
                             const std::optional<Version>& version, const patch::Source& source,
                             const std::vector<std::string>& changed_files, const Options& options);

/// The findings of all decisions that apply, for patch::compose.
[[nodiscard]] std::vector<const patch::PatchFinding*> applied_findings(const Plan& plan);

}  // namespace sndr::plan
