// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/term.h"
#include "cli/command.h"

/// Help, written from the table. Plain text that fits the screen's width; bold headings where there
/// is colour.
namespace sndr::cli {

/// `sndr --help`: every verb under its group's heading.
[[nodiscard]] std::string help_program(const Table& table, const term::Screen& screen);
/// `sndr patches --help`
[[nodiscard]] std::string help_family(const Table& table, std::string_view word,
                                      const term::Screen& screen);
/// `sndr patches explain --help`
[[nodiscard]] std::string help_command(const Command& command, const term::Screen& screen);
/// The one that `topic` names (parse() made sure that it exists).
[[nodiscard]] std::string help(const Table& table, std::string_view topic,
                               const term::Screen& screen);

/// "sndr patches explain ID [--json]": one line, unwrapped.
[[nodiscard]] std::string usage_line(const Command& command);

/// docs/CLI.md, whole.
[[nodiscard]] std::string cli_markdown(const Table& table);

}  // namespace sndr::cli
