// SPDX-License-Identifier: Apache-2.0
#include "yaml/yaml.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sndr::yaml {
namespace {

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// One line that shows kinds, quoting and marks: {id@1:1=P62@1:5, ...}.
std::string show(const Node& node) {
  std::string out;
  if (node.kind == Node::Kind::scalar) out = node.quoted ? "\"" + node.scalar + "\"" : node.scalar;
  if (node.kind == Node::Kind::null) out = "null";
  if (node.kind == Node::Kind::list) {
    for (const auto& item : node.list) out += (out.empty() ? "" : ", ") + show(item);
    out = "[" + out + "]";
  }
  if (node.kind == Node::Kind::map) {
    for (const auto& [key, mark, value] : node.map)
      out += (out.empty() ? "" : ", ") + key + "@" + std::to_string(mark.line) + ":" +
             std::to_string(mark.column) + "=" + show(value);
    out = "{" + out + "}";
  }
  return out + "@" + std::to_string(node.mark.line) + ":" + std::to_string(node.mark.column);
}

std::string parsed(std::string_view text) {
  const auto node = parse(text, "f.yaml");
  return node ? show(*node) : render(node.error());
}

TEST(Parse, TreesWithPlaces) {
  EXPECT_EQ(parsed("id: P62\nedits:\n  - file: a.py\n  -\n"),
            "{id@1:1=P62@1:5, edits@2:1=[{file@3:5=a.py@3:11}@3:5, null@4:4]@3:3}@1:1");
  EXPECT_EQ(parsed("{a: [1, 'x'], b: }"), "{a@1:2=[1@1:6, \"x\"@1:9]@1:5, b@1:15=null@1:18}@1:1");
  EXPECT_EQ(parsed("text: |\n  one\n\n  two\n"), "{text@1:1=\"one\n\ntwo\n\"@1:7}@1:1");
  EXPECT_EQ(parsed(""), "null@1:1");
  EXPECT_EQ(parsed("# nothing\n"), "null@1:1");
  EXPECT_EQ(parsed("--- # one\na: b\n...\n"), "{a@2:1=b@2:4}@2:1");
}

// What YAML 1.1 makes of these is a known trap; here they are the text that was written.
TEST(Parse, ScalarsStayText) {
  EXPECT_EQ(parsed("[NO, 010, 0o10, 1e3, 12:30:45, 2024-01-01, .inf, =, <<]"),
            "[NO@1:2, 010@1:6, 0o10@1:11, 1e3@1:17, 12:30:45@1:22, 2024-01-01@1:32, .inf@1:44, "
            "=@1:50, <<@1:53]@1:1");
  EXPECT_EQ(parsed("[~, null, '', 'null', \"~\"]"),
            "[null@1:2, null@1:5, \"\"@1:11, \"null\"@1:15, \"~\"@1:23]@1:1");
}

TEST(Parse, AnchorsAreCopied) {
  EXPECT_EQ(parsed("a: &x [1]\nb: *x\n"), "{a@1:1=[1@1:8]@1:4, b@2:1=[1@1:8]@1:4}@1:1");
}

struct Bad {
  std::string text;
  const char* message;
};

TEST(Parse, Messages) {
  const std::vector<Bad> table = {
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: duplicate key 'a'"},
      {"x:\n  - {tp: 1, tp: 2}\n", "f.yaml:2:13: duplicate key 'tp'"},
      {"a: 1\n---\nb: 2\n",
       "f.yaml:2:1: a second document begins here\n"
       "  one file holds one document: remove the '---'"},
      {"a: !!python/object x\n",
       "f.yaml:1:4: tag 'tag:yaml.org,2002:python/object'\n"
       "  tags have no meaning here: remove it"},
      {"!x [1]\n", "f.yaml:1:1: tag '!x'\n  tags have no meaning here: remove it"},
      {"!!str a: 1\n",
       "f.yaml:1:1: tag 'tag:yaml.org,2002:str'\n  tags have no meaning here: remove it"},
      {"a: *b\n", "f.yaml:1:4: unknown anchor '*b'\n  an anchor must end before it is used"},
      {"a: &a [*a]\n", "f.yaml:1:8: unknown anchor '*a'\n  an anchor must end before it is used"},
      {"[1]: 2\n", "f.yaml:1:1: a key must be plain text"},
      {"'': 2\n", "f.yaml:1:1: a key is empty"},
      {"?\n: 2\n", "f.yaml:1:2: a key is empty"},
      {"&k a: 2\n", "f.yaml:1:1: a key can't have an anchor"},
      {repeat("[", 65) + repeat("]", 65), "f.yaml:1:65: more than 64 levels of nesting"},
      {"a: [1,\nb: 2\n",
       "f.yaml:3:1: did not find expected ',' or ']' while parsing a flow sequence "
       "that begins in line 1"},
      {"a: b: c\n",
       "f.yaml:1:5: mapping values are not allowed in this context\n"
       "  put quotes around text that holds ': '"},
      {"a:\n\tb: 1\n",
       "f.yaml:2:1: found character that cannot start any token while scanning for the next token\n"
       "  indent with blanks, not tabs; put quotes around text that begins with @, ` or %"},
      {"a: 'b\n",
       "f.yaml:2:1: found unexpected end of stream while scanning a quoted scalar that "
       "begins in line 1\n  a quote isn't closed"},
      {"a:\n  b: 1\n c: 2\n",
       "f.yaml:3:2: did not find expected key while parsing a block mapping that begins in line 1\n"
       "  the indentation differs from the lines above"},
      {"a: b\nc\nd: e\n",
       "f.yaml:3:1: could not find expected ':' while scanning a simple key that "
       "begins in line 2\n  write `key: value`, or put quotes around the text"},
      {"a: b\nc: \xff\n", "f.yaml:2: invalid leading UTF-8 octet\n  the file must be UTF-8 text"},
      {std::string("a: \0", 4),
       "f.yaml:1: control characters are not allowed\n"
       "  the file must be UTF-8 text"},
  };
  for (const auto& [text, message] : table) EXPECT_EQ(parsed(text), message) << text;
}

// Each line stands for ten times the one before: 10^9 nodes in 200 bytes.
TEST(Parse, AnchorsThatExplode) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeat(before + ", ", 9) +
            before + "]\n";
  }
  EXPECT_EQ(parsed(text), "f.yaml:5:40: anchors stand for more than 100000 nodes");
  EXPECT_EQ(parsed("a: &a " + repeat("x", 100'000) + "\nb: [" + repeat("*a, ", 1000) + "]"),
            "f.yaml:2:253: anchors stand for more than 100000 nodes")
      << "text counts too";
}

TEST(Parse, AnchorsCanNotHideDepth) {
  const std::string deep = repeat("[", 40) + repeat("]", 40);
  EXPECT_EQ(parsed("a: &a " + deep + "\nb: " + repeat("[", 30) + "*a" + repeat("]", 30)),
            "f.yaml:2:34: more than 64 levels of nesting");
}

TEST(Node, Find) {
  const auto node = *parse("a: 1\nb: [2]\n", "f.yaml");
  ASSERT_NE(node.find("b"), nullptr);
  EXPECT_EQ(node.find("b")->list[0].scalar, "2");
  EXPECT_EQ(node.find("c"), nullptr);
  EXPECT_EQ(node.find("b")->find("a"), nullptr);
}

}  // namespace
}  // namespace sndr::yaml
