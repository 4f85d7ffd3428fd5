// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"

/// Options that several verbs share. A name means the same everywhere.
namespace sndr::cli {

inline constexpr Option kJson{.name = "--json", .value = {}, .help = "print JSON"};
inline constexpr Option kPack{
    .name = "--pack",
    .value = "DIR",
    .help = "read the tuning pack from a folder instead of the built-in one"};
inline constexpr Option kVllm{
    .name = "--vllm",
    .value = "DIR",
    .help =
        "the vLLM to look at: site-packages, vllm/ itself, an unpacked wheel, a git tree, a "
        "container's root, or a pin's version (0.33.0)"};
inline constexpr Option kAsVersion{
    .name = "--as-version",
    .value = "VERSION",
    .help = "the version to assume, for a tree that has none to read"};
inline constexpr Option kEnable{.name = "--enable",
                                .value = "ID",
                                .help = "enable a patch as its flag would; an id or a flag",
                                .many = true};
inline constexpr Option kDisable{.name = "--disable",
                                 .value = "ID",
                                 .help = "disable a patch; wins over --enable and the environment",
                                 .many = true};
inline constexpr Option kAssume{.name = "--assume",
                                .value = "KEY=VALUE",
                                .help = "answer a gate's question, for example kv_cache_dtype=fp8",
                                .many = true};
inline constexpr Option kFakeGpus{.name = "--fake-gpus",
                                  .value = "CARDS",
                                  .help = "cards to assume: 2x3090, or NAME:VRAM_MIB:CC"};
inline constexpr Option kTryNewer{
    .name = "--try-newer", .value = {}, .help = "above the verified span, let the anchors decide"};
inline constexpr Option kStrictEnv{.name = "--strict-env",
                                   .value = {},
                                   .help = "an unknown GENESIS_ or SNDR_ variable is an error"};
inline constexpr Option kKeepGoing{
    .name = "--keep-going", .value = {}, .help = "go on without the patches that failed"};
inline constexpr Option kLogStyle{
    .name = "--log-style",
    .value = "lines|tags",
    .help = "how the boot log is written; tags is `[APPLY] P62 Title`"};
inline constexpr Option kAll{
    .name = "--all", .value = {}, .help = "a line for each of v12's ids, too"};

}  // namespace sndr::cli
