// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "patch/edit.h"
#include "patch/testing.h"

namespace sndr::patch {
namespace {

/// What a list of patches makes of a tree: "path:\ntext" of each file, or the overlaps.
std::string composed(const std::vector<pack::Patch>& patches, const Tree& tree) {
  std::vector<PatchFinding> findings;
  for (const auto& patch : patches) findings.push_back(judge(patch, source_of(tree)));
  std::vector<const PatchFinding*> pointers;
  for (const auto& finding : findings) pointers.push_back(&finding);
  const auto result = compose(pointers, source_of(tree));
  if (!result) return "error: " + result.error().what;
  std::string out;
  for (const auto& overlap : result->overlaps)
    out += overlap.first_id + "/" + overlap.second_id + " " + overlap.file + ":" +
           std::to_string(overlap.line) + ": " + overlap.reason + "\n";
  for (const auto& file : result->files)
    out +=
        file.path + " (" + join(file.ids, " ") + (file.created ? ", new" : "") + "):\n" + file.text;
  return out;
}

const Tree kTree = {{"a.py", "one\ntwo\nthree\nfour\nfive\n"},
                    {"crlf.py", "one\r\ntwo\r\nthree\r\n"},
                    {"mixed.py", "one\ntwo\r\nthree\n"}};

pack::Patch small(std::string id, std::string anchor, std::string replacement,
                  std::string after = {}, std::string file = "a.py") {
  return patch_of(std::move(id), {edit_of("e", std::move(file),
                                          {variant_of(std::move(anchor), std::move(replacement))},
                                          std::move(after))});
}

TEST(Compose, SplicesAll) {
  auto adds = patch_of("P9", {});
  adds.new_files = {{"new.py", "brand new\n"}};
  EXPECT_EQ(composed({small("P2", "four\n", ""), small("P1", "two", "zwei\nzwo"), adds}, kTree),
            "a.py (P1 P2):\none\nzwei\nzwo\nthree\nfive\nnew.py (P9, new):\nbrand new\n");
}

TEST(Compose, EditsThatTouchDontOverlap) {
  EXPECT_EQ(composed({small("P2", "two\n", "2\n"), small("P1", "one\n", "1\n")}, kTree),
            "a.py (P1 P2):\n1\n2\nthree\nfour\nfive\n");
}

TEST(Compose, KeepsLineEnds) {
  EXPECT_EQ(composed({small("P1", "one\ntwo\n", "1\n1b\n2\n", "", "crlf.py")}, kTree),
            "crlf.py (P1):\n1\r\n1b\r\n2\r\nthree\r\n");
  EXPECT_EQ(composed({small("P1", "two", "2\n2b", "", "crlf.py")}, kTree),
            "crlf.py (P1):\none\r\n2\r\n2b\r\nthree\r\n");
  // A file's first line end decides; other lines keep theirs.
  EXPECT_EQ(composed({small("P1", "three", "3\n3b", "", "mixed.py")}, kTree),
            "mixed.py (P1):\none\ntwo\r\n3\n3b\n");
}

TEST(Compose, Overlaps) {
  EXPECT_EQ(composed({small("P2", "three\nfour", "x"), small("P1", "two\nthree", "y")}, kTree),
            "P1/P2 a.py:3: P1 and P2 both edit line 3 of a.py\n");
  EXPECT_EQ(composed({patch_of("P1", {edit_of("e", "a.py", {variant_of("two\nthree", "y")}),
                                      edit_of("f", "a.py", {variant_of("three", "z")})})},
                     kTree),
            "P1/P1 a.py:3: two edits of P1 claim line 3 of a.py\n");
  EXPECT_EQ(
      composed({small("P1", "two\nthree", "y", "P2"), small("P2", "three", "z", "P1")}, kTree),
      "P1/P2 a.py:3: P1 and P2 both edit line 3 of a.py\n");
  auto one = patch_of("P1", {}), two = patch_of("P2", {});
  one.new_files = two.new_files = {{"new.py", "text"}};
  EXPECT_EQ(composed({two, one}, kTree), "P1/P2 new.py:0: P1 and P2 both add new.py\n");
}

TEST(Compose, RefusesWhatIsNotIntact) {
  EXPECT_EQ(composed({small("P1", "nine", "9")}, kTree),
            "error: P1 can't be composed: anchor drifted in a.py");
  EXPECT_EQ(composed({small("P1", "one", "1"), small("P1", "two", "2")}, kTree),
            "error: P1 is there twice");
}

TEST(After, TheLaterEditFindsWhatTheEarlierLeft) {
  const auto first = small("P2", "two\nthree\n", "two\nmore\nthree\n");
  const auto second = small("P1", "three\n", "THREE\n", "P2");
  EXPECT_EQ(composed({first, second}, kTree), "a.py (P1 P2):\none\ntwo\nmore\nTHREE\nfour\nfive\n");
  EXPECT_EQ(composed({second}, kTree), "a.py (P1):\none\ntwo\nTHREE\nfour\nfive\n");
}

TEST(After, AVariantMayNameTheEarlierReplacement) {
  const auto first = small("P1", "two\nthree\n", "zwei\ndrei\n");
  const auto second = patch_of(
      "P2", {edit_of("e", "a.py",
                     {variant_of("three\n", "THREE\n"), variant_of("drei\n", "DREI\n")}, "P1")});
  EXPECT_EQ(composed({second, first}, kTree), "a.py (P1 P2):\none\nzwei\nDREI\nfour\nfive\n");
  EXPECT_EQ(composed({second}, kTree), "a.py (P2):\none\ntwo\nTHREE\nfour\nfive\n");
}

TEST(After, AnAnchorThatIsGoneOrDoubledIsAnOverlap) {
  const auto second = small("P2", "three\n", "THREE\n", "P1");
  EXPECT_EQ(composed({second, small("P1", "two\nthree\n", "2\n3\n")}, kTree),
            "P1/P2 a.py:3: no anchor stands once of edit \"e\" of P2 in what P1 leaves of a.py\n");
  EXPECT_EQ(composed({second, small("P1", "two\nthree\n", "three\nthree\n")}, kTree),
            "P1/P2 a.py:3: no anchor stands once of edit \"e\" of P2 in what P1 leaves of a.py\n");
  const auto both = patch_of(
      "P2", {edit_of("e", "a.py",
                     {variant_of("three\n", "THREE\n"), variant_of("drei\n", "DREI\n")}, "P1")});
  EXPECT_EQ(composed({both, small("P1", "two\nthree\n", "drei\nthree\n")}, kTree),
            "P1/P2 a.py:3: two anchors stand of edit \"e\" of P2 in what P1 leaves of a.py\n");
}

TEST(After, AChainOfThree) {
  std::vector<pack::Patch> patches = {small("P3", "two\nthree\n", "two\nthree\n#\n"),
                                      small("P1", "three\nfour\n", "three\nFOUR\n", "P3"),
                                      small("P2", "four\nfive\n", "x\n", "P1")};
  // P1 needs "three\nfour", which P3 parted.
  EXPECT_EQ(composed(patches, kTree),
            "P3/P1 a.py:3: no anchor stands once of edit \"e\" of P1 in what P3 leaves of a.py\n");
  patches[0] = small("P3", "two\nthree\n", "#\ntwo\nthree\n");
  patches[2].edits[0].variants.push_back(variant_of("FOUR\nfive\n", "4\n5\n"));
  const std::string expected = "a.py (P1 P2 P3):\none\n#\ntwo\nthree\n4\n5\n";
  std::sort(patches.begin(), patches.end(), [](auto& a, auto& b) { return a.id < b.id; });
  do {
    EXPECT_EQ(composed(patches, kTree), expected);
  } while (std::next_permutation(patches.begin(), patches.end(),
                                 [](auto& a, auto& b) { return a.id < b.id; }));
}

TEST(After, ACircleIsAnOverlap) {
  EXPECT_EQ(composed({small("P1", "two\n", "2\n", "P2"), small("P2", "two\n", "zwei\n", "P3"),
                      small("P3", "two\n", "deux\n", "P1")},
                     kTree),
            "P1/P2 a.py:2: the edits of P1 and P2 in a.py go after each other in a circle\n");
}

TEST(After, InACrlfFile) {
  EXPECT_EQ(composed({small("P1", "one\ntwo\n", "one\n#\ntwo\n", "", "crlf.py"),
                      small("P2", "two\nthree\n", "2\n3\n", "P1", "crlf.py")},
                     kTree),
            "crlf.py (P1 P2):\none\r\n#\r\n2\r\n3\r\n");
}

// --- properties, on random files and edits ---

struct Random {
  std::mt19937 engine;
  std::size_t below(std::size_t limit) { return engine() % limit; }
};

struct World {
  Tree tree;
  std::vector<pack::Patch> patches;
};

/// A file of unique lines and up to nine patches with up to three edits each, in disjoint places,
/// or (with `chains`) in pairs that share a line, ordered by `after`.
World make_world(Random& random, bool chains) {
  World out;
  const bool crlf = random.below(3) == 0;
  const std::size_t count = 30 + random.below(90);
  std::string text;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < count; ++i)
    lines.push_back("line_" + std::to_string(i) + "(" + std::to_string(random.below(9)) + ")\n");
  for (const auto& line : lines) text += line;
  out.tree["f.py"] = crlf ? replace_all(text, "\n", "\r\n") : text;
  const std::size_t patches = 2 + random.below(8);
  for (std::size_t p = 0; p < patches; ++p)
    out.patches.push_back(patch_of("P" + std::to_string(p), {}));
  std::size_t at = random.below(3);
  while (at + 3 < count) {
    auto& patch = out.patches[random.below(patches)];
    const std::string name = "e" + std::to_string(at);
    patch.edits.push_back(edit_of(
        name, "f.py", {variant_of(lines[at] + lines[at + 1], "#" + name + "\n" + lines[at + 1])}));
    const auto& other = out.patches[random.below(patches)];
    if (chains && other.id != patch.id && random.below(2) == 0) {
      auto& later = out.patches[static_cast<std::size_t>(&other - out.patches.data())];
      later.edits.push_back(edit_of(
          name + "b", "f.py", {variant_of(lines[at + 1], lines[at + 1] + "#later\n")}, patch.id));
    }
    at += 2 + random.below(7);
  }
  return out;
}

TEST(Properties, InputOrderNeverChangesTheResult) {
  Random random{std::mt19937(20240501)};
  for (int round = 0; round < 200; ++round) {
    auto world = make_world(random, true);
    const auto expected = composed(world.patches, world.tree);
    ASSERT_EQ(expected.rfind("f.py", 0), 0U) << expected;
    for (int turn = 0; turn < 5; ++turn) {
      std::shuffle(world.patches.begin(), world.patches.end(), random.engine);
      ASSERT_EQ(composed(world.patches, world.tree), expected);
    }
  }
}

TEST(Properties, OnlySpansChange) {
  Random random{std::mt19937(7)};
  for (int round = 0; round < 200; ++round) {
    const auto world = make_world(random, false);
    const std::string& pristine = world.tree.at("f.py");
    std::vector<PatchFinding> findings;
    std::vector<const PatchFinding*> pointers;
    for (const auto& patch : world.patches) findings.push_back(judge(patch, source_of(world.tree)));
    std::vector<EditFinding> spans;
    for (const auto& finding : findings) {
      pointers.push_back(&finding);
      spans.insert(spans.end(), finding.edits.begin(), finding.edits.end());
    }
    std::sort(spans.begin(), spans.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    const auto result = compose(pointers, source_of(world.tree));
    ASSERT_TRUE(result);
    ASSERT_EQ(result->files.size(), 1U);
    // What stands between spans is the pristine text, byte for byte; in them, the replacement.
    std::string_view text = result->files[0].text;
    std::size_t at = 0;
    const bool crlf = pristine.find('\r') != std::string::npos;
    for (const auto& span : spans) {
      const auto between = std::string_view(pristine).substr(at, span.begin - at);
      ASSERT_EQ(text.substr(0, between.size()), between);
      text.remove_prefix(between.size());
      std::string with = span.variant->replacement;
      if (crlf) with = replace_all(with, "\n", "\r\n");
      ASSERT_EQ(text.substr(0, with.size()), with);
      text.remove_prefix(with.size());
      at = span.end;
    }
    ASSERT_EQ(text, std::string_view(pristine).substr(at));
  }
}

TEST(Properties, AnUnrelatedInsertionElsewhereChangesNothingElse) {
  Random random{std::mt19937(99)};
  for (int round = 0; round < 200; ++round) {
    auto world = make_world(random, true);
    std::set<std::size_t> inside;  // offsets that lie in an edit's span
    for (const auto& patch : world.patches)
      for (const auto& edit : judge(patch, source_of(world.tree)).edits)
        for (std::size_t k = edit.begin + 1; k < edit.end; ++k) inside.insert(k);
    std::string& text = world.tree["f.py"];
    std::size_t at = 0;
    do {
      at = random.below(text.size());
      at = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    } while (inside.contains(at));
    const auto before = composed(world.patches, world.tree);
    const bool crlf = text.find('\r') != std::string::npos;
    const std::string news = crlf ? "unrelated = True\r\n" : "unrelated = True\n";
    text.insert(at, news);
    auto after = composed(world.patches, world.tree);
    const auto found = after.find(news);
    ASSERT_NE(found, std::string::npos) << after;
    after.erase(found, news.size());
    ASSERT_EQ(after, before);
  }
}

}  // namespace
}  // namespace sndr::patch
