// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pack/pack.h"

/// The right name for a GENESIS_* or SNDR_* name that nobody knows.
namespace sndr::plan {

struct Suggestion {
  enum class Kind : unsigned char {
    none,
    short_form,    ///< `names` begin with it at an underscore
    other_prefix,  ///< the same name under another prefix: GENESIS_LEGACY_P12
    typo,          ///< `names` are the nearest
  };
  Kind kind = Kind::none;
  std::vector<std::string> names;  ///< in the order of the pack
};

[[nodiscard]] Suggestion suggest(const pack::Pack& pack, std::string_view name);

/// "A", "A or B", "A, B or C".
[[nodiscard]] std::string either(const std::vector<std::string>& names);

}  // namespace sndr::plan
