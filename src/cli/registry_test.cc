// SPDX-License-Identifier: Apache-2.0
// The table that help, completion and docs/CLI.md come from has to be in order.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/command.h"

namespace sndr::cli {
namespace {

std::vector<const Command*> all() {
  std::vector<const Command*> out;
  for (const auto& group : table())
    out.insert(out.end(), group.commands.begin(), group.commands.end());
  return out;
}

TEST(Registry, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto* command : all())
    EXPECT_TRUE(names.insert(command->name).second) << command->name;
}

TEST(Registry, EveryRowIsWhole) {
  for (const auto* command : all()) {
    EXPECT_NE(command->run, nullptr) << command->name;
    EXPECT_FALSE(command->example.empty()) << command->name;
    ASSERT_FALSE(command->summary.empty()) << command->name;
    EXPECT_NE(command->summary.back(), '.') << command->name;
    for (const auto& option : command->options) {
      EXPECT_TRUE(option.name.starts_with("--")) << option.name;
      ASSERT_FALSE(option.help.empty()) << option.name;
      EXPECT_NE(option.help.back(), '.') << option.name;
    }
  }
}

TEST(Registry, AnOptionTakesTheSameEverywhere) {
  std::map<std::string_view, std::string_view> values;
  for (const auto* command : all()) {
    std::set<std::string_view> here;
    for (const auto& option : command->options) {
      EXPECT_TRUE(here.insert(option.name).second) << command->name << " " << option.name;
      const auto [at, fresh] = values.emplace(option.name, option.value);
      EXPECT_EQ(at->second, option.value) << command->name << " " << option.name;
    }
  }
}

/// The words of an example as a shell splits them, without settings, pipes and substitutions.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> out;
  for (const auto word : split(line, ' ')) {
    if (word == "|" || word == ">") break;
    if (word == "source" || word == "sndr" || word == "<(sndr") continue;
    if (out.empty() && word.find('=') != std::string_view::npos) continue;
    out.push_back(replace_all(std::string(word), ")", ""));
  }
  return out;
}

TEST(Registry, EveryExampleIsACallOfItsVerb) {
  for (const auto* command : all())
    for (const auto line : split_lines(command->example)) {
      const auto asked = parse(words_of(line), table(), moved());
      ASSERT_TRUE(asked.has_value()) << line << ": " << render(asked.error());
      EXPECT_EQ(asked->command, command) << line;
    }
}

TEST(Registry, EveryMovedWordIsAnswered) {
  for (const auto& entry : moved()) {
    const std::vector<std::string> words = [&] {
      std::vector<std::string> out;
      for (const auto word : split(entry.words, ' ')) out.emplace_back(word);
      return out;
    }();
    const auto asked = parse(words, table(), moved());
    ASSERT_FALSE(asked.has_value()) << entry.words << " is a verb now";
    EXPECT_EQ(asked.error().what, entry.answer);
  }
}

/// "type: sndr X" has to be something that can be typed.
TEST(Registry, AnswersNameVerbsThatExist) {
  constexpr std::string_view kType = "type: sndr ";
  for (const auto& entry : moved()) {
    if (!entry.hint.starts_with(kType)) continue;
    std::vector<std::string> words;
    for (const auto word : split(entry.hint.substr(kType.size()), ' '))
      words.push_back(replace_all(std::string(word), ",", ""));
    while (words.size() > 2) words.pop_back();
    if (words.back() == "--help") words.pop_back();
    const bool known = find_command(table(), join(words, " ")) != nullptr ||
                       find_command(table(), words[0]) != nullptr ||
                       !family(table(), words[0]).empty();
    EXPECT_TRUE(known) << entry.hint;
  }
}

}  // namespace
}  // namespace sndr::cli
