// SPDX-License-Identifier: Apache-2.0
#include "plan/gates.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/version.h"

namespace sndr::plan {
namespace {

bool fits(std::string_view value, std::string_view word) {
  if (!word.empty() && word.back() == '*') {
    word.remove_suffix(1);
    value = value.substr(0, word.size());
  }
  return lower(value) == lower(word);
}

pack::GateKey::Kind kind_of(std::string_view key) {
  const auto& keys = pack::gate_keys();
  const auto at = std::find_if(keys.begin(), keys.end(),
                               [&](const pack::GateKey& one) { return one.name == key; });
  return at == keys.end() ? pack::GateKey::Kind::words : at->kind;
}

GateState judge(const pack::Gate& gate, const probe::Fact& fact) {
  if (kind_of(gate.key) == pack::GateKey::Kind::range) {
    const auto version = Version::parse(fact.value);
    if (!version) return GateState::unknown;
    return gate.range.contains(*version) ? GateState::open : GateState::closed;
  }
  const auto values = split(fact.value, ',');
  const bool any = std::any_of(values.begin(), values.end(), [&](std::string_view value) {
    return std::any_of(gate.words.begin(), gate.words.end(),
                       [&](const std::string& word) { return fits(trim(value), word); });
  });
  return any ? GateState::open : GateState::closed;
}

}  // namespace

GateFinding judge_gates(const pack::Patch& patch, const probe::Facts& facts) {
  std::vector<std::string> unknown;
  for (const auto& gate : patch.gates) {
    const auto fact = facts.known.find(gate.key);
    const auto state = fact == facts.known.end() ? GateState::unknown : judge(gate, fact->second);
    if (state == GateState::unknown) unknown.push_back(gate.key);
    if (state == GateState::closed)
      return {state, fmt::format("applies_to mismatch: {} is {}, needs {}", gate.key,
                                 fact->second.value, gate.text)};
  }
  if (unknown.empty()) return {};
  std::string answers;
  for (const auto& key : unknown) answers += fmt::format(" --assume {}=...", key);
  return {GateState::unknown, fmt::format("{} unknown: pass{}", join(unknown, " and "), answers)};
}

}  // namespace sndr::plan
