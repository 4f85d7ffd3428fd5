// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <fmt/core.h>

#include <string>

namespace sndr {

std::string render(const Error& error) {
  std::string out;
  if (!error.where.file.empty()) {
    out += error.where.file;
    if (error.where.line > 0) out += fmt::format(":{}", error.where.line);
    if (error.where.column > 0) out += fmt::format(":{}", error.where.column);
    out += ": ";
  }
  out += error.what;
  for (const auto& step : error.trail) out += fmt::format(" ({})", step);
  if (!error.hint.empty()) out += "\n  " + error.hint;
  return out;
}

int exit_code(Errc code) {
  return code == Errc::invalid_input || code == Errc::not_found ? 2 : 1;
}

}  // namespace sndr
