// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/error.h"
#include "probe/machine.h"
#include "probe/tree.h"

/// `find_trees` and `find_tree` on a machine that is handed in. Internal to probe and its tests.
namespace sndr::probe {

struct FoundTree {
  Tree tree;
  bool active = false;  ///< its environment was chosen by the user
};

enum class Search : unsigned char { all, until_active };  ///< an active environment's settles it

[[nodiscard]] Result<std::vector<FoundTree>> search_trees(const TreeQuery& query,
                                                          const Machine& machine,
                                                          Search search = Search::all);
[[nodiscard]] Result<Tree> choose_tree(const TreeQuery& query, const Machine& machine);

}  // namespace sndr::probe
