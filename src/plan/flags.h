// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "pack/pack.h"

/// The environment, read: which patches are asked for, and an answer for every GENESIS_*/SNDR_*
/// name in it.
namespace sndr::plan {

/// What the environment says about one patch of ours.
struct Switch {
  bool enabled = false;
  bool disabled = false;  ///< GENESIS_DISABLE_<rest>: wins over enabled
  std::string by;         ///< the variable that decided
};

struct Notice {
  enum class Level : unsigned char { note, warning, error };
  Level level = Level::note;
  std::string name;  ///< the variable
  std::string text;  ///< one sentence
  std::string hint;  ///< what to write instead
};

struct LegacySet {
  const pack::Legacy* entry = nullptr;
  std::string name;  ///< the variable that was set
};

struct Flags {
  bool all_off = false;                    ///< GENESIS_DISABLE=1
  std::map<std::string, Switch> switches;  ///< by patch id; absent = nothing said
  /// Every name that is wrong, old, unknown, or a knob without its flag; sorted by name.
  std::vector<Notice> notices;
  /// v12 flags that are set to true and turn no patch of ours on; `Pack::answer` says what they
  /// get.
  std::vector<LegacySet> legacy;
  [[nodiscard]] bool has_errors() const;    ///< a value that is neither true nor false: exit 2
  [[nodiscard]] bool has_warnings() const;  ///< --strict-env: exit 2
};

/// `environment` holds every variable, ours or not. `enable` and `disable` are ids or flags from
/// the command line and count as set; an unknown one is an error (exit 2) with the nearest names.
[[nodiscard]] Result<Flags> read_flags(const pack::Pack& pack,
                                       const std::map<std::string, std::string>& environment,
                                       const std::vector<std::string>& enable = {},
                                       const std::vector<std::string>& disable = {});

/// The environment of this process.
[[nodiscard]] std::map<std::string, std::string> process_environment();

/// What `run` without a preset adds: the flag of each default_on patch that the environment doesn't
/// set itself, as NAME -> "1". A 0 stays 0.
[[nodiscard]] std::map<std::string, std::string> default_flags(
    const pack::Pack& pack, const std::map<std::string, std::string>& environment);

}  // namespace sndr::plan
