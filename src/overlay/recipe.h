// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/links.h"
#include "overlay/overlay.h"

namespace sndr::overlay {

/// Everything that decides what an overlay holds, known without making a single text: what a start
/// with a warm overlay pays for.
struct Recipe {
  std::vector<const patch::PatchFinding*> findings;  ///< by id; only what is the overlay's work
  std::vector<std::string> edited;                   ///< files below vllm/, sorted
  std::vector<std::string> created;
  std::vector<Link> links;
  std::string hash;
};

[[nodiscard]] Result<Recipe> make_recipe(const plan::Plan& plan, const probe::Tree& tree,
                                         const TreeReader& reader, const Payload& payload);

/// "vllm.v1.engine" and whether it is a package, for "v1/engine/__init__.py".
struct Module {
  std::string name;
  bool package = false;
};
[[nodiscard]] Module module_of(std::string_view path);

}  // namespace sndr::overlay
