// SPDX-License-Identifier: Apache-2.0
#include "plan/flags.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "plan/suggest.h"

namespace sndr::plan {
namespace {

using Environment = std::map<std::string, std::string>;
using Level = Notice::Level;

constexpr std::string_view kAllOff = "GENESIS_DISABLE";
constexpr std::string_view kEnable = "GENESIS_ENABLE_";

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// "X" of GENESIS_DISABLE_X and SNDR_DISABLE_X, or "".
std::string_view after_disable(std::string_view name) {
  for (const std::string_view prefix : {"GENESIS_DISABLE_", "SNDR_DISABLE_"})
    if (begins(name, prefix)) return name.substr(prefix.size());
  return {};
}

/// GENESIS_ENABLE_X for SNDR_ENABLE_X, else "".
std::string full_form(std::string_view name) {
  static constexpr std::string_view kShort = "SNDR_ENABLE_";
  if (!begins(name, kShort)) return {};
  auto out = std::string(kEnable);
  out += name.substr(kShort.size());
  return out;
}

bool matches_family(const pack::Variable& variable, std::string_view name) {
  return variable.name.back() == '*' &&
         begins(name, std::string_view(variable.name).substr(0, variable.name.size() - 1));
}

/// What was said about one patch, before it is settled.
struct Said {
  std::optional<bool> own;  ///< by its full flag, which decides wherever it is set
  std::string own_name;
  std::vector<std::pair<std::string, bool>> other;  ///< aliases and SNDR_ forms
  std::string off;                                  ///< a DISABLE that is true
};

class EnvironmentReader {
 public:
  explicit EnvironmentReader(const pack::Pack& pack) : pack_(pack) {}

  void read(const std::string& name, const std::string& value);
  Status enable(const std::string& word);
  Status disable(const std::string& word);
  Flags finish();

 private:
  struct Knob {
    std::string name, flag, answer;
  };

  void notice(Level level, const std::string& name, std::string text, std::string hint = {}) {
    out_.notices.push_back({level, name, std::move(text), std::move(hint)});
  }
  std::optional<bool> truth(const std::string& name, const std::string& value);
  bool read_flag(const std::string& name, const std::string& value);
  bool read_disable(const std::string& name, const std::string& value);
  bool read_legacy(const std::string& name, const std::string& value);
  bool read_variable(const std::string& name, const std::string& value, bool families);
  bool read_knob_of_patch(const std::string& name, const std::string& value);
  void read_unknown(const std::string& name);
  void settle(const pack::Patch& patch, const Said& said);
  void settle_knob(const Knob& knob);
  [[nodiscard]] bool is_set(const std::string& flag) const;
  Status unknown_word(std::string_view option, const std::string& word) const;

  const pack::Pack& pack_;
  Flags out_;
  std::map<const pack::Patch*, Said> said_;
  std::vector<Knob> knobs_;
};

std::optional<bool> EnvironmentReader::truth(const std::string& name, const std::string& value) {
  const auto truth = truth_of(value);
  if (truth != Truth::neither) return truth == Truth::yes;
  notice(Level::error, name, fmt::format("'{}' is neither true nor false", trim(value)),
         "1, true, yes and on are true; 0, false, no, off and nothing are false");
  return std::nullopt;
}

bool EnvironmentReader::read_flag(const std::string& name, const std::string& value) {
  auto flag = full_form(name);
  const bool sndr_form = !flag.empty();
  if (!sndr_form) flag = name;
  // v12 has flags of its own that begin with SNDR_ENABLE_; they go by their own name.
  const auto* patch = pack_.by_flag(name);
  if (patch == nullptr && sndr_form) patch = pack_.by_flag(flag);
  if (patch == nullptr) return false;
  const auto on = truth(name, value);
  if (!on) return true;
  auto& said = said_[patch];
  if (name == patch->flag) {
    said.own = *on;
    said.own_name = name;
    return true;
  }
  said.other.emplace_back(name, *on);
  if (*on)
    notice(Level::note, name,
           name == flag || flag != patch->flag
               ? fmt::format("an alias of {}: it turns on {}", patch->flag, patch->id)
               : fmt::format("the SNDR_ form of {}: it turns on {}", patch->flag, patch->id),
           fmt::format("write {}=1", patch->flag));
  return true;
}

bool EnvironmentReader::read_disable(const std::string& name, const std::string& value) {
  const auto rest = after_disable(name);
  if (rest.empty()) return false;
  const auto flag = std::string(kEnable) + std::string(rest);
  const auto* patch = pack_.by_flag(flag);
  if (patch == nullptr && pack_.legacy_flag(flag) == nullptr) return false;
  const auto on = truth(name, value);
  if (patch != nullptr && on.value_or(false)) said_[patch].off = name;
  return true;
}

bool EnvironmentReader::read_legacy(const std::string& name, const std::string& value) {
  const auto* entry = pack_.legacy_flag(name);
  if (entry == nullptr) {
    const auto flag = full_form(name);
    if (!flag.empty()) entry = pack_.legacy_flag(flag);
  }
  if (entry == nullptr) return false;
  if (truth(name, value).value_or(false)) out_.legacy.push_back({entry, name});
  return true;
}

bool EnvironmentReader::read_variable(const std::string& name, const std::string& value,
                                      bool families) {
  const pack::Variable* found = nullptr;
  for (const auto& variable : pack_.variables) {
    if (families ? !matches_family(variable, name) : variable.name != name) continue;
    if (found == nullptr || variable.name.size() > found->name.size()) found = &variable;
  }
  if (found == nullptr) return false;
  const bool is_switch = found->kind == "switch";
  if (found->origin == "ours" && found->flag.empty()) {
    if (is_switch) (void)truth(name, value);
  } else if (found->flag.empty()) {
    notice(Level::note, name, found->answer);
  } else if (is_switch ? truth(name, value).value_or(false) : !trim(value).empty()) {
    knobs_.push_back({name, found->flag, found->answer});
  }
  return true;
}

bool EnvironmentReader::read_knob_of_patch(const std::string& name, const std::string& value) {
  for (const auto& patch : pack_.patches) {
    if (std::find(patch.knobs.begin(), patch.knobs.end(), name) == patch.knobs.end()) continue;
    if (!trim(value).empty()) knobs_.push_back({name, patch.flag, {}});
    return true;
  }
  return false;
}

/// GENESIS_PN33_ROWS, where PN33 is an id of v12: it had hundreds of those.
const pack::Legacy* knob_of_v12(const pack::Pack& pack, std::string_view name) {
  const auto body = upper(begins(name, "SNDR_") ? name.substr(5) : name.substr(8));
  const pack::Legacy* found = nullptr;
  for (const auto& entry : pack.legacy)
    if (begins(body, upper(entry.id) + "_") &&
        (found == nullptr || entry.id.size() > found->id.size()))
      found = &entry;
  return found;
}

void EnvironmentReader::read_unknown(const std::string& name) {
  const auto found = suggest(pack_, name);
  const bool no_short_form =
      found.kind == Suggestion::Kind::none || found.kind == Suggestion::Kind::typo;
  if (const auto* entry = no_short_form ? knob_of_v12(pack_, name) : nullptr; entry != nullptr)
    return notice(Level::warning, name,
                  fmt::format("no such variable; it looks like a knob of v12's {}: {}", entry->id,
                              pack_.answer(*entry)));
  const auto names = either(found.names);
  switch (found.kind) {
    case Suggestion::Kind::short_form:
      return notice(Level::warning, name, "a short form does nothing", "write " + names);
    case Suggestion::Kind::other_prefix: {
      const auto* entry = found.names.size() == 1 ? pack_.legacy_flag(found.names[0]) : nullptr;
      if (entry != nullptr)
        return notice(Level::warning, name,
                      fmt::format("v12 called it {}; {}", names, pack_.answer(*entry)));
      return notice(Level::warning, name, "no such variable", "write " + names);
    }
    case Suggestion::Kind::typo:
      return notice(Level::warning, name, "no such variable",
                    fmt::format("did you mean {}?", names));
    case Suggestion::Kind::none:
      return notice(Level::warning, name, "no such variable",
                    "`sndr patches list` shows every flag, docs/CONFIGURATION.md every variable");
  }
}

void EnvironmentReader::read(const std::string& name, const std::string& value) {
  if (!begins(name, "GENESIS_") && !begins(name, "SNDR_")) return;
  if (name == kAllOff) {
    out_.all_off = truth(name, value).value_or(false);
    return;
  }
  if (read_flag(name, value) || read_knob_of_patch(name, value) ||
      read_variable(name, value, false) || read_disable(name, value) || read_legacy(name, value) ||
      read_variable(name, value, true))
    return;
  read_unknown(name);
}

Status EnvironmentReader::unknown_word(std::string_view option, const std::string& word) const {
  Error error;
  error.code = Errc::not_found;
  error.what = fmt::format("{} {}: no such id or flag", option, word);
  auto near = pack_.near_ids(word);
  if (begins(word, "GENESIS_") || begins(word, "SNDR_")) near = suggest(pack_, word).names;
  error.hint = near.empty() ? "`sndr patches list` shows them"
                            : fmt::format("did you mean {}?", either(near));
  return fail(std::move(error));
}

Status EnvironmentReader::enable(const std::string& word) {
  const auto named = pack_.named(word);
  const auto name = "--enable " + word;
  if (named.patch != nullptr) {
    said_[named.patch].own = true;
    said_[named.patch].own_name = name;
    if (lower(word) != lower(named.patch->id) && word != named.patch->flag)
      notice(Level::note, name, fmt::format("{} does its job", named.patch->id),
             fmt::format("write --enable {}", named.patch->id));
  } else if (named.legacy != nullptr) {
    out_.legacy.push_back({named.legacy, name});
  } else {
    return unknown_word("--enable", word);
  }
  return {};
}

Status EnvironmentReader::disable(const std::string& word) {
  const auto named = pack_.named(word);
  if (named.patch != nullptr) said_[named.patch].off = "--disable " + word;
  if (named.patch == nullptr && named.legacy == nullptr) return unknown_word("--disable", word);
  return {};
}

void EnvironmentReader::settle(const pack::Patch& patch, const Said& said) {
  auto& out = out_.switches[patch.id];
  const auto on = std::find_if(said.other.begin(), said.other.end(),
                               [](const auto& one) { return one.second; });
  if (said.own) {
    out.enabled = *said.own;
    out.by = said.own_name;
    if (!*said.own && on != said.other.end())
      notice(Level::warning, on->first, fmt::format("{}=0 stands beside it and wins", patch.flag));
  } else if (on != said.other.end()) {
    out.enabled = true;
    out.by = on->first;
  } else if (!said.other.empty()) {
    out.by = said.other.front().first;
  }
  out.disabled = !said.off.empty();
  if (out.disabled) out.by = said.off;
}

bool EnvironmentReader::is_set(const std::string& flag) const {
  if (const auto* patch = pack_.by_flag(flag); patch != nullptr) {
    const auto at = out_.switches.find(patch->id);
    return at != out_.switches.end() && at->second.enabled && !at->second.disabled;
  }
  return std::any_of(out_.legacy.begin(), out_.legacy.end(),
                     [&](const LegacySet& set) { return set.entry == pack_.legacy_flag(flag); });
}

void EnvironmentReader::settle_knob(const Knob& knob) {
  using D = pack::Disposition;
  const auto* entry = pack_.by_flag(knob.flag) == nullptr ? pack_.legacy_flag(knob.flag) : nullptr;
  const bool never =
      entry != nullptr && (entry->disposition == D::native || entry->disposition == D::dropped ||
                           entry->disposition == D::patch);
  if (never) {
    notice(Level::note, knob.name,
           knob.answer.empty() ? fmt::format("a knob of {}: {}", entry->id, pack_.answer(*entry))
                               : knob.answer);
  } else if (!is_set(knob.flag)) {
    notice(Level::warning, knob.name, "does nothing without its patch",
           fmt::format("set {}=1 too", knob.flag));
  } else if (!knob.answer.empty()) {
    notice(Level::note, knob.name, knob.answer);
  }
}

Flags EnvironmentReader::finish() {
  for (const auto& [patch, said] : said_) settle(*patch, said);
  for (const auto& knob : knobs_) settle_knob(knob);
  std::sort(out_.notices.begin(), out_.notices.end(), [](const Notice& a, const Notice& b) {
    return std::tie(a.name, a.level, a.text) < std::tie(b.name, b.level, b.text);
  });
  return std::move(out_);
}

}  // namespace

bool Flags::has_errors() const {
  return std::any_of(notices.begin(), notices.end(),
                     [](const Notice& one) { return one.level == Level::error; });
}

bool Flags::has_warnings() const {
  return std::any_of(notices.begin(), notices.end(),
                     [](const Notice& one) { return one.level == Level::warning; });
}

Result<Flags> read_flags(const pack::Pack& pack, const Environment& environment,
                         const std::vector<std::string>& enable,
                         const std::vector<std::string>& disable) {
  EnvironmentReader reader(pack);
  for (const auto& [name, value] : environment) reader.read(name, value);
  for (const auto& word : enable) SNDR_CHECK(reader.enable(word));
  for (const auto& word : disable) SNDR_CHECK(reader.disable(word));
  return reader.finish();
}

Environment process_environment() {
  Environment out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const auto equals = line.find('=', 1);
    if (equals != std::string_view::npos)
      out.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return out;
}

Environment default_flags(const pack::Pack& pack, const Environment& environment) {
  Environment out;
  const auto said = [&](std::string_view flag) {
    const auto rest = begins(flag, "GENESIS_ENABLE_") ? flag.substr(kEnable.size()) : flag;
    for (const std::string_view prefix :
         {"", "GENESIS_ENABLE_", "SNDR_ENABLE_", "GENESIS_DISABLE_", "SNDR_DISABLE_"})
      if (environment.count(std::string(prefix) + std::string(rest)) > 0) return true;
    return false;
  };
  const auto all_off = environment.find(std::string(kAllOff));
  if (all_off != environment.end() && truth_of(all_off->second) == Truth::yes) return out;
  for (const auto& patch : pack.patches) {
    if (!patch.default_on || patch.lifecycle == pack::Lifecycle::retired || said(patch.flag) ||
        std::any_of(patch.aliases.begin(), patch.aliases.end(), said))
      continue;
    out[patch.flag] = "1";
  }
  return out;
}

}  // namespace sndr::plan
