// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "probe/facts.h"
#include "probe/testing.h"

namespace sndr::probe {
namespace {

using testing::TempDir;

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> out;
  for (const auto word : split(line, ' ')) out.emplace_back(word);
  return out;
}

/// "kv-cache-dtype=fp8 port=8001"
std::string flags_text(const EngineCommand& command) {
  std::string out;
  for (const auto& [name, value] : command.flags) {
    if (!out.empty()) out += ' ';
    out += name;
    out += '=';
    out += value;
  }
  return out;
}

struct Line {
  const char* line;
  const char* model;
  const char* flags;
  const char* notes = "";
};

/// What stands behind `vllm serve`, with what vLLM 0.32.0's own parser made of the same words.
constexpr Line kServeLines[] = {
    {"org/m", "org/m", ""},
    {"", "", ""},
    {"m --kv-cache-dtype fp8", "m", "kv-cache-dtype=fp8"},
    {"m --kv-cache-dtype=fp8_e5m2", "m", "kv-cache-dtype=fp8_e5m2"},
    {"m --kv_cache_dtype turboquant_k8v4", "m", "kv-cache-dtype=turboquant_k8v4"},
    {"m --kv_cache_dtype=auto", "m", "kv-cache-dtype=auto"},
    {"m --kv-cache-dtype fp8 --kv-cache-dtype auto", "m", "kv-cache-dtype=auto"},
    // --model moves to the front.
    {"--model m -tp 2", "m", "tensor-parallel-size=2"},
    {"-tp 2 --model=m --port 8001", "m", "port=8001 tensor-parallel-size=2"},
    {"--enforce-eager m", "m", "enforce-eager=true"},
    {"-tp 2 m", "m", "tensor-parallel-size=2"},
    {"m --model n", "n", "", "'m' is one word too many: vLLM refuses it"},
    {"--model", "", "", "--model has no value: vLLM refuses that"},
    // Short flags.
    {"m -tp=4", "m", "tensor-parallel-size=4"},
    {"m -tp 2 --tensor-parallel-size 4", "m", "tensor-parallel-size=4"},
    {"m -q awq", "m", "quantization=awq"},
    {"m -qawq", "m", "quantization=awq"},
    {"m -n2 -r 1", "m", "nnodes=2 node-rank=1"},
    {"m -pp 2 -dcp 2 -pcp 1", "m",
     "decode-context-parallel-size=2 pipeline-parallel-size=2 prefill-context-parallel-size=1"},
    {"m -dp 2 -dpl 1 -ep", "m",
     "data-parallel-size=2 data-parallel-size-local=1 enable-expert-parallel=true"},
    {"m -asc 4 -dpa h -dpp 1", "m",
     "api-server-count=4 data-parallel-address=h data-parallel-rpc-port=1"},
    {"m -t 2", "m", "tensor-parallel-size=2"},
    {"m -tp4", "m", "tp4=true", "-tp4 is a flag that we don't know"},
    // Switches.
    {"m --enable-prefix-caching", "m", "enable-prefix-caching=true"},
    {"m --no-enable-prefix-caching", "m", "enable-prefix-caching=false"},
    {"m --no-enable-prefix", "m", "enable-prefix-caching=false"},
    {"m --no_enable_prefix_caching", "m", "enable-prefix-caching=false"},
    {"m --disable-prefix-caching", "m", "enable-prefix-caching=false"},
    {"m --disable-log-stats --enforce-eager --trust-remote-code", "m",
     "disable-log-stats=true enforce-eager=true trust-remote-code=true"},
    {"m --enforce-eager=1", "m", "enforce-eager=true",
     "--enforce-eager takes no value: vLLM refuses '--enforce-eager=1'"},
    {"m --enable-chunked-prefill --no-enable-chunked-prefill", "m", "enable-chunked-prefill=false"},
    // Optimization level.
    {"m -O3", "m", "optimization-level=3"},
    {"m -O=2", "m", "optimization-level=2"},
    {"m -O 1", "m", "optimization-level=1"},
    // Lists.
    {"m --served-model-name a b", "m", R"(served-model-name=["a","b"])"},
    {"m --served-model-name=a", "m", "served-model-name=a"},
    {"m --served-model-name a --served-model-name b", "m", "served-model-name=b"},
    {"--served-model-name a b m", "", R"(served-model-name=["a","b","m"])"},
    {"m -O1 --cudagraph-capture-sizes 1 2 4", "m",
     R"(cudagraph-capture-sizes=["1","2","4"] optimization-level=1)"},
    {"m --api-key k1 k2 --port 8001", "m", R"(api-key=["k1","k2"] port=8001)"},
    {"m --lora-modules a=b c=d", "m", R"(lora-modules=["a=b","c=d"])"},
    {"m --middleware a --middleware b", "m", R"(middleware=["a","b"])"},
    // JSON and dotted forms.
    {R"(m --speculative-config {"method":"mtp","num_speculative_tokens":3})", "m",
     R"(speculative-config={"method":"mtp","num_speculative_tokens":3})"},
    {R"(m -sc {"method":"ngram"})", "m", R"(speculative-config={"method":"ngram"})"},
    {"m --speculative-config.method mtp --speculative-config.num_speculative_tokens 5", "m",
     R"(speculative-config={"method":"mtp","num_speculative_tokens":5})"},
    {"m --speculative_config.method mtp", "m", R"(speculative-config={"method":"mtp"})"},
    {"m -sc.method=mtp -sc.num_speculative_tokens=2", "m",
     R"(speculative-config={"method":"mtp","num_speculative_tokens":2})"},
    {"m -sc.method", "m", "", "-sc.method has no value: vLLM refuses that"},
    {R"(m --speculative-config {"method":"ngram"} --speculative-config.num_speculative_tokens 5)",
     "m", R"(speculative-config={"num_speculative_tokens":5})",
     R"(--speculative-config is given twice: vLLM uses {"num_speculative_tokens":5} alone)"},
    {"m --hf-overrides.rope_scaling.factor 2.0 --hf-overrides.rope_scaling.rope_type yarn", "m",
     R"(hf-overrides={"rope_scaling":{"factor":2.0,"rope_type":"yarn"}})"},
    {"m --hf-overrides.architectures+ A,B --hf-overrides.architectures+ C", "m",
     R"(hf-overrides={"architectures":["A","B","C"]})"},
    {"m --hf-overrides.a 10k --hf-overrides.b 2K --hf-overrides.c 1.5m --hf-overrides.d 1.5K", "m",
     R"(hf-overrides={"a":10000,"b":2048,"c":1500000,"d":"1.5K"})"},
    {"m --hf-overrides.a true --hf-overrides.b True --hf-overrides.a 1", "m",
     R"(hf-overrides={"a":1,"b":"True"})"},
    {"m -cc.mode 3", "m", R"(compilation-config={"mode":3})"},
    {"m --compilation-config.pass_config.fuse_norm_quant=true", "m",
     R"(compilation-config={"pass_config":{"fuse_norm_quant":true}})"},
    {R"(m --additional-config {"a":1})", "m", R"(additional-config={"a":1})"},
    {"m --spec-method mtp --spec-tokens 3", "m", "spec-method=mtp spec-tokens=3"},
    // Abbreviations: accepted where they mean one flag.
    {"m --gpu-mem 0.9", "m", "gpu-memory-utilization=0.9"},
    {"m --device-memory-utilization 0.8", "m", "gpu-memory-utilization=0.8"},
    {"m --enable-auto --tool-call-parser qwen3_coder", "m",
     "enable-auto-tool-choice=true tool-call-parser=qwen3_coder"},
    {"m --kv-cache-d fp8", "m", "",
     "--kv-cache-d could be --kv-cache-dtype or --kv-cache-dtype-skip-layers: write it out"},
    {"m --quant fp8", "m", "",
     "--quant could be --quantization or --quantization-config: write it out"},
    // Values that look like flags.
    {"m --max-model-len -1", "m", "max-model-len=-1"},
    {"m --max-model-len auto", "m", "max-model-len=auto"},
    {"m --max-num-seqs=4 --max_num_batched_tokens=8k", "m",
     "max-num-batched-tokens=8k max-num-seqs=4"},
    {"m --chat-template -", "m", "chat-template=-"},
    {"m --override-generation-config.temperature 0.5", "m",
     R"(override-generation-config={"temperature":0.5})"},
    {"m --hf-token", "m", "hf-token=true"},
    {"m --hf-token t", "m", "hf-token=t"},
    {"m --kv-cache-dtype", "m", "", "--kv-cache-dtype has no value: vLLM refuses that"},
    {"m --kv-cache-dtype --enforce-eager", "m", "enforce-eager=true",
     "--kv-cache-dtype has no value: vLLM refuses that"},
    {"m extra", "m", "", "'extra' is one word too many: vLLM refuses it"},
    {"-- m", "m", ""},
    {"m --no-such-flag 1 --port 8001", "m", "no-such-flag=1 port=8001",
     "--no-such-flag is a flag that we don't know"},
    {"m --no-such-switch --port 8001", "m", "no-such-switch=true port=8001",
     "--no-such-switch is a flag that we don't know"},
    {"m --config=a.yaml", "m", "config=a.yaml",
     "--config=a.yaml is ignored by vLLM: write `--config FILE` as two words"},
};

TEST(EngineCommand, WhatVllmServeIsGiven) {
  for (const auto& test : kServeLines) {
    std::vector<std::string> argv = {"vllm", "serve"};
    if (*test.line != '\0')
      for (auto& word : words(test.line)) argv.push_back(std::move(word));
    const auto command = read_engine_command(argv);
    ASSERT_TRUE(command) << test.line << ": " << render(command.error());
    EXPECT_TRUE(command->is_vllm);
    EXPECT_EQ(command->entry, "vllm serve");
    EXPECT_EQ(command->first_argument, 2U);
    EXPECT_EQ(command->model, test.model) << test.line;
    EXPECT_EQ(flags_text(*command), test.flags) << test.line;
    EXPECT_EQ(join(command->notes, "; "), test.notes) << test.line;
  }
}

TEST(EngineCommand, AValueWithBlanksMayBeginWithADash) {
  const auto command =
      read_engine_command({"vllm", "serve", "m", "--chat-template", "- a b", "--port", "8001"});
  ASSERT_TRUE(command);
  EXPECT_EQ(flags_text(*command), "chat-template=- a b port=8001");
}

TEST(EngineCommand, WhatIsUnclear) {
  const auto command = read_engine_command(words("vllm serve m --kv-cache-d fp8 --quant=fp8"));
  ASSERT_TRUE(command);
  EXPECT_EQ(join(command->unclear, " "),
            "kv-cache-dtype kv-cache-dtype-skip-layers quantization quantization-config");
}

struct Head {
  const char* line;
  const char* entry;  ///< empty: not a start of vLLM
  std::size_t first;
  const char* model;
  const char* isolation = "";
  const char* notes = "";
};

constexpr Head kHeads[] = {
    {"vllm serve m", "vllm serve", 2, "m"},
    {"/opt/venv/bin/vllm serve m", "vllm serve", 2, "m"},
    {"python3 /opt/venv/bin/vllm serve m", "python vllm serve", 3, "m"},
    {"python -m vllm.entrypoints.openai.api_server --model m",
     "python -m vllm.entrypoints.openai.api_server", 3, "m"},
    {"/usr/bin/python3.12 -u -m vllm.entrypoints.openai.api_server --model m",
     "python -m vllm.entrypoints.openai.api_server", 4, "m"},
    {"python3 -Xdev -W ignore -Bm vllm.entrypoints.openai.api_server --model=m",
     "python -m vllm.entrypoints.openai.api_server", 6, "m"},
    {"python3 -mvllm.entrypoints.openai.api_server --model m",
     "python -m vllm.entrypoints.openai.api_server", 2, "m"},
    {"python3 -m vllm.entrypoints.openai.api_server m",
     "python -m vllm.entrypoints.openai.api_server", 3, "", "",
     "'m' is not taken as the model by `python -m vllm.entrypoints.openai.api_server`: use "
     "--model"},
    {"python3 -m vllm.entrypoints.cli.main serve m", "python -m vllm.entrypoints.cli.main serve", 4,
     "m"},
    {"python3 -I -m vllm.entrypoints.cli.main serve m", "python -m vllm.entrypoints.cli.main serve",
     5, "m", "-I"},
    {"python3 -uES /b/vllm serve m", "python vllm serve", 4, "m", "-E -S"},
    {"python3 -m vllm.entrypoints.api_server --model m", "python -m vllm.entrypoints.api_server", 3,
     "m"},
    {"vllm run-batch --model m", "vllm run-batch", 2, "m"},
    {"vllm bench latency --model m", "vllm bench latency", 3, "m"},
    {"vllm snapshot create m", "vllm snapshot create", 3, "m"},
    {"vllm", "", 0, "", "", "`vllm` alone starts no engine"},
    {"vllm chat --url x", "", 0, "", "", "`vllm chat` starts no engine"},
    {"vllm bench serve --model m", "", 0, "", "", "`vllm bench` starts no engine"},
    {"python3 -m http.server", "", 0, "", "",
     "`python -m http.server` isn't a start of vLLM that we know"},
    {"python3 offline.py --model m", "", 0, "", "",
     "offline.py is a script of its own: what it starts isn't known"},
    {"python3 -c print(1)", "", 0, "", "", "Python code on the command line isn't looked into"},
    {"env A=1 vllm serve m", "", 0, "", "",
     "`env` starts the command behind it, which isn't looked into"},
    {"/usr/bin/numactl -N0 vllm serve m", "", 0, "", "",
     "`numactl` starts the command behind it, which isn't looked into"},
    {"nice -n 5 vllm serve m", "", 0, "", "",
     "`nice` starts the command behind it, which isn't looked into"},
    {"bash -c vllm", "", 0, "", "", "`bash` starts the command behind it, which isn't looked into"},
    {"llama-server -m x", "", 0, "", "", "`llama-server` isn't a start of vLLM that we know"},
};

TEST(EngineCommand, WaysToStartIt) {
  for (const auto& test : kHeads) {
    const auto command = read_engine_command(words(test.line));
    ASSERT_TRUE(command) << test.line;
    EXPECT_EQ(command->is_vllm, *test.entry != '\0') << test.line;
    EXPECT_EQ(command->entry, test.entry) << test.line;
    EXPECT_EQ(command->first_argument, test.first) << test.line;
    EXPECT_EQ(command->model, test.model) << test.line;
    EXPECT_EQ(command->isolation, test.isolation) << test.line;
    EXPECT_EQ(join(command->notes, "; "), test.notes) << test.line;
  }
  const auto nothing = read_engine_command({});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(join(nothing->notes, "; "), "there is no command");
}

TEST(EngineCommand, Address) {
  const auto plain = read_engine_command(words("vllm serve m"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "");
  EXPECT_EQ(plain->port, 8000);
  const auto given = read_engine_command(words("vllm serve m --host 0.0.0.0 --port=9000"));
  ASSERT_TRUE(given);
  EXPECT_EQ(given->host, "0.0.0.0");
  EXPECT_EQ(given->port, 9000);
  const auto wrong = read_engine_command(words("vllm serve m --port many"));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(join(wrong->notes, "; "), "--port many is not a number");
}

constexpr const char* kConfig =
    "model: org/from-config\n"
    "max_model_len: 8192\n"
    "kv-cache-dtype: fp8\n"
    "enable-prefix-caching: true\n"
    "enable-chunked-prefill: false\n"
    "headless: off\n"
    "served-model-name: [a, b]\n"
    "empty: []\n"
    "speculative-config:\n"
    "  method: mtp\n"
    "  num_speculative_tokens: 3\n"
    "hf-overrides: {a: {b: [1, 2.5, 'x', no, ~]}}\n"
    "seed: 0x10\n"
    "port: 012000\n"
    "max-num-seqs: 1_000\n"
    "chat-template: 'on'\n"
    "tokenizer: null\n"
    "trust_remote_code: Yes\n";

TEST(EngineConfig, EntriesBecomeFlagsAndTheLineWins) {
  const TempDir dir;
  const std::string file = dir.write("c.yaml", kConfig).string();
  const std::string from_file =
      "chat-template=on enable-chunked-prefill=false enable-prefix-caching=true "
      R"(hf-overrides={"a":{"b":[1,2.5,"x",false,null]}} kv-cache-dtype=fp8 )"
      "max-model-len=8192 max-num-seqs=1000 model=org/from-config port=5120 seed=16 "
      R"(served-model-name=["a","b"] )"
      R"(speculative-config={"method":"mtp","num_speculative_tokens":3} )"
      "tokenizer=None trust-remote-code=true";
  const auto alone = read_engine_command({"vllm", "serve", "--config", file});
  ASSERT_TRUE(alone) << render(alone.error());
  EXPECT_EQ(flags_text(*alone), from_file);
  EXPECT_EQ(alone->model, "org/from-config");
  EXPECT_EQ(join(alone->notes, "; "), "");

  const auto both = read_engine_command(
      {"vllm", "serve", "m", "--kv-cache-dtype", "auto", "--config", file, "--port", "9000"});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->model, "m");
  EXPECT_EQ(both->flags.at("kv-cache-dtype"), "auto");
  EXPECT_EQ(both->port, 9000);

  const auto module = read_engine_command(
      {"python3", "-m", "vllm.entrypoints.openai.api_server", "--config", file, "--model", "n"});
  ASSERT_TRUE(module);
  EXPECT_EQ(module->model, "n");
}

TEST(EngineConfig, Refusals) {
  const TempDir dir;
  const std::string list = dir.write("list.yml", "- a\n").string();
  const std::string twice = dir.write("twice.yaml", "port: 1\nport: 2\n").string();
  const std::string json = dir.write("c.json", "{}").string();
  const std::string good = dir.write("good.yaml", "port: 1\n").string();
  const std::string gone = (dir / "gone.yaml").string();
  const struct {
    std::vector<std::string> tail;
    Errc code;
    std::string message;
  } cases[] = {
      {{"--config"}, Errc::invalid_input, "--config has no file behind it"},
      {{"--config", gone}, Errc::not_found, "--config " + gone + ": no such file"},
      {{"--config", json},
       Errc::invalid_input,
       "--config " + json + ": vLLM takes only *.yaml and *.yml"},
      {{"--config", good, "--config", good},
       Errc::invalid_input,
       "--config is given twice: vLLM takes one file"},
      {{"--config", list},
       Errc::invalid_input,
       list + ":1:1: a vLLM config file is a map of flags to values\n  write one flag a line, "
              "without its dashes: max-model-len: 8192"},
      {{"--config", twice}, Errc::invalid_input, twice + ":2:1: duplicate key 'port'"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> argv = {"vllm", "serve", "m"};
    argv.insert(argv.end(), test.tail.begin(), test.tail.end());
    const auto command = read_engine_command(argv);
    ASSERT_FALSE(command) << test.message;
    EXPECT_EQ(command.error().code, test.code);
    EXPECT_EQ(render(command.error()), test.message);
  }
}

struct Addition {
  const char* line;
  const char* after;
};

TEST(AdditionalConfig, IsAddedAndNothingIsLost) {
  const Addition cases[] = {
      {"vllm serve m", R"(vllm serve m --additional-config {"genesis":"4f1c"})"},
      {"vllm serve m -tp 2 -- x",
       R"(vllm serve m -tp 2 --additional-config {"genesis":"4f1c"} -- x)"},
      {R"(vllm serve m --additional-config {"a":1} -tp 2)",
       R"(vllm serve m -tp 2 --additional-config {"a":1,"genesis":"4f1c"})"},
      {R"(vllm serve m --additional_config={"a":{"b":[1]}})",
       R"(vllm serve m --additional-config {"a":{"b":[1]},"genesis":"4f1c"})"},
      {"vllm serve m --additional-config.a 1 --additional-config.b.c=x -tp 2",
       R"(vllm serve m -tp 2 --additional-config {"a":1,"b":{"c":"x"},"genesis":"4f1c"})"},
      {R"(vllm serve m --addit {"a":1})",
       R"(vllm serve m --additional-config {"a":1,"genesis":"4f1c"})"},
      {R"(vllm serve m --additional-config {"genesis":"old"})",
       R"(vllm serve m --additional-config {"genesis":"4f1c"})"},
      {R"(vllm serve m --additional-config {"a":1} --additional-config {"b":2})",
       R"(vllm serve m --additional-config {"b":2,"genesis":"4f1c"})"},
      {"python3 -m vllm.entrypoints.openai.api_server --model m",
       "python3 -m vllm.entrypoints.openai.api_server --model m --additional-config "
       R"({"genesis":"4f1c"})"},
      {"env A=1 vllm serve m", "env A=1 vllm serve m"},
      {"python3 script.py", "python3 script.py"},
  };
  for (const auto& test : cases) {
    const auto argv = with_additional_config(words(test.line), "genesis", "4f1c");
    ASSERT_TRUE(argv) << test.line << ": " << render(argv.error());
    EXPECT_EQ(join(*argv, " "), test.after);
  }
}

TEST(AdditionalConfig, OfAConfigFile) {
  const TempDir dir;
  const std::string file =
      dir.write("c.yaml", "additional-config:\n  a: 1\n  b: {c: x}\n").string();
  const auto argv =
      with_additional_config({"vllm", "serve", "m", "--config", file}, "genesis", "4f1c");
  ASSERT_TRUE(argv);
  EXPECT_EQ(argv->back(), R"({"a":1,"b":{"c":"x"},"genesis":"4f1c"})");
  const auto command = read_engine_command(*argv);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->flags.at("additional-config"), argv->back());
}

TEST(AdditionalConfig, Refusals) {
  const auto list =
      with_additional_config(words("vllm serve m --additional-config [1]"), "genesis", "4f1c");
  ASSERT_FALSE(list);
  EXPECT_EQ(render(list.error()),
            "--additional-config [1] is not a JSON object\n"
            R"(  write it as --additional-config '{"key": "value"}')");
  const auto text =
      with_additional_config(words("vllm serve m --additional-config nonsense"), "genesis", "4f1c");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().where.file, "--additional-config");
}

}  // namespace
}  // namespace sndr::probe
