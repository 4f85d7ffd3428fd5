// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

// The one place that names every verb: help, completion and docs/CLI.md follow.
namespace sndr::cli {

extern const Command kDoctor;
extern const Command kPatchesList;
extern const Command kPatchesExplain;
extern const Command kPatchesPlan;
extern const Command kPatchesVerify;
extern const Command kPatchesProve;
extern const Command kPatchesRebase;
extern const Command kPatchesNew;
extern const Command kPatchesDoc;
extern const Command kPinsList;
extern const Command kEnvCheck;
extern const Command kRun;
extern const Command kStatus;
extern const Command kApply;
extern const Command kRevert;
extern const Command kOverlayList;
extern const Command kOverlayGc;
extern const Command kHookInstall;
extern const Command kHookRemove;
extern const Command kHookStatus;
extern const Command kCompletion;
extern const Command kVersion;
extern const Command kDocsGenerate;

const Table& table() {
  static const Table kTable = {
      {"Look", {&kDoctor, &kPatchesList, &kPatchesExplain, &kPatchesPlan, &kPinsList, &kEnvCheck}},
      {"Start", {&kRun, &kStatus, &kHookInstall, &kHookRemove, &kHookStatus}},
      {"Overlays", {&kApply, &kRevert, &kOverlayList, &kOverlayGc}},
      {"Check and write patches",
       {&kPatchesVerify, &kPatchesProve, &kPatchesRebase, &kPatchesNew, &kPatchesDoc}},
      {"About", {&kCompletion, &kVersion, &kDocsGenerate}},
  };
  return kTable;
}

}  // namespace sndr::cli
