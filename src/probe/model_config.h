// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "json/json.h"

/// A checkpoint's config.json, and what it says about the engine. Internal to probe.
namespace sndr::probe {

/// Where a model may lie, beside the working folder.
struct ModelQuery {
  std::string model;      ///< a folder, or a name on the hub ("Qwen/Qwen3.6-27B")
  std::string revision;   ///< a branch, tag or commit; empty = main
  std::string overrides;  ///< --hf-overrides, JSON
  std::vector<fs::path> caches;
};

/// The hub caches that HF_HUB_CACHE, HF_HOME and XDG_CACHE_HOME name, as huggingface_hub reads
/// them.
[[nodiscard]] std::vector<fs::path> hub_caches(
    const std::function<std::string(const char*)>& environment, const fs::path& home);

/// Its config.json with the overrides applied (and hf_quant_config.json, which older ModelOpt
/// checkpoints have beside it, as `quantization_config`). Nothing where the model isn't on this
/// machine; an error where the file is there but can't be read.
[[nodiscard]] Result<std::optional<json::Value>> read_model_config(const ModelQuery& query);

/// What vLLM would make of it. Empty text = it doesn't say.
struct ModelFacts {
  std::string architecture;
  std::string family;
  std::string quantization = "none";
  std::string kv_cache_dtype;  ///< that the checkpoint asks for where the flag is `auto`
  std::string speculators;     ///< algorithm of a checkpoint that brings its own drafter
  bool hybrid = false;
  bool moe = false;
};
[[nodiscard]] ModelFacts model_facts(const json::Value& config);

/// One name for each method: vLLM's "gptq_marlin" and "auto_gptq" are "gptq".
[[nodiscard]] std::string quantization_name(std::string_view method);

}  // namespace sndr::probe
