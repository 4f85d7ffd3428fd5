// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Child processes by argv; no shell is ever handed a string that we built.
namespace sndr {

struct Spawn {
  std::vector<std::string> argv;  ///< argv[0] is looked up on PATH
  std::vector<std::string> env;   ///< "K=V", replaces ours whole; empty = inherit
  std::string cwd;                ///< empty = ours
  std::string input;              ///< handed to stdin
  int timeout_ms = 0;             ///< 0 = none; at the limit the child is killed
};

struct Finished {
  int code = 0;  ///< exit code, or 128 + signal
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// Runs to the end and collects both streams. An error only where the program can't be started.
[[nodiscard]] Result<Finished> run_process(const Spawn& spawn);

/// The absolute path of a program on PATH, or "" (a word with a slash is returned if it can be
/// executed).
[[nodiscard]] std::string find_program(std::string_view name);

/// Our own binary, by /proc/self/exe.
[[nodiscard]] std::string self_path();

/// False for a process that ended or is a zombie; a pid that another user owns counts as alive.
[[nodiscard]] bool process_alive(pid_t pid);

/// Clock ticks after boot at which a process began: with the pid it names the process for good. 0
/// for one that ended.
[[nodiscard]] std::uint64_t process_start_time(pid_t pid);

}  // namespace sndr
