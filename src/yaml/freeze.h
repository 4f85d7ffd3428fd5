// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "yaml/yaml.h"

/// A YAML tree as bytes, so that the pack inside our binary is read at a start without parsing
/// text.
///
///   "SNY1", then one node:
///     1 byte      kind, +4 where the scalar was quoted
///     mark        line (signed difference to the mark before), column
///     null, scalar: text        list: count, nodes        map: count, (text, mark, node) each
///
/// A text is its length and its bytes. Numbers are little-endian base-128 (the high bit: more
/// follows), signed ones zigzag. Nothing is compressed: speed is the point, and the release is
/// compressed as a whole.
namespace sndr::yaml {

/// Marks are kept, so that errors still have their line.
[[nodiscard]] std::string freeze(const Node& node);

/// The same tree again. Any bytes are safe to give: damage is an error (`internal`), as are more
/// than 64 levels.
[[nodiscard]] Result<Node> thaw(std::string_view bytes);

}  // namespace sndr::yaml
