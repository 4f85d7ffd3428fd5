// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"

/// Which patches run in an engine, by what its processes wrote down as they imported patched
/// modules.
///
/// The live file has a line for each module in each process, `pid<TAB>module<TAB>ids`, and a line
/// `ready` once the count has been printed: by the engine itself, by its watcher, or as it ended.
/// The same rules stand in python/genesis_overlay.py, which writes the file.
namespace sndr::cli {

struct LiveCount {
  std::vector<std::string> live;                            ///< ids whose modules have all run
  std::map<std::string, std::vector<std::string>> missing;  ///< id -> modules not imported yet
  std::size_t processes = 0;
  bool reported = false;  ///< the line `ready` is there
  [[nodiscard]] std::size_t planned() const { return live.size() + missing.size(); }
};

[[nodiscard]] Result<LiveCount> count_live(const fs::path& overlay, const fs::path& live_file);

/// Adds the line `ready`; false where it was there already, or the file can't be written.
[[nodiscard]] bool claim_report(const fs::path& live_file);

/// "[Genesis] live: 30 of 31 in 3 processes (not loaded: PN91: vllm.entrypoints.chat_utils)\n"
[[nodiscard]] std::string live_line(const LiveCount& count);

}  // namespace sndr::cli
