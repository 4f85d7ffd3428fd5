// SPDX-License-Identifier: Apache-2.0
#include "cli/args.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"

namespace sndr::cli {
namespace {

bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}
bool is_help(std::string_view word) {
  return word == "--help" || word == "-h";
}

Error usage(std::string what, std::string hint) {
  return {.code = Errc::invalid_input,
          .what = std::move(what),
          .where = {},
          .hint = std::move(hint),
          .trail = {}};
}

std::string see_help(std::string_view name) {
  return fmt::format("see: sndr {}{}--help", name, name.empty() ? "" : " ");
}

/// "lines|tags" -> "lines or tags"
std::string alternatives(std::string_view words) {
  const auto parts = split(words, '|');
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " or " : ", ";
    out += parts[i];
  }
  return out;
}

bool allowed(std::string_view words, std::string_view value) {
  if (words.find('|') == std::string_view::npos) return true;
  const auto parts = split(words, '|');
  return std::find(parts.begin(), parts.end(), value) != parts.end();
}

/// `typed` is up to two words: both are named where the first begins a family, else only the first
/// is.
Error unknown_verb(std::string typed, const Table& table, const std::vector<Moved>& moved) {
  for (const auto& entry : moved)
    if (typed == entry.words || typed.starts_with(std::string(entry.words) + " "))
      return usage(std::string(entry.answer), std::string(entry.hint));
  if (family(table, typed.substr(0, typed.find(' '))).empty())
    typed.resize(std::min(typed.size(), typed.find(' ')));
  std::vector<std::string> names;
  for (const auto& group : table)
    for (const auto* command : group.commands) {
      if (command->hidden) continue;
      names.emplace_back(command->name);
      const auto family_word = command->name.substr(0, command->name.find(' '));
      if (std::find(names.begin(), names.end(), family_word) == names.end())
        names.emplace_back(family_word);
    }
  const auto near = nearest(replace_all(typed, ".", " "), names);
  std::string hint = near.empty() ? see_help("") : "did you mean: sndr " + join(near, ", sndr ");
  return usage(fmt::format("unknown verb '{}'", typed), std::move(hint));
}

Error unknown_option(const std::string& typed, const Command& command) {
  std::vector<std::string> names = {"--help"};
  for (const auto& option : command.options) names.emplace_back(option.name);
  const auto near = nearest(typed, names);
  return usage(fmt::format("`sndr {}` has no option {}", command.name, typed),
               near.empty() ? see_help(command.name) : "did you mean: " + join(near, ", "));
}

/// Reads what follows the verb into a Call.
class Reader {
 public:
  Reader(const Command& command, const std::vector<std::string>& words, std::size_t at)
      : command_(command), words_(words), at_(at) {}

  Result<Asked> read() {
    for (; at_ < words_.size(); ++at_) {
      const auto& word = words_[at_];
      if (is_help(word))
        return Asked{.command = nullptr, .call = {}, .topic = std::string(command_.name)};
      if (word == "--") {
        SNDR_CHECK(take_rest());
        break;
      }
      SNDR_CHECK(is_option(word) ? take_option() : take_positional());
    }
    SNDR_CHECK(check_positionals());
    return Asked{.command = &command_, .call = std::move(call_), .topic = {}};
  }

 private:
  Status take_rest() {
    if (!command_.takes_rest)
      return fail(usage(fmt::format("`sndr {}` takes no command after --", command_.name),
                        see_help(command_.name)));
    call_.rest.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words_.end());
    if (call_.rest.empty()) return fail(usage("no command after --", see_help(command_.name)));
    return {};
  }

  Status take_option() {
    const auto& word = words_[at_];
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto found = std::find_if(command_.options.begin(), command_.options.end(),
                                    [&](const Option& option) { return option.name == name; });
    if (found == command_.options.end()) return fail(unknown_option(name, command_));
    std::string value;
    if (found->value.empty()) {
      if (equals != std::string::npos)
        return fail(usage(name + " is a switch and takes no value", see_help(command_.name)));
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (at_ + 1 < words_.size() && !words_[at_ + 1].starts_with("--")) {
      value = words_[++at_];
    } else {
      return fail(usage(fmt::format("{} needs a value: {} {}", name, name, found->value),
                        see_help(command_.name)));
    }
    if (!allowed(found->value, value))
      return fail(
          usage(fmt::format("{} takes {}, not '{}'", name, alternatives(found->value), value),
                see_help(command_.name)));
    auto& values = call_.options[name];
    if (!values.empty() && !found->many && !found->value.empty())
      return fail(usage(name + " is given twice", see_help(command_.name)));
    values.push_back(std::move(value));
    return {};
  }

  Status take_positional() {
    const auto& word = words_[at_];
    const auto& known = command_.positionals;
    const auto index = call_.positionals.size();
    if (index >= known.size() && (known.empty() || !known.back().many))
      return fail(
          usage(fmt::format("`sndr {}` doesn't take '{}'", command_.name, word),
                command_.stray.empty() ? see_help(command_.name) : std::string(command_.stray)));
    const auto& positional = known[std::min(index, known.size() - 1)];
    if (!allowed(positional.name, word))
      return fail(usage(fmt::format("`sndr {}` takes {}, not '{}'", command_.name,
                                    alternatives(positional.name), word),
                        see_help(command_.name)));
    call_.positionals.push_back(word);
    return {};
  }

  Status check_positionals() {
    const auto given = call_.positionals.size();
    for (std::size_t i = given; i < command_.positionals.size(); ++i)
      if (command_.positionals[i].required)
        return fail(usage(fmt::format("`sndr {}` needs {}: {}", command_.name,
                                      command_.positionals[i].name, command_.positionals[i].help),
                          command_.example.empty()
                              ? see_help(command_.name)
                              : "for example: " + std::string(split(command_.example, '\n')[0])));
    return {};
  }

  const Command& command_;
  const std::vector<std::string>& words_;
  std::size_t at_;
  Call call_;
};

}  // namespace

bool Call::has(std::string_view option) const {
  return options.find(option) != options.end();
}

std::string Call::value(std::string_view option, std::string_view otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Call::values(std::string_view option) const {
  const auto found = options.find(option);
  return found == options.end() ? std::vector<std::string>{} : found->second;
}

std::string Call::word(std::size_t index) const {
  return index < positionals.size() ? positionals[index] : std::string();
}

const Command* find_command(const Table& table, std::string_view name) {
  for (const auto& group : table)
    for (const auto* command : group.commands)
      if (command->name == name) return command;
  return nullptr;
}

std::vector<const Command*> family(const Table& table, std::string_view word) {
  std::vector<const Command*> out;
  for (const auto& group : table)
    for (const auto* command : group.commands)
      if (command->name.size() > word.size() && command->name.starts_with(word) &&
          command->name[word.size()] == ' ')
        out.push_back(command);
  return out;
}

Result<Asked> parse(const std::vector<std::string>& typed, const Table& table,
                    const std::vector<Moved>& moved) {
  auto words = typed;
  bool help = false;
  const bool json_first = !words.empty() && words[0] == "--json";
  if (json_first) words.erase(words.begin());
  if (!words.empty() && words[0] == "--version") words[0] = "version";
  if (!words.empty() && (words[0] == "help" || is_help(words[0]))) {
    help = true;
    words.erase(words.begin());
  }
  // The verb is the longest run of plain words that names a command.
  std::string seen;
  std::size_t after = 0;
  const Command* command = nullptr;
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 2) && !is_option(words[i]); ++i) {
    seen += (i > 0 ? " " : "") + words[i];
    if (const auto* match = find_command(table, seen)) {
      command = match;
      after = i + 1;
    }
  }
  if (command != nullptr) {
    if (help) return Asked{.command = nullptr, .call = {}, .topic = std::string(command->name)};
    if (json_first) words.insert(words.begin() + static_cast<std::ptrdiff_t>(after), "--json");
    return Reader(*command, words, after).read();
  }
  if (words.empty() && !json_first) return Asked{};
  if (words.empty()) return fail(usage("--json needs a verb", see_help("")));
  if (is_option(words[0]))
    return fail(usage(fmt::format("unknown option {}", words[0]), see_help("")));
  const auto wants_help = help || std::any_of(words.begin(), words.end(), is_help);
  const bool is_family = !family(table, words[0]).empty();
  if (is_family && seen == words[0]) {
    if (wants_help) return Asked{.command = nullptr, .call = {}, .topic = words[0]};
    return fail(usage(fmt::format("`sndr {}` needs a verb", words[0]), see_help(words[0])));
  }
  return fail(unknown_verb(seen, table, moved));
}

}  // namespace sndr::cli
