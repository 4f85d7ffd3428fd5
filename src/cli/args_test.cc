// SPDX-License-Identifier: Apache-2.0
#include "cli/args.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"

namespace sndr::cli {
namespace {

Result<int> nothing(const Call&) {
  return 0;
}

const Command kList{.name = "patches list",
                    .summary = "List",
                    .options = {{.name = "--json", .value = {}, .help = "JSON"}},
                    .run = nothing};
const Command kExplain{.name = "patches explain",
                       .summary = "Explain",
                       .positionals = {{.name = "ID", .help = "an id"}},
                       .options = {{.name = "--json", .value = {}, .help = "JSON"}},
                       .example = "sndr patches explain PN91\nsndr patches explain P61b",
                       .run = nothing};
const Command kVerify{
    .name = "patches verify",
    .summary = "Verify",
    .positionals = {{.name = "DIR", .help = "a tree", .required = false, .many = true}},
    .options = {{.name = "--vllm", .value = "DIR", .help = "a tree", .many = true},
                {.name = "--as-version", .value = "VERSION", .help = "a version"},
                {.name = "--style", .value = "lines|tags|none", .help = "how"}},
    .run = nothing};
const Command kRun{.name = "run",
                   .summary = "Run",
                   .takes_rest = true,
                   .stray = "the command goes after --: sndr run -- CMD",
                   .run = nothing};
const Command kCompletion{.name = "completion",
                          .summary = "Completion",
                          .positionals = {{.name = "bash|zsh|fish", .help = "the shell"}},
                          .run = nothing};
const Command kVersion{.name = "version",
                       .summary = "Version",
                       .options = {{.name = "--json", .value = {}, .help = "JSON"}},
                       .run = nothing};

const Table kTable = {{"Look", {&kList, &kExplain, &kVerify}},
                      {"Run", {&kRun, &kCompletion, &kVersion}}};
const std::vector<Moved> kMoved = {
    {"patch", "`patch` is spelt `patches`", "type: sndr patches"},
    {"engines list", "`engines list` is now a part of `doctor`", "type: sndr doctor"},
};

struct Case {
  std::vector<std::string> words;
  std::string error;  ///< rendered; empty = it parses
};
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest calls it by this name
void PrintTo(const Case& c, std::ostream* out) {
  for (const auto& word : c.words) *out << word << ' ';
}

class Wrong : public testing::TestWithParam<Case> {};

TEST_P(Wrong, SaysWhatAndWhatNext) {
  const auto asked = parse(GetParam().words, kTable, kMoved);
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(render(asked.error()), GetParam().error);
  EXPECT_EQ(exit_code(asked.error().code), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Args, Wrong,
    testing::Values(
        Case{{"patches", "lst"}, "unknown verb 'patches lst'\n  did you mean: sndr patches list"},
        Case{{"patches.list"}, "unknown verb 'patches.list'\n  did you mean: sndr patches list"},
        Case{{"runn", "x"}, "unknown verb 'runn'\n  did you mean: sndr run"},
        Case{{"patchs", "list"}, "unknown verb 'patchs'\n  did you mean: sndr patches"},
        Case{{"frobnicate"}, "unknown verb 'frobnicate'\n  see: sndr --help"},
        Case{{"frobnicate", "--help"}, "unknown verb 'frobnicate'\n  see: sndr --help"},
        Case{{"help", "frobnicate"}, "unknown verb 'frobnicate'\n  see: sndr --help"},
        Case{{"patch", "list"}, "`patch` is spelt `patches`\n  type: sndr patches"},
        Case{{"engines", "list"}, "`engines list` is now a part of `doctor`\n  type: sndr doctor"},
        Case{{"engines"}, "unknown verb 'engines'\n  see: sndr --help"},
        Case{{"patches"}, "`sndr patches` needs a verb\n  see: sndr patches --help"},
        Case{{"patches", "--json"}, "`sndr patches` needs a verb\n  see: sndr patches --help"},
        Case{{"--frob"}, "unknown option --frob\n  see: sndr --help"},
        Case{{"--json"}, "--json needs a verb\n  see: sndr --help"},
        Case{{"patches", "list", "--jsn"},
             "`sndr patches list` has no option --jsn\n  did you mean: --json"},
        Case{{"patches", "list", "-x"},
             "`sndr patches list` has no option -x\n  see: sndr patches list --help"},
        Case{{"patches", "list", "--json=yes"},
             "--json is a switch and takes no value\n  see: sndr patches list --help"},
        Case{{"patches", "list", "PN91"},
             "`sndr patches list` doesn't take 'PN91'\n  see: sndr patches list --help"},
        Case{{"run", "my-preset"},
             "`sndr run` doesn't take 'my-preset'\n  the command goes after --: sndr run -- CMD"},
        Case{{"patches", "explain"},
             "`sndr patches explain` needs ID: an id\n  for example: sndr patches explain PN91"},
        Case{{"patches", "explain", "A", "B"},
             "`sndr patches explain` doesn't take 'B'\n  see: sndr patches explain --help"},
        Case{{"patches", "verify", "--vllm"},
             "--vllm needs a value: --vllm DIR\n  see: sndr patches verify --help"},
        Case{{"patches", "verify", "--vllm", "--as-version", "1"},
             "--vllm needs a value: --vllm DIR\n  see: sndr patches verify --help"},
        Case{{"patches", "verify", "--as-version", "1", "--as-version", "2"},
             "--as-version is given twice\n  see: sndr patches verify --help"},
        Case{{"patches", "verify", "--style", "x"},
             "--style takes lines, tags or none, not 'x'\n  see: sndr patches verify --help"},
        Case{
            {"completion", "tcsh"},
            "`sndr completion` takes bash, zsh or fish, not 'tcsh'\n  see: sndr completion --help"},
        Case{{"patches", "list", "--", "x"},
             "`sndr patches list` takes no command after --\n  see: sndr patches list --help"},
        Case{{"run", "--"}, "no command after --\n  see: sndr run --help"}));

TEST(Args, ReadsOptionsAndWordsInAnyOrder) {
  const auto asked =
      parse({"patches", "verify", "a", "--vllm", "b", "c", "--vllm=d", "--as-version=1=2"}, kTable);
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->command, &kVerify);
  EXPECT_EQ(asked->call.positionals, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(asked->call.values("--vllm"), (std::vector<std::string>{"b", "d"}));
  EXPECT_EQ(asked->call.value("--as-version"), "1=2");
  EXPECT_EQ(asked->call.value("--style", "lines"), "lines");
  EXPECT_FALSE(asked->call.has("--style"));
}

TEST(Args, EverythingAfterTheDashesIsTheCommands) {
  const auto asked = parse({"run", "--", "vllm", "--json", "--", "--help"}, kTable);
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->command, &kRun);
  EXPECT_EQ(asked->call.rest, (std::vector<std::string>{"vllm", "--json", "--", "--help"}));
}

TEST(Args, JsonMayStandFirst) {
  const auto asked = parse({"--json", "patches", "list"}, kTable);
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->command, &kList);
  EXPECT_TRUE(asked->call.has("--json"));
}

TEST(Args, VersionIsAVerbAndAnOption) {
  for (const auto* word : {"version", "--version"}) {
    const auto asked = parse({word, "--json"}, kTable);
    ASSERT_TRUE(asked.has_value());
    EXPECT_EQ(asked->command, &kVersion);
    EXPECT_TRUE(asked->call.has("--json"));
  }
}

struct Topic {
  std::vector<std::string> words;
  std::string topic;
};
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest calls it by this name
void PrintTo(const Topic& t, std::ostream* out) {
  for (const auto& word : t.words) *out << word << ' ';
}

class AsksForHelp : public testing::TestWithParam<Topic> {};

TEST_P(AsksForHelp, OnItsTopic) {
  const auto asked = parse(GetParam().words, kTable, kMoved);
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->command, nullptr);
  EXPECT_EQ(asked->topic, GetParam().topic);
}

INSTANTIATE_TEST_SUITE_P(
    Args, AsksForHelp,
    testing::Values(Topic{{}, ""}, Topic{{"--help"}, ""}, Topic{{"-h"}, ""}, Topic{{"help"}, ""},
                    Topic{{"patches", "--help"}, "patches"}, Topic{{"help", "patches"}, "patches"},
                    Topic{{"patches", "explain", "--help"}, "patches explain"},
                    Topic{{"patches", "explain", "PN91", "-h"}, "patches explain"},
                    Topic{{"help", "patches", "explain"}, "patches explain"},
                    Topic{{"run", "--help"}, "run"}, Topic{{"run", "--help", "--", "x"}, "run"}));

}  // namespace
}  // namespace sndr::cli
