// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "json/json.h"

/// vLLM's two-step reading of its arguments: its own rewriting first, argparse after it. Internal
/// to probe.
namespace sndr::probe {

/// One option that argparse would store.
struct ReadOption {
  std::string name;                 ///< long, without dashes
  std::vector<std::string> values;  ///< empty for a switch
  bool known = true;                ///< false: not a flag of any vLLM that we have read
  bool negated = false;
};

struct ReadArguments {
  std::vector<ReadOption> options;  ///< in order; the last of a name counts
  std::vector<std::string> positionals;
  std::vector<std::string> unclear;
  std::vector<std::string> notes;
};

/// Underscores become dashes, `-O3` its long form, dotted flags one JSON value at the end.
[[nodiscard]] std::vector<std::string> rewrite_arguments(const std::vector<std::string>& args,
                                                         std::vector<std::string>& notes);

/// argparse on the result.
[[nodiscard]] ReadArguments parse_arguments(const std::vector<std::string>& args);

/// What a config file stands for on the command line, as vLLM expands it.
[[nodiscard]] Result<std::vector<std::string>> config_arguments(const fs::path& file);

/// A value as vLLM's JSON flags read it: JSON, else `10k` as a number, else text.
[[nodiscard]] json::Value lenient_value(std::string_view text);

}  // namespace sndr::probe
