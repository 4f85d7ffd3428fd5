// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

/// The Python environments of a machine, found without starting Python. Internal to probe.
namespace sndr::probe {

/// What a search looks at; tests hand in a machine of their own.
struct Machine {
  fs::path root = "/";  ///< where the system's own folders (usr/lib, opt) are looked for
  fs::path cwd;
  fs::path home;
  std::function<std::string(const char* name)> env;  ///< "" where it isn't set

  [[nodiscard]] static Machine here();
};

/// One Python installation or virtual environment.
struct Environment {
  std::vector<fs::path> sites;  ///< in the order that Python searches them; they exist
  std::string found_by;
  std::string python;   ///< the interpreter, or empty
  bool active = false;  ///< the user chose it: an active venv, or the program that will be started
};

/// All environments, best first. `program` is argv[0] of the command that will be started, or
/// empty: an interpreter, or a script such as `vllm` whose first line names one.
[[nodiscard]] std::vector<Environment> environments(const Machine& machine,
                                                    std::string_view program);

/// The environment that an interpreter belongs to, by pyvenv.cfg and its own path.
[[nodiscard]] Environment environment_of(const fs::path& interpreter, const Machine& machine);

/// What `python3` would really be: a pyenv shim becomes the version that pyenv would choose. Empty
/// where there is none.
[[nodiscard]] fs::path interpreter_on_path(std::string_view name, const Machine& machine);

/// The interpreter that a script's first line names, or empty.
[[nodiscard]] fs::path interpreter_of_script(const fs::path& script, const Machine& machine);

/// `<prefix>/lib*/python3*/{site,dist}-packages` that exist. `version` ("python3.11") narrows it.
[[nodiscard]] std::vector<fs::path> site_folders(const fs::path& prefix,
                                                 std::string_view version = {});

/// Where packages lie in a machine or a container whose root is `root`, with no interpreter asked.
[[nodiscard]] std::vector<fs::path> system_sites(const fs::path& root);

/// Names in a folder that begin with `prefix`, sorted, newest version last ("python3.9",
/// "python3.11").
[[nodiscard]] std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix);

/// A value of pyvenv.cfg ("home", "version"), or "".
[[nodiscard]] std::string venv_setting(const fs::path& prefix, std::string_view key);

}  // namespace sndr::probe
