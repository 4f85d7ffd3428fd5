// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/process.h"
#include "base/text.h"
#include "overlay/build_testing.h"
#include "overlay/overlay.h"
#include "overlay/recipe.h"

namespace sndr::overlay {
namespace {

using ::testing::ElementsAre;
using testing::text_of;
using testing::World;

TEST(Build, WritesWhatThePlanApplies) {
  World world;
  const auto before = ::umask(077);
  const Built built = world.built();
  ::umask(before);
  EXPECT_TRUE(built.fresh);
  EXPECT_EQ(built.files, 3U);
  EXPECT_EQ(world.relative(built.path), "home/overlays/" + built.hash);
  EXPECT_THAT(
      list_files(built.path).value(),
      ElementsAre("boot/genesis-1.2.3.dist-info/METADATA", "boot/genesis-1.2.3.dist-info/RECORD",
                  "boot/genesis-1.2.3.dist-info/entry_points.txt", "boot/genesis_boot.py",
                  "boot/genesis_plugin/__init__.py", "boot/sitecustomize.py", "manifest.json",
                  "used", "vllm/__init__.py", "vllm/moe/extra.py", "vllm/params.py"));
  EXPECT_EQ(text_of(built.path / "vllm/params.py"), "one = 11\ntwo = 22\n");
  EXPECT_EQ(text_of(built.path / "vllm/__init__.py"), "__version__ = '9.9.9+p'\n");
  EXPECT_EQ(text_of(built.path / "vllm/moe/extra.py"), "extra = True\n");
  for (const auto& entry : fs::recursive_directory_iterator(built.path))
    EXPECT_EQ(stat_path(entry.path()).mode, entry.is_directory() ? 0755U : 0644U) << entry.path();
  EXPECT_EQ(stat_path(built.path).mode, 0755U);
  EXPECT_TRUE(verify(built.path));
}

TEST(Build, Manifest) {
  World world;
  auto plugin = patch::patch_of("P4", {});
  plugin.title = "A backend";
  plugin.plugin = "genesis_plugin.backend:register";
  world.patches.push_back(plugin);
  const Built built = world.built();
  auto text = text_of(built.path / "manifest.json");
  const auto stat = [&](const char* file) { return stat_path(world.tree().package / file); };
  text = replace_all(text, built.hash, "HASH");
  text = replace_all(text, std::to_string(stat("params.py").mtime_ns), "MTIME1");
  text = replace_all(text, std::to_string(stat("__init__.py").mtime_ns), "MTIME2");
  text = replace_all(text, sha256_hex("one = 1\ntwo = 2\n"), "PRISTINE1");
  text = replace_all(text, sha256_hex("__version__ = '9.9.9'\n"), "PRISTINE2");
  text = text.substr(0, text.find("  \"files\": {\n    \"boot/"));
  EXPECT_EQ(text, R"({
  "format": 1,
  "genesis": "1.2.3",
  "hash": "HASH",
  "vllm": "9.9.9",
  "modules": {
    "vllm": {
      "file": "vllm/__init__.py",
      "pristine": "__init__.py",
      "size": 22,
      "mtime_ns": MTIME2,
      "sha256": "PRISTINE2",
      "package": true,
      "ids": [
        "P2"
      ]
    },
    "vllm.moe.extra": {
      "file": "vllm/moe/extra.py",
      "package": false,
      "ids": [
        "P2"
      ]
    },
    "vllm.params": {
      "file": "vllm/params.py",
      "pristine": "params.py",
      "size": 16,
      "mtime_ns": MTIME1,
      "sha256": "PRISTINE1",
      "package": false,
      "ids": [
        "P1",
        "P2"
      ]
    }
  },
  "created": [
    "vllm/moe/extra.py"
  ],
  "patches": [
    {
      "id": "P1",
      "title": "One is eleven",
      "files": [
        "params.py"
      ]
    },
    {
      "id": "P2",
      "title": "Two is more",
      "files": [
        "__init__.py",
        "moe/extra.py",
        "params.py"
      ]
    },
    {
      "id": "P4",
      "title": "A backend",
      "files": []
    }
  ],
  "plugins": [
    "genesis_plugin.backend:register"
  ],
)");
}

TEST(Build, DistInfo) {
  World world;
  const auto info = world.built().path / "boot/genesis-1.2.3.dist-info";
  EXPECT_EQ(text_of(info / "METADATA"), "Metadata-Version: 2.1\nName: genesis\nVersion: 1.2.3\n");
  EXPECT_EQ(text_of(info / "entry_points.txt"),
            "[vllm.general_plugins]\ngenesis = genesis_plugin:register\n");
  const auto record = text_of(info / "RECORD");
  EXPECT_NE(record.find("genesis_boot.py,sha256=" + sha256_record("boot = 1\n") + ",9\n"),
            std::string::npos)
      << record;
  EXPECT_TRUE(record.ends_with("\ngenesis-1.2.3.dist-info/RECORD,,\n")) << record;
}

TEST(Build, AWarmOverlayIsOnlyLookedAt) {
  World world;
  const Built first = world.built();
  const auto all = [&] {
    std::string out;
    const auto files = list_files(first.path).value();
    for (const auto& file : files)
      if (file != "used") out += file + std::to_string(stat_path(first.path / file).mtime_ns);
    return out;
  };
  const auto before = all();
  const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (first.path / "used").c_str(), long_ago, 0), 0);
  world.payload.before_change = [](std::string_view what) { ADD_FAILURE() << what; };
  const Built second = world.built();
  EXPECT_FALSE(second.fresh);
  EXPECT_EQ(second.hash, first.hash);
  EXPECT_EQ(second.files, first.files);
  EXPECT_EQ(all(), before);
  EXPECT_GT(list().value()[0].used_at, 1000);
}

TEST(Build, NothingToApply) {
  World world;
  world.patches.clear();
  EXPECT_FALSE(world.build().value());
  auto gateway = patch::patch_of("P5", {});
  gateway.mechanism = pack::Mechanism::gateway;
  world.patches = {gateway};
  EXPECT_FALSE(world.build().value());
  EXPECT_FALSE(stat_path(world.path() / "home").exists);
}

TEST(Build, APluginAloneIsAnOverlay) {
  World world;
  auto plugin = patch::patch_of("P5", {});
  plugin.plugin = "genesis_plugin.backend:register";
  world.patches = {plugin};
  const Built built = world.built();
  EXPECT_EQ(built.files, 0U);
  EXPECT_TRUE(stat_path(built.path / "boot/sitecustomize.py").is_file);
}

TEST(Name, CoversWhatDecidesTheContents) {
  const auto hash = [](const std::function<void(World&)>& change) {
    World world;
    change(world);
    return world.built().hash;
  };
  const auto plain = hash([](World&) {});
  EXPECT_EQ(plain, hash([](World&) {})) << "another tree with the same files";
  EXPECT_EQ(plain, hash([](World& w) { std::swap(w.patches[0], w.patches[1]); }));
  EXPECT_EQ(plain, hash([](World& w) { w.write("site/vllm/moe/other.py", "y = 2\n"); }));
  const std::vector<std::pair<std::string, std::function<void(World&)>>> changes = {
      {"a pristine file", [](World& w) { w.write("site/vllm/params.py", "one = 1\ntwo = 2\n\n"); }},
      {"a patch", [](World& w) { w.patches[0].fingerprint = "cc"; }},
      {"a patch less", [](World& w) { w.patches.pop_back(); }},
      {"a boot file", [](World& w) { w.payload.boot[0].second += "\n"; }},
      {"our version", [](World& w) { w.payload.version = "1.2.4"; }},
      {"an edit that isn't needed",
       [](World& w) { w.patches[1].edits[1].only_if = {{"gone.py", "", false}}; }},
      {"another variant",
       [](World& w) {
         w.patches[0].edits[0].variants.insert(w.patches[0].edits[0].variants.begin(),
                                               patch::variant_of("drei", ""));
       }},
  };
  std::vector<std::string> seen = {plain};
  for (const auto& [what, change] : changes) {
    const auto other = hash(change);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), other), 0) << what;
    seen.push_back(other);
  }
}

TEST(Name, CoversTheTreesPathOnlyWhereThereAreLinks) {
  World one, two;
  EXPECT_EQ(one.built().hash, two.built().hash);
  one.patches = two.patches = {World::third()};
  EXPECT_NE(one.built().hash, two.built().hash);
}

TEST(Links, DataBesideAModuleThatUsesFile) {
  World world;
  world.patches.push_back(World::third());
  const Built built = world.built();
  std::vector<std::string> links;
  for (const auto& entry : fs::recursive_directory_iterator(built.path))
    if (entry.is_symlink())
      links.push_back(entry.path().lexically_relative(built.path).string() + " -> " +
                      world.relative(fs::read_symlink(entry.path())));
  std::sort(links.begin(), links.end());
  EXPECT_THAT(links, ElementsAre("vllm/moe/configs -> site/vllm/moe/configs",
                                 "vllm/moe/table.txt -> site/vllm/moe/table.txt",
                                 "vllm/py.typed -> site/vllm/py.typed"));
  EXPECT_EQ(text_of(built.path / "vllm/moe/configs/a.json"), "{}\n");
  EXPECT_TRUE(verify(built.path));
}

TEST(Links, SharedLibrariesWhereNamedAndRealFoldersWhereOursLie) {
  World world;
  world.write("site/vllm/moe/fused.py", "load(dirname(__file__) + '/fused.so')\nn = 1\n");
  auto patch = World::third();
  patch.new_files = {{"moe/configs/made.py", "x = 1\n"}};
  world.patches = {patch};
  const Built built = world.built();
  EXPECT_EQ(text_of(built.path / "vllm/moe/fused.so"), "binary");
  EXPECT_FALSE(stat_path(built.path / "vllm/moe/configs", Follow::no).is_link);
  EXPECT_EQ(text_of(built.path / "vllm/moe/configs/a.json"), "{}\n");
  EXPECT_EQ(text_of(built.path / "vllm/moe/configs/made.py"), "x = 1\n");
  EXPECT_FALSE(stat_path(world.tree().package / "moe/configs/made.py").exists);
}

TEST(Build, CompilesWithPython) {
  const auto python = find_program("python3");
  if (python.empty()) GTEST_SKIP() << "no python3";
  World world;
  const Built built = world.built();
  const Spawn spawn{{python, "-m", "compileall", "-q", built.path.string()}, {}, {}, {}, 0};
  const auto done = run_process(spawn).value();
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(verify(built.path)) << "compiled files beside the sources are no damage";
}

TEST(Build, RefusesWhatTheHookCouldNotPutInPlace) {
  World world;
  world.patches = {patch::patch_of(
      "P1", {patch::edit_of("e", "moe/table.txt", {patch::variant_of("table", "x")})})};
  EXPECT_EQ(world.build().error().what,
            "P1 changes moe/table.txt, which is no Python module below vllm/; the import hook "
            "can't put it in place");
  world.patches = {patch::patch_of("P1", {})};
  world.patches[0].new_files = {{"../evil.py", "x"}};
  EXPECT_EQ(world.build().error().what,
            "P1 changes ../evil.py, which is no Python module below vllm/; the import hook can't "
            "put it in place");
}

TEST(Build, OverlapsAreAConflict) {
  World world;
  world.patches[1] =
      patch::patch_of("P2", {patch::edit_of("e", "params.py", {patch::variant_of("one", "x")})});
  EXPECT_EQ(render(world.build().error()),
            "P1 and P2 both edit line 1 of params.py\n  enable only one of them");
}

TEST(ModuleOf, Table) {
  const auto of = [](const char* path) {
    const auto module = module_of(path);
    return module.name + (module.package ? " (package)" : "");
  };
  EXPECT_EQ(of("__init__.py"), "vllm (package)");
  EXPECT_EQ(of("sampling_params.py"), "vllm.sampling_params");
  EXPECT_EQ(of("v1/engine/__init__.py"), "vllm.v1.engine (package)");
  EXPECT_EQ(of("v1/engine/core.py"), "vllm.v1.engine.core");
  EXPECT_EQ(of("v1/my__init__.py"), "vllm.v1.my__init__");
}

TEST(TreeReader, ReadsOnceAndStaysInside) {
  World world;
  world.write("site/secret.py", "x\n");
  const TreeReader reader(world.tree());
  const auto source = reader.source();
  EXPECT_EQ(source("params.py"), "one = 1\ntwo = 2\n");
  world.write("site/vllm/params.py", "changed\n");
  EXPECT_EQ(source("params.py"), "one = 1\ntwo = 2\n");
  EXPECT_EQ(reader.digest("params.py"), sha256_hex("one = 1\ntwo = 2\n"));
  EXPECT_EQ(reader.stat("params.py").size, 16U);
  EXPECT_FALSE(source("nowhere.py"));
  EXPECT_EQ(reader.digest("nowhere.py"), "");
  EXPECT_FALSE(source("../secret.py"));
  EXPECT_FALSE(source("moe/../params.py"));
  EXPECT_FALSE(source("moe"));
  EXPECT_FALSE(source(""));
  EXPECT_THAT(
      reader.all_files(),
      ElementsAre("__init__.py", "moe/__init__.py", "moe/configs/a.json", "moe/fused.py",
                  "moe/fused.so", "moe/other.py", "moe/table.txt", "params.py", "py.typed"));
}

TEST(TreeReader, ChangedAgainstRecord) {
  World world;
  world.write("site/vllm-9.9.9.dist-info/RECORD",
              "vllm/params.py,sha256=" + sha256_record("one = 1\ntwo = 2\n") +
                  ",16\nvllm/__init__.py,sha256=" + sha256_record("another\n") + ",8\n" +
                  "vllm/moe/other.py,sha256=" + sha256_record("another\n") + ",8\n");
  auto tree = world.tree();
  tree.dist_info = tree.site / "vllm-9.9.9.dist-info";
  const auto record = probe::Record::read(tree).value();
  ASSERT_TRUE(record.known());
  const TreeReader reader(tree);
  const auto source = reader.source();
  for (const char* path : {"params.py", "__init__.py", "moe/fused.py", "nowhere.py"})
    (void)source(path);
  EXPECT_THAT(reader.changed(record), ElementsAre("__init__.py")) << "of those that were read";
}

}  // namespace
}  // namespace sndr::overlay
