// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/args.h"
#include "cli/command.h"

// All three scripts answer the same questions: which verbs, which verbs of a family, which options
// and words of a verb, and what an option's value may be. An option's name means the same in every
// verb, so values need one table only.
namespace sndr::cli {
namespace {

std::vector<const Command*> visible(const Table& table) {
  std::vector<const Command*> out;
  for (const auto& group : table)
    for (const auto* command : group.commands)
      if (!command->hidden) out.push_back(command);
  return out;
}

std::string_view first_word(const Command& command) {
  return command.name.substr(0, command.name.find(' '));
}

struct Word {
  std::string name;
  std::string summary;
};

/// What may stand first: verbs, and each family once.
std::vector<Word> first_words(const Table& table) {
  std::vector<Word> out;
  for (const auto* command : visible(table)) {
    const auto word = first_word(*command);
    if (std::any_of(out.begin(), out.end(), [&](const Word& known) { return known.name == word; }))
      continue;
    std::vector<std::string> verbs;
    for (const auto* member : family(table, word))
      if (!member->hidden) verbs.emplace_back(member->name.substr(word.size() + 1));
    out.push_back({std::string(word),
                   word == command->name ? std::string(command->summary) : join(verbs, ", ")});
  }
  return out;
}

std::vector<std::string> names_of(const std::vector<Word>& words) {
  std::vector<std::string> out;
  out.reserve(words.size());
  for (const auto& word : words) out.push_back(word.name);
  return out;
}

/// "patches" -> {"list", "summary"}...; empty for a plain verb.
std::vector<Word> second_words(const Table& table, std::string_view word) {
  std::vector<Word> out;
  for (const auto* member : family(table, word))
    if (!member->hidden)
      out.push_back(
          {std::string(member->name.substr(word.size() + 1)), std::string(member->summary)});
  return out;
}

std::string option_names(const Command& command) {
  std::string out = "--help";
  for (const auto& option : command.options) out += " " + std::string(option.name);
  return out;
}

/// "DIR" -> directories, "FILE" and "PY" -> files, "ID" -> ids, "a|b" -> those words.
enum class Kind : unsigned char { none, directories, files, ids, words };
Kind kind_of(std::string_view value) {
  if (value == "DIR") return Kind::directories;
  if (value == "FILE" || value == "PY") return Kind::files;
  if (value == "ID") return Kind::ids;
  return value.find('|') == std::string_view::npos ? Kind::none : Kind::words;
}

std::string spaced(std::string_view words) {
  return replace_all(std::string(words), "|", " ");
}

std::map<std::string, std::string> option_values(const Table& table) {
  std::map<std::string, std::string> out;
  for (const auto* command : visible(table))
    for (const auto& option : command->options)
      if (!option.value.empty()) out.emplace(option.name, option.value);
  return out;
}

std::string bash_reply(std::string_view value) {
  switch (kind_of(value)) {
    case Kind::directories:
      return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Kind::files:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Kind::ids:
      return "COMPREPLY=($(compgen -W \"$(sndr patches list --ids 2>/dev/null)\" -- \"$cur\"))";
    case Kind::words:
      return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", spaced(value));
    case Kind::none:
      break;
  }
  return "COMPREPLY=()";
}

std::string zsh_reply(std::string_view value) {
  switch (kind_of(value)) {
    case Kind::directories:
      return "_files -/";
    case Kind::files:
      return "_files";
    case Kind::ids:
      return "compadd -- ${(f)\"$(sndr patches list --ids 2>/dev/null)\"}";
    case Kind::words:
      return "compadd -- " + spaced(value);
    case Kind::none:
      break;
  }
  return "_message " + lower(value.empty() ? "value" : value);
}

std::string fish_arguments(std::string_view value) {
  switch (kind_of(value)) {
    case Kind::directories:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::files:
      return " -r -F";
    case Kind::ids:
      return " -x -a '(sndr patches list --ids 2>/dev/null)'";
    case Kind::words:
      return fmt::format(" -x -a '{}'", spaced(value));
    case Kind::none:
      break;
  }
  return " -x";
}

std::string fish_quote(std::string_view text) {
  return "'" + replace_all(replace_all(std::string(text), "\\", "\\\\"), "'", "\\'") + "'";
}

}  // namespace

std::string bash_completion(const Table& table) {
  const auto verbs = first_words(table);
  std::string families;
  for (const auto& verb : verbs)
    if (const auto second = names_of(second_words(table, verb.name)); !second.empty())
      families += fmt::format("    {}) words=\"{}\" ;;\n", verb.name, join(second, " "));
  std::string options;
  for (const auto* command : visible(table))
    options += fmt::format(
        "    '{}') words='{}'; first='{}' ;;\n", command->name, option_names(*command),
        command->positionals.empty() ? std::string_view{} : command->positionals[0].name);
  std::string values;
  for (const auto& [name, value] : option_values(table))
    values += fmt::format("    {}) {}; return ;;\n", name, bash_reply(value));
  return fmt::format(R"(# bash completion for sndr: source <(sndr completion bash)
_sndr() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" words="" first="" verb i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$cur"))
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$cur"))
    return
  fi
  verb="${{COMP_WORDS[1]}}"
  case "$verb" in
{}  esac
  if [[ -n $words ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
      return
    fi
    verb="$verb ${{COMP_WORDS[2]}}"
  fi
  case "$prev" in
{}  esac
  case "$verb" in
{}    *) return ;;
  esac
  if [[ $cur != -* ]]; then
    case "$first" in
      ID) {}; return ;;
      DIR) {}; return ;;
      *'|'*) COMPREPLY=($(compgen -W "${{first//|/ }}" -- "$cur")); return ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -F _sndr sndr genesis
)",
                     join(names_of(verbs), " "), families, values, options, bash_reply("ID"),
                     bash_reply("DIR"));
}

std::string zsh_completion(const Table& table) {
  const auto described = [](const std::vector<Word>& words) {
    std::string out;
    for (const auto& word : words)
      out +=
          fmt::format(" {}", shell_quote(word.name + ":" + replace_all(word.summary, ":", "\\:")));
    return out;
  };
  const auto verbs = first_words(table);
  std::string families;
  for (const auto& verb : verbs)
    if (const auto second = second_words(table, verb.name); !second.empty())
      families += fmt::format("    {}) list=({}) ;;\n", verb.name, described(second));
  std::string options;
  for (const auto* command : visible(table))
    options += fmt::format(
        "    '{}') list=({}); first='{}' ;;\n", command->name, option_names(*command),
        command->positionals.empty() ? std::string_view{} : command->positionals[0].name);
  std::string values;
  for (const auto& [name, value] : option_values(table))
    values += fmt::format("    {}) {}; return ;;\n", name, zsh_reply(value));
  return fmt::format(R"(#compdef sndr genesis
# zsh completion for sndr: sndr completion zsh > "${{fpath[1]}}/_sndr"
_sndr() {{
  local -a list
  local verb first=''
  local after=${{words[(i)--]}}
  if (( after < CURRENT )); then
    _files
    return
  fi
  if (( CURRENT == 2 )); then
    list=({})
    _describe verb list
    return
  fi
  verb=${{words[2]}}
  case $verb in
{}  esac
  if (( $#list )); then
    if (( CURRENT == 3 )); then
      _describe verb list
      return
    fi
    verb="$verb ${{words[3]}}"
  fi
  case ${{words[CURRENT-1]}} in
{}  esac
  list=()
  case $verb in
{}    *) return ;;
  esac
  if [[ $PREFIX != -* ]]; then
    case $first in
      ID) {}; return ;;
      DIR) {}; return ;;
      *'|'*) compadd -- ${{(s:|:)first}}; return ;;
    esac
  fi
  compadd -- $list
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sndr "$@"; else compdef _sndr sndr genesis; fi
)",
                     described(verbs), families, values, options, zsh_reply("ID"),
                     zsh_reply("DIR"));
}

std::string fish_completion(const Table& table) {
  std::string out = R"(# fish completion for sndr: sndr completion fish | source
function __sndr_is
    set -l typed (commandline -poc)
    set -l last (math (count $argv) + 1)
    test (count $typed) -ge $last; and test "$typed[2..$last]" = "$argv"
end
function __sndr_needs
    set -l typed (commandline -poc)
    test (count $typed) -eq (math (count $argv) + 1); and begin
        test (count $argv) -eq 0; or test "$typed[2..-1]" = "$argv"
    end
end
complete -c sndr -f
)";
  for (const auto& word : first_words(table)) {
    out += fmt::format("complete -c sndr -n __sndr_needs -a {} -d {}\n", word.name,
                       fish_quote(word.summary));
    for (const auto& second : second_words(table, word.name))
      out += fmt::format("complete -c sndr -n '__sndr_needs {}' -a {} -d {}\n", word.name,
                         second.name, fish_quote(second.summary));
  }
  for (const auto* command : visible(table)) {
    const auto when = fmt::format("complete -c sndr -n '__sndr_is {}'", command->name);
    for (const auto& option : command->options)
      out += fmt::format("{} -l {} -d {}{}\n", when, option.name.substr(2), fish_quote(option.help),
                         option.value.empty() ? "" : fish_arguments(option.value));
    if (!command->positionals.empty() && kind_of(command->positionals[0].name) != Kind::none)
      out += when + fish_arguments(command->positionals[0].name) + "\n";
  }
  return out + "complete -c genesis -w sndr\n";
}

}  // namespace sndr::cli
