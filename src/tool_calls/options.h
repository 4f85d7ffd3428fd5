// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tool_calls/rules.h"

namespace sndr::tool_calls {

/// Which notation is the model's own. The others are read too, as a repair (`other_dialect`);
/// `automatic` takes the XML and the JSON form alike.
enum class Dialect : std::uint8_t { automatic, qwen3, hermes };

/// How `<think>`, `<tool_call>` and their closing tags are told from text that looks like them.
enum class Tokens : std::uint8_t {
  text,   ///< by their letters alone
  marked  ///< `feed` names every special token: letters alone are text
};

struct Options {
  Dialect dialect = Dialect::automatic;
  Tokens tokens = Tokens::text;
  /// The prompt ended inside `<think>` (`prompt_opens_thinking`): the text begins as reasoning.
  bool thinking = false;
  /// False for `tool_choice: "none"`: whatever looks like a call is content.
  bool calls = true;
  RuleSet rules = {};
  /// Makes the ids of calls: the same seed gives the same ids. A request's id serves.
  std::string id_seed = {};
};

}  // namespace sndr::tool_calls
