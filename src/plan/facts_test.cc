// SPDX-License-Identifier: Apache-2.0
#include "probe/facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pack/patch.h"

namespace sndr::plan {
namespace {

/// probe/ may not see pack/, so each has a list of its own.
TEST(FactKeys, AreTheGateKeys) {
  std::vector<std::string> gates;
  for (const auto& key : pack::gate_keys()) gates.emplace_back(key.name);
  EXPECT_EQ(probe::fact_keys(), gates);
}

}  // namespace
}  // namespace sndr::plan
