// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "probe/machine.h"
#include "probe/tree.h"

namespace sndr::probe {
namespace {

constexpr std::string_view kV12Marker = "# [Genesis wiring marker:";

/// What one file is, or nothing where it is vLLM's own text.
Result<std::optional<FileState>> judge_file(const Tree& tree, const Record& record,
                                            const std::string& file) {
  FileState out;
  out.file = file;
  const fs::path path = tree.package / file;
  if (!stat_path(path).exists) {
    out.state = Pristine::missing;
    return out;
  }
  SNDR_TRY(const auto text, read_file(path));
  const auto digest = record.digest(file);
  if (digest && *digest == sha256_record(text)) return std::nullopt;
  out.state = digest ? Pristine::changed : Pristine::unrecorded;
  out.v12_marker = text.find(kV12Marker) != std::string::npos;
  if (!record.known() && !out.v12_marker) return std::nullopt;
  return out;
}

/// The union of what lies there and what RECORD lists.
Result<std::vector<std::string>> python_files(const Tree& tree, const Record& record) {
  SNDR_TRY(auto files, list_files(tree.package));
  for (const auto name : record.names()) files.emplace_back(name);
  std::erase_if(files, [](const std::string& file) { return !file.ends_with(".py"); });
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace

Result<std::vector<FileState>> check_pristine(const Tree& tree, const Record& record) {
  SNDR_TRY(const auto files, python_files(tree, record));
  std::vector<FileState> out;
  std::optional<Error> error;
  std::mutex guard;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at = next++; at < files.size(); at = next++) {
      auto state = judge_file(tree, record, files[at]);
      if (state && !*state) continue;
      const std::lock_guard lock(guard);
      if (state)
        out.push_back(std::move(**state));
      else if (!error)
        error = std::move(state).error();
    }
  };
  const unsigned width = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  {
    std::vector<std::jthread> pool;
    for (unsigned i = 1; i < width; ++i) pool.emplace_back(work);
    work();
  }
  if (error) return fail(*std::move(error));
  std::sort(out.begin(), out.end(),
            [](const FileState& a, const FileState& b) { return a.file < b.file; });
  return out;
}

std::string reinstall_command(const Tree& tree) {
  const bool from_pip = !tree.distribution.empty() && !tree.editable && !tree.dist_info.empty();
  if (!from_pip) return "git -C " + shell_quote(tree.site.string()) + " checkout -- vllm";
  std::string wanted = tree.distribution;
  if (!tree.version_text.empty()) wanted += "==" + tree.version_text;
  const std::string python = tree.python.empty() ? "python3" : tree.python;
  // uv's environments have no pip of their own.
  const fs::path prefix = fs::path(python).parent_path().parent_path();
  if (!venv_setting(prefix, "uv").empty() && !stat_path(tree.site / "pip").is_dir)
    return fmt::format("uv pip install --python {} --reinstall-package {} --no-deps {}",
                       shell_quote(python), tree.distribution, shell_quote(wanted));
  return fmt::format("{} -m pip install --force-reinstall --no-deps {}", shell_quote(python),
                     shell_quote(wanted));
}

}  // namespace sndr::probe
