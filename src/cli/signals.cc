// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <signal.h>
#include <unistd.h>

namespace sndr::cli {
namespace {

struct sigaction pipe_before = {};

extern "C" void interrupted(int) {
  ::_exit(130);
}

}  // namespace

void set_signals() {
  struct sigaction before = {};
  ::sigaction(SIGINT, nullptr, &before);
  struct sigaction action = {};
  action.sa_handler = interrupted;
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGINT, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, &pipe_before);
}

void restore_signals() {
  ::sigaction(SIGPIPE, &pipe_before, nullptr);
}

}  // namespace sndr::cli
