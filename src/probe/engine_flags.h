// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The flags of vLLM's server. Internal to probe.
namespace sndr::probe {

struct EngineFlag {
  enum class Kind : std::uint8_t {
    value,   ///< takes one value
    maybe,   ///< takes one or none
    list,    ///< takes one or more; the last occurrence counts
    append,  ///< takes one; occurrences add up
    on_off,  ///< a switch: takes none
  };
  std::string name;  ///< long, without dashes
  Kind kind = Kind::value;
};

/// What an option string ("--kv-cache-dtype", "-tp", "--no-enable-prefix-caching") stands for.
struct FlagMatch {
  const EngineFlag* flag = nullptr;  ///< the one that it means, or nullptr
  bool negated = false;
  bool exact = false;                         ///< no abbreviation
  std::vector<const EngineFlag*> candidates;  ///< of an abbreviation that is ambiguous
};

/// `option` has its dashes, no `=`. An exact name wins; else a prefix of one name is accepted, as
/// Python's argparse does.
[[nodiscard]] FlagMatch match_flag(std::string_view option);

/// The long name that an option would be filed under, whether known or not ("--foo_bar" ->
/// "foo-bar").
[[nodiscard]] std::string long_name(std::string_view option);

}  // namespace sndr::probe
