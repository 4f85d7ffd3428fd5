// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/term.h"

/// A verb is a row in one table (registry.cc): help, completion, the man page and docs/CLI.md come from it.
namespace sndr::cli {

struct Option {
  std::string_view name;    ///< "--vllm"
  std::string_view value;   ///< "DIR"; empty = a switch
  std::string_view help;    ///< one sentence
  bool many = false;        ///< may be given more than once
};

struct Positional {
  std::string_view name;    ///< "ID"
  std::string_view help;
  bool required = true;
  bool many = false;
};

/// What was typed, checked against the row.
struct Call {
  std::map<std::string, std::vector<std::string>, std::less<>> options;  ///< "--vllm" -> values; a switch has {""}
  std::vector<std::string> positionals;
  std::vector<std::string> rest;  ///< after `--`
  term::Screen out;
  term::Screen err;

  [[nodiscard]] bool has(std::string_view option) const;
  [[nodiscard]] std::string value(std::string_view option, std::string_view otherwise = {}) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
};

struct Command {
  std::string_view name;        ///< "patches explain"
  std::string_view summary;     ///< one line
  std::vector<Positional> positionals;
  std::vector<Option> options;
  bool takes_rest = false;      ///< `-- CMD ...`
  std::string_view example;     ///< shown in its help
  int (*run)(const Call& call); ///< returns the exit code
};

[[nodiscard]] const std::vector<const Command*>& commands();

/// The program: parses, runs one command, and returns the exit code.
[[nodiscard]] int main(int argc, char** argv);

}  // namespace sndr::cli
