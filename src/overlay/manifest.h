// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "overlay/overlay.h"
#include "overlay/recipe.h"

/// manifest.json, read by the boot hook in every process, and by `list` and `verify`:
///
///   {"format": 1, "genesis": "0.1.0", "hash": "...", "vllm": "0.33.0",
///    "modules": {"vllm.sampling_params": {
///       "file": "vllm/sampling_params.py", "pristine": "sampling_params.py",   below the tree's
///       vllm/ "size": 1, "mtime_ns": 1, "sha256": "...",                             of the
///       pristine file "package": false, "ids": ["PN91"]}},
///    "created": ["vllm/new.py"],       modules that vLLM lacks; theirs have no pristine file
///    "patches": [{"id": "PN91", "title": "...", "files": ["sampling_params.py"]}],
///    "plugins": ["module:function"],
///    "files": {"vllm/sampling_params.py": "<sha256>"},   every file of the overlay but this one
///    "links": {"vllm/x/configs": "/absolute/target"}}
namespace sndr::overlay {

struct Contents {
  std::map<std::string, std::string> files;  ///< below the overlay -> text
  std::vector<Link> links;
};

[[nodiscard]] std::string write_manifest(const Recipe& recipe, const plan::Plan& plan,
                                         const TreeReader& reader, const Payload& payload,
                                         const std::vector<patch::PatchedFile>& patched,
                                         const Contents& contents);

/// What `list` and `verify` want of it.
struct Manifest {
  std::string hash, vllm;
  std::vector<std::string> ids;
  std::map<std::string, std::string> files;  ///< below the overlay -> sha256
  std::map<std::string, std::string> links;
};
[[nodiscard]] Result<Manifest> read_manifest(const fs::path& overlay);

}  // namespace sndr::overlay
