// SPDX-License-Identifier: Apache-2.0
#include "patch/edit.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "patch/testing.h"

namespace sndr::patch {
namespace {

std::string_view name(EditState state) {
  switch (state) {
    case EditState::usable:
      return "usable";
    case EditState::not_needed:
      return "not_needed";
    case EditState::upstream:
      return "upstream";
    case EditState::missing:
      return "missing";
    case EditState::ambiguous:
      return "ambiguous";
  }
  return "";
}

std::string_view name(PatchState state) {
  switch (state) {
    case PatchState::intact:
      return "intact";
    case PatchState::retired:
      return "retired";
    case PatchState::elsewhere:
      return "elsewhere";
    case PatchState::drifted:
      return "drifted";
  }
  return "";
}

const Tree kTree = {
    {"a.py", "import os\n\ndef one():\n    return 1\n\ndef two():\n    return 2\n"},
    {"twice.py", "x = 1\nx = 1\ny = 2\n"},
    {"aaa.py", "aaa\n"},
    {"crlf.py", "def one():\r\n    return 1\r\n"},
};

struct EvidenceCase {
  pack::Evidence evidence;
  bool expected;
};

TEST(Holds, Table) {
  const std::vector<EvidenceCase> cases = {
      {{"a.py", "", false}, true},
      {{"b.py", "", false}, false},
      {{"a.py", "", true}, false},
      {{"b.py", "", true}, true},
      {{"a.py", "def two():\n    return 2", false}, true},
      {{"a.py", "def three", false}, false},
      {{"a.py", "def three", true}, true},
      {{"b.py", "def one", false}, false},
      {{"b.py", "def one", true}, true},
      {{"crlf.py", "def one():\n    return", false}, true},
  };
  for (const auto& one : cases)
    EXPECT_EQ(holds(one.evidence, source_of(kTree)), one.expected)
        << one.evidence.file << " " << one.evidence.text << " " << one.evidence.absent;
}

struct EditCase {
  std::string what;
  pack::Edit edit;
  EditState state;
  PatchState patch;
  std::string reason;
  std::size_t begin = 0, end = 0, matches = 0;
};

pack::Edit only_if(pack::Edit edit, pack::Evidence evidence) {
  edit.only_if.push_back(std::move(evidence));
  return edit;
}

pack::Variant in_file(std::string file, pack::Variant variant) {
  variant.file = std::move(file);
  return variant;
}

std::vector<EditCase> edit_cases() {
  using S = EditState;
  using P = PatchState;
  const auto one = variant_of("return 1", "return 11");
  const auto two = variant_of("return 2", "return 22");
  const auto gone = variant_of("return 3", "return 33");
  return {
      {"stands once", edit_of("e", "a.py", {one}), S::usable, P::intact, "1 edit fits", 26, 34},
      {"second variant", edit_of("e", "a.py", {gone, two}), S::usable, P::intact, "1 edit fits", 51,
       59},
      {"another file's variant", edit_of("e", "b.py", {gone, in_file("a.py", one)}), S::usable,
       P::intact, "1 edit fits", 26, 34},
      {"one fits, another stands twice",
       edit_of("e", "a.py", {one, in_file("twice.py", variant_of("x = 1", "x = 3"))}), S::usable,
       P::intact, "1 edit fits", 26, 34},
      {"CRLF", edit_of("e", "crlf.py", {variant_of("one():\n    return 1\n", "")}), S::usable,
       P::intact, "1 edit fits", 4, 26},
      {"only_if", only_if(edit_of("e", "a.py", {one}), {"a.py", "def four", false}), S::not_needed,
       P::elsewhere, "not for this tree: no edit is needed here"},
      {"unless", edit_of("e", "a.py", {variant_of("return 1", "x", {"def two"})}), S::upstream,
       P::retired, "vLLM has the fix: each edit finds upstream's own text"},
      {"another variant's unless", edit_of("e", "a.py", {one, variant_of("q", "x", {"def two"})}),
       S::upstream, P::retired, "vLLM has the fix: each edit finds upstream's own text"},
      {"missing", edit_of("e", "a.py", {gone}), S::missing, P::drifted, "anchor drifted in a.py"},
      {"no file", edit_of("e", "b.py", {one}), S::missing, P::drifted, "b.py is gone"},
      {"twice", edit_of("e", "twice.py", {variant_of("x = 1\n", "x = 2\n")}), S::ambiguous,
       P::drifted, "anchor stands 2 times in twice.py", 0, 0, 2},
      {"places that overlap", edit_of("e", "aaa.py", {variant_of("aa", "")}), S::ambiguous,
       P::drifted, "anchor stands 2 times in aaa.py", 0, 0, 2},
      {"two variants", edit_of("e", "a.py", {one, two}), S::ambiguous, P::drifted,
       "2 variants of edit \"e\" fit a.py", 0, 0, 2},
      {"an empty anchor is nowhere", edit_of("e", "a.py", {variant_of("", "x")}), S::missing,
       P::drifted, "anchor drifted in a.py"},
  };
}

TEST(Judge, EveryEditState) {
  for (const auto& one : edit_cases()) {
    SCOPED_TRACE(one.what);
    const auto patch = patch_of("P1", {one.edit});
    const auto found = judge(patch, source_of(kTree));
    ASSERT_EQ(found.edits.size(), 1U);
    EXPECT_EQ(name(found.edits[0].state), name(one.state));
    EXPECT_EQ(name(found.state), name(one.patch));
    EXPECT_EQ(found.reason, one.reason);
    EXPECT_EQ(found.edits[0].begin, one.begin);
    EXPECT_EQ(found.edits[0].end, one.end);
    EXPECT_EQ(found.edits[0].matches, one.matches);
  }
}

TEST(Judge, MissingReportsTheNearestVariant) {
  const auto patch = patch_of(
      "P1", {edit_of("e", "a.py",
                     {variant_of("def nine():\n    return 9\n", ""),
                      variant_of("def two():\n    return 3\n", ""), variant_of("zzz\n", "")})});
  const auto found = judge(patch, source_of(kTree));
  EXPECT_EQ(found.edits[0].variant, &patch.edits[0].variants[1]);
  EXPECT_EQ(found.edits[0].file, "a.py");
}

TEST(Judge, Retired) {
  auto patch = patch_of("P1", {edit_of("e", "a.py", {variant_of("return 1", "")})});
  patch.retires_when = {{"one() is there", "0.24.0", {{"a.py", "def one", false}}},
                        {"old.py went away", "", {{"old.py", "", true}}}};
  auto found = judge(patch, source_of(kTree));
  EXPECT_EQ(name(found.state), "retired");
  EXPECT_EQ(found.reason, "vLLM has the fix: one() is there (since 0.24.0); old.py went away");
  EXPECT_TRUE(found.edits.empty());

  patch.retires_when[1].evidence = {{"old.py", "", false}};  // half of a bundle is not enough
  found = judge(patch, source_of(kTree));
  EXPECT_EQ(name(found.state), "intact");
}

TEST(Judge, Elsewhere) {
  const auto of = [](pack::Evidence evidence) {
    auto patch = patch_of("P1", {});
    patch.applies_if = {std::move(evidence)};
    const auto found = judge(patch, source_of(kTree));
    return std::string(name(found.state)) + ": " + found.reason;
  };
  EXPECT_EQ(of({"b.py", "", false}), "elsewhere: not for this tree: b.py is not there");
  EXPECT_EQ(of({"a.py", "", true}), "elsewhere: not for this tree: a.py is there");
  EXPECT_EQ(of({"a.py", "  def three():\n  x\n", false}),
            "elsewhere: not for this tree: \"def three():\" is not in a.py");
  EXPECT_EQ(of({"a.py", "def one", true}), "elsewhere: not for this tree: \"def one\" is in a.py");
  EXPECT_EQ(of({"a.py", "def one", false}), "intact: nothing to edit");
}

TEST(Judge, ManyEdits) {
  const auto fits = edit_of("fits", "a.py", {variant_of("return 1", "x")});
  const auto idle = only_if(fits, {"b.py", "", false});
  const auto fixed = edit_of("fixed", "a.py", {variant_of("return 2", "x", {"import os"})});
  const auto gone = edit_of("gone", "a.py", {variant_of("return 3", "x")});
  const auto lost = edit_of("lost", "b.py", {variant_of("return 3", "x")});
  const auto of = [](std::vector<pack::Edit> edits) {
    const auto patch = patch_of("P1", std::move(edits));
    const auto found = judge(patch, source_of(kTree));
    return std::string(name(found.state)) + ": " + found.reason;
  };
  EXPECT_EQ(of({fits, idle, fixed}), "intact: 1 edit fits, 1 by now in vLLM, 1 not needed here");
  EXPECT_EQ(of({fits, edit_of("f2", "a.py", {variant_of("return 2", "x")})}),
            "intact: 2 edits fit");
  EXPECT_EQ(of({fixed, idle}), "retired: vLLM has the fix: each edit finds upstream's own text");
  EXPECT_EQ(of({fits, gone}), "drifted: anchor drifted in a.py");
  EXPECT_EQ(of({gone, fits, lost, fixed}), "drifted: anchor drifted in a.py, and 1 more");
}

TEST(Judge, AFileOfTheSameName) {
  auto patch = patch_of("P1", {edit_of("e", "a.py", {variant_of("return 1", "x")})});
  patch.new_files = {{"twice.py", "text"}};
  const auto found = judge(patch, source_of(kTree));
  EXPECT_EQ(name(found.state), "drifted");
  EXPECT_EQ(found.reason, "vLLM has its own twice.py");
}

}  // namespace
}  // namespace sndr::patch
