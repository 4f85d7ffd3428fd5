// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/term.h"
#include "plan/plan.h"

/// The boot log: what is decided and why, one line each, then one line that counts. It goes to
/// stderr, before the engine starts.
namespace sndr::cli {

enum class LogStyle : std::uint8_t {
  lines,  ///< [INFO:genesis.apply_all] [Genesis] applied: P62 Title
  tags,   ///< [APPLY] P62 Title
};

[[nodiscard]] std::string notice_lines(const plan::Plan& plan, LogStyle style);
[[nodiscard]] std::string decision_lines(const plan::Plan& plan, LogStyle style,
                                         const term::Screen& screen);

/// "[Genesis] [APPLY] 31  [SKIP] 17  [FAIL] 1   overlay 4f1c9ab2   vllm 0.33.0"; `layer` is
/// "overlay 4f1c9ab2", "in place" or "stock".
[[nodiscard]] std::string summary_line(const plan::Plan& plan, std::string_view layer);

/// All of it.
[[nodiscard]] std::string boot_log(const plan::Plan& plan, LogStyle style, std::string_view layer,
                                   const term::Screen& screen);

}  // namespace sndr::cli
