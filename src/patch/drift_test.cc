// SPDX-License-Identifier: Apache-2.0
#include "patch/drift.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "patch/nearest.h"
#include "patch/testing.h"

namespace sndr::patch {
namespace {

/// A diff as text: [-gone-]{+come+}.
std::string shown(const std::vector<DiffPiece>& diff) {
  std::string out;
  for (const auto& piece : diff) {
    if (piece.kind == DiffPiece::Kind::same) out += piece.text;
    if (piece.kind == DiffPiece::Kind::removed) out += "[-" + piece.text + "-]";
    if (piece.kind == DiffPiece::Kind::added) out += "{+" + piece.text + "+}";
  }
  return out;
}

TEST(WordDiff, Table) {
  struct Case {
    std::string before, after, expected;
  };
  const std::vector<Case> cases = {
      {"", "", ""},
      {"same\n", "same\n", "same\n"},
      {"", "new", "{+new+}"},
      {"old", "", "[-old-]"},
      {"return one", "return two", "return [-one-]{+two+}"},
      {"f(a, b)\n", "f(a, c, b)\n", "f(a, {+c, +}b)\n"},
      {"one two three four", "one zwei drei four", "one [-two three-]{+zwei drei+} four"},
      {"a\nb\nc\n", "a\nc\n", "a\n[-b\n-]c\n"},
      {"if x:\n    y()\n", "if x:\n    z()\n    y()\n", "if x:\n{+    z()\n+}    y()\n"},
      {"self.max_len", "self.max_model_len", "self.[-max_len-]{+max_model_len+}"},
  };
  for (const auto& one : cases) EXPECT_EQ(shown(word_diff(one.before, one.after)), one.expected);
}

TEST(WordDiff, JoinsBackToBothTexts) {
  std::mt19937 random(3);
  const std::vector<std::string> parts = {"a",  "bb", "c1", " ", "  ",
                                          "\n", "(",  ")",  "=", "\xc3\xa9"};
  for (int round = 0; round < 2000; ++round) {
    std::string before, after;
    for (auto* text : {&before, &after})
      for (auto left = random() % 40; left > 0; --left) *text += parts[random() % parts.size()];
    std::string old_text, new_text;
    const auto diff = word_diff(before, after);
    for (std::size_t i = 0; i < diff.size(); ++i) {
      ASSERT_FALSE(diff[i].text.empty());
      ASSERT_TRUE(i == 0 || diff[i - 1].kind != diff[i].kind);
      if (diff[i].kind != DiffPiece::Kind::added) old_text += diff[i].text;
      if (diff[i].kind != DiffPiece::Kind::removed) new_text += diff[i].text;
    }
    ASSERT_EQ(old_text, before);
    ASSERT_EQ(new_text, after);
  }
}

const std::string kModule =
    "import os\n"
    "\n"
    "def unrelated(x):\n"
    "    return x + 1\n"
    "\n"
    "def check_stop(params, stop_words):\n"
    "    if not params.stop_words:\n"
    "        return None\n"
    "    for word in params.stop_words:\n"
    "        yield word.strip()\n"
    "\n"
    "def other(y):\n"
    "    return y\n";

const std::string kAnchor =
    "def check_stop(params):\n"
    "    if not params.stop:\n"
    "        return None\n"
    "    for word in params.stop:\n";

struct DriftCase {
  std::string what;
  Tree tree;
  std::string anchor;
  std::string expected;  // rendered, without colour
};

std::vector<DriftCase> drift_cases() {
  return {
      {"changed",
       {{"v1/stop.py", kModule}},
       kAnchor,
       "drift: P1 v1/stop.py:6\n"
       "  edit \"stop\": the anchor changed: 85% of its words are still there\n"
       "  its anchor: patch.yaml:7\n"
       "     6 | def check_stop(params{+, stop_words+}):\n"
       "     7 |     if not params.[-stop-]{+stop_words+}:\n"
       "     8 |         return None\n"
       "     9 |     for word in params.[-stop-]{+stop_words+}:\n"},
      {"inside a line",
       {{"v1/stop.py", kModule}},
       "word in params.stop",
       "drift: P1 v1/stop.py:9\n"
       "  edit \"stop\": the anchor changed: 75% of its words are still there\n"
       "  its anchor: patch.yaml:7\n"
       "     9 | word in params.[-stop-]{+stop_words+}\n"},
      {"a line went away",
       {{"v1/stop.py", "def a():\n    one(1)\n    three(3)\n\nx = 1\n"}},
       "    one(1)\n    two(2)\n    three(3)\n",
       "drift: P1 v1/stop.py:2\n"
       "  edit \"stop\": the anchor changed: 66% of its words are still there\n"
       "  its anchor: patch.yaml:7\n"
       "     2 |     one(1)\n"
       "       | [-    two(2)-]\n"
       "     3 |     three(3)\n"},
      {"moved, exact",
       {{"new/place.py", "import os\n" + kAnchor + "        pass\n"}},
       kAnchor,
       "drift: P1 new/place.py:2\n"
       "  edit \"stop\": v1/stop.py is gone; the anchor stands in new/place.py:2\n"
       "  its anchor: patch.yaml:7\n"},
      {"moved by name, changed",
       {{"v2/stop.py", kModule}, {"v2/data.txt", kAnchor}},
       kAnchor,
       "drift: P1 v2/stop.py:6\n"
       "  edit \"stop\": v1/stop.py is gone; 85% of the anchor's words stand in v2/stop.py:6\n"
       "  its anchor: patch.yaml:7\n"
       "     6 | def check_stop(params{+, stop_words+}):\n"
       "     7 |     if not params.[-stop-]{+stop_words+}:\n"
       "     8 |         return None\n"
       "     9 |     for word in params.[-stop-]{+stop_words+}:\n"},
      {"a shim is left, the code moved",
       {{"v1/stop.py", "from vllm.v2.stop import check_all\n"}, {"v2/stop.py", kAnchor}},
       kAnchor,
       "drift: P1 v2/stop.py:1\n"
       "  edit \"stop\": nothing like the anchor is in v1/stop.py; the anchor stands in "
       "v2/stop.py:1\n"
       "  its anchor: patch.yaml:7\n"},
      {"gone without a trace",
       {{"v2/stop.py", "x = 1\n"}},
       kAnchor,
       "drift: P1 v1/stop.py:0\n"
       "  edit \"stop\": v1/stop.py is gone, and no other file has it\n"
       "  its anchor: patch.yaml:7\n"},
      {"twice",
       {{"v1/stop.py", "a\n" + kAnchor + kAnchor}},
       kAnchor,
       "drift: P1 v1/stop.py:2\n"
       "  edit \"stop\": the anchor stands 2 times, at lines 2, 6; it has to be unique\n"
       "  its anchor: patch.yaml:7\n"},
      {"CRLF",
       {{"v1/stop.py", "x = 1\r\nif a.b:\r\n    go(1)\r\n"}},
       "if a.b:\n    go(2)\n",
       "drift: P1 v1/stop.py:2\n"
       "  edit \"stop\": the anchor changed: 80% of its words are still there\n"
       "  its anchor: patch.yaml:7\n"
       "     2 | if a.b:\n"
       "     3 |     go([-2-]{+1+})\n"},
  };
}

std::vector<std::string> paths(const Tree& tree) {
  std::vector<std::string> out;
  for (const auto& [path, text] : tree) out.push_back(path);
  return out;
}

TEST(Drift, GoldenReports) {
  const term::Screen screen{false, 200};
  for (const auto& one : drift_cases()) {
    SCOPED_TRACE(one.what);
    const auto patch =
        patch_of("P1", {edit_of("stop", "v1/stop.py", {variant_of(one.anchor, "new text\n")})});
    const auto found = judge(patch, source_of(one.tree));
    const auto report =
        explain_drift(patch, found.edits[0], source_of(one.tree), [&] { return paths(one.tree); });
    EXPECT_EQ(render(report, screen), one.expected);
  }
}

TEST(Drift, TwoVariants) {
  const Tree tree = {{"a.py", "one\ntwo\n"}};
  const auto patch =
      patch_of("P1", {edit_of("e", "a.py", {variant_of("one", "x"), variant_of("two", "y")})});
  const auto report = explain_drift(patch, judge(patch, source_of(tree)).edits[0], source_of(tree),
                                    [] { return std::vector<std::string>(); });
  EXPECT_EQ(report.explanation, "2 variants fit; exactly one may");
}

TEST(Drift, TellsWhatElseIsKnown) {
  const Tree tree = {{"v1/stop.py", kModule + "stop_is_checked()\n"}};
  auto patch = patch_of("P1", {edit_of("stop", "v1/stop.py", {variant_of(kAnchor, "return y\n")})});
  patch.retires_when = {
      {"stop words are checked", "0.34.0", {{"v1/stop.py", "stop_is_checked", false}}},
      {"never", "", {{"never.py", "", false}}}};
  const auto other =
      patch_of("P2", {edit_of("words", "v1/stop.py", {variant_of("word in params.stop_words", "")}),
                      edit_of("far", "v1/stop.py", {variant_of("import os", "")})});
  const auto mine = judge(patch, source_of(tree)), theirs = judge(other, source_of(tree));
  const auto report = explain_drift(patch, mine.edits[0], source_of(tree),
                                    [&] { return paths(tree); }, {&mine, &theirs});
  EXPECT_EQ(report.explanation,
            "the anchor changed: 85% of its words are still there; upstream's fix is there: stop "
            "words are checked; the patch's own text stands at line 13: it was applied here "
            "before, or upstream took it; edit \"words\" of P2 overlaps it");
}

TEST(Drift, Colour) {
  const Tree tree = {{"a.py", "if a.b:\n    go(1)\n"}};
  const auto patch = patch_of("P1", {edit_of("e", "a.py", {variant_of("    go(2)\n", "")})});
  const auto report = explain_drift(patch, judge(patch, source_of(tree)).edits[0], source_of(tree),
                                    [] { return std::vector<std::string>(); });
  EXPECT_EQ(render(report, {true, 200}),
            "drift: P1 a.py:2\n"
            "  edit \"e\": the anchor changed: 50% of its words are still there\n"
            "  its anchor: patch.yaml:7\n"
            "\x1b[2m     2 | \x1b[0m    go(\x1b[31m2\x1b[0m\x1b[32m1\x1b[0m)\n");
}

TEST(Drift, AsksForTheFilesOnlyWhenItMust) {
  const Tree tree = {{"v1/stop.py", kModule}};
  const auto patch = patch_of("P1", {edit_of("stop", "v1/stop.py", {variant_of(kAnchor, "x")})});
  bool asked = false;
  (void)explain_drift(patch, judge(patch, source_of(tree)).edits[0], source_of(tree), [&] {
    asked = true;
    return std::vector<std::string>();
  });
  EXPECT_FALSE(asked);
}

TEST(Nearest, FindsAChangedBlockAmongManyLikeIt) {
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += "    def method_" + std::to_string(i) + "(self, request):\n        value = self.load(" +
            std::to_string(i) + ")\n        return self.finish(value, request)\n\n";
  const std::string anchor = "    def method_217(self, request):\n        value = self.read(217)\n";
  const auto place = nearest_place(text, anchor);
  EXPECT_EQ(place.line, 217 * 4 + 1);
  EXPECT_EQ(shown(place.diff),
            "    def method_217(self, request):\n        value = self.[-read-]{+load+}(217)\n");
}

TEST(Nearest, NothingLikeIt) {
  EXPECT_EQ(nearest_place("import os\nx = 1\n", "class Scheduler:\n    pass\n").line, 0);
  EXPECT_EQ(nearest_place("", "x\n").line, 0);
  EXPECT_EQ(nearest_place("x = 1\n", "").line, 0);
  EXPECT_EQ(nearest_place("(((\n", ")))\n").line, 0);
}

TEST(Nearest, ALongFileTakesMilliseconds) {
  std::mt19937 random(5);
  std::string text, anchor;
  for (int i = 0; i < 3000; ++i) {
    std::string line = "        ";
    for (int k = 0; k < 8; ++k) line += "name_" + std::to_string(random() % 900) + " = ";
    line += std::to_string(i) + "\n";
    text += line;
    if (i >= 2000 && i < 2030) anchor += i % 3 == 0 ? "        something = else_(here)\n" : line;
  }
  const auto began = std::chrono::steady_clock::now();
  const auto place = nearest_place(text, anchor);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(place.line, 2001);
  EXPECT_GT(place.likeness, 0.6);
  RecordProperty("milliseconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 500) << "a few ms in a release build";
}

}  // namespace
}  // namespace sndr::patch
