// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/command.h"

/// Words of a command line, checked against the table.
///
/// Why not CLI11: the table is ours, and so are help, completion and messages; all that is left of
/// a library would be "split `--name=value`", for 9 s of compile time. These rules fit on a page:
///
///   sndr [--json] VERB [VERB] [WORD | --option VALUE | --option=VALUE | --switch]... [-- CMD...]
///
/// Options and words mix freely. Everything after `--` belongs to CMD, untouched. No abbreviations,
/// no short options but -h: a script that works today means the same tomorrow.
namespace sndr::cli {

struct Asked {
  const Command* command = nullptr;  ///< nullptr: help is asked for
  Call call;
  std::string
      topic;  ///< help on: "" the program, "patches" a family, "patches explain" one command
};

[[nodiscard]] Result<Asked> parse(const std::vector<std::string>& words, const Table& table,
                                  const std::vector<Moved>& moved = {});

[[nodiscard]] const Command* find_command(const Table& table, std::string_view name);
/// Every command whose name begins with the word: "patches" -> patches list, patches plan, ...
[[nodiscard]] std::vector<const Command*> family(const Table& table, std::string_view word);

}  // namespace sndr::cli
