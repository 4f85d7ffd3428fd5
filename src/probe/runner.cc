// SPDX-License-Identifier: Apache-2.0
#include "probe/runner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "json/json.h"
#include "probe/facts.h"

/// 0.22.1 and 0.24.0 take V2 for a list of architectures alone; from 0.32.0 on V2 is the default
/// and a list of features falls back to V1. Which of both a tree does is read from its
/// config/vllm.py; where Triton's presence would decide, the runner stays unknown.
namespace sndr::probe {
namespace {

constexpr std::string_view kListed = "DEFAULT_V2_MODEL_RUNNER_ARCHITECTURES";
constexpr std::string_view kProperty = "def use_v2_model_runner(";

/// Methods of speculation that at least one release does on V1 alone.
constexpr std::array<std::string_view, 4> kV1Speculation = {"suffix", "custom_class", "medusa",
                                                            "mlp_speculator"};

/// The text of `NAME = frozenset(...)`.
std::string_view list_text(std::string_view source) {
  const auto begin = source.find(kListed);
  const auto end = source.find(')', begin);
  return begin == std::string_view::npos || end == std::string_view::npos
             ? std::string_view{}
             : source.substr(begin, end - begin);
}

/// What 0.32.0 and later fall back to V1 for, or may.
bool may_need_v1(const EngineCommand& command, const Facts& known) {
  const Fact* speculation = known.find("speculation");
  if (speculation == nullptr || std::find(kV1Speculation.begin(), kV1Speculation.end(),
                                          speculation->value) != kV1Speculation.end())
    return true;
  const auto flag = [&](const char* name) {
    const auto found = command.flags.find(name);
    return found == command.flags.end() ? std::string{} : found->second;
  };
  return flag("enable-dbo") == "true" || !flag("ubatch-size").empty() ||
         flag("distributed-executor-backend") == "external_launcher" ||
         flag("speculative-config").find("parallel_drafting") != std::string::npos ||
         flag("speculative-config").find("use_heterogeneous_vocab") != std::string::npos;
}

}  // namespace

std::optional<Fact> runner_fact(const EngineCommand& command, const Tree* tree, const Facts& known,
                                const std::function<std::string(const char*)>& environment) {
  if (const std::string set = environment("VLLM_USE_V2_MODEL_RUNNER"); !set.empty()) {
    if (set.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    const bool two = set.find_first_not_of('0') != std::string::npos;
    return Fact{two ? "V2" : "V1", "VLLM_USE_V2_MODEL_RUNNER"};
  }
  if (tree == nullptr) return std::nullopt;
  const auto source = read_file(tree->package / "config/vllm.py");
  if (!source) return std::nullopt;
  const Fact* platform = known.find("platform");
  if (const std::string_view list = list_text(*source); !list.empty()) {
    const Fact* architecture = known.find("architecture");
    if (architecture == nullptr) return std::nullopt;
    const bool listed = list.find('"' + architecture->value + '"') != std::string_view::npos;
    if (listed) return std::nullopt;  // unless Triton or a feature stands in the way
    return Fact{"V1", "this vLLM's default"};
  }
  if (source->find(kProperty) == std::string::npos) return std::nullopt;
  if (platform == nullptr || platform->value != "cuda" || may_need_v1(command, known))
    return std::nullopt;
  return Fact{"V2", "this vLLM's default"};
}

}  // namespace sndr::probe
