// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "probe/machine.h"

namespace sndr::probe {
namespace {

bool is_dir(const fs::path& path) {
  return stat_path(path).is_dir;
}
bool is_file(const fs::path& path) {
  return stat_path(path).is_file;
}

fs::path resolved(const fs::path& path) {
  std::error_code ec;
  fs::path out = fs::canonical(path, ec);
  return ec ? path : out;
}

void add_site(std::vector<fs::path>& sites, const fs::path& site) {
  if (!is_dir(site)) return;
  const fs::path real = resolved(site);
  if (std::none_of(sites.begin(), sites.end(), [&](const fs::path& s) { return s == real; }))
    sites.push_back(real);
}

/// "python3.11" of ".../bin/python3.11", or "" where the name has no minor version.
std::string version_of(const fs::path& interpreter) {
  std::string name = interpreter.filename().string();
  return name.starts_with("python3.") ? name : std::string{};
}

/// Numbers inside names compare as numbers: python3.9 < python3.11.
bool natural_less(const fs::path& left, const fs::path& right) {
  const std::string a = left.filename().string();
  const std::string b = right.filename().string();
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t m = i;
      std::size_t n = j;
      while (m < a.size() && digit(a[m])) ++m;
      while (n < b.size() && digit(b[n])) ++n;
      if (m - i != n - j) return m - i < n - j;
      const int order = a.compare(i, m - i, b, j, n - j);
      if (order != 0) return order < 0;
      i = m;
      j = n;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

/// The folders of a Debian or Fedora interpreter in /usr/bin, and the user's own.
void add_system_interpreter_sites(Environment& out, const Machine& machine,
                                  const std::string& version) {
  const fs::path usr = machine.root / "usr";
  if (machine.env("PYTHONNOUSERSITE").empty())
    for (const auto& site : site_folders(machine.home / ".local", version))
      add_site(out.sites, site);
  for (const auto& site : site_folders(usr / "local", version)) add_site(out.sites, site);
  add_site(out.sites, usr / "lib/python3/dist-packages");
  for (const auto& site : site_folders(usr, version)) add_site(out.sites, site);
}

void add_pythonpath(std::vector<Environment>& out, const Machine& machine) {
  Environment found;
  found.found_by = "PYTHONPATH";
  found.active = true;
  const std::string path = machine.env("PYTHONPATH");
  for (const auto part : split(path, ':'))
    if (!part.empty()) add_site(found.sites, part);
  if (!found.sites.empty()) out.push_back(std::move(found));
}

void add_program(std::vector<Environment>& out, const Machine& machine, std::string_view program) {
  if (program.empty()) return;
  fs::path path = interpreter_on_path(program, machine);
  if (path.empty()) return;
  if (!path.filename().string().starts_with("python")) path = interpreter_of_script(path, machine);
  if (path.empty()) return;
  Environment found = environment_of(path, machine);
  found.found_by = "the environment of " + std::string(program);
  found.active = true;
  out.push_back(std::move(found));
}

void add_active(std::vector<Environment>& out, const Machine& machine, const char* variable,
                std::string_view what) {
  const std::string prefix = machine.env(variable);
  if (prefix.empty()) return;
  fs::path python = fs::path(prefix) / "bin/python3";
  if (!is_file(python)) python = fs::path(prefix) / "bin/python";
  Environment found = environment_of(python, machine);
  if (!is_file(python)) found.python.clear();
  found.found_by = std::string(what) + " " + prefix;
  found.active = true;
  out.push_back(std::move(found));
}

}  // namespace

Machine Machine::here() {
  Machine out;
  std::error_code ec;
  out.cwd = fs::current_path(ec);
  out.home = home_dir();
  out.env = [](const char* name) { return env_or(name); };
  return out;
}

std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().filename().native().starts_with(prefix)) out.push_back(it->path());
  std::sort(out.begin(), out.end(), natural_less);
  return out;
}

std::vector<fs::path> site_folders(const fs::path& prefix, std::string_view version) {
  std::vector<fs::path> out;
  for (const char* lib : {"lib", "lib64"})
    for (const auto& python : entries(prefix / lib, version.empty() ? "python3" : version)) {
      if (!version.empty() && python.filename() != version) continue;
      for (const char* kind : {"dist-packages", "site-packages"}) add_site(out, python / kind);
    }
  return out;
}

std::vector<fs::path> system_sites(const fs::path& root) {
  std::vector<fs::path> out;
  std::vector<fs::path> prefixes = {root / "usr/local", root / "usr", root / "opt/venv"};
  for (const auto& folder : entries(root / "opt", "")) prefixes.push_back(folder);
  for (const char* home : {"root/.local", "root/.venv", "app/.venv", "workspace/.venv"})
    prefixes.push_back(root / home);
  for (const auto& prefix : prefixes)
    for (const auto& site : site_folders(prefix)) add_site(out, site);
  return out;
}

std::string venv_setting(const fs::path& prefix, std::string_view key) {
  const auto text = read_file(prefix / "pyvenv.cfg");
  if (!text) return {};
  for (const auto line : split_lines(*text)) {
    const auto equals = line.find('=');
    if (equals != std::string_view::npos && lower(trim(line.substr(0, equals))) == key)
      return std::string(trim(line.substr(equals + 1)));
  }
  return {};
}

Environment environment_of(const fs::path& interpreter, const Machine& machine) {
  Environment out;
  out.python = interpreter.string();
  // As Python does it: pyvenv.cfg is looked for beside the name that was called and one folder up,
  // before any link is followed.
  const fs::path folder = interpreter.parent_path();
  for (const fs::path& prefix : {folder.parent_path(), folder}) {
    if (!is_file(prefix / "pyvenv.cfg")) continue;
    for (const auto& site : site_folders(prefix)) add_site(out.sites, site);
    if (lower(venv_setting(prefix, "include-system-site-packages")) == "true") {
      const fs::path base = fs::path(venv_setting(prefix, "home")) / "python3";
      if (is_file(base) && base.parent_path() != folder)
        for (const auto& site : environment_of(base, machine).sites) add_site(out.sites, site);
    }
    return out;
  }
  const fs::path real = resolved(interpreter);
  const fs::path prefix = real.parent_path().parent_path();
  const std::string version = version_of(real);
  if (prefix == resolved(machine.root / "usr"))
    add_system_interpreter_sites(out, machine, version);
  else
    for (const auto& site : site_folders(prefix, version)) add_site(out.sites, site);
  return out;
}

std::vector<Environment> environments(const Machine& machine, std::string_view program) {
  std::vector<Environment> out;
  add_pythonpath(out, machine);
  add_program(out, machine, program);
  add_active(out, machine, "VIRTUAL_ENV", "active venv");
  add_active(out, machine, "CONDA_PREFIX", "active conda environment");
  for (const char* name : {"python3", "python"}) {
    const fs::path path = interpreter_on_path(name, machine);
    if (path.empty()) continue;
    Environment found = environment_of(path, machine);
    found.found_by = std::string(name) + " on PATH";
    out.push_back(std::move(found));
  }
  Environment system;
  system.found_by = "the system's folders";
  system.sites = system_sites(machine.root);
  for (const auto& site : site_folders(machine.home / ".local")) add_site(system.sites, site);
  out.push_back(std::move(system));
  return out;
}

}  // namespace sndr::probe
