// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/span.h"
#include "plan/testing.h"

namespace sndr::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tree = std::map<std::string, std::string, std::less<>>;

patch::Source source_of(const Tree& tree) {
  return [&tree](std::string_view path) -> std::optional<std::string_view> {
    const auto at = tree.find(path);
    if (at == tree.end()) return std::nullopt;
    return at->second;
  };
}

/// Edits `anchor` of a.py.
pack::Patch edits(std::string id, std::string anchor) {
  auto out = make_patch(id, "GENESIS_ENABLE_" + id, "Title of " + id);
  pack::Variant variant;
  variant.anchor = anchor;
  variant.replacement = "new " + anchor;
  pack::Edit edit;
  edit.name = "edit";
  edit.file = "a.py";
  edit.variants = {variant};
  out.edits = {edit};
  return out;
}

pack::Gate gate(std::string key, const std::string& text) {
  pack::Gate out;
  out.key = std::move(key);
  out.text = text;
  if (auto range = VersionRange::parse(text); range) out.range = *range;
  out.words = {text};
  return out;
}

/// One situation, every part of which a test may change.
struct World {
  pack::Pack pack;
  std::map<std::string, std::string> environment;
  probe::Facts facts;
  std::string version = "0.33.0";
  Tree tree = {{"a.py", "one\ntwo\nthree\n"}};
  std::vector<std::string> changed;
  Options options;

  explicit World(std::vector<pack::Patch> patches, bool enabled = true) {
    pack = make_pack();
    pack.patches = std::move(patches);
    std::sort(pack.patches.begin(), pack.patches.end(),
              [](const auto& a, const auto& b) { return pack::id_less(a.id, b.id); });
    if (!enabled) return;
    for (const auto& patch : pack.patches) environment[patch.flag] = "1";
  }

  [[nodiscard]] Plan plan() const {
    std::optional<Version> parsed;
    if (!version.empty()) parsed = Version::parse(version).value();
    return make_plan(pack, read_flags(pack, environment).value(), facts, parsed, source_of(tree),
                     changed, options);
  }
  /// "apply GN1", "skip GN1: REASON"
  [[nodiscard]] std::vector<std::string> lines() const {
    static constexpr const char* kVerdicts[] = {"apply ", "skip ", "fail "};
    std::vector<std::string> out;
    for (const auto& one : plan().decisions)
      out.push_back(kVerdicts[static_cast<int>(one.verdict)] + one.id +
                    (one.reason.empty() ? "" : ": " + one.reason));
    return out;
  }
  [[nodiscard]] Cause cause() const { return plan().decisions.front().cause; }
};

TEST(Plan, AppliesWhatIsEnabledAndFits) {
  const World world({edits("GN1", "one")});
  const auto plan = world.plan();
  EXPECT_THAT(world.lines(), ElementsAre("apply GN1"));
  EXPECT_EQ(plan.applied, 1u);
  EXPECT_EQ(plan.skipped + plan.failed, 0u);
  EXPECT_EQ(plan.mode, Mode::pinned);
  EXPECT_EQ(plan.mode_line, "");
  EXPECT_EQ(plan.vllm, "0.33.0");
  EXPECT_EQ(applied_findings(plan).size(), 1u);
}

TEST(Plan, Switches) {
  World world({edits("GN1", "one")}, false);
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: not enabled"));
  EXPECT_EQ(world.cause(), Cause::not_enabled);
  EXPECT_THAT(applied_findings(world.plan()), IsEmpty());
  world.environment = {{"GENESIS_ENABLE_GN1", "0"}};
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: not enabled"));
  world.environment = {{"GENESIS_ENABLE_GN1", "1"}, {"GENESIS_DISABLE_GN1", "1"}};
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: turned off by GENESIS_DISABLE_GN1"));
  EXPECT_EQ(world.cause(), Cause::disabled);
  world.environment = {{"GENESIS_ENABLE_GN1", "1"}, {"GENESIS_DISABLE", "1"}};
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: turned off by GENESIS_DISABLE"));
}

struct GateCase {
  std::string key, text, fact, line;
};
void PrintTo(const GateCase& one, std::ostream* out) {
  *out << one.key << ' ' << one.fact;
}
class Gates : public testing::TestWithParam<GateCase> {};

TEST_P(Gates, OpenOrNot) {
  const auto& [key, text, fact, line] = GetParam();
  auto patch = edits("GN1", "one");
  patch.gates = {gate(key, text)};
  World world({patch});
  if (!fact.empty()) world.facts.known[key] = {fact, "test"};
  EXPECT_THAT(world.lines(), ElementsAre(line));
}

INSTANTIATE_TEST_SUITE_P(
    One, Gates,
    testing::Values(
        GateCase{"kv_cache_dtype", "turboquant_k8v4", "turboquant_k8v4", "apply GN1"},
        GateCase{"kv_cache_dtype", "turboquant_k8v4", "fp8",
                 "skip GN1: applies_to mismatch: kv_cache_dtype is fp8, needs turboquant_k8v4"},
        GateCase{"kv_cache_dtype", "turboquant_k8v4", "",
                 "skip GN1: kv_cache_dtype unknown: pass --assume kv_cache_dtype=..."},
        GateCase{"model_family", "qwen3_5*", "qwen3_5_moe", "apply GN1"},
        GateCase{"model_family", "qwen3_5*", "qwen3",
                 "skip GN1: applies_to mismatch: model_family is qwen3, needs qwen3_5*"},
        GateCase{"architecture", "qwen3_5forcausallm", "A, Qwen3_5ForCausalLM", "apply GN1"},
        GateCase{"compute_capability", ">=8.0", "8.6", "apply GN1"},
        GateCase{"compute_capability", ">=8.0", "7.5",
                 "skip GN1: applies_to mismatch: compute_capability is 7.5, needs >=8.0"},
        GateCase{"compute_capability", ">=8.0", "12.0", "apply GN1"},
        GateCase{"driver", ">=580", "580.126.09", "apply GN1"},
        GateCase{"driver", ">=580", "odd", "skip GN1: driver unknown: pass --assume driver=..."},
        GateCase{"hybrid", "true", "true", "apply GN1"},
        GateCase{"hybrid", "true", "false",
                 "skip GN1: applies_to mismatch: hybrid is false, needs true"}));

TEST(Plan, AMismatchCountsBeforeWhatIsUnknown) {
  auto patch = edits("GN1", "one");
  patch.gates = {gate("platform", "cuda"), gate("kv_cache_dtype", "fp8"), gate("moe", "true")};
  World world({patch});
  world.facts.known["moe"] = {"false", "test"};
  EXPECT_THAT(world.lines(),
              ElementsAre("skip GN1: applies_to mismatch: moe is false, needs true"));
  EXPECT_EQ(world.cause(), Cause::mismatch);
  world.facts.known["moe"] = {"true", "test"};
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: platform and kv_cache_dtype unknown: pass "
                                         "--assume platform=... --assume kv_cache_dtype=..."));
  EXPECT_EQ(world.cause(), Cause::unknown_fact);
}

TEST(Plan, EvidenceOfRetirementBeatsTheRangeAndTheGates) {
  auto patch = edits("GN1", "one");
  patch.gates = {gate("platform", "cuda")};
  World world({patch});
  world.version = "0.35.0";
  world.tree["a.py"] = "one FIXED";
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: vLLM has the fix: the fix (since 0.34.0)"));
  EXPECT_EQ(world.cause(), Cause::retired);
}

TEST(Plan, ARetiredPatchWithoutEditsIsRetiredEverywhere) {
  auto patch = make_patch("GN1", "GENESIS_ENABLE_GN1");
  patch.lifecycle = pack::Lifecycle::retired;
  const World world({patch});
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: vLLM has the fix: the fix (since 0.34.0)"));
}

TEST(Plan, ATreeThatNeverHadTheCode) {
  auto patch = edits("GN1", "one");
  patch.applies_if = {{"b.py", "", false}};
  const World world({patch});
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: not for this tree: b.py is not there"));
  EXPECT_EQ(world.cause(), Cause::elsewhere);
}

struct VersionCase {
  std::string span, version;
  bool anchor;  ///< the anchor stands in the tree
  bool try_newer;
  std::string line;
};
void PrintTo(const VersionCase& one, std::ostream* out) {
  *out << one.span << " with " << one.version << (one.anchor ? "" : ", drifted")
       << (one.try_newer ? ", --try-newer" : "");
}
class Versions : public testing::TestWithParam<VersionCase> {};

TEST_P(Versions, SpanOrAnchors) {
  const auto& one = GetParam();
  auto patch = edits("GN1", "one");
  patch.vllm = VersionRange::parse(one.span).value();
  World world({patch});
  world.version = one.version;
  world.options.try_newer = one.try_newer;
  if (!one.anchor) world.tree["a.py"] = "two\n";
  EXPECT_THAT(world.lines(), ElementsAre(one.line));
}

const char* const kSpan = ">=0.22.1,<=0.33.0";
const char* const kDrift = "fail GN1: anchor drifted in a.py: see `sndr doctor`";

INSTANTIATE_TEST_SUITE_P(
    One, Versions,
    testing::Values(
        VersionCase{kSpan, "0.22.1", true, false, "apply GN1"},
        VersionCase{kSpan, "0.33.0+cu129", true, false, "apply GN1"},
        VersionCase{kSpan, "0.27.3", true, false, "apply GN1"},
        VersionCase{kSpan, "0.27.3", false, false, kDrift},
        VersionCase{kSpan, "0.24.0rc2", false, false, kDrift},
        VersionCase{kSpan, "", true, false, "apply GN1"},
        VersionCase{kSpan, "", false, false, kDrift},
        VersionCase{kSpan, "0.34.0", true, false,
                    "skip GN1: applies_to mismatch: vllm 0.34.0, verified up to 0.33.0"},
        VersionCase{kSpan, "0.34.0", false, false,
                    "skip GN1: applies_to mismatch: vllm 0.34.0, verified up to 0.33.0"},
        VersionCase{kSpan, "0.34.0", true, true, "apply GN1"},
        VersionCase{kSpan, "0.34.0", false, true, kDrift},
        VersionCase{kSpan, "0.21.0", true, false,
                    "skip GN1: applies_to mismatch: vllm 0.21.0, verified from 0.22.1"},
        VersionCase{kSpan, "0.21.0", true, true,
                    "skip GN1: applies_to mismatch: vllm 0.21.0, verified from 0.22.1"},
        // A dev build's place in the order isn't trusted.
        VersionCase{kSpan, "0.23.1rc1.dev748+g2dfaae752", true, false, "apply GN1"},
        VersionCase{kSpan, "0.23.1rc1.dev748+g2dfaae752", false, false, kDrift},
        VersionCase{kSpan, "0.33.1rc1.dev20+gabc", true, false, "apply GN1"},
        VersionCase{kSpan, "0.33.1rc1.dev20+gabc", false, false,
                    "skip GN1: applies_to mismatch: vllm 0.33.1rc1.dev20+gabc, verified up to "
                    "0.33.0"},
        VersionCase{">=0.24.0,<=0.33.0", "0.23.1rc1.dev748+g2dfaae752", true, false, "apply GN1"},
        VersionCase{">=0.24.0,<=0.33.0", "0.23.1rc1.dev748+g2dfaae752", false, false,
                    "skip GN1: applies_to mismatch: vllm 0.23.1rc1.dev748+g2dfaae752, verified "
                    "from 0.24.0"},
        VersionCase{">=0.22.1 <0.23.0", "0.23.0", true, false,
                    "skip GN1: applies_to mismatch: vllm 0.23.0, verified below 0.23.0"},
        VersionCase{">=0.22.1,!=0.25.0,<=0.33.0", "0.25.0", true, false,
                    "skip GN1: applies_to mismatch: vllm 0.25.0, needs "
                    ">=0.22.1,!=0.25.0,<=0.33.0"},
        VersionCase{"==0.24.0", "0.24.1", true, false,
                    "skip GN1: applies_to mismatch: vllm 0.24.1, verified up to 0.24.0"}));

TEST(Plan, ModeLine) {
  World world({});
  const auto line = [&](const std::string& version) {
    world.version = version;
    return world.plan().mode_line;
  };
  EXPECT_EQ(line("0.33.0"), "");
  EXPECT_EQ(line("0.23.1rc1.dev748+g2dfaae752"), "");
  EXPECT_EQ(line("0.27.0"),
            "verified-anchors mode: vllm 0.27.0 is no pin, so anchors decide, and a missing one is "
            "a failure");
  EXPECT_EQ(line(""),
            "verified-anchors mode: vLLM's version can't be read, so anchors decide, and a missing "
            "one is a failure");
  EXPECT_EQ(world.plan().mode, Mode::verified_anchors);
  EXPECT_EQ(world.plan().vllm, "unknown version");
  EXPECT_EQ(line("0.34.0"),
            "vllm 0.34.0 is newer than every pin: a patch is skipped above its verified span "
            "(--try-newer lets anchors decide)");
  world.options.try_newer = true;
  EXPECT_EQ(line("0.34.0"),
            "verified-anchors mode: vllm 0.34.0 is no pin, so anchors decide, and a missing one is "
            "a failure");
}

TEST(Plan, AChangedFileIsAFailureThatNamesDoctor) {
  World world({edits("GN1", "one"), edits("GN2", "two")});
  world.pack.patches[1].edits[0].file = "b.py";
  world.tree["b.py"] = "two";
  world.changed = {"a.py"};
  EXPECT_THAT(world.lines(),
              ElementsAre("fail GN1: a.py isn't vLLM's own text: see `sndr doctor`", "apply GN2"));
  EXPECT_EQ(world.cause(), Cause::not_pristine);
  // Someone else's edit is no evidence that vLLM has the fix.
  world.tree["a.py"] = "FIXED";
  EXPECT_THAT(world.lines()[0], "fail GN1: a.py isn't vLLM's own text: see `sndr doctor`");
}

TEST(Solver, AConflictFailsBoth) {
  auto one = edits("GN1", "one");
  one.conflicts = {"GN2", "PN58"};
  World world({one, edits("GN2", "two")});
  EXPECT_THAT(world.lines(), ElementsAre("fail GN1: GN1 conflicts with GN2: turn one of them off",
                                         "fail GN2: GN2 conflicts with GN1: turn one of them off"));
  EXPECT_EQ(world.cause(), Cause::conflict);
  world.environment.erase("GENESIS_ENABLE_GN2");
  EXPECT_THAT(world.lines(), ElementsAre("apply GN1", "skip GN2: not enabled"));
}

TEST(Solver, AGatedPatchDoesNotConflict) {
  auto one = edits("GN1", "one");
  one.conflicts = {"GN2"};
  auto two = edits("GN2", "two");
  two.gates = {gate("moe", "true")};
  const World world({one, two});
  EXPECT_THAT(world.lines(),
              ElementsAre("apply GN1", "skip GN2: moe unknown: pass --assume moe=..."));
}

TEST(Solver, AMissingRequirementFailsAndIsCarried) {
  auto one = edits("GN1", "one");
  one.requires_ids = {"GN2"};
  auto two = edits("GN2", "two");
  two.requires_ids = {"GN3"};
  World world({one, two, edits("GN3", "three")});
  EXPECT_THAT(world.lines(), ElementsAre("apply GN1", "apply GN2", "apply GN3"));
  world.environment.erase("GENESIS_ENABLE_GN3");
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: requires GN2, which failed",
                                         "fail GN2: GN2 requires GN3, which isn't enabled: set "
                                         "GENESIS_ENABLE_GN3=1",
                                         "skip GN3: not enabled"));
  EXPECT_EQ(world.cause(), Cause::with_failed);
  EXPECT_EQ(world.plan().decisions[1].cause, Cause::missing_requirement);
  world.environment["GENESIS_DISABLE_GN3"] = "1";
  EXPECT_EQ(world.lines()[1],
            "fail GN2: GN2 requires GN3, which is turned off by GENESIS_DISABLE_GN3");
}

TEST(Solver, ADriftedRequirementTakesItsDependentsAlong) {
  auto one = edits("GN1", "one");
  one.requires_ids = {"GN2"};
  const World world({one, edits("GN2", "four")});
  EXPECT_THAT(world.lines(), ElementsAre("skip GN1: requires GN2, which failed",
                                         "fail GN2: anchor drifted in a.py: see `sndr doctor`"));
}

TEST(Solver, ARetiredRequirementIsMetAGatedOneIsNot) {
  auto one = edits("GN1", "one");
  one.requires_ids = {"GN2"};
  auto two = edits("GN2", "two");
  two.retires_when[0].evidence = {{"a.py", "three", false}};
  EXPECT_THAT(World({one, two}).lines(),
              ElementsAre("apply GN1", "skip GN2: vLLM has the fix: the fix (since 0.34.0)"));
  two = edits("GN2", "two");
  two.gates = {gate("moe", "true")};
  EXPECT_THAT(World({one, two}).lines(),
              ElementsAre("skip GN1: requires GN2, which is skipped",
                          "skip GN2: moe unknown: pass --assume moe=..."));
}

TEST(Solver, OverlappingEditsFailBoth) {
  auto three = edits("GN3", "three");
  three.requires_ids = {"GN2"};
  World world({edits("GN1", "one\ntwo"), edits("GN2", "two"), three});
  EXPECT_THAT(world.lines(), ElementsAre("fail GN1: GN1 and GN2 both edit line 2 of a.py",
                                         "fail GN2: GN1 and GN2 both edit line 2 of a.py",
                                         "skip GN3: requires GN2, which failed"));
  EXPECT_EQ(world.cause(), Cause::conflict);
  // A failed patch no longer stands in the other's way.
  world.pack.patches[0].requires_ids = {"GN4"};
  world.pack.patches.push_back(edits("GN4", "four"));
  EXPECT_THAT(world.lines(), ElementsAre("fail GN1: GN1 requires GN4, which isn't enabled: set "
                                         "GENESIS_ENABLE_GN4=1",
                                         "apply GN2", "apply GN3", "skip GN4: not enabled"));
}

TEST(Plan, V12IdsGetAnAnswer) {
  World world({edits("PN91", "one")}, false);
  world.environment = {{"GENESIS_ENABLE_P82", "1"}, {"GENESIS_ENABLE_P67_SPARSE_V", "1"}};
  EXPECT_THAT(world.lines(), ElementsAre("skip P67c: not carried over: it lost text",
                                         "skip P82: not carried over: it biases sampling",
                                         "skip PN91: not enabled"));
  EXPECT_EQ(world.cause(), Cause::legacy);
  world.options.all_legacy = true;
  const auto plan = world.plan();
  EXPECT_EQ(plan.decisions.size(), world.pack.legacy.size() + 1);
  EXPECT_EQ(plan.skipped, plan.decisions.size());
  world.environment = {{"GENESIS_LEGACY_P7", "1"}};
  EXPECT_EQ(world.plan().notices.size(), 1u);
}

TEST(Place, Ends) {
  struct Case {
    std::string span, version;
    Place place;
    std::string needs;
  };
  const std::vector<Case> cases = {
      {">=0.20,<0.24", "0.24.0rc1", Place::above, "verified below 0.24"},
      {">0.20", "0.20.0", Place::below, "verified above 0.20"},
      {">=0.20,<=0.24,<=0.23", "0.24", Place::above, "verified up to 0.23"},
      {"==0.24.*", "0.25", Place::hole, "needs ==0.24.*"},
      {"", "0.1", Place::within, ""},
  };
  for (const auto& one : cases) {
    const auto placed = place(VersionRange::parse(one.span).value(), *Version::parse(one.version));
    EXPECT_EQ(placed.place, one.place) << one.span << ' ' << one.version;
    EXPECT_EQ(placed.needs, one.needs) << one.span << ' ' << one.version;
  }
}

}  // namespace
}  // namespace sndr::plan
