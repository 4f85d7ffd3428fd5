// SPDX-License-Identifier: Apache-2.0
#include "probe/engine_flags.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

/// vLLM's parser is built at run time from its config classes, so its flags can't be read without
/// starting it. These are the flags of 0.22.1, 0.24.0, 0.32.0 and 0.33.0 together, as their parsers
/// list them; no flag changed its kind between them. The list is needed to tell a switch from a
/// flag with a value, and to resolve abbreviations, which vLLM accepts.
namespace sndr::probe {
namespace {

constexpr std::string_view kSwitches =
    "allow-credentials allow-deprecated-quantization async-scheduling calculate-kv-scales "
    "cohere-is-reasoning-model cudagraph-metrics data-parallel-external-lb "
    "data-parallel-hybrid-lb dcp-q-replicate disable-cascade-attn disable-chunked-mm-input "
    "disable-custom-all-reduce disable-fastapi-docs disable-hybrid-kv-cache-manager "
    "disable-nccl-for-dp-synchronization disable-sliding-window disable-uvicorn-access-log "
    "enable-auto-tool-choice enable-batch-sharded-sampling enable-chunked-prefill "
    "enable-cumem-allocator enable-dbo enable-elastic-ep enable-ep-weight-filter enable-eplb "
    "enable-expert-parallel enable-fault-tolerance enable-flash-late-interaction "
    "enable-flashinfer-autotune enable-force-include-usage enable-hc-sp "
    "enable-layerwise-nvtx-tracing enable-log-deltas enable-log-outputs enable-log-requests "
    "enable-logging-iteration-details enable-lora enable-mamba-cache-stochastic-rounding "
    "enable-mamba-shared-prefix-checkpoint enable-mfu-metrics enable-mixed-moe-lora-format "
    "enable-mm-embeds enable-moe-shared-loras enable-nccl-comm-suspend enable-offline-docs "
    "enable-per-request-metrics enable-prefix-caching enable-prompt-embeds "
    "enable-prompt-tokens-details enable-request-id-headers enable-return-routed-experts "
    "enable-scale-out enable-server-load-tracking enable-shm-tensor-arena enable-sleep-mode "
    "enable-ssl-refresh enable-tokenizer-info-endpoint enable-tower-connector-lora "
    "enable-trace-replay enforce-eager exclude-tools-when-tool-choice-none "
    "fail-on-environ-validation fully-sharded-loras interleave-mm-strings jit-monitor-verbose "
    "kv-cache-metrics kv-sharing-fast-prefill language-model-only log-error-stack "
    "long-prefill-token-threshold-adaptive mm-device-do-normalize mm-encoder-only monokernel "
    "numa-bind ray-workers-use-nsight return-sampling-mask return-tokens-as-token-ids "
    "scheduler-reserve-full-isl skip-mm-profiling skip-tokenizer-init "
    "sleep-mode-offload-cudagraph specialize-active-lora swa-bounded-replay tokens-only "
    "trust-remote-code trust-request-chat-template trust-request-mm-kwargs use-fp64-gumbel "
    "use-replayssm use-tqdm-on-load";

// Without a --no- form.
constexpr std::string_view kPlainSwitches =
    "aggregate-engine-logging data-parallel-multi-port-external-lb disable-log-stats grpc "
    "headless help";

constexpr std::string_view kLists =
    "allowed-media-domains api-key collect-detailed-traces cpu-offload-params "
    "cudagraph-capture-sizes ignore-patterns kv-cache-dtype-skip-layers logits-processors "
    "lora-modules lora-target-modules numa-bind-cpus numa-bind-nodes offload-params "
    "served-model-name sleep-preserve-parameter-names";

constexpr std::string_view kAppends = "middleware";

// A value or none: `--hf-token` alone takes the one that was stored.
constexpr std::string_view kMaybes = "hf-token";

constexpr std::string_view kValues =
    "additional-config all2all-backend allowed-headers allowed-local-media-path allowed-methods "
    "allowed-origins anthropic-disabled-thinking-effort api-server-count attention-backend "
    "attention-config aux-output-config block-size chat-template chat-template-content-format "
    "code-revision cohere-format compilation-config config config-format convert "
    "cp-kv-cache-interleave-size cpu-distributed-timeout-seconds cpu-offload-gb "
    "custom-histogram-buckets data-parallel-address data-parallel-backend data-parallel-rank "
    "data-parallel-rpc-port data-parallel-size data-parallel-size-local "
    "data-parallel-start-rank data-parallel-supervisor-port dbo-decode-token-threshold "
    "dbo-prefill-token-threshold dcp-comm-backend dcp-kv-cache-interleave-size "
    "decode-context-parallel-size default-chat-template-kwargs default-mm-loras device-ids "
    "diffusion-config disable-access-log-for-endpoints distributed-executor-backend "
    "distributed-timeout-seconds download-dir dp-supervisor-probe-failure-threshold "
    "dp-supervisor-probe-interval-s dp-supervisor-probe-timeout-s dp-sync-interval dtype "
    "ec-manager-config ec-transfer-config elastic-ep-max-dp-size engram-config eplb-config "
    "expert-placement-strategy fault-tolerance-config fingerprint-mode fingerprint-value "
    "gdn-prefill-backend generation-config gpu-memory-utilization grpc-port "
    "h11-max-header-count h11-max-incomplete-event-size hf-config-path hf-overrides host "
    "io-processor-plugin ir-op-priority jit-monitor-mode kda-decode-backend kda-prefill-backend "
    "kernel-config kv-cache-dtype kv-cache-memory-bytes kv-cache-metrics-sample "
    "kv-events-config kv-offloading-backend kv-offloading-size kv-transfer-config "
    "limit-mm-per-prompt linear-backend load-format log-config-file log-level logging-config "
    "logprobs-mode long-prefill-token-threshold lora-dtype mamba-backend mamba-block-size "
    "mamba-cache-dtype mamba-cache-mode mamba-cache-philox-rounds mamba-ssm-cache-dtype "
    "mamba-ssu-algorithm master-addr master-port max-cpu-loras max-cudagraph-capture-size "
    "max-log-len max-logprobs max-long-partial-prefills max-lora-cls-labels max-lora-rank "
    "max-loras max-model-len max-num-active-seqs max-num-batched-tokens "
    "max-num-partial-prefills max-num-queued-reqs max-num-queued-tokens "
    "max-num-scheduled-tokens max-num-seqs max-parallel-loading-workers media-io-kwargs "
    "mm-encoder-attn-backend mm-encoder-attn-dtype mm-encoder-fp8-scale-path "
    "mm-encoder-fp8-scale-save-margin mm-encoder-fp8-scale-save-path mm-encoder-tp-mode "
    "mm-hasher-algorithm mm-ipc-gpu-memory-gb mm-processor-cache-gb mm-processor-cache-type "
    "mm-processor-device mm-processor-kwargs mm-shm-cache-max-object-size-mb mm-tensor-ipc "
    "model model-class-overrides model-impl model-loader-extra-config moe-backend nnodes "
    "node-rank num-gpu-blocks-override offload-backend offload-group-size offload-num-in-group "
    "offload-prefetch-step optimization-level otlp-traces-endpoint override-attention-dtype "
    "override-generation-config per-request-spec-decode-metrics performance-mode "
    "pipeline-parallel-size pooler-config port prefill-context-parallel-size "
    "prefill-schedule-interval prefix-cache-retention-interval prefix-caching-hash-algo "
    "prefix-match-unit profiler-config pt-load-map-location quantization quantization-config "
    "reasoning-config reasoning-effort-map reasoning-parser reasoning-parser-plugin "
    "renderer-num-workers replayssm-buffer-len response-role revision root-path runner "
    "safetensors-load-strategy safetensors-prefetch-block-size safetensors-prefetch-num-threads "
    "scheduler-cls scheduling-policy seed show-hidden-metrics-for-version shutdown-timeout "
    "sleep-mode-backend sparse-indexer-topk-backend spec-method spec-model spec-tokens "
    "speculative-config sse-keep-alive-interval ssl-ca-certs ssl-cert-reqs ssl-certfile "
    "ssl-ciphers ssl-keyfile stream-interval structured-outputs-config tensor-parallel-size "
    "tokenizer tokenizer-mode tokenizer-revision tool-call-parser tool-parser-plugin "
    "tool-server tool-strict-level ubatch-size uds uvicorn-log-level video-pruning-method "
    "video-pruning-rate watchdog-config watermark watermark-config weight-transfer-config "
    "worker-cls worker-extension-cls";

struct Alias {
  std::string_view option;
  std::string_view name;
};

// As 0.33.0's engine/arg_utils.py and entrypoints/common/cli_args.py register them.
constexpr Alias kAliases[] = {
    {"-ac", "attention-config"},
    {"-asc", "api-server-count"},
    {"-cc", "compilation-config"},
    {"-dc", "diffusion-config"},
    {"-dcp", "decode-context-parallel-size"},
    {"-dp", "data-parallel-size"},
    {"-dpa", "data-parallel-address"},
    {"-dpb", "data-parallel-backend"},
    {"-dpe", "data-parallel-external-lb"},
    {"-dph", "data-parallel-hybrid-lb"},
    {"-dpl", "data-parallel-size-local"},
    {"-dpm", "data-parallel-multi-port-external-lb"},
    {"-dpn", "data-parallel-rank"},
    {"-dpp", "data-parallel-rpc-port"},
    {"-dpr", "data-parallel-start-rank"},
    {"-ep", "enable-expert-parallel"},
    {"-h", "help"},
    {"-n", "nnodes"},
    {"-pcp", "prefill-context-parallel-size"},
    {"-pp", "pipeline-parallel-size"},
    {"-q", "quantization"},
    {"-r", "node-rank"},
    {"-sc", "speculative-config"},
    {"-tp", "tensor-parallel-size"},
    {"--device-memory-utilization", "gpu-memory-utilization"},
};

struct OptionString {
  std::string text;
  const EngineFlag* flag;
  bool negated;
};

/// Every string that vLLM's parser registers, sorted by text.
class Registry {
 public:
  Registry() {
    add(kSwitches, EngineFlag::Kind::on_off);
    add(kPlainSwitches, EngineFlag::Kind::on_off);
    add(kLists, EngineFlag::Kind::list);
    add(kAppends, EngineFlag::Kind::append);
    add(kMaybes, EngineFlag::Kind::maybe);
    add(kValues, EngineFlag::Kind::value);
    for (const auto& flag : flags_) options_.push_back({"--" + flag.name, &flag, false});
    for (const auto& alias : kAliases)
      options_.push_back({std::string(alias.option), flag_named(alias.name), false});
    for (const auto name : split(kSwitches, ' ')) add_negations(std::string(name));
    std::sort(options_.begin(), options_.end(),
              [](const OptionString& a, const OptionString& b) { return a.text < b.text; });
  }

  [[nodiscard]] FlagMatch match(std::string_view option) const {
    FlagMatch out;
    const auto first = std::lower_bound(
        options_.begin(), options_.end(), option,
        [](const OptionString& entry, std::string_view text) { return entry.text < text; });
    for (auto it = first; it != options_.end() && it->text.starts_with(option); ++it) {
      out.flag = it->flag;
      out.negated = it->negated;
      out.exact = it->text == option;
      if (out.exact) return out;
      out.candidates.push_back(it->flag);
    }
    if (out.candidates.size() > 1) out.flag = nullptr;
    if (out.candidates.size() == 1) out.candidates.clear();
    return out;
  }

 private:
  void add(std::string_view names, EngineFlag::Kind kind) {
    for (const auto name : split(names, ' ')) flags_.push_back({std::string(name), kind});
  }

  [[nodiscard]] const EngineFlag* flag_named(std::string_view name) const {
    const auto found = std::find_if(flags_.begin(), flags_.end(),
                                    [&](const EngineFlag& flag) { return flag.name == name; });
    return &*found;
  }

  /// --no-x for each switch, and since 0.33.0 --disable-x for --enable-x and the other way round.
  void add_negations(const std::string& name) {
    const EngineFlag* flag = flag_named(name);
    options_.push_back({"--no-" + name, flag, true});
    if (name.starts_with("enable-"))
      options_.push_back({"--disable-" + name.substr(7), flag, true});
    if (name.starts_with("disable-"))
      options_.push_back({"--enable-" + name.substr(8), flag, true});
  }

  std::vector<EngineFlag> flags_;
  std::vector<OptionString> options_;
};

}  // namespace

FlagMatch match_flag(std::string_view option) {
  static const Registry registry;
  return registry.match(option);
}

std::string long_name(std::string_view option) {
  const auto begin = option.find_first_not_of('-');
  if (begin == std::string_view::npos) return {};
  return replace_all(std::string(option.substr(begin)), "_", "-");
}

}  // namespace sndr::probe
