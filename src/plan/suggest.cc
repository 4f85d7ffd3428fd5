// SPDX-License-Identifier: Apache-2.0
#include "plan/suggest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sndr::plan {
namespace {

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// GENESIS_DISABLE_ + P62_X: the parts that are compared. Without a known verb it is all body.
struct Parts {
  std::string verb;  ///< ENABLE, DISABLE, LEGACY or ""
  std::string body;
};

Parts split_name(std::string_view name) {
  const auto owner = begins(name, "SNDR_") ? name.substr(5) : name.substr(8);
  for (const std::string_view verb : {"ENABLE", "DISABLE", "LEGACY"})
    if (begins(owner, std::string(verb) + "_"))
      return {std::string(verb), upper(owner.substr(verb.size() + 1))};
  return {"", upper(owner)};
}

/// All full names, as this name's verb would write them: GENESIS_DISABLE_X for a DISABLE.
std::vector<std::string> known_names(const pack::Pack& pack, const std::string& verb) {
  std::vector<std::string> out;
  const auto add = [&](std::string name) {
    if (verb == "DISABLE") name = replace_all(std::move(name), "_ENABLE_", "_DISABLE_");
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  };
  for (const auto& patch : pack.patches) {
    add(patch.flag);
    for (const auto& alias : patch.aliases) add(alias);
  }
  for (const auto& entry : pack.legacy) {
    add(entry.flag);
    for (const auto& alias : entry.aliases) add(alias);
  }
  for (const auto& variable : pack.variables)
    if (variable.name.back() != '*') out.push_back(variable.name);
  return out;
}

std::vector<std::string> nearest_names(const Parts& wanted, const std::vector<std::string>& known) {
  std::size_t best = std::max<std::size_t>(1, wanted.body.size() / 3);
  std::vector<std::string> out;
  for (const auto& name : known) {
    const auto parts = split_name(name);
    // With a verb that nobody has (ENABEL) the whole rest of the name is compared.
    const bool same_verb = parts.verb == wanted.verb;
    if (!same_verb && !wanted.verb.empty()) continue;
    const auto body = same_verb ? parts.body : parts.verb + "_" + parts.body;
    const auto distance = edit_distance(wanted.body, body);
    if (distance > best) continue;
    if (distance < best) out.clear();
    best = distance;
    out.push_back(name);
  }
  static constexpr std::size_t kMost = 3;
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

}  // namespace

Suggestion suggest(const pack::Pack& pack, std::string_view name) {
  const auto wanted = split_name(name);
  const auto known = known_names(pack, wanted.verb);
  Suggestion out;
  const auto collect = [&](Suggestion::Kind kind, auto matches) {
    for (const auto& one : known)
      if (matches(split_name(one), one)) out.names.push_back(one);
    if (!out.names.empty()) out.kind = kind;
    return !out.names.empty();
  };
  if (wanted.body.empty()) return out;
  if (collect(Suggestion::Kind::other_prefix,
              [&](const Parts& parts, const std::string&) { return parts.body == wanted.body; }))
    return out;
  const auto start = wanted.body + "_";
  if (collect(Suggestion::Kind::short_form, [&](const Parts& parts, const std::string&) {
        return begins(parts.body, start) && (wanted.verb.empty() || parts.verb == wanted.verb);
      }))
    return out;
  out.names = nearest_names(wanted, known);
  if (!out.names.empty()) out.kind = Suggestion::Kind::typo;
  return out;
}

std::string either(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace sndr::plan
