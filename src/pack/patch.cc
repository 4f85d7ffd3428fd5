// SPDX-License-Identifier: Apache-2.0
#include "pack/patch.h"

#include <string_view>
#include <vector>

namespace sndr::pack {

const std::vector<GateKey>& gate_keys() {
  using Kind = GateKey::Kind;
  static const std::vector<GateKey> keys = {
      {"platform", Kind::words, "cuda, rocm, xpu, cpu"},
      {"model_family", Kind::words, "`model_type` of the model's config.json: `qwen3_5*`"},
      {"architecture", Kind::words, "`architectures` of config.json"},
      {"quantization", Kind::words, "fp8, awq, auto-round, none"},
      {"kv_cache_dtype", Kind::words, "auto, fp8, turboquant_k8v4"},
      {"speculation", Kind::words, "mtp, eagle, eagle3, ngram, dflash, none"},
      {"compute_capability", Kind::range, "of the weakest card: 8.6, 9.0"},
      {"driver", Kind::range, "NVIDIA driver"},
      {"torch", Kind::range, "torch in vLLM's environment"},
      {"tensor_parallel", Kind::range, "size"},
      {"hybrid", Kind::flag, "attention and linear-attention layers mixed"},
      {"moe", Kind::flag, "mixture of experts"},
      {"runner", Kind::words, "V1 or V2 model runner"},
  };
  return keys;
}

std::string_view to_text(Mechanism value) {
  switch (value) {
    case Mechanism::text:
      return "text";
    case Mechanism::plugin:
      return "plugin";
    case Mechanism::gateway:
      return "gateway";
    case Mechanism::launch:
      return "launch";
  }
  return "";
}

std::string_view to_text(Lifecycle value) {
  switch (value) {
    case Lifecycle::stable:
      return "stable";
    case Lifecycle::experimental:
      return "experimental";
    case Lifecycle::retired:
      return "retired";
  }
  return "";
}

std::string_view to_text(Implementation value) {
  switch (value) {
    case Implementation::full:
      return "full";
    case Implementation::partial:
      return "partial";
    case Implementation::experimental:
      return "experimental";
    case Implementation::marker_only:
      return "marker_only";
    case Implementation::placeholder:
      return "placeholder";
    case Implementation::retired:
      return "retired";
  }
  return "";
}

}  // namespace sndr::pack
