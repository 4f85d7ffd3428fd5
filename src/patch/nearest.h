// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "patch/drift.h"

namespace sndr::patch {

/// The text most like an anchor; `line` 0 where fewer than a quarter of its words survive.
struct Place {
  std::size_t begin = 0, end = 0;
  int line = 0;
  double likeness = 0;
  std::vector<DiffPiece> diff;  ///< anchor -> text[begin, end)
};

/// `text` with "\n" line ends. An anchor that begins or ends inside a line gives a place that does.
[[nodiscard]] Place nearest_place(std::string_view text, std::string_view anchor);

}  // namespace sndr::patch
