// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
///     used           its mtime says when the overlay was last handed out
///
/// The name covers everything that decides what is in the folder: the pristine files' hashes, the
/// patches' fingerprints and which variant of each edit fits, the boot files, vLLM's version and
/// ours. So a folder is never written again, and a __pycache__ in it can't be stale.
///
/// Links are the one thing that points out of it. They are made only where a patched module uses
/// `__file__`; then they are part of the name too, so two environments with the same files share an
/// overlay unless it has links.
///
/// A folder is built under a temporary name, fsynced and renamed; processes that build it at once
/// end with one. A crash leaves the old state or the new one, and a temporary folder that the next
/// build removes.
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
/// Texts live as long as the reader. For one thread.
class TreeReader {
 public:
  explicit TreeReader(const probe::Tree& tree);
  ~TreeReader();
  TreeReader(TreeReader&&) noexcept;
  [[nodiscard]] patch::Source source() const;
  /// sha256 (hex) of a file, read if it wasn't; "" where there is none.
  [[nodiscard]] std::string digest(std::string_view path) const;
  /// As it was just before the file was read.
  [[nodiscard]] Stat stat(std::string_view path) const;
  /// Files that were read and differ from RECORD.
  [[nodiscard]] std::vector<std::string> changed(const probe::Record& record) const;
  /// Every file below vllm/ but compiled Python, sorted.
  [[nodiscard]] std::vector<std::string> all_files() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What goes into an overlay beside the patched files.
struct Payload {
  std::string version;                                       ///< ours
  std::vector<std::pair<std::string, std::string>> boot;     ///< path below boot/ -> text
  std::function<void(std::string_view what)> before_change;  ///< tests: called before each write
};
/// The boot files that travel in the binary.
[[nodiscard]] const Payload& built_in();

/// Builds what the plan applies; nothing to apply gives nullopt. Patches that change no file and
/// have no plugin (gateway, launch) are not the overlay's. Where the folder exists it is only
/// looked at. Refuses an overlays folder that another user owns or can write.
[[nodiscard]] Result<std::optional<Built>> build(const plan::Plan& plan, const probe::Tree& tree,
                                                 const TreeReader& reader,
                                                 const Payload& payload = built_in());

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
/// Most recently used first. A process uses an overlay if $SNDR_HOME/run/*.json says so ("pid",
/// "start_time", "overlay") and it lives, or if its GENESIS_OVERLAY, where we may read it, does.
[[nodiscard]] Result<std::vector<Listed>> list();

/// Keeps the `keep` most recently used of those without a problem; never removes one that runs.
/// Returns what it removed (with dry_run: would remove).
[[nodiscard]] Result<std::vector<Listed>> collect(std::size_t keep, bool dry_run);

/// Every file of an overlay against its manifest: changed, missing, or not ours.
[[nodiscard]] Status verify(const fs::path& overlay);

/// The environment that makes a process use it: GENESIS_OVERLAY, PYTHONPATH with <overlay>/boot
/// first (another overlay's is dropped), VLLM_PLUGINS where it is set, GENESIS_LIVE.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_for(
    const Built& built, const fs::path& live_file);

}  // namespace sndr::overlay
