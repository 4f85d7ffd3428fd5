// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/signals.h"

namespace sndr::cli {
namespace {

int run_words(const std::vector<std::string>& words) {
  const auto err = term::screen_of(STDERR_FILENO);
  auto asked = parse(words, table(), moved());
  if (!asked) {
    report(err, asked.error());
    return exit_code(asked.error().code);
  }
  const auto out = term::screen_of(STDOUT_FILENO);
  if (asked->command == nullptr) {
    put(help(table(), asked->topic, out));
    return 0;
  }
  asked->call.out = out;
  asked->call.err = err;
  const auto code = asked->command->run(asked->call);
  if (code) return *code;
  report(err, code.error());
  return exit_code(code.error().code);
}

}  // namespace

int main(int argc, char** argv) {
  set_signals();
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);  // argc may be 0
  return finish_output(run_words(words));
}

}  // namespace sndr::cli
