// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "yaml/yaml.h"

namespace sndr::yaml {
namespace {

using Words = std::vector<std::string>;

/// Every message that `read` gets for `text`, one a line.
std::string messages(const std::string& text, const std::function<void(Reader&)>& read) {
  const auto node = parse(text, "patch.yaml");
  if (!node) return render(node.error());
  std::vector<Error> errors;
  Reader reader(*node, "patch.yaml", errors);
  read(reader);
  std::string out;
  for (const auto& error : errors) out += (out.empty() ? "" : "\n") + render(error);
  return out;
}

TEST(Reader, ReadsEveryKind) {
  const auto node = *parse(
      "id: P62\nlossy: true\nrank: -3\nflags: [A, B]\nalso: one\nstate: stable\n"
      "edits:\n  - file: a\napplies_to: {tp: 1}\nnote: ''\n",
      "patch.yaml");
  std::vector<Error> errors;
  Reader r(node, "patch.yaml", errors);
  EXPECT_EQ(r.text("id"), "P62");
  EXPECT_TRUE(r.flag("lossy", false));
  EXPECT_TRUE(r.flag("absent", true));
  EXPECT_EQ(r.integer("rank", 7), -3);
  EXPECT_EQ(r.integer("absent", 7), 7);
  EXPECT_EQ(r.texts("flags"), (Words{"A", "B"}));
  EXPECT_EQ(r.texts("also"), Words{"one"});
  EXPECT_EQ(r.texts("absent"), Words{});
  EXPECT_EQ(r.one_of("state", {"stable", "retired"}, "retired"), "stable");
  EXPECT_EQ(r.one_of("absent", {"stable", "retired"}, "retired"), "retired");
  ASSERT_EQ(r.items("edits").size(), 1U);
  EXPECT_EQ(r.items("edits")[0]->find("file")->scalar, "a");
  ASSERT_NE(r.map("applies_to"), nullptr);
  EXPECT_EQ(r.map("absent"), nullptr);
  EXPECT_EQ(r.text_or("note", "x"), "");
  EXPECT_EQ(r.text_or("absent", "x"), "x");
  EXPECT_TRUE(r.has("id"));
  EXPECT_FALSE(r.has("absent"));
  r.done();
  EXPECT_TRUE(errors.empty());
}

TEST(Reader, UnknownKeys) {
  EXPECT_EQ(messages("id: x\n\n    \nflagg: F\nzebra: 1\n",
                     [](Reader& r) {
                       r.text("id");
                       r.text_or("flag", "");
                       r.done();
                     }),
            "patch.yaml:4:1: unknown key 'flagg'\n  did you mean 'flag'?\n"
            "patch.yaml:5:1: unknown key 'zebra'\n  known keys: id, flag");
}

TEST(Reader, RequiredText) {
  const auto read = [](Reader& r) { EXPECT_EQ(r.text("id"), ""); };
  EXPECT_EQ(messages("a: 1\n", read), "patch.yaml:1:1: 'id' is missing");
  EXPECT_EQ(messages("", read), "patch.yaml:1:1: 'id' is missing");
  EXPECT_EQ(messages("id: ''\n", read), "patch.yaml:1:5: 'id' is empty, expected text");
  EXPECT_EQ(messages("id:\n", read), "patch.yaml:1:4: 'id' is empty, expected text");
  EXPECT_EQ(messages("id: [P1]\n", read), "patch.yaml:1:5: 'id' is a list, expected text");
  EXPECT_EQ(messages("id: {a: 1}\n", read), "patch.yaml:1:5: 'id' is a map, expected text");
}

TEST(Reader, WrongKinds) {
  const auto read = [](Reader& r) {
    EXPECT_EQ(r.text_or("title", "t"), "t");
    EXPECT_TRUE(r.flag("lossy", true));
    EXPECT_EQ(r.integer("rank", 7), 7);
    EXPECT_EQ(r.texts("flags"), Words{"A"});
    EXPECT_EQ(r.one_of("state", {"stable", "retired"}, "retired"), "retired");
    EXPECT_TRUE(r.items("edits").empty());
    EXPECT_EQ(r.map("gates"), nullptr);
  };
  EXPECT_EQ(messages("title: [x]\nlossy: yes\nrank: 1.5\nflags: [A, [B], {}, ~]\nstate: stabel\n"
                     "edits: x\ngates: [1]\n",
                     read),
            "patch.yaml:1:8: 'title' is a list, expected text\n"
            "patch.yaml:2:8: 'lossy' is 'yes', expected true or false\n"
            "patch.yaml:3:7: 'rank' is '1.5', expected a whole number\n"
            "patch.yaml:4:12: an item of 'flags' is a list, expected text\n"
            "patch.yaml:4:17: an item of 'flags' is a map, expected text\n"
            "patch.yaml:4:21: an item of 'flags' is empty, expected text\n"
            "patch.yaml:5:8: 'state' is 'stabel', expected one of stable, retired\n"
            "  did you mean 'stable'?\n"
            "patch.yaml:6:8: 'edits' is 'x', expected a list\n"
            "patch.yaml:7:8: 'gates' is a list, expected a map");
}

TEST(Reader, Numbers) {
  const auto read = [](Reader& r) { r.integer("n", 0); };
  for (const char* good : {"0", "-1", "9223372036854775807"})
    EXPECT_EQ(messages("n: " + std::string(good), read), "") << good;
  for (const char* bad : {"9223372036854775808", "0x10", "1_000", "1k", "+1"})
    EXPECT_EQ(messages("n: " + std::string(bad), read),
              "patch.yaml:1:4: 'n' is '" + std::string(bad) + "', expected a whole number");
  EXPECT_EQ(messages("n: '1'", read), "patch.yaml:1:4: 'n' is '1', expected a whole number")
      << "quotes make it text";
  EXPECT_EQ(messages("n:", read), "patch.yaml:1:3: 'n' is empty, expected a whole number");
}

TEST(Reader, LongValuesAreCut) {
  EXPECT_EQ(messages("n: |\n  first\n  second\n", [](Reader& r) { r.integer("n", 0); }),
            "patch.yaml:1:4: 'n' is 'first...', expected a whole number");
  EXPECT_EQ(messages("n: " + std::string(61, 'x'), [](Reader& r) { r.integer("n", 0); }),
            "patch.yaml:1:4: 'n' is '" + std::string(60, 'x') + "...', expected a whole number");
}

TEST(Reader, NoMapIsOneError) {
  const auto read = [](Reader& r) {
    r.text("id");
    r.integer("n", 0);
    r.done();
  };
  EXPECT_EQ(messages("- a\n", read), "patch.yaml:1:1: expected a map of keys, found a list");
  EXPECT_EQ(messages("word\n", read), "patch.yaml:1:1: expected a map of keys, found 'word'");
}

TEST(Reader, ErrorsOfTheCaller) {
  EXPECT_EQ(messages("\na: 1\n",
                     [](Reader& r) {
                       r.error_at("a", "'a' can't be 1", "take 2");
                       r.error_at("b", "'b' is needed where 'a' is 1");
                     }),
            "patch.yaml:2:4: 'a' can't be 1\n  take 2\n"
            "patch.yaml:2:1: 'b' is needed where 'a' is 1");
}

}  // namespace
}  // namespace sndr::yaml
