// SPDX-License-Identifier: Apache-2.0
#include "pack/pack.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/version.h"

namespace sndr::pack {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool same_id(std::string_view a, std::string_view b) {
  return lower(a) == lower(b);
}

/// "P59" of GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY.
std::string_view short_id(std::string_view flag) {
  const auto suffix = flag_suffix(flag);
  return suffix.substr(0, suffix.find('_'));
}

bool names_alias(const std::vector<std::string>& aliases, std::string_view word) {
  return std::any_of(aliases.begin(), aliases.end(), [&](const std::string& alias) {
    return alias == word || same_id(short_id(alias), word);
  });
}

struct IdParts {
  std::string_view letters, digits, rest;
};

IdParts parts_of(std::string_view id) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = std::find_if(id.begin(), id.end(), is_digit);
  const auto after = std::find_if_not(number, id.end(), is_digit);
  const auto begin = static_cast<std::size_t>(number - id.begin());
  const auto end = static_cast<std::size_t>(after - id.begin());
  return {id.substr(0, begin), id.substr(begin, end - begin), id.substr(end)};
}

}  // namespace

std::string_view to_text(Disposition value) {
  switch (value) {
    case Disposition::patch:
      return "patch";
    case Disposition::native:
      return "native";
    case Disposition::plugin:
      return "plugin";
    case Disposition::gateway:
      return "gateway";
    case Disposition::launch:
      return "launch";
    case Disposition::open:
      return "open";
    case Disposition::dropped:
      return "dropped";
  }
  return "";
}

std::string_view flag_suffix(std::string_view name) {
  static constexpr std::array<std::string_view, 2> kOwners = {"GENESIS_", "SNDR_"};
  static constexpr std::array<std::string_view, 3> kVerbs = {"ENABLE_", "DISABLE_", "LEGACY_"};
  for (const auto owner : kOwners) {
    if (name.substr(0, owner.size()) != owner) continue;
    const auto rest = name.substr(owner.size());
    for (const auto verb : kVerbs)
      if (rest.substr(0, verb.size()) == verb) return rest.substr(verb.size());
  }
  return {};
}

bool id_less(std::string_view a, std::string_view b) {
  const auto x = parts_of(a);
  const auto y = parts_of(b);
  if (x.letters != y.letters) return x.letters < y.letters;
  if (x.digits.size() != y.digits.size()) return x.digits.size() < y.digits.size();
  if (x.digits != y.digits) return x.digits < y.digits;
  return x.rest < y.rest;
}

const Patch* Pack::patch(std::string_view id) const {
  const auto at = std::find_if(patches.begin(), patches.end(),
                               [&](const Patch& one) { return same_id(one.id, id); });
  return at == patches.end() ? nullptr : &*at;
}

const Patch* Pack::by_flag(std::string_view flag) const {
  const auto at = std::find_if(patches.begin(), patches.end(), [&](const Patch& one) {
    return one.flag == flag || contains(one.aliases, flag);
  });
  return at == patches.end() ? nullptr : &*at;
}

const Legacy* Pack::legacy_id(std::string_view id) const {
  const auto at = std::find_if(legacy.begin(), legacy.end(),
                               [&](const Legacy& one) { return same_id(one.id, id); });
  return at == legacy.end() ? nullptr : &*at;
}

const Legacy* Pack::legacy_flag(std::string_view flag) const {
  const auto at = std::find_if(legacy.begin(), legacy.end(), [&](const Legacy& one) {
    return one.flag == flag || contains(one.aliases, flag);
  });
  return at == legacy.end() ? nullptr : &*at;
}

const Pin* Pack::pin(std::string_view version) const {
  const auto wanted = Version::parse(version);
  if (!wanted) return nullptr;
  const auto at = std::find_if(pins.begin(), pins.end(), [&](const Pin& one) {
    const auto has = Version::parse(one.version);
    return has && compare(*has, *wanted) == 0;
  });
  return at == pins.end() ? nullptr : &*at;
}

const Pin* Pack::slot(std::string_view name) const {
  const auto at =
      std::find_if(pins.begin(), pins.end(), [&](const Pin& one) { return one.slot == name; });
  return at == pins.end() ? nullptr : &*at;
}

Named Pack::named(std::string_view word) const {
  Named out;
  for (const auto& one : patches)
    if (same_id(one.id, word) || one.flag == word) out.patch = &one;
  for (const auto& one : legacy)
    if (out.legacy == nullptr && (same_id(one.id, word) || one.flag == word)) out.legacy = &one;
  out.exact = out.patch != nullptr || out.legacy != nullptr;
  if (out.patch == nullptr && out.legacy != nullptr &&
      out.legacy->disposition == Disposition::patch)
    out.patch = patch(out.legacy->by);
  for (const auto& one : patches)
    if (out.patch == nullptr &&
        (names_alias(one.aliases, word) ||
         std::any_of(one.also_covers.begin(), one.also_covers.end(), [&](const std::string& id) {
           return same_id(id, word) || (out.legacy != nullptr && id == out.legacy->id);
         })))
      out.patch = &one;
  for (const auto& one : legacy)
    if (out.legacy == nullptr && names_alias(one.aliases, word)) out.legacy = &one;
  if (out.patch != nullptr && out.legacy == nullptr) out.legacy = legacy_id(out.patch->id);
  return out;
}

std::vector<std::string> Pack::near_ids(std::string_view word) const {
  std::vector<std::string> ids;
  for (const auto& one : patches) ids.push_back(one.id);
  for (const auto& one : legacy)
    if (!contains(ids, one.id)) ids.push_back(one.id);
  return nearest(upper(word), ids);
}

std::string Pack::answer(const Legacy& entry) const {
  auto note = entry.note;
  if (!note.empty() && note.back() == '.') note.pop_back();
  const auto noted = [&](const std::string& text) {
    return note.empty() ? text : text + ": " + note;
  };
  switch (entry.disposition) {
    case Disposition::patch: {
      const auto* ours = patch(entry.by);
      return ours == nullptr ? fmt::format("our patch {} does it", entry.by)
                             : fmt::format("our patch {} does it: set {}=1", ours->id, ours->flag);
    }
    case Disposition::native:
      return entry.native_absent.empty()
                 ? fmt::format("vLLM does it itself: {} has it", entry.native_present)
                 : fmt::format("vLLM does it itself: {} has it, {} doesn't", entry.native_present,
                               entry.native_absent);
    case Disposition::plugin:
      return noted("our vLLM plugin does it");
    case Disposition::gateway:
      return noted("our gateway does it");
    case Disposition::launch:
      return noted(fmt::format("vLLM's own {} does it", entry.by));
    case Disposition::open:
      return noted(fmt::format("not here yet, planned as {}", entry.by));
    case Disposition::dropped:
      return noted("not carried over");
  }
  return {};
}

}  // namespace sndr::pack
