// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "probe/machine.h"

/// Which interpreter a name or a script stands for. pyenv's `python3` is a shell script that picks
/// a version at every start; what it would pick is in an environment variable and a few files.
namespace sndr::probe {
namespace {

bool executable(const fs::path& path) {
  return stat_path(path).is_file && ::access(path.c_str(), X_OK) == 0;
}

fs::path pyenv_root(const Machine& machine) {
  const std::string root = machine.env("PYENV_ROOT");
  return root.empty() ? machine.home / ".pyenv" : fs::path(root);
}

/// The words of a `.python-version` file; `#` begins a comment.
std::vector<std::string> versions_in(const fs::path& file) {
  std::vector<std::string> out;
  const auto text = read_file(file);
  if (!text) return out;
  for (const auto line : split_lines(*text))
    for (const auto word : split(line.substr(0, line.find('#')), ' '))
      if (!trim(word).empty()) out.emplace_back(trim(word));
  return out;
}

/// PYENV_VERSION, else the nearest .python-version, else the global one.
std::vector<std::string> pyenv_versions(const Machine& machine) {
  if (const std::string chosen = machine.env("PYENV_VERSION"); !chosen.empty()) {
    std::vector<std::string> out;
    for (const auto word : split(chosen, ':')) out.emplace_back(word);
    return out;
  }
  for (fs::path folder = machine.cwd; !folder.empty(); folder = folder.parent_path()) {
    if (auto found = versions_in(folder / ".python-version"); !found.empty()) return found;
    if (folder == folder.parent_path()) break;
  }
  return versions_in(pyenv_root(machine) / "version");
}

/// "3.11" means the newest 3.11.x that is installed.
fs::path pyenv_folder(const fs::path& versions, const std::string& version) {
  if (stat_path(versions / version).is_dir) return versions / version;
  const auto candidates = entries(versions, version + ".");
  return candidates.empty() ? fs::path{} : candidates.back();
}

fs::path first_on_path(std::string_view name, const Machine& machine, const fs::path& except) {
  const std::string path = machine.env("PATH");
  for (const auto folder : split(path, ':')) {
    if (folder.empty() || fs::path(folder) == except) continue;
    const fs::path candidate = fs::path(folder) / name;
    if (executable(candidate)) return candidate;
  }
  return {};
}

fs::path behind_shim(const fs::path& shim, const Machine& machine) {
  const std::string name = shim.filename().string();
  for (const auto& version : pyenv_versions(machine)) {
    if (version == "system") return first_on_path(name, machine, shim.parent_path());
    const fs::path folder = pyenv_folder(pyenv_root(machine) / "versions", version);
    if (!folder.empty() && executable(folder / "bin" / name)) return folder / "bin" / name;
  }
  return first_on_path(name, machine, shim.parent_path());
}

}  // namespace

fs::path interpreter_on_path(std::string_view name, const Machine& machine) {
  fs::path found;
  if (name.find('/') != std::string_view::npos) {
    found = fs::path(name).is_absolute() ? fs::path(name) : machine.cwd / name;
    if (!executable(found)) return {};
  } else {
    found = first_on_path(name, machine, {});
  }
  if (!found.empty() && found.parent_path() == pyenv_root(machine) / "shims")
    return behind_shim(found, machine);
  return found;
}

fs::path interpreter_of_script(const fs::path& script, const Machine& machine) {
  const auto text = read_file(script);
  if (!text || !text->starts_with("#!")) return {};
  const auto lines = split_lines(*text);
  std::vector<std::string> words;
  for (const auto word : split(lines.front().substr(2), ' '))
    if (!trim(word).empty()) words.emplace_back(trim(word));
  if (words.empty()) return {};
  // A path too long for the kernel is started through sh: `'''exec' "/long/python" "$0" "$@"`.
  if (words.front().ends_with("/sh") && lines.size() > 1 && lines[1].starts_with("'''exec' ")) {
    std::string_view rest = trim(lines[1].substr(9));
    const char quote = rest.empty() ? ' ' : rest.front();
    const bool quoted = quote == '"' || quote == '\'';
    if (quoted) rest.remove_prefix(1);
    return std::string(rest.substr(0, rest.find(quoted ? quote : ' ')));
  }
  if (words.front().ends_with("/env"))
    return words.size() > 1 ? interpreter_on_path(words[1], machine) : fs::path{};
  return fs::path(words.front()).filename().string().starts_with("python") ? fs::path(words.front())
                                                                           : fs::path{};
}

}  // namespace sndr::probe
