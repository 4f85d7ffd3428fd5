// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/hash.h"
#include "probe/machine.h"

/// A folder of its own for each test, and the parts of a Python installation to put in it.
namespace sndr::probe::testing {

class TempDir {
 public:
  explicit TempDir(const fs::path& base = fs::temp_directory_path()) {
    std::string pattern = (base / "sndr-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = fs::canonical(pattern);
  }
  ~TempDir() {
    std::error_code ec;
    fs::remove_all(path_, ec);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  fs::path operator/(std::string_view name) const { return path_ / name; }

  fs::path write(std::string_view name, std::string_view text, mode_t mode = 0644) const {
    const fs::path path = path_ / name;
    const auto done = write_file(path, text, mode, Durable::no);
    EXPECT_TRUE(done) << path;
    return path;
  }
  void link(std::string_view name, const fs::path& target) const {
    fs::create_directories((path_ / name).parent_path());
    fs::create_symlink(target, path_ / name);
  }

 private:
  fs::path path_;
};

/// vllm/ and its dist-info below `site`, with a RECORD that is right.
inline void install_vllm(const TempDir& dir, const std::string& site, const std::string& version,
                         const std::string& name = "vllm") {
  const std::map<std::string, std::string> files = {
      {"vllm/__init__.py", "# vllm " + version + "\n"},
      {"vllm/sampling_params.py", "class SamplingParams:\n    pass\n"},
      {"vllm/engine/arg_utils.py", "x = 1\n"},
  };
  std::string record;
  for (const auto& [file, text] : files) {
    dir.write(site + "/" + file, text);
    record += file + ",sha256=" + sha256_record(text) + "," + std::to_string(text.size()) + "\n";
  }
  const std::string info = site + "/" + name + "-" + version + ".dist-info";
  dir.write(info + "/METADATA",
            "Metadata-Version: 2.4\nName: " + name + "\nVersion: " + version + "\n\nName: body\n");
  dir.write(info + "/RECORD", record + name + "-" + version + ".dist-info/RECORD,,\n");
  dir.write(info + "/top_level.txt", "vllm\n");
}

/// A machine whose root, home and working folder lie in `dir`, with the variables given.
inline Machine machine_in(const TempDir& dir, std::map<std::string, std::string> variables = {}) {
  Machine out;
  out.root = dir.path() / "root";
  out.home = dir.path() / "home";
  out.cwd = dir.path() / "work";
  out.env = [variables = std::move(variables)](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string{} : found->second;
  };
  return out;
}

/// Sets a variable of this process's environment for one scope.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const std::string& value) : name_(name), old_(env_or(name)) {
    had_ = std::getenv(name) != nullptr;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedEnv() {
    if (had_)
      ::setenv(name_, old_.c_str(), 1);
    else
      ::unsetenv(name_);
  }
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

/// The real releases, where they have been fetched; else an empty path and the test skips.
inline fs::path real_tree(const std::string& version) {
  const std::string cache = env_or("XDG_CACHE_HOME", (home_dir() / ".cache").string());
  const fs::path path = fs::path(cache) / "genesis/trees" / ("vllm-" + version);
  return stat_path(path).is_dir ? path : fs::path{};
}

}  // namespace sndr::probe::testing
