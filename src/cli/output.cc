// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/term.h"
#include "json/json.h"

namespace sndr::cli {
namespace {

int first_failure = 0;  // errno of the first write that failed

void remember() {
  if (first_failure == 0) first_failure = errno == 0 ? EIO : errno;
}

}  // namespace

void put(std::string_view data) {
  if (first_failure == 0 && std::fwrite(data.data(), 1, data.size(), stdout) != data.size())
    remember();
}

void put_json(const json::Value& value) {
  put(json::pretty(value));
}

void advise(std::string_view text) {
  if (std::fflush(stdout) != 0) remember();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void report(const term::Screen& screen, const Error& error) {
  advise(term::paint(screen, term::Style::red, "error:") + " " + render(error) + "\n");
}

int finish_output(int code) {
  if (std::fflush(stdout) != 0) remember();
  if (first_failure == 0 || first_failure == EPIPE) return code;
  advise(fmt::format("error: cannot write the output: {}\n", std::strerror(first_failure)));
  return code == 0 ? 1 : code;
}

}  // namespace sndr::cli
