// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "pack/pack.h"
#include "yaml/yaml.h"

/// The three files beside patches/. A null node gives an empty list.
namespace sndr::pack {

[[nodiscard]] std::vector<Pin> read_pins(const yaml::Node& node, const std::string& file,
                                         std::vector<Error>& errors);
[[nodiscard]] std::vector<Legacy> read_legacy(const yaml::Node& node, const std::string& file,
                                              std::vector<Error>& errors);
[[nodiscard]] std::vector<Variable> read_variables(const yaml::Node& node, const std::string& file,
                                                   std::vector<Error>& errors);

}  // namespace sndr::pack
