// SPDX-License-Identifier: Apache-2.0
#include "yaml/freeze.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "yaml/yaml.h"

namespace sndr::yaml {
namespace {

constexpr std::string_view kDocument =
    "# a patch\nid: P62\ntitle: 'quoted'\nempty:\nlist: [a, [b], {c: ~}, &x {d: e}]\nagain: *x\n"
    "anchor: |\n    def f(self):\n        return 1\nnone: {}\nno_items: []\n";

TEST(Freeze, Layout) {
  const auto node = *parse("a: 'b'\n", "f");
  // map at 1:1, one entry; key "a" at 1:1; a quoted scalar at 1:4, "b".
  EXPECT_EQ(freeze(node), std::string("SNY1"
                                      "\x03\x02\x01\x01"
                                      "\x01"
                                      "a\x00\x01"
                                      "\x05\x00\x04\x01"
                                      "b",
                                      17));
}

TEST(Freeze, ThawsToTheSameTree) {
  for (const std::string_view text : {kDocument, std::string_view(), std::string_view("word")}) {
    const auto node = *parse(text, "f");
    const auto back = thaw(freeze(node));
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_TRUE(*back == node) << text;
  }
  const auto big = *parse("k: " + std::string(100'000, 'x') + std::string(50'000, '\n'), "f");
  EXPECT_TRUE(*thaw(freeze(big)) == big);
}

TEST(Freeze, EqualityLooksAtEverything) {
  const auto node = [](std::string_view text) { return *parse(text, "f"); };
  EXPECT_TRUE(node("a: [1, {b: 2}]") == node("a: [1, {b: 2}]"));
  for (const char* other :
       {"a: [1, {b: 3}]", "a: [1, {c: 2}]", "a: [1, {b: '2'}]", "a: [1,  {b: 2}]",
        "a: [1, {b: 2}, 3]", "a: {1: {b: 2}}", "", "a: [1, {b: ~}]"})
    EXPECT_FALSE(node("a: [1, {b: 2}]") == node(other)) << other;
}

TEST(Thaw, EveryCutIsAnError) {
  const std::string bytes = freeze(*parse(kDocument, "f"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto back = thaw(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(back) << "cut at " << size;
    EXPECT_EQ(back.error().code, Errc::internal);
  }
}

// Under the sanitizers this shows that no byte makes it read or reserve what isn't there.
TEST(Thaw, EveryChangedByteIsSafe) {
  const std::string bytes = freeze(*parse(kDocument, "f"));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned value : {0x00U, 0x01U, 0x02U, 0x03U, 0x07U, 0x7fU, 0x80U, 0xffU}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      const auto back = thaw(changed);
      EXPECT_TRUE(!back || *thaw(freeze(*back)) == *back) << at;
    }
}

TEST(Thaw, Messages) {
  const std::string magic = "SNY1";
  const auto why = [](const std::string& bytes) {
    const auto back = thaw(bytes);
    return back ? "thawed" : back.error().what;
  };
  EXPECT_EQ(why("a: b\n"), "this is no frozen YAML");
  EXPECT_EQ(why(magic), "frozen YAML is damaged before byte 4");
  EXPECT_EQ(why(freeze(*parse("a", "f")) + "xy"), "frozen YAML has 2 bytes too many");
  EXPECT_EQ(why(magic + "\x08"), "frozen YAML is damaged before byte 5") << "no such kind";
  EXPECT_EQ(why(magic + "\x02\x02\x01\xff\xff\xff\xff\x0f"),
            "frozen YAML is damaged before byte 12")
      << "a list of 4 billion";
}

TEST(Thaw, DepthIsBounded) {
  const auto nested = [](int levels) {
    std::string bytes = "SNY1";
    for (int i = 1; i < levels; ++i) bytes += std::string("\x02\x00\x00\x01", 4);
    return bytes + std::string("\x00\x00\x00\x00", 4);
  };
  EXPECT_TRUE(thaw(nested(64)));
  EXPECT_FALSE(thaw(nested(65)));
  EXPECT_FALSE(thaw(nested(100'000)));
}

}  // namespace
}  // namespace sndr::yaml
