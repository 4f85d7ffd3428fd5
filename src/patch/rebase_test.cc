// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "patch/drift.h"
#include "patch/testing.h"

namespace sndr::patch {
namespace {

struct Case {
  std::string what;
  std::string anchor, replacement;
  std::string text;  // of the file now
  std::string new_anchor, new_replacement;
  int line = 1;
  int conflicts = 0;
};

std::vector<Case> cases() {
  return {
      {"a name changed", "    x = self.max_len\n    return x\n",
       "    x = self.max_len\n    x += 1\n    return x\n",
       "def f(self):\n    x = self.max_model_len\n    return x\n\ny = 1\n",
       "    x = self.max_model_len\n    return x\n",
       "    x = self.max_model_len\n    x += 1\n    return x\n", 2},
      {"both added a line at one place: both are kept", "def f(a):\n    go(a)\n",
       "def f(a):\n    check(a)\n    go(a)\n", "import os\ndef f(a):\n    log(a)\n    go(a)\n",
       "def f(a):\n    log(a)\n    go(a)\n", "def f(a):\n    log(a)\n    check(a)\n    go(a)\n", 2,
       1},
      {"an argument came in, the edit adds another", "call(one, two)\n", "call(one, two, three)\n",
       "x = 1\ncall(zero, one, two)\n", "call(zero, one, two)\n", "call(zero, one, two, three)\n",
       2},
      {"the block was indented", "for a in b:\n    go(a)\n    stay(a)\n",
       "for a in b:\n    check(a)\n    go(a)\n    stay(a)\n",
       "if c:\n    for a in b:\n        go(a)\n        stay(a)\n",
       "    for a in b:\n        go(a)\n        stay(a)\n",
       "    for a in b:\n        check(a)\n        go(a)\n        stay(a)\n", 2},
      {"the block was dedented", "        go(a, 1)\n        stay(a)\n",
       "        check(a)\n        go(a, 1)\n        stay(a)\n",
       "x = 1\n    go(a, 1)\n    stay(a)\n", "    go(a, 1)\n    stay(a)\n",
       "    check(a)\n    go(a, 1)\n    stay(a)\n", 2},
      {"made unique by the line above", "    value = load(one)\n    return value\n",
       "    value = load(one) or 0\n    return value\n",
       "def a():\n    value = load(two)\n    return value\n"
       "def b():\n    value = load(two)\n    return value\n",
       "def a():\n    value = load(two)\n    return value\n",
       "def a():\n    value = load(two) or 0\n    return value\n", 1},
      {"inside a line", "limit=self.old", "limit=self.old + 1",
       "a = 1\ncall(limit=self.new, other=2)\n", "limit=self.new", "limit=self.new + 1", 2},
      {"both changed the same word: ours is taken", "x = first(a)\ny = second(b)\n",
       "x = ours(a)\ny = second(b)\n", "x = theirs(a)\ny = second(b)\n",
       "x = theirs(a)\ny = second(b)\n", "x = ours(a)\ny = second(b)\n", 1, 1},
      {"CRLF", "if a:\n    go(one)\n", "if a:\n    wait()\n    go(one)\n",
       "x = 1\r\nif a:\r\n    go(two)\r\n", "if a:\n    go(two)\n",
       "if a:\n    wait()\n    go(two)\n", 2},
  };
}

TEST(Rebase, Table) {
  for (const auto& one : cases()) {
    SCOPED_TRACE(one.what);
    const auto rebased = rebase(variant_of(one.anchor, one.replacement), one.text);
    ASSERT_TRUE(rebased);
    EXPECT_EQ(rebased->anchor, one.new_anchor);
    EXPECT_EQ(rebased->replacement, one.new_replacement);
    EXPECT_EQ(rebased->line, one.line);
    EXPECT_EQ(rebased->conflicts, one.conflicts);
    // The result is usable as it stands.
    const Tree tree = {{"a.py", one.text}};
    const auto patch =
        patch_of("P1", {edit_of("e", "a.py", {variant_of(rebased->anchor, rebased->replacement)})});
    EXPECT_EQ(judge(patch, source_of(tree)).reason, "1 edit fits");
  }
}

TEST(Rebase, NothingWhereLittleIsLeft) {
  EXPECT_FALSE(rebase(variant_of("def gone(a, b, c):\n    pass\n", "x\n"), "import os\nx = 1\n"));
  // vLLM's text is what the edit would make of it.
  EXPECT_FALSE(rebase(variant_of("go(one, two)\n", "go(one, two, three)\n"),
                      "x = 1\ngo(one, two, three)\n"));
}

}  // namespace
}  // namespace sndr::patch
