// SPDX-License-Identifier: Apache-2.0
#include "pack/read_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "json/json.h"
#include "pack/files.h"

namespace sndr::pack {
namespace {

using testing::ElementsAre;

/// A patch that is right, in lines that a test may replace.
constexpr std::string_view kGood = R"(id: GN001
flag: GENESIS_ENABLE_GN001_SPACES
title: Blanks stay
why: A user sees one thing. The patch does another.
retires_when:
  - fix: blanks are kept
    evidence: [{file: a.py, text: keep_blanks}]
applies_to:
  vllm: ">=0.22.1,<=0.33.0"
edits:
  - name: blanks
    file: a.py
    variants:
      - anchor: clean()
        replace: tidy()
        unless: [keep_blanks]
)";

struct Fixture {
  Files files;
  std::vector<Error> errors;

  Fixture() { files.root = "pack"; }
  void add(const std::string& path, std::string text) {
    files.owned.push_back(std::move(text));
    files.texts[path] = files.owned.back();
  }
  Patch read(const std::string& text, const std::string& folder = "GN001_spaces") {
    add("patches/" + folder + "/patch.yaml", text);
    return read_patch(files, folder, errors).patch;
  }
  [[nodiscard]] std::vector<std::string> messages() const {
    std::vector<std::string> out;
    for (const auto& error : errors) out.push_back(render(error));
    return out;
  }
};

std::string with(std::string_view from, std::string_view to) {
  EXPECT_EQ(count_of(kGood, from), 1u) << from;
  return replace_all(std::string(kGood), from, to);
}

TEST(ReadPatch, AGoodOne) {
  Fixture f;
  f.add("patches/GN001_spaces/proof.py", "print(1)\n");
  const auto patch = f.read(std::string(kGood) + "proof_level: text\n");
  ASSERT_THAT(f.messages(), ElementsAre());
  EXPECT_EQ(patch.id, "GN001");
  EXPECT_EQ(patch.slug, "spaces");
  EXPECT_EQ(patch.file, "pack/patches/GN001_spaces/patch.yaml");
  EXPECT_EQ(patch.vllm.text(), ">=0.22.1,<=0.33.0");
  EXPECT_EQ(patch.proof, "print(1)\n");
  EXPECT_EQ(patch.lifecycle, Lifecycle::experimental);
  ASSERT_EQ(patch.edits.size(), 1u);
  EXPECT_EQ(patch.edits[0].variants[0].where.line, 14);
  EXPECT_EQ(patch.fingerprint.size(), 64u);
}

TEST(ReadPatch, TheFingerprintCoversEveryFileBesidePatchYaml) {
  Fixture one;
  Fixture two;
  two.add("patches/GN001_spaces/extra.py", "x");
  EXPECT_NE(one.read(std::string(kGood)).fingerprint, two.read(std::string(kGood)).fingerprint);
  Fixture again;
  EXPECT_EQ(one.read(std::string(kGood)).fingerprint, again.read(std::string(kGood)).fingerprint);
}

TEST(ReadPatch, ATrailingNewlineBelongsToTheAnchor) {
  Fixture f;
  const auto patch = f.read(with("      - anchor: clean()\n",
                                 "      - anchor: |\n"
                                 "          one\n"
                                 "            two\n"));
  ASSERT_THAT(f.messages(), ElementsAre());
  EXPECT_EQ(patch.edits[0].variants[0].anchor, "one\n  two\n");
}

TEST(ReadPatch, Gates) {
  Fixture f;
  const auto patch = f.read(with("  vllm: \">=0.22.1,<=0.33.0\"\n",
                                 "  vllm: \">=0.22.1\"\n"
                                 "  platform: cuda\n"
                                 "  kv_cache_dtype: [turboquant_k8v4, fp8*]\n"
                                 "  compute_capability: \">=8.0\"\n"
                                 "  hybrid: true\n"
                                 "  moe: false\n"));
  ASSERT_THAT(f.messages(), ElementsAre());
  std::vector<std::string> seen;
  for (const auto& gate : patch.gates) seen.push_back(gate.key + " = " + gate.text);
  EXPECT_THAT(seen, ElementsAre("platform = cuda", "kv_cache_dtype = turboquant_k8v4 or fp8*",
                                "compute_capability = >=8.0", "hybrid = true", "moe = false"));
}

struct Bad {
  std::string_view what;
  std::string_view from, to;
  std::string message;
};
void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.what;
}

class BadPatch : public testing::TestWithParam<Bad> {};

TEST_P(BadPatch, Says) {
  Fixture f;
  f.read(with(GetParam().from, GetParam().to));
  EXPECT_THAT(f.messages(),
              ElementsAre("pack/patches/GN001_spaces/patch.yaml:" + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    One, BadPatch,
    testing::Values(
        Bad{"unknown key", "title: Blanks stay", "titel: x\ntitle: Blanks stay",
            "3:1: unknown key 'titel'\n  did you mean 'title'?"},
        Bad{"no title", "title: Blanks stay\n", "", "1:1: 'title' is missing"},
        Bad{"folder", "id: GN001\nflag: GENESIS_ENABLE_GN001", "id: GN0\nflag: GENESIS_ENABLE_GN0",
            "1:5: the folder is 'GN001_spaces', expected 'GN0_<slug>'"},
        Bad{"flag", "GENESIS_ENABLE_GN001_SPACES", "GENESIS_ENABLE_GN01_SPACES",
            "2:7: 'GENESIS_ENABLE_GN01_SPACES' is no flag of GN001\n"
            "  expected GENESIS_ENABLE_GN001_<SLUG>, in capitals"},
        Bad{"flag's case", "GENESIS_ENABLE_GN001_SPACES", "GENESIS_ENABLE_GN001_Spaces",
            "2:7: 'GENESIS_ENABLE_GN001_Spaces' is no flag of GN001\n"
            "  expected GENESIS_ENABLE_GN001_<SLUG>, in capitals"},
        Bad{"why", "The patch does another.", "The patch does another. And a third.",
            "4:6: 'why' has 3 sentences, expected two at most"},
        Bad{"range", "\">=0.22.1,<=0.33.0\"", "\">=0.22.1,<~0.33\"",
            "9:9: '>=0.22.1,<~0.33' is not a version range: no version after '<'\n"
            "  write it as >=0.22.1,<0.34"},
        Bad{"no range", "  vllm: \">=0.22.1,<=0.33.0\"\n", "  platform: cuda\n",
            "9:3: 'vllm' is missing"},
        Bad{"gate key", "  vllm: \">=0.22.1,<=0.33.0\"\n",
            "  vllm: \">=0.22.1\"\n  kv_cache_type: fp8\n",
            "10:3: applies_to has no key 'kv_cache_type'\n  did you mean 'kv_cache_dtype'?"},
        Bad{"gate key unlike any", "  vllm: \">=0.22.1,<=0.33.0\"\n",
            "  vllm: \">=0.22.1\"\n  zzz: fp8\n",
            "10:3: applies_to has no key 'zzz'\n"
            "  known keys: vllm, platform, model_family, architecture, quantization, "
            "kv_cache_dtype, speculation, compute_capability, driver, torch, tensor_parallel, "
            "hybrid, moe, runner"},
        Bad{"gate value", "  vllm: \">=0.22.1,<=0.33.0\"\n", "  vllm: \">=0.22.1\"\n  moe: 1\n",
            "10:8: 'moe' is '1', expected true or false"},
        Bad{"retires_when",
            "  - fix: blanks are kept\n"
            "    evidence: [{file: a.py, text: keep_blanks}]\n",
            "",
            "5:14: 'retires_when' is empty: nobody would know when the patch has done its work\n"
            "  write one entry for each fix that it bundles, each with evidence"},
        Bad{"evidence", "    evidence: [{file: a.py, text: keep_blanks}]\n", "",
            "6:5: 'blanks are kept' has no evidence\n"
            "  name a text that the fixed file holds, or one that it lost (absent: true)"},
        Bad{"path", "    file: a.py\n", "    file: vllm/a.py\n",
            "12:11: 'vllm/a.py' begins with vllm/\n  paths are relative to the vllm/ package"},
        Bad{"path outside", "    file: a.py\n", "    file: ../a.py\n",
            "12:11: '../a.py' is no plain relative path\n"
            "  write it without a leading slash and without '..'"},
        Bad{"no file", "    file: a.py\n", "",
            "13:9: no file: neither the edit nor this variant names one"},
        Bad{"no replacement", "        replace: tidy()\n", "",
            "14:9: 'replace' is missing\n  replace: \"\" takes the anchor away"},
        Bad{"unless in the anchor", "unless: [keep_blanks]", "unless: [clean]",
            "16:17: 'clean' stands in the anchor: the edit could never be used\n"
            "  take a text that only upstream's fix has"},
        Bad{"unless in the replacement", "replace: tidy()", "replace: \"tidy() # keep_blanks\"",
            "14:17: the replacement of edit 'blanks' holds the 'unless' text 'keep_blanks'\n"
            "  our own edit would look like upstream's fix: write one of them differently"},
        Bad{"no edit",
            "    variants:\n      - anchor: clean()\n        replace: tidy()\n"
            "        unless: [keep_blanks]\n",
            "", "11:5: an edit needs at least one variant"},
        Bad{"upstream", "title: Blanks stay\n",
            "title: Blanks stay\nupstream: [{pr: 1, issue: 2}]\n",
            "4:12: expected one of 'pr' and 'issue'"},
        Bad{"upstream number", "title: Blanks stay\n",
            "title: Blanks stay\nupstream: [{pr: \"#12\"}]\n",
            "4:12: '#12' is no number\n  write the number alone: 48846"},
        Bad{"word", "title: Blanks stay\n", "title: Blanks stay\nlifecycle: stabel\n",
            "4:12: 'lifecycle' is 'stabel', expected one of stable, experimental, retired\n"
            "  did you mean 'stable'?"},
        Bad{"plugin", "title: Blanks stay\n", "title: Blanks stay\nmechanism: plugin\n",
            "1:1: mechanism plugin needs 'plugin: \"module:function\"'"},
        Bad{"proof", "title: Blanks stay\n", "title: Blanks stay\nproof_level: engine\n",
            "4:14: no proof.py beside patch.yaml, or it is empty"},
        Bad{"new file", "title: Blanks stay\n",
            "title: Blanks stay\nnew_files: [{path: b.py, from: c.py}]\n",
            "4:32: no file 'c.py' beside patch.yaml"}));

TEST(ReadPatch, AllErrorsAtOnce) {
  Fixture f;
  f.read("id: GN001\nflag: X\nwhy: One.\n");
  EXPECT_THAT(
      f.messages(),
      ElementsAre(
          "pack/patches/GN001_spaces/patch.yaml:2:7: 'X' is no flag of GN001\n"
          "  expected GENESIS_ENABLE_GN001_<SLUG>, in capitals",
          "pack/patches/GN001_spaces/patch.yaml:1:1: 'title' is missing",
          "pack/patches/GN001_spaces/patch.yaml:1:1: 'retires_when' is empty: nobody would "
          "know when the patch has done its work\n"
          "  write one entry for each fix that it bundles, each with evidence",
          "pack/patches/GN001_spaces/patch.yaml:1:1: 'applies_to' is missing\n"
          "  it needs at least vllm: \">=...,<=...\"",
          "pack/patches/GN001_spaces/patch.yaml:1:1: a text patch needs edits or new_files"));
}

TEST(Files, AFolderThatBeginsWithAnUnderscoreIsNoPatch) {
  Fixture f;
  for (const auto* path : {"patches/_proof/stub.py", "patches/P1_a/patch.yaml", "patches/README"})
    f.add(path, "");
  EXPECT_THAT(f.files.patch_folders(), ElementsAre("P1_a"));
}

struct FlagCase {
  std::string_view id, flag;
  bool good;
};
class PatchFlag : public testing::TestWithParam<FlagCase> {};
void PrintTo(const FlagCase& one, std::ostream* out) {
  *out << one.id << ' ' << one.flag;
}

TEST_P(PatchFlag, HasTheIdInIt) {
  const auto& [id, flag, good] = GetParam();
  Fixture f;
  auto text = replace_all(std::string(kGood), "id: GN001", "id: " + std::string(id));
  text = replace_all(text, "GENESIS_ENABLE_GN001_SPACES", flag);
  f.read(text, std::string(id) + "_x");
  EXPECT_EQ(f.errors.empty(), good) << testing::PrintToString(f.messages());
}

INSTANTIATE_TEST_SUITE_P(
    Forms, PatchFlag,
    testing::Values(FlagCase{"P109", "GENESIS_ENABLE_P109", true},
                    FlagCase{"P61b", "GENESIS_ENABLE_P61B_STREAMING_OVERLAP", true},
                    FlagCase{"P67b", "GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL", true},
                    FlagCase{"G4_61", "GENESIS_ENABLE_G4_61_WARM", true},
                    FlagCase{"PN-FP8MOE-KPAD", "GENESIS_ENABLE_PN_FP8MOE_KPAD", true},
                    FlagCase{"P109", "GENESIS_ENABLE_P109_", false},
                    FlagCase{"P109", "GENESIS_ENABLE_P1090_X", false},
                    FlagCase{"GN001", "GENESIS_ENABLE_GN00_X", false},
                    FlagCase{"P109", "SNDR_ENABLE_P109", false}));

/// Reads and checks several patches against each other; each is kGood with another id and `more`.
std::vector<std::string> check(const std::vector<std::pair<std::string, std::string>>& patches) {
  Fixture f;
  std::vector<PatchDocument> documents;
  for (const auto& [id, more] : patches) {
    auto text = replace_all(std::string(kGood), "id: GN001", "id: " + id);
    text = replace_all(text, "GN001_SPACES", id + "_SPACES");
    const auto folder = id + "_x";
    f.add("patches/" + folder + "/patch.yaml", more + text);
    documents.push_back(read_patch(f.files, folder, f.errors));
  }
  check_patches(documents, {"PN58"}, f.errors);
  return f.messages();
}

TEST(CheckPatches, Good) {
  EXPECT_THAT(check({{"GN001", "requires: [GN002]\nconflicts: [PN58]\nalso_covers: [PN58]\n"},
                     {"GN002", ""}}),
              ElementsAre());
}

TEST(CheckPatches, FlagsAndAliasesAreUnique) {
  EXPECT_THAT(
      check(
          {{"GN001", ""}, {"GN002", "aliases: [GENESIS_ENABLE_X, GENESIS_ENABLE_GN001_SPACES]\n"}}),
      ElementsAre("pack/patches/GN002_x/patch.yaml:1:29: 'GENESIS_ENABLE_GN001_SPACES' belongs to "
                  "GN001 already (pack/patches/GN001_x/patch.yaml)"));
}

TEST(CheckPatches, IdsAreKnown) {
  EXPECT_THAT(
      check({{"GN001", "requires: [GN0002]\nconflicts: [PN57]\nalso_covers: [PN59]\n"},
             {"GN002", ""}}),
      ElementsAre("pack/patches/GN001_x/patch.yaml:1:12: 'requires' names GN0002, which is no "
                  "patch of this pack\n  did you mean 'GN002'?",
                  "pack/patches/GN001_x/patch.yaml:2:13: 'conflicts' names PN57, which is no "
                  "patch of this pack\n  patches: GN001, GN002",
                  "pack/patches/GN001_x/patch.yaml:3:15: 'also_covers' names PN59, which is "
                  "no id of v12"));
}

TEST(CheckPatches, ARequirementDoesNotConflict) {
  EXPECT_THAT(
      check({{"GN001", "requires: [GN002]\nconflicts: [GN002]\n"}, {"GN002", ""}}),
      ElementsAre("pack/patches/GN001_x/patch.yaml:2:13: GN002 is required, and conflicts"));
}

TEST(CheckPatches, NoCircle) {
  EXPECT_THAT(check({{"GN001", "requires: [GN002]\n"},
                     {"GN002", "requires: [GN003]\n"},
                     {"GN003", "requires: [GN002]\n"}}),
              ElementsAre("pack/patches/GN002_x/patch.yaml:1:12: 'requires' goes in a circle: "
                          "GN002 -> GN003 -> GN002"));
}

TEST(CheckPatches, AfterNamesAPatch) {
  Fixture f;
  std::vector<PatchDocument> documents;
  f.add("patches/GN001_x/patch.yaml",
        with("    file: a.py\n", "    file: a.py\n    after: GN002\n"));
  documents.push_back(read_patch(f.files, "GN001_x", f.errors));
  check_patches(documents, {}, f.errors);
  EXPECT_THAT(f.messages(),
              ElementsAre("pack/patches/GN001_x/patch.yaml:11:5: 'after' names GN002, which is no "
                          "patch of this pack\n  did you mean 'GN001'?"));
}

/// The example that authors start from has to be right.
TEST(PatchFormat, TheDocumentsExampleIsAPatch) {
  const auto text = read_file(SNDR_SOURCE_DIR "/docs/PATCH_FORMAT.md");
  ASSERT_TRUE(text);
  const auto begin = text->find("```yaml\nid: ");
  ASSERT_NE(begin, std::string::npos);
  const auto from = begin + std::string_view("```yaml\n").size();
  Fixture f;
  f.add("patches/GN999_empty_stop/stop.py", "");
  f.add("patches/GN999_empty_stop/proof.py", "pass\n");
  const auto patch =
      f.read(text->substr(from, text->find("\n```", from) - from), "GN999_empty_stop");
  EXPECT_THAT(f.messages(), ElementsAre());
  EXPECT_EQ(patch.edits.size(), 2u);
  EXPECT_EQ(patch.gates.size(), 4u);
  for (const auto& key : gate_keys())
    EXPECT_EQ(count_of(*text, "| `" + std::string(key.name) + "` |"), 1u) << key.name;
}

/// Editors get the same keys from the schema as the loader knows.
TEST(PatchSchema, HasTheLoadersKeys) {
  const auto text = read_file(SNDR_SOURCE_DIR "/pack/schema/patch.schema.json");
  ASSERT_TRUE(text);
  const auto schema = json::parse(*text);
  ASSERT_TRUE(schema);
  const auto keys_of = [&](std::string_view path) {
    std::vector<std::string> out;
    const auto* properties = json::find(*schema, path);
    if (properties != nullptr)
      for (const auto& entry : properties->as_object()) out.emplace_back(entry.key());
    std::sort(out.begin(), out.end());
    return out;
  };
  const auto known = [](const std::string& more) {
    Fixture f;
    f.read(more);
    for (const auto& error : f.errors) {
      const auto at = error.hint.find("known keys: ");
      if (at != 0) continue;
      std::vector<std::string> out;
      for (const auto part : split(std::string_view(error.hint).substr(12), ','))
        out.emplace_back(trim(part));
      std::sort(out.begin(), out.end());
      return out;
    }
    return std::vector<std::string>{};
  };
  EXPECT_EQ(keys_of("properties"), known(std::string(kGood) + "zzzzzzzzzz: 1\n"));
  EXPECT_EQ(keys_of("properties.applies_to.properties"),
            known(with("  vllm: ", "  zzzzzzzzzz: 1\n  vllm: ")));
  EXPECT_EQ(keys_of("properties.edits.items.properties"),
            known(with("    file: a.py\n", "    file: a.py\n    zzzzzzzzzz: 1\n")));
  EXPECT_EQ(keys_of("properties.edits.items.properties.variants.items.properties"),
            known(with("        unless:", "        zzzzzzzzzz: 1\n        unless:")));
  EXPECT_EQ(keys_of("properties.retires_when.items.properties"),
            known(with("  - fix: ", "  - zzzzzzzzzz: 1\n    fix: ")));
  EXPECT_EQ(keys_of("definitions.evidence_list.items.properties"),
            known(with("{file: a.py,", "{zzzzzzzzzz: 1, file: a.py,")));
}

}  // namespace
}  // namespace sndr::pack
