// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace sndr::overlay {

struct Link {
  std::string path;    ///< below the overlay: "vllm/model_executor/layers/fused_moe/configs"
  std::string target;  ///< absolute, in the pristine tree
};

/// A module that finds its data beside `__file__` looks into the overlay once it is patched. So for
/// each of `users` (paths below vllm/), links to what lies beside it in `package` and in every
/// folder above it up to vllm/: each file that isn't Python, and each folder that is no package.
/// A shared library only where the module's text names it. A folder in which the overlay has files
/// of its own (`files`) is a real one there, and gets links inside.
struct LinkUser {
  std::string path;
  std::string text;
};
[[nodiscard]] std::vector<Link> find_links(const fs::path& package,
                                           const std::vector<LinkUser>& users,
                                           const std::vector<std::string>& files);

}  // namespace sndr::overlay
