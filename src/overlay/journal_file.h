// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "overlay/journal.h"

namespace sndr::overlay {

/// What journal.json holds.
struct JournalFile {
  std::string root;
  JournalState state = JournalState::none;
  std::string installed;
  std::vector<std::string> ids;
  std::vector<JournalEntry> entries;
  std::vector<std::string> made_folders;
  std::vector<std::string> new_caches;
};

[[nodiscard]] std::string write_journal(const JournalFile& journal);
[[nodiscard]] Result<JournalFile> read_journal(const fs::path& file);

}  // namespace sndr::overlay
