// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.h"
#include "base/files.h"

/// A small process beside a server that waits for its /health and says then which patches are live.
namespace sndr::cli {

struct Watch {
  pid_t server = 0;  ///< ends with it
  std::string host;  ///< as vLLM was told; empty or a wildcard means this machine
  int port = 8000;
  fs::path overlay;
  fs::path live_file;
};

/// The status of `GET /health` over plain HTTP, or 0 where nobody answers within a second.
[[nodiscard]] int health_status(const std::string& host, int port);

/// Starts it, detached. It never outlives the server and never repeats what the server said itself.
[[nodiscard]] Status start_watch(const Watch& watch);

}  // namespace sndr::cli
