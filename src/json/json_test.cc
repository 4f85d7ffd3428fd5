// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sndr::json {
namespace {

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parse, ErrorsHaveAPlace) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "c.json:1:1: not valid JSON: the text ends too early"},
      {"  \n", "c.json:2:1: not valid JSON: the text ends too early"},
      {"{\"a\": [1, 2,,]}", "c.json:1:13: not valid JSON: syntax error at ','"},
      {"{\n  \"a\": 1,\n}", "c.json:3:1: not valid JSON: syntax error at '}'"},
      {"{\"a\": tru}", "c.json:1:7: not valid JSON: syntax error at 't'"},
      {"{\"a\": 1", "c.json:1:8: not valid JSON: the text ends too early"},
      {"{} x", "c.json:1:4: not valid JSON: 'x' after the value"},
      {"[1]\n[2]", "c.json:2:1: not valid JSON: '[' after the value"},
      {"'a'", "c.json:1:1: not valid JSON: syntax error at '''"},
      {"[\"a\nb\"]", "c.json:1:4: not valid JSON: syntax error at the end of the line"},
      {"[NaN]", "c.json:1:2: not valid JSON: syntax error at 'N'"},
      {repeat("[", 129) + repeat("]", 129), "c.json:1:129: more than 128 levels of nesting"},
  };
  for (const auto& [text, message] : table) {
    const auto value = parse(text, "c.json");
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(render(value.error()), message);
    EXPECT_EQ(value.error().code, Errc::invalid_input);
  }
  EXPECT_EQ(render(parse("[").error()), "JSON:1:2: not valid JSON: the text ends too early");
  EXPECT_TRUE(parse(repeat("[", 128) + repeat("]", 128)));
}

TEST(Parse, LastDuplicateWinsAndOrderStays) {
  EXPECT_EQ(compact(*parse(R"({"b": 1, "a": 2, "b": 3})")), R"({"b":3,"a":2})");
}

TEST(Write, PrettyAndCompact) {
  const auto value = *parse(R"({"a":[1,{"b":null}],"e":[],"o":{},"t":true,"s":"q\"\n\u00e4"})");
  EXPECT_EQ(
      pretty(value),
      "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"e\": [],\n  \"o\": {},\n"
      "  \"t\": true,\n  \"s\": \"q\\\"\\n\xc3\xa4\"\n}\n");
  EXPECT_EQ(compact(value),
            "{\"a\":[1,{\"b\":null}],\"e\":[],\"o\":{},\"t\":true,\"s\":\"q\\\"\\n\xc3\xa4\"}");
  EXPECT_EQ(pretty(Value("x")), "\"x\"\n");
}

TEST(Write, NumbersAsPeopleWriteThem) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<Value, std::string>> table = {
      {0.85, "0.85"},
      {1.5, "1.5"},
      {2.0, "2.0"},
      {-0.1, "-0.1"},
      {1e22, "1e+22"},
      {5e-324, "5e-324"},
      {0.0, "0.0"},
      {inf, "null"},
      {-7, "-7"},
      {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
      {1e15, "1000000000000000.0"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
  };
  for (const auto& [value, text] : table) EXPECT_EQ(compact(value), text);
  EXPECT_EQ(parse("0.1")->get_double(), 0.1);
  for (const double value : {0.1, 1.0 / 3, 1e300, 123456.789e-10, 5e-324})
    EXPECT_EQ(parse(compact(value))->as_double(), value) << compact(value);
}

TEST(Find, DottedPaths) {
  const auto value = *parse(R"({"a": {"b": {"c": "x"}}, "n": 1, "": {"": 2}})");
  ASSERT_NE(find(value, "a.b.c"), nullptr);
  EXPECT_EQ(find(value, "a.b.c")->get_string(), "x");
  EXPECT_EQ(find(value, "a.c"), nullptr);
  EXPECT_EQ(find(value, "n.b"), nullptr);
  EXPECT_EQ(find(value, "."), &value.at("").at(""));
  EXPECT_EQ(text_or(value, "a.b.c"), "x");
  EXPECT_EQ(text_or(value, "n", "not text"), "not text");
  EXPECT_EQ(text_or(value, "z"), "");
}

}  // namespace
}  // namespace sndr::json
