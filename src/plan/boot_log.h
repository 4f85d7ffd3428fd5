// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/term.h"
#include "plan/plan.h"

/// The boot log: what is decided and why, one line each, then one line that counts. It goes to
/// stderr before the engine starts:
///
///   [INFO:genesis.apply_all] [Genesis] applied: P62 Structured output sees the end of reasoning
///   [INFO:genesis.apply_all] [Genesis] skipped: PN91 (not enabled)
///   [ERROR:genesis.apply_all] [Genesis] FAILED: P91 (anchor drifted in a.py: see `sndr doctor`)
///   [Genesis] [APPLY] 31  [SKIP] 17  [FAIL] 1   overlay 4f1c9ab2   vllm 0.33.0
///
/// One line for each of our patches and each v12 flag that is set; a plan with `all_legacy` has all
/// 329. The mode, where it isn't `pinned`, and notices come first.
namespace sndr::plan {

enum class LogStyle : std::uint8_t {
  lines,  ///< as above
  tags,   ///< [APPLY] P62 Structured output sees the end of reasoning
};

/// `layer` is "overlay 4f1c9ab2", "in place" or "stock".
[[nodiscard]] std::string boot_log(const Plan& plan, LogStyle style, std::string_view layer,
                                   const term::Screen& screen);

/// "GENESIS_ENABLE_P67: a short form does nothing (write ...)", without a level.
[[nodiscard]] std::string to_line(const Notice& notice);

}  // namespace sndr::plan
