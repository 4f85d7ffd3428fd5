// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "cli/command.h"
#include "overlay/overlay.h"
#include "pack/pack.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/facts.h"
#include "probe/gpu.h"
#include "probe/tree.h"

/// What verbs have in common: the pack, the tree and the plan that a call's options ask for.
/// Nothing is read before it is asked for.
namespace sndr::cli {

/// The pack: --pack, SNDR_PACK or the built-in one. Several errors are reported, and one that
/// counts them comes back.
[[nodiscard]] Result<pack::Pack> load_pack(const Call& call);

/// The folder of the pack for verbs that write to it: --pack, SNDR_PACK, or ./pack.
[[nodiscard]] Result<fs::path> pack_folder(const Call& call);

/// --vllm, --as-version and the program after `--`. A pin's version for DIR is the tree that setup
/// fetches into the cache.
[[nodiscard]] Result<probe::TreeQuery> tree_query(const Call& call);
[[nodiscard]] Result<std::string> tree_folder(std::string_view dir);

/// "vllm 0.33.0 in /venv/lib/python3.11/site-packages"
[[nodiscard]] std::string describe(const probe::Tree& tree);

/// Prints the notices; those of level `note` only where `notes` is yes.
enum class Notes : std::uint8_t { no, yes };
void show_notices(const Call& call, const std::vector<plan::Notice>& notices, Notes notes);

/// What the environment and --enable/--disable say. An error for a value that is neither true nor
/// false, and under --strict-env for every name that isn't known; the notices were shown then.
[[nodiscard]] Result<plan::Flags> read_flags(const Call& call, const pack::Pack& pack,
                                             const std::map<std::string, std::string>& environment);
[[nodiscard]] bool any_enabled(const plan::Flags& flags);

/// A plan with everything that it came from. Held by pointer: the plan points into the pack.
struct Session {
  pack::Pack pack;
  std::map<std::string, std::string> environment;  ///< ours, and the flags that `run` adds
  std::vector<std::string> default_flags;          ///< what `run` added
  plan::Flags flags;
  std::optional<probe::EngineCommand> command;  ///< set where the command is a vLLM
  probe::Tree tree;
  probe::Record record;
  std::unique_ptr<overlay::TreeReader> reader;
  probe::GpuReport gpus;
  probe::Facts facts;
  plan::Plan plan;
};

enum class Defaults : std::uint8_t { no, yes };  ///< yes: add the flags of default_on patches
/// The pack and the flags: enough to know whether anything is enabled.
[[nodiscard]] Result<std::unique_ptr<Session>> open_session(const Call& call, Defaults defaults);
/// The rest, up to the plan.
[[nodiscard]] Status make_plan(const Call& call, Session& session);

}  // namespace sndr::cli
