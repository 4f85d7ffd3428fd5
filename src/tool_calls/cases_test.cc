// SPDX-License-Identifier: Apache-2.0
// Every case of tests/tool_calls/cases.txt: whole, and cut in many ways; and the two large corpora.
// SNDR_CHUNKINGS sets how many random cuts each text gets: 200 here, 10,000 in the nightly run.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "json/json.h"
#include "tool_calls/parser.h"
#include "tool_calls/testing.h"

namespace sndr::tool_calls {
namespace {

const std::string kFolder = std::string(SNDR_SOURCE_DIR) + "/tests/tool_calls/";

std::string read(const std::string& name) {
  return read_file(kFolder + name).value();
}

std::shared_ptr<const Tools> tools_of(const std::string& name) {
  return std::make_shared<const Tools>(Tools::parse(json::parse(read(name)).value()).value());
}

struct Entry {
  std::string title;
  std::string text;
  std::string outcome;  // JSON, or ""
};

/// `=== TITLE`, the text without its last newline, and `--- JSON` where there is an outcome.
std::vector<Entry> entries(const std::string& name) {
  std::vector<Entry> out;
  const auto file = read(name);
  for (const auto line : split_lines(file)) {
    if (line.starts_with("=== ")) {
      out.push_back({std::string(line.substr(4)), {}, {}});
    } else if (!out.empty() && line.starts_with("--- ")) {
      out.back().outcome = line.substr(4);
    } else if (!out.empty()) {
      out.back().text.append(line).append("\n");
    }
  }
  for (auto& entry : out)
    if (!entry.text.empty()) entry.text.pop_back();
  return out;
}

std::size_t chunkings() {
  const auto asked = env_or("SNDR_CHUNKINGS");
  return asked.empty() ? 200 : std::strtoul(asked.c_str(), nullptr, 10);
}

struct Setting {
  std::shared_ptr<const Tools> tools;
  Options options;
  Stop stop = Stop::stop;
};

Setting setting_of(std::string_view flags) {
  static const auto kTools = tools_of("tools.json");
  static const auto kWeather = tools_of("tools_weather.json");
  Setting out;
  out.tools = kTools;
  for (const auto flag : split(flags, ' ')) {
    if (flag == "thinking") out.options.thinking = true;
    if (flag == "length") out.stop = Stop::length;
    if (flag == "weather") out.tools = kWeather;
    if (flag == "qwen3") out.options.dialect = Dialect::qwen3;
    if (flag == "hermes") out.options.dialect = Dialect::hermes;
    if (flag == "none") out.options.calls = false;
    if (flag.starts_with('+') || flag.starts_with('-')) {
      const auto rule = rule_named(flag.substr(1));
      EXPECT_TRUE(rule) << flag;
      if (rule) out.options.rules.set(*rule, flag.starts_with('+'));
    }
  }
  return out;
}

/// The outcome in the form in which the cases write it.
json::Value as_json(const Outcome& outcome) {
  json::Object out;
  if (!outcome.reasoning.empty()) out["reasoning"] = outcome.reasoning;
  if (!outcome.content.empty()) out["content"] = outcome.content;
  const auto calls = [](const std::vector<Outcome::Call>& list) {
    json::Array array;
    for (const auto& call : list)
      array.push_back(json::Array{json::Value(call.name), json::parse(call.arguments).value()});
    return array;
  };
  if (!outcome.calls.empty()) out["tool_calls"] = calls(outcome.calls);
  if (!outcome.incomplete.empty()) out["incomplete"] = calls(outcome.incomplete);
  json::Array rules;
  for (const auto& repair : outcome.repairs) rules.emplace_back(info(repair.rule).name);
  out["rules"] = std::move(rules);
  out["finish_reason"] = to_string(outcome.reason);
  return out;
}

/// Whole, byte by byte, and cut at random: always the same, and nothing of what must hold broken.
std::string differs(std::string_view text, const Setting& setting, std::size_t times) {
  const auto whole = run({text}, setting.tools, setting.options, setting.stop);
  if (auto broken = broken_events(whole); !broken.empty()) return broken;
  if (auto lost = lost_text(text, whole); !lost.empty()) return lost;
  const auto want = describe(collect(whole));
  Dice dice(text.size());
  for (std::size_t i = 0; i < times; ++i) {
    const auto most = i == 0 ? 1 : 1 + dice.below(i % 3 == 0 ? 4 : 48);
    const auto events = run(cut(text, dice, most), setting.tools, setting.options, setting.stop);
    if (auto broken = broken_events(events); !broken.empty()) return broken;
    const auto got = describe(collect(events));
    if (got != want) return fmt::format("cut {}: {}\nwhole: {}", i, got, want);
  }
  return "";
}

class Case : public testing::TestWithParam<Entry> {};

TEST_P(Case, GivesTheSameInAnyPieces) {
  const auto& entry = GetParam();
  const auto setting = setting_of(entry.title);
  const auto want = json::parse(entry.outcome);
  ASSERT_TRUE(want) << want.error().what;
  const auto got = as_json(parse(entry.text, setting.tools, setting.options, setting.stop));
  EXPECT_EQ(got, *want) << "got  " << json::compact(got) << "\nwant " << json::compact(*want);
  EXPECT_EQ(differs(entry.text, setting, chunkings()), "");
}

void PrintTo(const Entry& entry, std::ostream* out) {
  *out << entry.title;
}

std::string name_of(const testing::TestParamInfo<Entry>& entry) {
  auto name = entry.param.title.substr(0, entry.param.title.find(' '));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Text, Case, testing::ValuesIn(entries("cases.txt")), name_of);

/// No call in 500 texts about calls, every byte of them comes back; and in the same run exactly the
/// right call in each of 500 real ones.
TEST(Corpora, ProseCallsNothingAndCallsAreCalls) {
  const auto setting = setting_of("");
  const std::size_t times = std::max<std::size_t>(1, chunkings() / 20);
  auto prose = entries("prose.txt");
  for (auto& entry : entries("prose_generated.txt")) prose.push_back(std::move(entry));
  ASSERT_EQ(prose.size(), 500U);
  for (const auto& entry : prose) {
    const auto outcome = parse(entry.text, setting.tools, setting.options);
    EXPECT_EQ(outcome.calls.size() + outcome.incomplete.size(), 0U) << entry.text;
    EXPECT_EQ(outcome.content, entry.text);
    EXPECT_EQ(outcome.reasoning, "") << entry.text;
    EXPECT_EQ(differs(entry.text, setting, times), "");
  }
  const auto calls = entries("calls.txt");
  ASSERT_EQ(calls.size(), 500U);
  for (const auto& entry : calls) {
    const auto outcome = parse(entry.text, setting.tools, setting.options);
    ASSERT_EQ(outcome.calls.size(), 1U) << entry.text;
    const auto want = json::parse(entry.outcome).value();
    EXPECT_EQ(outcome.calls[0].name, json::text_or(want, "name"));
    EXPECT_EQ(json::parse(outcome.calls[0].arguments).value(), want.at("arguments")) << entry.text;
    EXPECT_EQ(outcome.reason, FinishReason::tool_calls);
    EXPECT_EQ(differs(entry.text, setting, times), "");
  }
}

/// The same texts inside the reasoning, with an answer behind it.
TEST(Corpora, ProseInTheReasoningEndsWithIt) {
  const auto setting = setting_of("thinking");
  for (const auto* name : {"prose.txt", "prose_generated.txt"})
    for (const auto& entry : entries(name)) {
      if (entry.text.find("think>") != std::string::npos) continue;  // those do end the reasoning
      const auto outcome =
          parse(entry.text + "\n</think>\n\nThe answer is 4.", setting.tools, setting.options);
      EXPECT_EQ(outcome.calls.size() + outcome.incomplete.size(), 0U) << entry.text;
      EXPECT_EQ(outcome.content, "The answer is 4.") << entry.text;
      EXPECT_EQ(without_space(outcome.reasoning), without_space(entry.text));
    }
}

}  // namespace
}  // namespace sndr::tool_calls
