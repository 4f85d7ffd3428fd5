// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "overlay/overlay.h"
#include "overlay/store.h"

namespace sndr::overlay {
namespace {

constexpr std::string_view kPlugin = "genesis";

/// The boot folder of an overlay, ours or one that this process was started with.
bool is_boot(std::string_view entry) {
  const fs::path path(entry);
  return path.filename() == "boot" && is_overlay_name(path.parent_path().filename().string());
}

std::string python_path(const fs::path& boot) {
  std::string out = boot;
  const auto before = env_or("PYTHONPATH");
  if (before.empty()) return out;  // an empty entry would be the current folder
  for (const auto entry : split(before, ':'))
    if (!is_boot(entry)) out += ":" + std::string(entry);
  return out;
}

/// VLLM_PLUGINS lists the plugins that vLLM may load; unset allows all, "" none.
std::string plugins(std::string_view before) {
  if (before.empty()) return std::string(kPlugin);
  for (const auto name : split(before, ','))
    if (name == kPlugin) return std::string(before);
  return std::string(before) + "," + std::string(kPlugin);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> environment_for(const Built& built,
                                                                 const fs::path& live_file) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"GENESIS_OVERLAY", built.path.string()},
      {"GENESIS_LIVE", live_file.string()},
      {"PYTHONPATH", python_path(built.path / "boot")},
  };
  if (const char* set = std::getenv("VLLM_PLUGINS"); set != nullptr)
    out.emplace_back("VLLM_PLUGINS", plugins(set));
  return out;
}

}  // namespace sndr::overlay
