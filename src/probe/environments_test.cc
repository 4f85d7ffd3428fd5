// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "probe/machine.h"
#include "probe/testing.h"
#include "probe/tree.h"
#include "probe/tree_find.h"

namespace sndr::probe {
namespace {

using testing::install_vllm;
using testing::machine_in;
using testing::TempDir;

constexpr const char* kSite = "/lib/python3.11/site-packages";

void make_venv(const TempDir& dir, const std::string& name, const std::string& extra = {}) {
  dir.write(name + "/pyvenv.cfg", "version = 3.11.7\n" + extra);
  dir.write(name + "/bin/python3", "", 0755);
  fs::create_directories(dir / (name + kSite));
}

TEST(Environments, TheActiveVenvWins) {
  const TempDir dir;
  for (const char* name : {"a", "b"}) {
    make_venv(dir, name);
    install_vllm(dir, name + std::string(kSite), name == std::string("a") ? "0.32.0" : "0.33.0");
  }
  const auto machine =
      machine_in(dir, {{"VIRTUAL_ENV", (dir / "b").string()}, {"PATH", (dir / "a/bin").string()}});
  const auto tree = choose_tree({}, machine);
  ASSERT_TRUE(tree) << render(tree.error());
  EXPECT_EQ(tree->version_text, "0.33.0");
  EXPECT_EQ(tree->found_by, "active venv " + (dir / "b").string());
  EXPECT_EQ(tree->python, (dir / "b/bin/python3").string());
  EXPECT_EQ(reinstall_command(*tree),
            (dir / "b/bin/python3").string() +
                " -m pip install --force-reinstall --no-deps vllm==0.33.0");
  const auto all = search_trees({}, machine);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[1].tree.found_by, "python3 on PATH");
}

TEST(Environments, SeveralAndNoneActiveIsAnErrorThatListsThem) {
  const TempDir dir;
  make_venv(dir, "a");
  install_vllm(dir, "a" + std::string(kSite), "0.32.0");
  install_vllm(dir, "root/usr/local/lib/python3.12/dist-packages", "0.33.0");
  const auto tree = choose_tree({}, machine_in(dir, {{"PATH", (dir / "a/bin").string()}}));
  ASSERT_FALSE(tree);
  EXPECT_EQ(render(tree.error()),
            "2 vLLM installs are here and none of their environments is active\n"
            "  name one of them:\n"
            "    --vllm " +
                (dir / ("a" + std::string(kSite))).string() +
                "  (0.32.0, python3 on PATH)\n"
                "    --vllm " +
                (dir / "root/usr/local/lib/python3.12/dist-packages").string() +
                "  (0.33.0, the system's folders)");
  EXPECT_EQ(tree.error().code, Errc::conflict);
}

TEST(Environments, NoneAtAll) {
  const TempDir dir;
  const auto tree = choose_tree({}, machine_in(dir));
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Errc::unavailable);
  EXPECT_EQ(render(tree.error()),
            "no vLLM is installed where Python would look\n"
            "  install it (pip install vllm), activate its environment, or pass --vllm DIR");
}

TEST(Environments, OneOfManyPlaces) {
  const struct {
    const char* name;
    const char* site;
    const char* found_by;
  } cases[] = {
      {"debian", "root/usr/lib/python3/dist-packages", "the system's folders"},
      {"docker", "root/usr/local/lib/python3.12/site-packages", "the system's folders"},
      {"opt", "root/opt/vllm/lib/python3.12/site-packages", "the system's folders"},
      {"user", "home/.local/lib/python3.11/site-packages", "the system's folders"},
  };
  for (const auto& test : cases) {
    const TempDir dir;
    install_vllm(dir, test.site, "0.33.0");
    const auto tree = choose_tree({}, machine_in(dir));
    ASSERT_TRUE(tree) << test.name << ": " << render(tree.error());
    EXPECT_EQ(tree->site, dir / test.site) << test.name;
    EXPECT_EQ(tree->found_by, test.found_by) << test.name;
  }
}

TEST(Environments, CondaAndPythonPath) {
  const TempDir dir;
  dir.write("conda/bin/python3", "", 0755);
  install_vllm(dir, "conda/lib/python3.12/site-packages", "0.24.0");
  install_vllm(dir, "extra", "0.33.0");
  const std::string conda = (dir / "conda").string();
  const auto tree = choose_tree({}, machine_in(dir, {{"CONDA_PREFIX", conda}}));
  ASSERT_TRUE(tree) << render(tree.error());
  EXPECT_EQ(tree->found_by, "active conda environment " + conda);
  const auto other = choose_tree(
      {},
      machine_in(dir, {{"CONDA_PREFIX", conda}, {"PYTHONPATH", ":" + (dir / "extra").string()}}));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->version_text, "0.33.0");
  EXPECT_EQ(other->found_by, "PYTHONPATH");
}

TEST(Environments, SystemPackagesOnlyWhereTheVenvTakesThem) {
  for (const bool takes : {false, true}) {
    const TempDir dir;
    dir.write("root/usr/bin/python3.11", "", 0755);
    dir.link("root/usr/bin/python3", "python3.11");
    install_vllm(dir, "home/.local/lib/python3.11/site-packages", "0.33.0");
    make_venv(dir, "venv",
              "home = " + (dir / "root/usr/bin").string() +
                  "\ninclude-system-site-packages = " + (takes ? "true" : "false") + "\n");
    const Environment found = environment_of(dir / "venv/bin/python3", machine_in(dir));
    EXPECT_EQ(found.sites.size(), takes ? 2U : 1U);
    EXPECT_EQ(found.sites[0], dir / ("venv" + std::string(kSite)));
  }
}

TEST(Environments, ADebianInterpreterReadsUserLocalAndSystemFolders) {
  const TempDir dir;
  dir.write("root/usr/bin/python3.11", "", 0755);
  dir.link("root/usr/bin/python3", "python3.11");
  for (const char* site :
       {"root/usr/lib/python3/dist-packages", "root/usr/local/lib/python3.11/dist-packages",
        "root/usr/local/lib/python3.12/dist-packages", "home/.local/lib/python3.11/site-packages"})
    fs::create_directories(dir / site);
  const auto sites = [&](std::map<std::string, std::string> variables) {
    return environment_of(dir / "root/usr/bin/python3", machine_in(dir, std::move(variables)))
        .sites;
  };
  const std::vector<fs::path> system = {dir / "root/usr/local/lib/python3.11/dist-packages",
                                        dir / "root/usr/lib/python3/dist-packages"};
  EXPECT_EQ(sites({{"PYTHONNOUSERSITE", "1"}}), system);
  std::vector<fs::path> with_user = {dir / "home/.local/lib/python3.11/site-packages"};
  with_user.insert(with_user.end(), system.begin(), system.end());
  EXPECT_EQ(sites({}), with_user);
}

/// pyenv's own rules: PYENV_VERSION, then .python-version, then the global file; "3.11" is the
/// newest 3.11.x.
TEST(Pyenv, TheVersionThatAShimWouldStart) {
  const TempDir dir;
  dir.write("home/.pyenv/shims/python3", "#!/usr/bin/env bash\n", 0755);
  for (const char* version : {"3.10.2", "3.11.7", "3.11.12", "3.12.1", "work-venv"})
    dir.write(std::string("home/.pyenv/versions/") + version + "/bin/python3", "", 0755);
  dir.write("home/.pyenv/version", "3.10.2\n");
  dir.write("sys/python3", "", 0755);
  const std::string shims = (dir / "home/.pyenv/shims").string();
  const std::string path = shims + ":" + (dir / "sys").string();
  const auto started = [&](std::map<std::string, std::string> variables) {
    variables.emplace("PATH", path);
    return interpreter_on_path("python3", machine_in(dir, std::move(variables)))
        .lexically_relative(dir.path())
        .string();
  };
  EXPECT_EQ(started({}), "home/.pyenv/versions/3.10.2/bin/python3");
  EXPECT_EQ(started({{"PYENV_VERSION", "3.12.1"}}), "home/.pyenv/versions/3.12.1/bin/python3");
  EXPECT_EQ(started({{"PYENV_VERSION", "3.11"}}), "home/.pyenv/versions/3.11.12/bin/python3");
  EXPECT_EQ(started({{"PYENV_VERSION", "9.9:work-venv"}}),
            "home/.pyenv/versions/work-venv/bin/python3");
  EXPECT_EQ(started({{"PYENV_VERSION", "system"}}), "sys/python3");
  dir.write(".python-version", "# ours\n3.11.7  # pinned\n");
  EXPECT_EQ(started({}), "home/.pyenv/versions/3.11.7/bin/python3");
  EXPECT_EQ(started({{"PYENV_VERSION", "3.12.1"}}), "home/.pyenv/versions/3.12.1/bin/python3");
}

/// The command that will be started says which environment it runs in.
TEST(Program, ItsOwnEnvironmentWins) {
  const TempDir dir;
  for (const char* name : {"a", "b"}) {
    make_venv(dir, name);
    install_vllm(dir, name + std::string(kSite), name == std::string("a") ? "0.32.0" : "0.33.0");
  }
  const std::string python = (dir / "a/bin/python3").string();
  const std::string long_line = "#!/bin/sh\n'''exec' \"" + python + "\" \"$0\" \"$@\"\n' '''\n";
  const std::vector<std::string> scripts = {"#!" + python + "\nimport sys\n",
                                            "#! " + python + " -u\n", long_line,
                                            "#!/usr/bin/env " + python + "\n"};
  for (const auto& script : scripts) {
    dir.write("a/bin/vllm", script, 0755);
    TreeQuery query;
    query.program = (dir / "a/bin/vllm").string();
    const auto tree = choose_tree(query, machine_in(dir, {{"VIRTUAL_ENV", (dir / "b").string()}}));
    ASSERT_TRUE(tree) << script;
    EXPECT_EQ(tree->version_text, "0.32.0") << script;
    EXPECT_EQ(tree->found_by, "the environment of " + query.program);
  }
  for (const char* program : {"numactl", "/bin/sh", ""}) {
    TreeQuery query;
    query.program = program;
    const auto tree = choose_tree(query, machine_in(dir, {{"VIRTUAL_ENV", (dir / "b").string()}}));
    ASSERT_TRUE(tree) << program;
    EXPECT_EQ(tree->version_text, "0.33.0") << program;
  }
}

TEST(Uv, AnEnvironmentWithoutPipIsReinstalledByUv) {
  const TempDir dir;
  make_venv(dir, "venv", "uv = 0.9.1\n");
  install_vllm(dir, "venv" + std::string(kSite), "0.33.0");
  const auto tree = choose_tree({}, machine_in(dir, {{"VIRTUAL_ENV", (dir / "venv").string()}}));
  ASSERT_TRUE(tree);
  EXPECT_EQ(reinstall_command(*tree), "uv pip install --python " +
                                          (dir / "venv/bin/python3").string() +
                                          " --reinstall-package vllm --no-deps vllm==0.33.0");
}

}  // namespace
}  // namespace sndr::probe
