// SPDX-License-Identifier: Apache-2.0
#include "pack/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "pack/archive.h"
#include "pack/files.h"

namespace sndr::pack {
namespace {

using testing::ElementsAre;

TEST(Ids, NaturalOrder) {
  std::vector<std::string> ids = {"PN91", "P109", "PN9", "P61b", "GN001", "P61", "P67c", "PN73"};
  std::sort(ids.begin(), ids.end(), id_less);
  EXPECT_THAT(ids, ElementsAre("GN001", "P61", "P61b", "P67c", "P109", "PN9", "PN73", "PN91"));
}

TEST(Flags, WhatStandsAfterAKnownPrefix) {
  EXPECT_EQ(flag_suffix("GENESIS_ENABLE_P61B_X"), "P61B_X");
  EXPECT_EQ(flag_suffix("SNDR_DISABLE_P61B_X"), "P61B_X");
  EXPECT_EQ(flag_suffix("GENESIS_LEGACY_P12"), "P12");
  EXPECT_EQ(flag_suffix("GENESIS_P68_FORCE"), "");
  EXPECT_EQ(flag_suffix("OTHER_ENABLE_P12"), "");
}

Legacy legacy(const std::string& id, const std::string& flag) {
  Legacy out;
  out.id = id;
  out.flag = flag;
  return out;
}

Pack small_pack() {
  Pack pack;
  Patch p61b;
  p61b.id = "P61b";
  p61b.flag = "GENESIS_ENABLE_P61B_STREAMING_OVERLAP";
  p61b.aliases = {"GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY"};
  p61b.also_covers = {"P61"};
  pack.patches = {p61b};
  auto own = legacy("P61b", p61b.flag);
  own.disposition = Disposition::patch;
  own.by = "P61b";
  auto p61 = legacy("P61", "GENESIS_ENABLE_P61_QWEN3_MULTI_TOOL");
  p61.disposition = Disposition::patch;
  p61.by = "P61b";
  auto p60 = legacy("P60", "GENESIS_ENABLE_P60_GDN_NGRAM_FIX");
  p60.disposition = Disposition::native;
  p60.native_absent = "0.22.1";
  p60.native_present = "0.24.0";
  auto p82 = legacy("P82", "GENESIS_ENABLE_P82");
  p82.note = "It biases sampling. Take the line out.";
  pack.legacy = std::vector<Legacy>{own, p61, p60, p82};
  pack.pins = {{"current", "0.23.1rc1.dev748+g2dfaae752", "no", "", "", ""},
               {"stable", "0.24.0", "trees", "", "2026-12-01", "fine"}};
  return pack;
}

TEST(PackLookups, Named) {
  const auto pack = small_pack();
  struct Case {
    std::string word, patch, legacy;
    bool exact;
  };
  const std::vector<Case> cases = {
      {"P61b", "P61b", "P61b", true},
      {"p61B", "P61b", "P61b", true},
      {"GENESIS_ENABLE_P61B_STREAMING_OVERLAP", "P61b", "P61b", true},
      {"GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY", "P61b", "P61b", false},
      {"P59", "P61b", "P61b", false},
      {"P61", "P61b", "P61", true},
      {"GENESIS_ENABLE_P61_QWEN3_MULTI_TOOL", "P61b", "P61", true},
      {"P60", "", "P60", true},
      {"P600", "", "", false},
  };
  for (const auto& one : cases) {
    const auto named = pack.named(one.word);
    EXPECT_EQ(named.patch == nullptr ? "" : named.patch->id, one.patch) << one.word;
    EXPECT_EQ(named.legacy == nullptr ? "" : named.legacy->id, one.legacy) << one.word;
    EXPECT_EQ(named.exact, one.exact) << one.word;
  }
  EXPECT_THAT(pack.near_ids("P600"), ElementsAre("P60"));
}

TEST(PackLookups, Answers) {
  const auto pack = small_pack();
  EXPECT_EQ(pack.answer(*pack.legacy_id("P61")),
            "our patch P61b does it: set GENESIS_ENABLE_P61B_STREAMING_OVERLAP=1");
  EXPECT_EQ(pack.answer(*pack.legacy_id("p60")),
            "vLLM does it itself: 0.24.0 has it, 0.22.1 doesn't");
  EXPECT_EQ(pack.answer(*pack.legacy_flag("GENESIS_ENABLE_P82")),
            "not carried over: It biases sampling. Take the line out");
  auto p65 = legacy("P65", "GENESIS_ENABLE_P65");
  p65.disposition = Disposition::launch;
  p65.by = "--compilation-config";
  EXPECT_EQ(pack.answer(p65), "vLLM's own --compilation-config does it");
  p65.disposition = Disposition::open;
  p65.by = "text patch";
  p65.note = "Set x.";
  EXPECT_EQ(pack.answer(p65), "not here yet, planned as text patch: Set x");
}

TEST(PackLookups, APinIsFoundWithoutItsLocalPart) {
  const auto pack = small_pack();
  EXPECT_EQ(pack.pin("0.23.1rc1.dev748")->slot, "current");
  EXPECT_EQ(pack.pin("0.24.0+cu129")->slot, "stable");
  EXPECT_EQ(pack.pin("0.24.1"), nullptr);
  EXPECT_EQ(pack.pin("source"), nullptr);
  EXPECT_EQ(pack.slot("stable")->version, "0.24.0");
}

TEST(PackArchive, FilesComeBack) {
  const std::map<std::string, std::string> files = {
      {"a", ""}, {"b/c.yaml", std::string("\0x\n", 3)}, {"b/d", std::string(70000, 'z')}};
  const auto bytes = write_archive(files);
  const Archive archive(bytes);
  ASSERT_EQ(archive.files().size(), 3u);
  for (const auto& [path, text] : files) EXPECT_EQ(archive.files().at(path), text) << path;
  const auto other_bytes = write_archive({{"a", "b"}});  // an Archive looks into what it was given
  const Archive other(other_bytes);
  EXPECT_NE(archive.fingerprint(), other.fingerprint());
  EXPECT_TRUE(Archive(std::string_view("\0", 1)).files().empty());
}

TEST(Clutter, IsLeftOut) {
  for (const auto* path : {"a/.git", "a/__pycache__/b.pyc", "patch.yaml~"})
    EXPECT_TRUE(is_clutter(path)) << path;
  EXPECT_FALSE(is_clutter("P61_x/patch.yaml"));
}

/// A folder that goes away again.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "packXXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { (void)remove_tree(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void add(const std::string& path, const std::string& text) const {
    ASSERT_TRUE(write_file(fs::path(path_) / path, text, 0644, Durable::no));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<std::string> rendered(const std::vector<Error>& errors) {
  std::vector<std::string> out;
  for (const auto& error : errors) out.push_back(render(error));
  return out;
}

TEST(LoadFolder, WithoutPatches) {
  const auto pack = load_folder("/nowhere");
  ASSERT_FALSE(pack);
  EXPECT_THAT(rendered(pack.error()),
              ElementsAre("no folder /nowhere/patches\n"
                          "  SNDR_PACK and --pack name a folder that holds patches/"));
}

TEST(LoadFolder, EveryErrorOfEveryFile) {
  const Folder folder;
  folder.add("patches/GN001_a/patch.yaml", "id: [\n");
  folder.add("pins.yaml", "stable: {version: 0.24.0, verified: trees}\nlatest: {version: 1}\n");
  folder.add("legacy.yaml",
             "ids:\n"
             "  - {id: P1, flag: GENESIS_LEGACY_P1, title: x, disposition: dropped}\n"
             "  - {id: p1, flag: GENESIS_LEGACY_P1, title: x, disposition: gone, note: y}\n");
  folder.add("variables.yaml", "variables:\n  - {name: SNDR_HOME, origin: v12}\n");
  const auto pack = load_folder(folder.path() + "/");
  ASSERT_FALSE(pack);
  const auto& at = folder.path();
  EXPECT_THAT(
      rendered(pack.error()),
      ElementsAre(
          at + "/legacy.yaml:2:5: disposition dropped needs a 'note' that says why",
          at + "/legacy.yaml:3:10: 'p1' stands in this file twice",
          at + "/legacy.yaml:3:62: 'disposition' is 'gone', expected one of patch, native, plugin, "
               "gateway, launch, open, dropped",
          at +
              "/patches/GN001_a/patch.yaml:2:1: did not find expected node content while parsing a "
              "flow node",
          at + "/pins.yaml:1:37: 'verified: trees' needs a date and a result",
          at + "/pins.yaml:2:1: unknown key 'latest'\n  known keys: recommended, stable, current, "
               "rollback, also",
          at + "/variables.yaml:2:5: a v12 name needs an 'answer'"));
}

constexpr const char* kPatch = R"(id: PN91
flag: GENESIS_ENABLE_PN91_OTHER
title: x
why: x
retires_when: [{fix: x, evidence: [{file: a.py}]}]
applies_to: {vllm: ">=0.22.1"}
edits: [{name: x, file: b.py, variants: [{anchor: a, replace: b}]}]
)";

TEST(LoadFolder, KeepsV12sFlagOfTheSameId) {
  const Folder folder;
  folder.add("patches/PN91_x/patch.yaml", kPatch);
  folder.add("legacy.yaml",
             "ids:\n  - {id: PN91, flag: GENESIS_ENABLE_PN91_DEVELOPER_ROLE, title: x, "
             "disposition: patch, by: PN91}\n");
  const auto pack = load_folder(folder.path());
  ASSERT_FALSE(pack);
  EXPECT_THAT(rendered(pack.error()),
              ElementsAre(folder.path() +
                          "/patches/PN91_x/patch.yaml:2:7: v12's flag of PN91 is "
                          "GENESIS_ENABLE_PN91_DEVELOPER_ROLE\n"
                          "  a v12 user's environment has to go on working: take that one"));
}

TEST(LoadFolder, TakesTheListsThatItLacksFromTheBuiltInPack) {
  const Folder folder;
  folder.add("patches/GN999_x/patch.yaml",
             replace_all(replace_all(kPatch, "PN91_OTHER", "GN999"), "id: PN91", "id: GN999"));
  const auto pack = load_folder(folder.path());
  ASSERT_TRUE(pack) << testing::PrintToString(rendered(pack.error()));
  EXPECT_EQ(pack->patches.size(), 1u);
  EXPECT_EQ(pack->source, folder.path());
  ASSERT_NE(pack->slot("recommended"), nullptr);
}

TEST(BuiltIn, IsWhatTheFolderIs) {
  const auto carried = load();
  const auto folder = load_folder(SNDR_SOURCE_DIR "/pack");
  ASSERT_TRUE(carried);
  ASSERT_TRUE(folder) << testing::PrintToString(rendered(folder.error()));
  EXPECT_EQ(carried->source, "built in");
  ASSERT_EQ(carried->patches.size(), folder->patches.size());
  for (std::size_t i = 0; i < carried->patches.size(); ++i) {
    const auto& one = carried->patches[i];
    const auto& other = folder->patches[i];
    EXPECT_EQ(one.id, other.id);
    EXPECT_EQ(one.fingerprint, other.fingerprint) << one.id;
    EXPECT_EQ(one.proof, other.proof) << one.id;
    EXPECT_EQ(one.edits.size(), other.edits.size()) << one.id;
    EXPECT_EQ(one.file, "pack/patches/" + one.id + "_" + one.slug + "/patch.yaml");
  }
  EXPECT_EQ(carried->pins.size(), folder->pins.size());
  EXPECT_EQ(carried->legacy.size(), folder->legacy.size());
  EXPECT_EQ(carried->variables.size(), folder->variables.size());
}

/// The environment of one test, put back at its end.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

TEST(Embedded, HoldsThePackAndTheBootFiles) {
  for (const auto* path : {"pack/pins.yaml", "python/genesis_boot.py"}) {
    const auto text = read_file(std::string(SNDR_SOURCE_DIR "/") + path);
    ASSERT_TRUE(text);
    EXPECT_EQ(embedded(path), *text) << path;
  }
  EXPECT_EQ(embedded("python/nothing.py"), std::nullopt);
  EXPECT_EQ(embedded_fingerprint().size(), 64u);
}

TEST(Embedded, ReadsFilesBelowPackFromSndrPack) {
  const Folder folder;
  folder.add("patches/x", "mine");
  EXPECT_EQ(embedded("pack/patches/x"), std::nullopt);
  const Setting set("SNDR_PACK", folder.path());
  EXPECT_EQ(embedded("pack/patches/x"), "mine");
  EXPECT_EQ(embedded("pack/pins.yaml"), std::nullopt);
}

}  // namespace
}  // namespace sndr::pack
