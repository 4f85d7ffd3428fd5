// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "pack/files.h"
#include "pack/patch.h"
#include "yaml/yaml.h"

namespace sndr::pack {

/// A patch and the tree it was read from, so that checks across patches can name lines.
struct PatchDocument {
  Patch patch;
  yaml::Node node;
};

/// One patch.yaml and the files beside it; everything that can be judged by this patch alone is
/// judged here.
[[nodiscard]] PatchDocument read_patch(const Files& files, const std::string& folder,
                                       std::vector<Error>& errors);

/// What only the whole pack shows: flags and ids that stand twice, ids that nobody has, cycles.
/// `known_ids` are v12's.
void check_patches(const std::vector<PatchDocument>& patches,
                   const std::vector<std::string>& known_ids, std::vector<Error>& errors);

}  // namespace sndr::pack
