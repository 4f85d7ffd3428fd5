// SPDX-License-Identifier: Apache-2.0
#include "plan/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "plan/suggest.h"
#include "plan/testing.h"

namespace sndr::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Environment = std::map<std::string, std::string>;

std::string shown(const Notice& notice) {
  static constexpr const char* kLevels[] = {"note", "warning", "error"};
  return std::string(kLevels[static_cast<int>(notice.level)]) + ": " + notice.name + ": " +
         notice.text + (notice.hint.empty() ? "" : " | " + notice.hint);
}

std::vector<std::string> shown(const std::vector<Notice>& notices) {
  std::vector<std::string> out;
  for (const auto& notice : notices) out.push_back(shown(notice));
  return out;
}

/// "PN91 on by X", "PN91 off by X"; "P62 of v12 by X".
std::vector<std::string> decided(const Flags& flags) {
  std::vector<std::string> out;
  for (const auto& [id, entry] : flags.switches)
    out.push_back(id +
                  (entry.disabled  ? " disabled"
                   : entry.enabled ? " on"
                                   : " off") +
                  " by " + entry.by);
  for (const auto& set : flags.legacy) out.push_back(set.entry->id + " of v12 by " + set.name);
  return out;
}

struct Case {
  std::string what;
  Environment environment;
  std::vector<std::string> decided;
  std::vector<std::string> notices;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.what;
}

class ReadFlags : public testing::TestWithParam<Case> {};

TEST_P(ReadFlags, DecidesAndAnswers) {
  const auto pack = make_pack();
  const auto flags = read_flags(pack, GetParam().environment);
  ASSERT_TRUE(flags);
  EXPECT_EQ(decided(*flags), GetParam().decided);
  EXPECT_EQ(shown(flags->notices), GetParam().notices);
}

const char* const kNone =
    "`sndr patches list` shows every flag, docs/CONFIGURATION.md every variable";

INSTANTIATE_TEST_SUITE_P(
    Names, ReadFlags,
    testing::Values(
        Case{"others' names", {{"PATH", "/bin"}, {"VLLM_PLUGINS", ""}}, {}, {}},
        Case{"a full flag",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "1"}},
             {"PN91 on by GENESIS_ENABLE_PN91_DEVELOPER_ROLE"},
             {}},
        Case{"blanks and case",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", " Yes\n"}},
             {"PN91 on by GENESIS_ENABLE_PN91_DEVELOPER_ROLE"},
             {}},
        Case{"off",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "off"}},
             {"PN91 off by GENESIS_ENABLE_PN91_DEVELOPER_ROLE"},
             {}},
        Case{"empty",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", ""}},
             {"PN91 off by GENESIS_ENABLE_PN91_DEVELOPER_ROLE"},
             {}},
        Case{"a bad value",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", " maybe "}},
             {},
             {"error: GENESIS_ENABLE_PN91_DEVELOPER_ROLE: 'maybe' is neither true nor false | "
              "1, true, yes and on are true; 0, false, no, off and nothing are false"}},
        Case{"DISABLE wins",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "1"},
              {"GENESIS_DISABLE_PN91_DEVELOPER_ROLE", "1"}},
             {"PN91 disabled by GENESIS_DISABLE_PN91_DEVELOPER_ROLE"},
             {}},
        Case{"a false DISABLE says nothing",
             {{"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "1"},
              {"GENESIS_DISABLE_PN91_DEVELOPER_ROLE", "0"}},
             {"PN91 on by GENESIS_ENABLE_PN91_DEVELOPER_ROLE"},
             {}},
        Case{"must show: the SNDR_ form",
             {{"SNDR_ENABLE_PN91_DEVELOPER_ROLE", "1"}},
             {"PN91 on by SNDR_ENABLE_PN91_DEVELOPER_ROLE"},
             {"note: SNDR_ENABLE_PN91_DEVELOPER_ROLE: the SNDR_ form of "
              "GENESIS_ENABLE_PN91_DEVELOPER_ROLE: it turns on PN91 | "
              "write GENESIS_ENABLE_PN91_DEVELOPER_ROLE=1"}},
        Case{"an alias",
             {{"GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY", "1"}},
             {"P61b on by GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY"},
             {"note: GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY: an alias of "
              "GENESIS_ENABLE_P61B_STREAMING_OVERLAP: it turns on P61b | "
              "write GENESIS_ENABLE_P61B_STREAMING_OVERLAP=1"}},
        Case{"an alias in the SNDR_ form",
             {{"SNDR_ENABLE_P59_QWEN3_TOOL_RECOVERY", "1"}},
             {"P61b on by SNDR_ENABLE_P59_QWEN3_TOOL_RECOVERY"},
             {"note: SNDR_ENABLE_P59_QWEN3_TOOL_RECOVERY: an alias of "
              "GENESIS_ENABLE_P61B_STREAMING_OVERLAP: it turns on P61b | "
              "write GENESIS_ENABLE_P61B_STREAMING_OVERLAP=1"}},
        Case{"an alias's DISABLE",
             {{"GENESIS_ENABLE_P61B_STREAMING_OVERLAP", "1"},
              {"GENESIS_DISABLE_P59_QWEN3_TOOL_RECOVERY", "1"}},
             {"P61b disabled by GENESIS_DISABLE_P59_QWEN3_TOOL_RECOVERY"},
             {}},
        Case{"the full flag wins over an alias",
             {{"GENESIS_ENABLE_P61B_STREAMING_OVERLAP", "0"},
              {"GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY", "1"}},
             {"P61b off by GENESIS_ENABLE_P61B_STREAMING_OVERLAP"},
             {"note: GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY: an alias of "
              "GENESIS_ENABLE_P61B_STREAMING_OVERLAP: it turns on P61b | "
              "write GENESIS_ENABLE_P61B_STREAMING_OVERLAP=1",
              "warning: GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY: "
              "GENESIS_ENABLE_P61B_STREAMING_OVERLAP=0 stands beside it and wins"}},
        Case{"must show: a short form of several",
             {{"GENESIS_ENABLE_P67", "1"}},
             {},
             {"warning: GENESIS_ENABLE_P67: a short form does nothing | write "
              "GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL or GENESIS_ENABLE_P67_SPARSE_V"}},
        Case{"must show: a short SNDR_ form",
             {{"SNDR_ENABLE_P62", "1"}},
             {},
             {"warning: SNDR_ENABLE_P62: a short form does nothing | write "
              "GENESIS_ENABLE_P62_STRUCT_OUT_SPEC_TIMING"}},
        Case{"a short form of a patch of ours, in small letters",
             {{"GENESIS_ENABLE_pn91", "1"}},
             {},
             {"warning: GENESIS_ENABLE_pn91: a short form does nothing | write "
              "GENESIS_ENABLE_PN91_DEVELOPER_ROLE"}},
        Case{"a short form ends at an underscore: P6 is none of P61",
             {{"GENESIS_ENABLE_P6", "1"}},
             {},
             {std::string("warning: GENESIS_ENABLE_P6: no such variable | ") + kNone}},
        Case{"a short DISABLE",
             {{"GENESIS_DISABLE_PN91", "1"}},
             {},
             {"warning: GENESIS_DISABLE_PN91: a short form does nothing | write "
              "GENESIS_DISABLE_PN91_DEVELOPER_ROLE"}},
        Case{"must show: a typo",
             {{"GENESIS_ENABLE_P61B_STREAMING_OVRLAP", "1"}},
             {},
             {"warning: GENESIS_ENABLE_P61B_STREAMING_OVRLAP: no such variable | did you mean "
              "GENESIS_ENABLE_P61B_STREAMING_OVERLAP?"}},
        Case{"a typo in the verb",
             {{"GENESIS_ENABEL_PN91_DEVELOPER_ROLE", "0"}},
             {},
             {"warning: GENESIS_ENABEL_PN91_DEVELOPER_ROLE: no such variable | did you mean "
              "GENESIS_ENABLE_PN91_DEVELOPER_ROLE?"}},
        Case{"a typo in a variable",
             {{"SNDR_HOEM", "/x"}},
             {},
             {"warning: SNDR_HOEM: no such variable | did you mean SNDR_HOME?"}},
        Case{"a variable with the other prefix",
             {{"GENESIS_HOME", "/x"}},
             {},
             {"warning: GENESIS_HOME: no such variable | write SNDR_HOME"}},
        Case{"unlike anything",
             {{"GENESIS_XQZJVWK", "1"}},
             {},
             {std::string("warning: GENESIS_XQZJVWK: no such variable | ") + kNone}}));

INSTANTIATE_TEST_SUITE_P(
    V12, ReadFlags,
    testing::Values(
        Case{"a flag of v12 that is no patch of ours",
             {{"GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL", "1"},
              {"SNDR_ENABLE_P62_STRUCT_OUT_SPEC_TIMING", "1"},
              {"SNDR_ENABLE_PN283_PROC_BRIDGE", "1"},
              {"GENESIS_ENABLE_P82", "0"}},
             {"P67 of v12 by GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL",
              "P62 of v12 by SNDR_ENABLE_P62_STRUCT_OUT_SPEC_TIMING",
              "PN283 of v12 by SNDR_ENABLE_PN283_PROC_BRIDGE"},
             {}},
        Case{"a v12 id that ours covers is answered, not acted on",
             {{"GENESIS_ENABLE_P61_QWEN3_MULTI_TOOL", "1"}},
             {"P61 of v12 by GENESIS_ENABLE_P61_QWEN3_MULTI_TOOL"},
             {}},
        Case{"its DISABLE is known", {{"GENESIS_DISABLE_P82", "1"}}, {}, {}},
        Case{"LEGACY_ is answered",
             {{"GENESIS_LEGACY_P12", "1"}, {"GENESIS_LEGACY_P99", "1"}},
             {"P12 of v12 by GENESIS_LEGACY_P12"},
             {"note: GENESIS_LEGACY_P99: v12 never acted on it"}},
        Case{"ENABLE_ of a LEGACY_ one",
             {{"GENESIS_ENABLE_P12", "1"}},
             {},
             {"warning: GENESIS_ENABLE_P12: v12 called it GENESIS_LEGACY_P12; not "
              "carried over: vLLM's parser is new"}},
        Case{"escapes and bundles are answered",
             {{"GENESIS_ALLOW_RETIRED", "1"},
              {"GENESIS_LEGACY_DEFAULT_ON", "1"},
              {"SNDR_ENABLE_BUNDLE_ATTENTION_GDN_SPEC", "1"}},
             {},
             {"note: GENESIS_ALLOW_RETIRED: evidence decides, nothing forces",
              "note: GENESIS_LEGACY_DEFAULT_ON: nothing is on by itself",
              "note: SNDR_ENABLE_BUNDLE_ATTENTION_GDN_SPEC: set the flags one by one"}}));

INSTANTIATE_TEST_SUITE_P(
    Knobs, ReadFlags,
    testing::Values(
        Case{"alone it warns",
             {{"GENESIS_P68_FORCE_ON_ALL_TOOLS", "1"}, {"GENESIS_PN91_TO", "user"}},
             {},
             {"warning: GENESIS_P68_FORCE_ON_ALL_TOOLS: does nothing without its patch | set "
              "GENESIS_ENABLE_P68_AUTO_FORCE_TOOL=1 too",
              "warning: GENESIS_PN91_TO: does nothing without its patch | set "
              "GENESIS_ENABLE_PN91_DEVELOPER_ROLE=1 too"}},
        Case{"switched off it says nothing",
             {{"GENESIS_P68_FORCE_ON_ALL_TOOLS", "0"}, {"GENESIS_PN91_TO", ""}},
             {},
             {}},
        Case{"with the flag it is answered or silent",
             {{"GENESIS_P68_FORCE_ON_ALL_TOOLS", "1"},
              {"GENESIS_ENABLE_P68_AUTO_FORCE_TOOL", "1"},
              {"GENESIS_PN91_TO", "user"},
              {"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "1"}},
             {"PN91 on by GENESIS_ENABLE_PN91_DEVELOPER_ROLE",
              "P68 of v12 by GENESIS_ENABLE_P68_AUTO_FORCE_TOOL"},
             {"note: GENESIS_P68_FORCE_ON_ALL_TOOLS: our gateway takes it"}},
        Case{"of a patch that isn't carried over",
             {{"GENESIS_P82_THRESHOLD_SINGLE", "0.3"}},
             {},
             {"note: GENESIS_P82_THRESHOLD_SINGLE: a knob of P82: not carried over: it biases "
              "sampling"}},
        Case{"of a v12 id, by its name alone",
             {{"GENESIS_P60_DEPTH", "3"}},
             {},
             {"warning: GENESIS_P60_DEPTH: no such variable; it looks like a knob of v12's P60: "
              "vLLM does it itself: 0.24.0 has it, 0.22.1 doesn't"}},
        Case{"a switch of ours with a bad value",
             {{"SNDR_DEBUG", "very"}, {"SNDR_HOME", "/x"}},
             {},
             {"error: SNDR_DEBUG: 'very' is neither true nor false | 1, true, yes and on are true; "
              "0, false, no, off and nothing are false"}}));

TEST(ReadFlags, GenesisDisableTurnsEverythingOff) {
  const auto pack = make_pack();
  EXPECT_TRUE(read_flags(pack, {{"GENESIS_DISABLE", "1"}})->all_off);
  EXPECT_FALSE(read_flags(pack, {{"GENESIS_DISABLE", "0"}})->all_off);
  EXPECT_TRUE(read_flags(pack, {{"GENESIS_DISABLE", "x"}})->has_errors());
}

TEST(ReadFlags, ErrorsAndWarningsAreTold) {
  const auto pack = make_pack();
  const auto typo = read_flags(pack, {{"GENESIS_ENABLE_P67", "1"}});
  EXPECT_TRUE(typo->has_warnings());
  EXPECT_FALSE(typo->has_errors());
  const auto alias = read_flags(pack, {{"SNDR_ENABLE_PN91_DEVELOPER_ROLE", "1"}});
  EXPECT_FALSE(alias->has_warnings());
}

TEST(ReadFlags, TheCommandLineCountsAsSet) {
  const auto pack = make_pack();
  const auto flags = read_flags(pack, {{"GENESIS_DISABLE_PN73_TOOL_ARGS_SAFE_NORMALIZE", "1"}},
                                {"pn91", "P59", "PN73", "P67"}, {"P61b"});
  ASSERT_TRUE(flags);
  EXPECT_THAT(decided(*flags),
              ElementsAre("P61b disabled by --disable P61b",
                          "PN73 disabled by GENESIS_DISABLE_PN73_TOOL_ARGS_SAFE_NORMALIZE",
                          "PN91 on by --enable pn91", "P67 of v12 by --enable P67"));
  EXPECT_THAT(shown(flags->notices),
              ElementsAre("note: --enable P59: P61b does its job | write --enable P61b"));
}

TEST(ReadFlags, AnUnknownIdIsAnError) {
  const auto pack = make_pack();
  const auto said = [&](const std::vector<std::string>& on, const std::vector<std::string>& off) {
    const auto flags = read_flags(pack, {}, on, off);
    return flags ? std::string("fine") : render(flags.error());
  };
  EXPECT_EQ(said({"PN19"}, {}), "--enable PN19: no such id or flag\n  did you mean PN91?");
  EXPECT_EQ(said({}, {"GENESIS_ENABLE_P67"}),
            "--disable GENESIS_ENABLE_P67: no such id or flag\n  did you mean "
            "GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL or GENESIS_ENABLE_P67_SPARSE_V?");
  EXPECT_EQ(said({"zzz"}, {}),
            "--enable zzz: no such id or flag\n  `sndr patches list` shows them");
  EXPECT_EQ(exit_code(read_flags(pack, {}, {"zzz"}).error().code), 2);
}

TEST(DefaultFlags, WhatTheEnvironmentDoesNotSetItself) {
  const auto pack = make_pack();
  EXPECT_THAT(default_flags(pack, {}),
              ElementsAre(Pair("GENESIS_ENABLE_PN73_TOOL_ARGS_SAFE_NORMALIZE", "1"),
                          Pair("GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "1")));
  for (const auto* name : {"GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "SNDR_ENABLE_PN91_DEVELOPER_ROLE",
                           "GENESIS_DISABLE_PN91_DEVELOPER_ROLE"})
    EXPECT_THAT(default_flags(pack, {{name, "0"}}),
                ElementsAre(Pair("GENESIS_ENABLE_PN73_TOOL_ARGS_SAFE_NORMALIZE", "1")))
        << name;
  EXPECT_THAT(default_flags(pack, {{"GENESIS_DISABLE", "1"}}), IsEmpty());
}

TEST(ProcessEnvironment, IsThisProcesss) {
  setenv("SNDR_TEST_VALUE", "a=b", 1);
  EXPECT_EQ(process_environment().at("SNDR_TEST_VALUE"), "a=b");
  unsetenv("SNDR_TEST_VALUE");
}

TEST(Suggest, Either) {
  EXPECT_EQ(either({"A"}), "A");
  EXPECT_EQ(either({"A", "B", "C"}), "A, B or C");
}

}  // namespace
}  // namespace sndr::plan
