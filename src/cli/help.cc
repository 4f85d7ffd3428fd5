// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/term.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/words.h"

namespace sndr::cli {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string heading(const term::Screen& screen, std::string_view text) {
  return term::paint(screen, term::Style::bold, text) + "\n";
}

/// "  name    text", the texts in one column and wrapped in it; below 60 columns each text gets a
/// line of its own.
std::string rows(const Rows& list, const term::Screen& screen) {
  const auto width = std::min<std::size_t>(screen.width, 100);
  std::size_t column = 0;
  for (const auto& [name, text] : list) column = std::max(column, name.size());
  column += 4;
  std::string out;
  for (const auto& [name, text] : list) {
    if (width < 60) {
      out += hang("  " + name + "\n      ", 6, text, width) + "\n";
      continue;
    }
    out +=
        hang("  " + name + std::string(column - name.size() - 2, ' '), column, text, width) + "\n";
  }
  return out;
}

std::string option_left(const Option& option) {
  return std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value));
}

Rows option_rows(const Command& command) {
  Rows out;
  for (const auto& option : command.options)
    out.emplace_back(option_left(option),
                     std::string(option.help) + (option.many ? " (may be repeated)" : ""));
  return out;
}

Rows summaries(const std::vector<const Command*>& commands) {
  Rows out;
  for (const auto* command : commands)
    if (!command->hidden) out.emplace_back(command->name, command->summary);
  return out;
}

std::string examples(const Command& command) {
  std::string out;
  for (const auto line : split_lines(command.example)) out += "  " + std::string(line) + "\n";
  return out;
}

std::string paragraphs(std::string_view text, std::size_t width) {
  std::string out;
  for (const auto line : split_lines(text)) out += term::wrap(line, width) + "\n";
  return out;
}

}  // namespace

std::string usage_line(const Command& command) {
  std::string out = "sndr " + std::string(command.name);
  for (const auto& positional : command.positionals) {
    const auto name = std::string(positional.name) + (positional.many ? "..." : "");
    out += positional.required ? " " + name : " [" + name + "]";
  }
  if (!command.options.empty()) out += " [OPTION...]";
  if (command.takes_rest) out += " [-- CMD...]";
  return out;
}

std::string help_program(const Table& table, const term::Screen& screen) {
  std::string out =
      "sndr patches stock vLLM as it starts. Your vLLM install is never written to.\n\n";
  out += heading(screen, "Usage") + "  sndr VERB [WORD...] [OPTION...]\n";
  for (const auto& group : table) {
    const auto list = summaries(group.commands);
    if (!list.empty()) out += "\n" + heading(screen, group.title) + rows(list, screen);
  }
  out += "\n" + heading(screen, "First steps");
  out +=
      "  sndr doctor\n"
      "  sndr patches plan --enable PN91\n"
      "  sndr run -- vllm serve Qwen/Qwen3.6-27B\n";
  out +=
      "\n" +
      term::wrap("`sndr VERB --help` shows a verb's options. Verbs that print facts take --json.",
                 std::min<std::size_t>(screen.width, 100)) +
      "\n";
  return out;
}

std::string help_family(const Table& table, std::string_view word, const term::Screen& screen) {
  const auto commands = family(table, word);
  std::string out =
      heading(screen, "Usage") + fmt::format("  sndr {} VERB [WORD...] [OPTION...]\n", word);
  out += "\n" + heading(screen, "Verbs") + rows(summaries(commands), screen);
  std::string shown;
  for (const auto* command : commands)
    if (!command->hidden && !command->example.empty())
      shown += "  " + std::string(split_lines(command->example).front()) + "\n";
  if (!shown.empty()) out += "\n" + heading(screen, "Examples") + shown;
  return out;
}

std::string help_command(const Command& command, const term::Screen& screen) {
  const auto width = std::min<std::size_t>(screen.width, 100);
  std::string out = term::wrap(std::string(command.summary) + ".", width) + "\n";
  if (!command.details.empty()) out += "\n" + paragraphs(command.details, width);
  out += "\n" + heading(screen, "Usage") + "  " + usage_line(command) + "\n";
  Rows words;
  for (const auto& positional : command.positionals)
    words.emplace_back(positional.name, positional.help);
  if (!words.empty()) out += "\n" + heading(screen, "Words") + rows(words, screen);
  if (!command.options.empty())
    out += "\n" + heading(screen, "Options") + rows(option_rows(command), screen);
  if (!command.example.empty()) out += "\n" + heading(screen, "Examples") + examples(command);
  return out;
}

std::string help(const Table& table, std::string_view topic, const term::Screen& screen) {
  if (topic.empty()) return help_program(table, screen);
  if (const auto* command = find_command(table, topic)) return help_command(*command, screen);
  return help_family(table, topic, screen);
}

std::string cli_markdown(const Table& table) {
  std::string out =
      "# The command line\n\n"
      "Generated by `sndr docs generate` from the table that also makes `--help` and the shell "
      "completions. "
      "Don't edit it by hand.\n\n"
      "Exit codes: 0 done, 1 it failed or isn't ready, 2 wrong usage, an unknown key or an invalid "
      "file, "
      "130 interrupted. Data goes to stdout, advice to stderr. `NO_COLOR` is respected.\n";
  for (const auto& group : table) {
    out += fmt::format("\n## {}\n", group.title);
    for (const auto* command : group.commands) {
      out += fmt::format("\n### sndr {}\n\n{}.", command->name, command->summary);
      if (!command->details.empty())
        out += " " + replace_all(std::string(command->details), "\n", " ");
      out += fmt::format("\n\n```\n{}\n```\n", usage_line(*command));
      if (!command->positionals.empty() || !command->options.empty()) out += "\n";
      for (const auto& positional : command->positionals)
        out += fmt::format("- `{}`: {}\n", positional.name, positional.help);
      for (const auto& [left, text] : option_rows(*command))
        out += fmt::format("- `{}`: {}\n", left, text);
      if (!command->example.empty()) out += fmt::format("\n```sh\n{}\n```\n", command->example);
    }
  }
  return out;
}

}  // namespace sndr::cli
