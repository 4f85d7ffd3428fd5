// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "yaml/yaml.h"

namespace sndr::yaml {
namespace {

TEST(EmitScalar, Forms) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"plain", "plain"},
      {"two words", "two words"},
      {"/a/path-1.py", "/a/path-1.py"},
      {"x = f(a) + 1", "x = f(a) + 1"},
      {"", "\"\""},
      {"no", "\"no\""},
      {"True", "\"True\""},
      {"null", "\"null\""},
      {"y", "\"y\""},
      {"0.24.0", "\"0.24.0\""},
      {"8", "\"8\""},
      {"~", "\"~\""},
      {"- a", "\"- a\""},
      {"a: b", "\"a: b\""},
      {"a #b", "\"a #b\""},
      {"trailing ", "\"trailing \""},
      {"say \"hi\"\\", "\"say \\\"hi\\\"\\\\\""},
      {"tab\there", "\"tab\\there\""},
      {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
      {"bell\a", "\"bell\\x07\""},
      {"\xe2\x80\xa8", "\"\\u2028\""},
      {"\xff", "\"\\ufffd\""},
      {"one\ntwo", "|-\n  one\n  two"},
      {"one\n\ntwo\n", "|\n  one\n\n  two"},
      {"one\n\n", "|+\n  one\n"},
      {"    indented\nless\n", "|2\n      indented\n  less"},
      {"\n\n", "\"\\n\\n\""},
      {"cr\r\nlf", "\"cr\\r\\nlf\""},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(emit_scalar(text, 2), expected) << text;
  EXPECT_EQ(emit_scalar("one\ntwo"), "\"one\\ntwo\"") << "no column given";
}

/// Texts made of the characters that YAML cares about, every combination of three and some of more.
std::vector<std::string> nasty_texts() {
  const std::vector<std::string> parts = {
      "a", " ", "\n", "\t", "\r", ":", "#", "-", "'", "\"", "\\", "|",  "{",        "]",
      ",", "?", "!",  "&",  "*",  "%", "@", "`", "~", "0",  ".",  "\a", "\xc2\x85", "\xef\xbb\xbf"};
  std::vector<std::string> out = {""};
  for (const auto& a : parts)
    for (const auto& b : parts) {
      out.push_back(a + b);
      out.push_back("x" + a + b + "y\n");
      for (const auto& c : parts) {
        out.push_back(a + b + c);
        out.push_back(a + "\nword" + b + c);
      }
    }
  return out;
}

// In a map, in a list inside a map, and deeper: read back, it is the same text and counts as text.
TEST(EmitScalar, ReadsBack) {
  for (const auto& text : nasty_texts()) {
    const std::string document = "a: " + emit_scalar(text, 2) + "\nb:\n  - " +
                                 emit_scalar(text, 4) + "\n  - c: " + emit_scalar(text, 6) +
                                 "\nend: 1\n";
    const auto node = parse(document, "f");
    ASSERT_TRUE(node) << render(node.error()) << "\n" << document;
    ASSERT_EQ(node->map.size(), 3U) << document;
    const auto& list = node->map[1].value.list;
    ASSERT_EQ(list.size(), 2U) << document;
    for (const Node* got : {&node->map[0].value, list.data(), list[1].find("c")}) {
      ASSERT_NE(got, nullptr) << document;
      EXPECT_EQ(got->scalar, text) << document;
      EXPECT_EQ(got->kind, Node::Kind::scalar) << document;
    }
  }
}

}  // namespace
}  // namespace sndr::yaml
