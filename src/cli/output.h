// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/term.h"
#include "json/json.h"

/// The two streams: data on stdout, advice on stderr.
///
/// stdout is written in large pieces and checked once, at the end: a reader that went away (EPIPE)
/// ends the program quietly, a full disk is an error.
namespace sndr::cli {

void put(std::string_view data);
void put_json(const json::Value& value);

/// To stderr; whatever was put before is shown first.
void advise(std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  put(fmt::format(text, std::forward<Args>(args)...));
}

/// "error: FILE:LINE: what\n  hint" on stderr.
void report(const term::Screen& screen, const Error& error);

/// Writes what is left. Returns `code`, or 1 where stdout couldn't be written for another reason
/// than a closed pipe.
[[nodiscard]] int finish_output(int code);

}  // namespace sndr::cli
