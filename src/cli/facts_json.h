// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json/json.h"
#include "pack/pack.h"
#include "plan/plan.h"
#include "probe/facts.h"
#include "probe/tree.h"

/// Facts as `--json` prints them. A key keeps its name and meaning once it was released.
namespace sndr::cli {

[[nodiscard]] json::Object to_json(const pack::Patch& patch);
[[nodiscard]] json::Object to_json(const pack::Pack& pack, const pack::Legacy& entry);
[[nodiscard]] json::Object to_json(const plan::Decision& decision);
[[nodiscard]] json::Object to_json(const plan::Notice& notice);
/// {"vllm", "mode", "applied", "skipped", "failed", "decisions", "notices"}
[[nodiscard]] json::Object to_json(const plan::Plan& plan);
[[nodiscard]] json::Object to_json(const probe::Facts& facts);
[[nodiscard]] json::Object to_json(const probe::Tree& tree);
[[nodiscard]] json::Array to_json(const std::vector<std::string>& words);

}  // namespace sndr::cli
