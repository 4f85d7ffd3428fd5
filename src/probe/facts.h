// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "probe/gpu.h"
#include "probe/tree.h"

/// What is known about this start of vLLM, fact by fact, each with its source. The keys are
/// pack::gate_keys().
namespace sndr::probe {

struct Fact {
  std::string value;   ///< "turboquant_k8v4", "8.6", "true"
  std::string source;  ///< "--kv-cache-dtype", "config.json", "NVML", "--assume"
};

/// A fact that can't be learnt is not in the map: a gate on it is a skip that says which --assume
/// would answer.
struct Facts {
  std::map<std::string, Fact, std::less<>> known;
  std::vector<std::string> notes;  ///< what was seen but not understood, for people

  [[nodiscard]] const Fact* find(std::string_view key) const;
  void set(std::string key, std::string value, std::string source);
};

/// Every key that a fact can have, the same as pack::gate_keys() names.
[[nodiscard]] std::vector<std::string> fact_keys();

/// vLLM's own command line, as its argument parser would read it.
struct EngineCommand {
  bool is_vllm = false;            ///< a start of vLLM, server or offline, that we understand
  std::string entry;               ///< "vllm serve", "python -m vllm.entrypoints.openai.api_server"
  std::size_t first_argument = 0;  ///< index in argv where vLLM's arguments begin
  std::string model;               ///< empty = vLLM's default
  std::string host;                ///< empty = vLLM's default
  int port = 8000;
  /// Long name without dashes ("kv-cache-dtype", "speculative-config") -> the value that counts; a
  /// switch has "true" or "false". Dotted forms ("--speculative-config.method mtp") become one JSON
  /// text, which replaces a JSON value given with the plain flag, as in vLLM. A list flag with
  /// several values has a JSON list.
  std::map<std::string, std::string, std::less<>> flags;
  std::vector<std::string> unclear;  ///< long names that an ambiguous abbreviation may have meant
  std::string isolation;  ///< "-I", "-E" or "-S" of the interpreter: it won't load a boot hook
  std::vector<std::string> notes;  ///< what was seen but not understood, for people
};

/// Reads positional and --model forms, `--flag=value`, underscores for dashes, short flags (-tp),
/// booleans (--no-x), JSON values, dotted flags, `--config FILE` (flags on the line win), `bash -c`
/// bodies are not looked into.
[[nodiscard]] Result<EngineCommand> read_engine_command(const std::vector<std::string>& argv);

/// argv with `key: value` merged into --additional-config, which vLLM makes part of its
/// compile-cache key. An existing
/// --additional-config (flag, dotted, or in the --config file) is kept and extended.
[[nodiscard]] Result<std::vector<std::string>> with_additional_config(
    const std::vector<std::string>& argv, std::string_view key, std::string_view value);

/// All facts: --assume (`KEY=VALUE`) wins, then the command line, then the model's config.json,
/// then GPUs and the tree. Reads HF_HOME, HF_HUB_CACHE, CUDA_VISIBLE_DEVICES and
/// VLLM_USE_V2_MODEL_RUNNER of this process's environment.
[[nodiscard]] Result<Facts> gather(const std::optional<EngineCommand>& command,
                                   const std::optional<Tree>& tree, const GpuReport& gpus,
                                   const std::vector<std::string>& assumptions);

}  // namespace sndr::probe
