// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/term.h"

/// A verb is a row in one table (registry.cc): help, completion and docs/CLI.md come from it.
namespace sndr::cli {

struct Option {
  std::string_view name;   ///< "--vllm"
  std::string_view value;  ///< "DIR"; "lines|tags" allows these words alone; empty = a switch
  std::string_view help;   ///< one sentence without a period
  bool many = false;       ///< may be given more than once
};

struct Positional {
  std::string_view name;  ///< "ID"; "bash|zsh|fish" allows these words alone
  std::string_view help;
  bool required = true;
  bool many = false;  ///< only the last positional may be
};

/// What was typed, checked against the row.
struct Call {
  std::map<std::string, std::vector<std::string>, std::less<>>
      options;  ///< "--vllm" -> values; a switch has {""}
  std::vector<std::string> positionals;
  std::vector<std::string> rest;  ///< after `--`
  term::Screen out;
  term::Screen err;

  [[nodiscard]] bool has(std::string_view option) const;
  [[nodiscard]] std::string value(std::string_view option, std::string_view otherwise = {}) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
  /// The positional at `index`, or "".
  [[nodiscard]] std::string word(std::size_t index) const;
};

struct Command {
  // g++ warns of rows that leave a member out unless it has an initializer.
  // NOLINTBEGIN(readability-redundant-member-init)
  std::string_view name;          ///< "patches explain"
  std::string_view summary;       ///< one line without a period
  std::string_view details = {};  ///< what its help says beyond the summary
  std::vector<Positional> positionals = {};
  std::vector<Option> options = {};
  bool takes_rest = false;        ///< `-- CMD ...`
  std::string_view example = {};  ///< shown in its help; one a line
  std::string_view stray = {};    ///< the hint where a word is given that it doesn't take
  // NOLINTEND(readability-redundant-member-init)
  bool hidden = false;  ///< works, but only docs/CLI.md's readers and CI need it
  /// The exit code, or an error that `main` prints and turns into one.
  Result<int> (*run)(const Call& call) = nullptr;
};

/// Commands under one heading of `sndr --help`.
struct Group {
  std::string_view title;
  std::vector<const Command*> commands;
};

using Table = std::vector<Group>;

/// The one table of all verbs.
[[nodiscard]] const Table& table();

/// A word that v12 had, or that people try, and what to type here.
struct Moved {
  std::string_view words;   ///< "patches doctor"
  std::string_view answer;  ///< one sentence
  std::string_view hint;
};
[[nodiscard]] const std::vector<Moved>& moved();

/// The program: parses, runs one command, and returns the exit code.
[[nodiscard]] int main(int argc, char** argv);

}  // namespace sndr::cli
