// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pack/patch.h"
#include "plan/flags.h"
#include "plan/plan.h"

/// Words for values of other rooms, as people and `--json` read them.
namespace sndr::cli {

[[nodiscard]] std::string_view to_text(plan::Verdict verdict);
[[nodiscard]] std::string_view to_text(plan::Cause cause);
[[nodiscard]] std::string_view to_text(plan::Notice::Level level);

/// Every file below vllm/ that the patch may touch or add, each once, sorted.
[[nodiscard]] std::vector<std::string> files_of(const pack::Patch& patch);

/// The text wrapped beside a lead that takes `column` columns of the first line.
[[nodiscard]] std::string hang(std::string_view lead, std::size_t column, std::string_view text,
                               std::size_t width);

/// "NAME=value" for each, as exec() wants them.
[[nodiscard]] std::vector<std::string> name_value_pairs(
    const std::map<std::string, std::string>& environment);

/// "12.3 MiB"
[[nodiscard]] std::string human_size(std::uint64_t bytes);
/// "2026-07-04 12:30" in local time; "" for 0.
[[nodiscard]] std::string human_time(std::int64_t seconds);

}  // namespace sndr::cli
