// SPDX-License-Identifier: Apache-2.0
// Any bytes: an error, or a tree that freezes and thaws to itself, in memory that the input's size
// bounds.
#include <string>

#include "check.h"
#include "yaml/freeze.h"

namespace {

std::size_t nodes_of(const sndr::yaml::Node& node) {
  std::size_t count = 1;
  for (const auto& item : node.list) count += nodes_of(item);
  for (const auto& entry : node.map) count += nodes_of(entry.value);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sndr::fuzz::check;
  const auto bytes = sndr::fuzz::text_of(data, size);
  check(bytes.substr(0, 4) == "SNY1" || !sndr::yaml::thaw(bytes),
        "nothing thaws without the magic");
  const auto node = sndr::yaml::thaw("SNY1" + std::string(bytes));
  if (!node) {
    check(node.error().code == sndr::Errc::internal, "a damaged archive is ours to fix");
    return 0;
  }
  check(nodes_of(*node) <= 2 + size / 4, "no more nodes than the bytes can hold");
  const std::string frozen = sndr::yaml::freeze(*node);
  check(frozen.size() <= size + 4, "ours is the shortest form");
  const auto again = sndr::yaml::thaw(frozen);
  check(again && *again == *node, "thaw undoes freeze");
  return 0;
}
