// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"

/// Engines that were started with an overlay: $SNDR_HOME/run/<pid>.json, one a process. The
/// process' start time tells it from a later one with the same pid.
namespace sndr::cli {

struct Run {
  pid_t pid = 0;
  std::uint64_t start_time = 0;  ///< clock ticks since boot, field 22 of /proc/<pid>/stat
  std::int64_t since = 0;        ///< seconds since the epoch
  std::string by;                ///< "run", or "hook" where the .pth hook asked
  std::vector<std::string> command;
  std::string overlay;  ///< empty: stock
  std::string live;     ///< the live file
  std::vector<std::string> ids;
  std::string vllm;
};

[[nodiscard]] fs::path runs_dir();
/// The live file of a process, as the hook names it.
[[nodiscard]] fs::path live_file_of(pid_t pid);

[[nodiscard]] Status write_run(const Run& run);
/// The runs whose processes live, oldest first; records and live files of dead ones are removed.
[[nodiscard]] std::vector<Run> live_runs();

}  // namespace sndr::cli
