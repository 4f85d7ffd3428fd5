// SPDX-License-Identifier: Apache-2.0
#include "probe/model_config.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "json/json.h"

namespace sndr::probe {
namespace {

struct Renamed {
  std::string_view from;
  std::string_view to;
};

// `model_type` as config.json has it -> model_family. What isn't here keeps its own name; the text
// half of a multimodal checkpoint counts as the whole.
constexpr Renamed kFamilies[] = {
    {"qwen3_5_text", "qwen3_5"},          // Qwen3.5, 3.6 and 3.8, dense
    {"qwen3_5_moe_text", "qwen3_5_moe"},  // Qwen3.5/3.6-35B-A3B and larger
    {"qwen3_vl_text", "qwen3_vl"},
    {"qwen3_vl_moe_text", "qwen3_vl_moe"},
    {"qwen3_omni_moe_thinker", "qwen3_omni_moe"},
    {"gemma3_text", "gemma3"},
    {"gemma4_text", "gemma4"},
};

constexpr Renamed kQuantizations[] = {
    {"compressed_tensors", "compressed-tensors"},
    {"auto_round", "auto-round"},
    {"inc", "auto-round"},  // vLLM's class for it
    {"auto_gptq", "gptq"},
    {"gptq_marlin", "gptq"},
    {"auto_awq", "awq"},
    {"awq_marlin", "awq"},
};

// Fields that hold the number of experts, as vLLM reads them.
constexpr std::array<const char*, 4> kExperts = {"num_experts", "moe_num_experts",
                                                 "n_routed_experts", "num_local_experts"};

// Kinds of layers that keep a state instead of a KV cache.
constexpr std::array<std::string_view, 5> kStateLayers = {"linear_attention", "mamba", "mamba2",
                                                          "kda", "recurrent"};

// Families that are hybrid by default, where config.json leaves the layout out.
constexpr std::array<std::string_view, 3> kHybridFamilies = {"qwen3_next", "qwen3_5",
                                                             "qwen3_5_moe"};

template <std::size_t N>
std::string renamed(const Renamed (&table)[N], std::string_view name) {
  for (const auto& [from, to] : table)
    if (name == from) return std::string(to);
  return std::string(name);
}

const json::Value* object_member(const json::Value& value, std::string_view key) {
  const json::Value* found = json::find(value, key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

/// The language model's part of a multimodal config, or the config itself.
const json::Value& text_config(const json::Value& config) {
  const json::Value* text = object_member(config, "text_config");
  return text != nullptr ? *text : config;
}

double number_of(const json::Value* value) {
  if (value == nullptr) return 0;
  if (value->is_array() && !value->get_array().empty()) return number_of(&value->get_array()[0]);
  if (value->is_int64()) return static_cast<double>(value->get_int64());
  if (value->is_uint64()) return static_cast<double>(value->get_uint64());
  return value->is_double() ? value->get_double() : 0;
}

bool is_moe(const json::Value& text) {
  return std::any_of(kExperts.begin(), kExperts.end(),
                     [&](const char* key) { return number_of(json::find(text, key)) > 0; });
}

bool is_hybrid(const json::Value& text, std::string_view family) {
  for (const char* key : {"layer_types", "layers_block_type"}) {
    const json::Value* layers = json::find(text, key);
    if (layers == nullptr || !layers->is_array()) continue;
    return std::any_of(
        layers->get_array().begin(), layers->get_array().end(), [](const json::Value& layer) {
          return layer.is_string() &&
                 std::find(kStateLayers.begin(), kStateLayers.end(),
                           std::string_view(layer.get_string())) != kStateLayers.end();
        });
  }
  if (const json::Value* interval = json::find(text, "full_attention_interval"))
    return number_of(interval) > 1;
  if (json::find(text, "hybrid_override_pattern") != nullptr) return true;
  return std::find(kHybridFamilies.begin(), kHybridFamilies.end(), family) != kHybridFamilies.end();
}

/// The quantization block, wherever a checkpoint keeps it.
const json::Value* quantization_config(const json::Value& config) {
  for (const json::Value* part : {&config, &text_config(config)})
    for (const char* key : {"quantization_config", "compression_config"})
      if (const json::Value* found = object_member(*part, key)) return found;
  return nullptr;
}

/// ModelOpt's method depends on its algorithm.
std::string modelopt_name(const json::Value& config) {
  std::string algorithm = json::text_or(config, "quantization.quant_algo");
  if (algorithm.empty()) algorithm = json::text_or(config, "quant_algo");
  algorithm = upper(algorithm);
  if (algorithm.find("MXFP8") != std::string::npos) return "modelopt_mxfp8";
  if (algorithm.find("FP4") != std::string::npos) return "modelopt_fp4";
  if (algorithm == "MIXED_PRECISION") return "modelopt_mixed";
  return "modelopt";
}

std::string method_of(const json::Value& config) {
  const std::string method = lower(json::text_or(config, "quant_method"));
  const bool modelopt =
      method.starts_with("modelopt") || json::text_or(config, "producer.name") == "modelopt";
  if (modelopt) return modelopt_name(config);
  return method.empty() ? "none" : quantization_name(method);
}

/// The cache type that the weights were made for; vLLM follows it where the flag says `auto`.
std::string kv_cache_of(const json::Value& config, std::string_view method) {
  const json::Value* scheme = json::find(config, "kv_cache_scheme");
  const bool eight_bits =
      scheme != nullptr && scheme->is_object() && number_of(json::find(*scheme, "num_bits")) == 8;
  if (method == "compressed-tensors") return eight_bits ? "fp8" : "";
  if (!method.starts_with("modelopt")) return {};
  std::string name = json::text_or(config, "quantization.kv_cache_quant_algo");
  if (name.empty()) name = json::text_or(config, "kv_cache_quant_algo");
  if (eight_bits || lower(name) == "fp8") return "fp8_e4m3";
  return lower(name) == "nvfp4" ? "nvfp4" : "";
}

void merge(json::Object& into, const json::Object& update) {
  for (const auto& [key, value] : update) {
    json::Value* old = into.if_contains(key);
    if (old != nullptr && old->is_object() && value.is_object())
      merge(old->get_object(), value.get_object());
    else
      into[key] = value;
  }
}

/// <cache>/models--org--name/snapshots/<commit>, by the revision's ref.
fs::path snapshot_in(const fs::path& cache, const ModelQuery& query) {
  const fs::path folder = cache / ("models--" + replace_all(query.model, "/", "--"));
  const std::string revision = query.revision.empty() ? "main" : query.revision;
  const auto commit = read_file(folder / "refs" / revision);
  const fs::path snapshot = folder / "snapshots" / (commit ? std::string(trim(*commit)) : revision);
  return stat_path(snapshot).is_dir ? snapshot : fs::path{};
}

fs::path model_folder(const ModelQuery& query) {
  if (stat_path(query.model).is_dir) return query.model;
  for (const auto& cache : query.caches)
    if (fs::path found = snapshot_in(cache, query); !found.empty()) return found;
  return {};
}

Result<json::Value> read_object(const fs::path& file) {
  SNDR_TRY(const auto text, read_file(file));
  SNDR_TRY(auto value, json::parse(text, file.string()));
  if (value.is_object()) return value;
  Error error;
  error.code = Errc::invalid_input;
  error.what = "a model's config is a JSON object";
  error.where = {file.string(), 1, 1};
  return fail(std::move(error));
}

}  // namespace

std::string quantization_name(std::string_view method) {
  return renamed(kQuantizations, lower(method));
}

std::vector<fs::path> hub_caches(const std::function<std::string(const char*)>& environment,
                                 const fs::path& home) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const std::string cache = environment(name); !cache.empty()) return {cache};
  if (const std::string hf = environment("HF_HOME"); !hf.empty()) return {fs::path(hf) / "hub"};
  const std::string xdg = environment("XDG_CACHE_HOME");
  return {(xdg.empty() ? home / ".cache" : fs::path(xdg)) / "huggingface/hub"};
}

Result<std::optional<json::Value>> read_model_config(const ModelQuery& query) {
  const fs::path folder = model_folder(query);
  if (folder.empty() || !stat_path(folder / "config.json").is_file) return std::nullopt;
  SNDR_TRY(auto config, read_object(folder / "config.json"));
  json::Object& root = config.get_object();
  const fs::path beside = folder / "hf_quant_config.json";
  if (quantization_config(config) == nullptr && stat_path(beside).is_file) {
    SNDR_TRY(root["quantization_config"], read_object(beside));
  }
  if (!query.overrides.empty()) {
    const auto overrides = json::parse(query.overrides, "--hf-overrides");
    if (overrides && overrides->is_object()) merge(root, overrides->get_object());
  }
  return std::optional<json::Value>(std::move(config));
}

ModelFacts model_facts(const json::Value& config) {
  ModelFacts out;
  if (const json::Value* list = json::find(config, "architectures");
      list != nullptr && list->is_array() && !list->get_array().empty() &&
      list->get_array()[0].is_string())
    out.architecture = std::string(list->get_array()[0].get_string());
  out.family = renamed(kFamilies, json::text_or(config, "model_type"));
  const json::Value& text = text_config(config);
  out.moe = is_moe(text);
  out.hybrid = is_hybrid(text, out.family);
  if (const json::Value* quantization = quantization_config(config)) {
    out.quantization = method_of(*quantization);
    out.kv_cache_dtype = kv_cache_of(*quantization, out.quantization);
  }
  if (const json::Value* speculators = object_member(config, "speculators_config"))
    out.speculators = json::text_or(*speculators, "algorithm", "unknown");
  return out;
}

}  // namespace sndr::probe
