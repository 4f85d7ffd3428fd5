// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "cli/command.h"

// What a v12 user types out of habit, and what to type here. Verbs that aren't here yet are named
// as such, so that nobody hunts for a spelling.
namespace sndr::cli {
namespace {

constexpr std::string_view kLater = "this verb isn't in this release yet";
constexpr std::string_view kStart = "to start vLLM with patches now: sndr run -- vllm serve MODEL";
constexpr std::string_view kSee = "to see what there is: sndr --help";

}  // namespace

const std::vector<Moved>& moved() {
  static const std::vector<Moved> kMoved = {
      {"patch", "the word is `patches`", "type: sndr patches --help"},
      {"patches doctor", "`patches doctor` is now `patches verify`", "type: sndr patches verify"},
      {"patches diff-upstream", "`patches diff-upstream` is now `patches verify`",
       "type: sndr patches verify --vllm DIR"},
      {"patches proof-status", "`patches proof-status` is now `patches prove`",
       "type: sndr patches prove --all"},
      {"patches release-check", "`patches release-check` is now two verbs",
       "type: sndr patches verify, then: sndr patches prove --all"},
      {"patches bundles", "there are no bundles: each patch has its own flag",
       "type: sndr patches list"},
      {"explain", "`explain` is now `patches explain`", "type: sndr patches explain ID"},
      {"list-flags", "`list-flags` is now `patches list`", "type: sndr patches list"},
      {"categories", "`categories` is now `patches list`", "type: sndr patches list"},
      {"caveats", "`caveats` is now `patches explain`", "type: sndr patches explain ID"},
      {"upstream", "`upstream` is now `patches verify`", "type: sndr patches verify --vllm DIR"},
      {"lifecycle-audit", "`lifecycle-audit` is now `patches doc`", "type: sndr patches doc"},
      {"validate-schema", "the pack is checked whenever it is read",
       "type: sndr patches list --pack DIR"},
      {"engines", "`engines` is now a part of `doctor`", "type: sndr doctor"},
      {"deps", "`deps` is now a part of `doctor`", "type: sndr doctor"},
      {"doctor-system", "`doctor-system` is now `doctor`", "type: sndr doctor"},
      {"self-test", "`self-test` is now `doctor`", "type: sndr doctor"},
      {"hardware", "`hardware` is now a part of `doctor`", "type: sndr doctor"},
      {"health", "`health` is now `status`", "type: sndr status"},
      {"ps", "`ps` is spelt `status`", "type: sndr status"},
      {"serve", "a command is started by `run`", "type: sndr run -- vllm serve MODEL"},
      {"telemetry", "there is none: nothing phones home", kSee},
      {"license", "everything is Apache-2.0 and nothing is gated", kSee},
      {"quickstart", kLater, kStart},
      {"up", kLater, kStart},
      {"launch", kLater, kStart},
      {"switch", kLater, kStart},
      {"down", kLater, "a vLLM that `sndr run` started ends as any other: Ctrl-C, or kill PID"},
      {"open", kLater, kSee},
      {"chat", kLater, kSee},
      {"pull", kLater, kSee},
      {"list-models", kLater, kSee},
      {"preset", kLater, kSee},
      {"model-config", kLater, kSee},
      {"config", kLater, kSee},
      {"preflight", kLater, "to see what would be patched: sndr patches plan"},
      {"kv-calc", kLater, kSee},
      {"fit", kLater, kSee},
      {"verify", kLater, "to judge the patches against a tree: sndr patches verify"},
      {"bench", kLater, kSee},
      {"service", kLater, kSee},
      {"gateway", kLater, kSee},
      {"k8s", kLater, kSee},
      {"proxmox", kLater, kSee},
      {"compose", kLater, kSee},
      {"quadlet", kLater, kSee},
      {"host", kLater, kSee},
  };
  return kMoved;
}

}  // namespace sndr::cli
