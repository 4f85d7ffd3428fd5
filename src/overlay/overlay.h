// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "patch/edit.h"
#include "plan/plan.h"
#include "probe/tree.h"

/// Patched copies of vLLM's files, beside it, never in it:
///
///   $SNDR_HOME/overlays/<sha256>/
///     manifest.json  modules, their pristine files (size, mtime, sha256), patches, our version
///     vllm/...       patched and new files; links to package data beside their pristine twins
///     boot/          sitecustomize.py, genesis_boot.py, the plugin and its dist-info
///
/// The name covers the pristine files' hashes, the patches' fingerprints, the boot files, the
/// kernels' .so and our version. A folder is built under a temporary name, fsynced and renamed;
/// processes that build it at once end with one.
namespace sndr::overlay {

/// $SNDR_HOME or ~/.sndr.
[[nodiscard]] fs::path home();
[[nodiscard]] fs::path overlays_dir();

struct Built {
  std::string hash;
  fs::path path;
  bool fresh = false;  ///< false: it was there already
  std::size_t files = 0;
};

/// A cached reader of a tree's files for patch::Source; keeps text and sha256 of what it read.
class TreeReader {
 public:
  explicit TreeReader(const probe::Tree& tree);
  ~TreeReader();
  TreeReader(TreeReader&&) noexcept;
  [[nodiscard]] patch::Source source() const;
  /// sha256 (hex) of a file that was read.
  [[nodiscard]] std::string digest(std::string_view path) const;
  /// Files that were read and differ from RECORD.
  [[nodiscard]] std::vector<std::string> changed(const probe::Record& record) const;
  [[nodiscard]] std::vector<std::string> all_files() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Builds what the plan applies; nothing to apply gives nullopt.
[[nodiscard]] Result<std::optional<Built>> build(const plan::Plan& plan, const probe::Tree& tree,
                                                 const TreeReader& reader);

struct Listed {
  std::string hash;
  fs::path path;
  std::string vllm;
  std::vector<std::string> ids;
  std::uint64_t bytes = 0;
  std::int64_t built_at = 0;  ///< seconds since the epoch
  std::int64_t used_at = 0;
  std::vector<pid_t> running;  ///< processes that use it now
  std::string problem;         ///< unreadable or damaged: why
};
[[nodiscard]] Result<std::vector<Listed>> list();

/// Keeps the `keep` most recently used; never one that runs. Returns what it removed (with dry_run:
/// would remove).
[[nodiscard]] Result<std::vector<Listed>> collect(std::size_t keep, bool dry_run);

/// Every file of an overlay against its manifest.
[[nodiscard]] Status verify(const fs::path& overlay);

/// The environment that makes a process use it: GENESIS_OVERLAY, PYTHONPATH with <overlay>/boot
/// first, VLLM_PLUGINS where it is set, GENESIS_LIVE.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_for(
    const Built& built, const fs::path& live_file);

}  // namespace sndr::overlay
