// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "cli/args.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"

namespace sndr::cli {
namespace {

/// Ctrl-C ends with 130, at once. Nothing needs tidying: files are renamed into place whole, and
/// the in-place journal is finished by the next command. exec() puts the default back for the
/// engine.
extern "C" void interrupted(int) {
  ::_exit(130);
}

/// A closed pipe is seen as EPIPE by finish_output(); `run` restores SIGPIPE before it execs.
void set_signals() {
  struct sigaction action = {};
  action.sa_handler = interrupted;
  ::sigaction(SIGINT, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

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
