// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/process.h"

namespace sndr {
namespace {

using Words = std::vector<std::string>;
using Views = std::vector<std::string_view>;

TEST(Text, Trim) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, Split) {
  EXPECT_EQ(split("a,,b", ','), (Views{"a", "", "b"}));
  EXPECT_EQ(split("", ','), Views{""});
  EXPECT_EQ(split(",", ','), (Views{"", ""}));
}

TEST(Text, SplitLines) {
  EXPECT_EQ(split_lines("a\nb\n"), (Views{"a", "b"}));
  EXPECT_EQ(split_lines("a\nb"), (Views{"a", "b"}));
  EXPECT_EQ(split_lines("a\r\n\n"), (Views{"a\r", ""}));
  EXPECT_EQ(split_lines("\n"), Views{""});
  EXPECT_EQ(split_lines(""), Views{});
}

TEST(Text, JoinAndCases) {
  EXPECT_EQ(join({"a", "b", "a"}, ", "), "a, b, a");
  EXPECT_EQ(join({"", ""}, ","), ",");
  EXPECT_EQ(join({}, ","), "");
  EXPECT_EQ(lower("P62_Struct-\xc3\x84"), "p62_struct-\xc3\x84");
  EXPECT_EQ(upper("p62_struct-\xc3\xa4"), "P62_STRUCT-\xc3\xa4");
}

TEST(Text, ReplaceAll) {
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replace_all("abab", "ab", ""), "");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Text, EditDistance) {
  for (const auto& [a, b, distance] :
       std::vector<std::tuple<const char*, const char*, std::size_t>>{{"", "", 0},
                                                                      {"", "abc", 3},
                                                                      {"flag", "flag", 0},
                                                                      {"flagg", "flag", 1},
                                                                      {"lfag", "flag", 1},
                                                                      {"kitten", "sitting", 3},
                                                                      {"ca", "abc", 3},
                                                                      {"lossy", "losy", 1}}) {
    EXPECT_EQ(edit_distance(a, b), distance) << a << " " << b;
    EXPECT_EQ(edit_distance(b, a), distance) << b << " " << a;
  }
}

TEST(Text, NearestIsBestFirstAndClose) {
  const Words known = {"title", "flags", "flag", "lifecycle"};
  EXPECT_EQ(nearest("flagg", known), (Words{"flags", "flag"}));
  EXPECT_EQ(nearest("flagg", known, 1), Words{"flags"});
  EXPECT_EQ(nearest("lifecylce", known), Words{"lifecycle"});
  EXPECT_EQ(nearest("requires", known), Words{}) << "further than a third of the word";
  EXPECT_EQ(nearest("x", {"y", "xyz"}), Words{"y"});
}

TEST(Text, LineOf) {
  const std::string_view text = "a\nbc\n";
  EXPECT_EQ(line_of(text, 0), 1);
  EXPECT_EQ(line_of(text, 1), 1);
  EXPECT_EQ(line_of(text, 2), 2);
  EXPECT_EQ(line_of(text, 5), 3);
  EXPECT_EQ(line_of(text, 500), 3);
}

TEST(Text, CountOfCountsOverlaps) {
  EXPECT_EQ(count_of("aaaa", "aa"), 3U);
  EXPECT_EQ(count_of("abc", "d"), 0U);
  EXPECT_EQ(count_of("abc", ""), 0U);
}

TEST(Text, TruthOf) {
  for (const char* yes : {"1", "true", "YES", "On", " 1 "})
    EXPECT_EQ(truth_of(yes), Truth::yes) << yes;
  for (const char* no : {"", "0", "False", "no", "OFF", "  "})
    EXPECT_EQ(truth_of(no), Truth::no) << no;
  for (const char* what : {"2", "y", "enabled", "tru", "1.0", "-1"})
    EXPECT_EQ(truth_of(what), Truth::neither) << what;
}

TEST(ShellQuote, OnlyWhereNeeded) {
  for (const auto& [word, quoted] : std::vector<std::pair<std::string, std::string>>{
           {"plain", "plain"},
           {"--a=b,c:d/e.f_%@+", "--a=b,c:d/e.f_%@+"},
           {"", "''"},
           {"two words", "'two words'"},
           {"it's", "'it'\\''s'"},
           {"$HOME", "'$HOME'"},
           {"~", "'~'"},
           {"a\nb", "'a\nb'"},
       })
    EXPECT_EQ(shell_quote(word), quoted);
  EXPECT_EQ(shell_quote(Words{"a", "b c", ""}), "a 'b c' ''");
}

// Every byte that argv can hold, through a real shell.
TEST(ShellQuote, AShellGivesTheBytesBack) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const Words words = {all, "'", "''", "-n", "\\", "!x", "a=b", "#x", "\"$(id)`id`\""};
  Spawn spawn;
  spawn.argv = {"/bin/sh", "-c", "printf '%s\\0' " + shell_quote(words)};
  const auto done = run_process(spawn);
  ASSERT_TRUE(done);
  std::string expected;
  for (const auto& word : words) expected += word + '\0';
  EXPECT_EQ(done->out, expected);
}

TEST(DisplayWidth, WideAndCombining) {
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("\xc3\xa4"), 1U);
  EXPECT_EQ(display_width("a\xcc\x88"), 1U) << "a combining mark takes no column";
  EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4U);
  EXPECT_EQ(display_width("\xf0\x9f\x99\x82"), 2U);
  EXPECT_EQ(display_width("\xe2\x94\x82"), 1U);
  EXPECT_LE(display_width("\xff\xf0\x80"), 3U) << "any bytes are safe";
}

}  // namespace
}  // namespace sndr
