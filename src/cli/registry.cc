// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

namespace sndr::cli {

extern const Command kCompletion;
extern const Command kVersion;

const Table& table() {
  static const Table kTable = {
      {"About", {&kCompletion, &kVersion}},
  };
  return kTable;
}

}  // namespace sndr::cli
