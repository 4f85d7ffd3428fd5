// SPDX-License-Identifier: Apache-2.0
#include "plan/boot_log.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sndr::plan {
namespace {

Decision decision(std::string id, Verdict verdict, std::string text) {
  Decision out;
  out.id = std::move(id);
  out.verdict = verdict;
  (verdict == Verdict::apply ? out.title : out.reason) = std::move(text);
  return out;
}

Plan some_plan() {
  Plan out;
  out.vllm = "0.33.0";
  out.decisions = {decision("P62", Verdict::apply, "Structured output sees the end of reasoning"),
                   decision("P91", Verdict::fail, "anchor drifted in a.py: see `sndr doctor`"),
                   decision("PN91", Verdict::skip, "not enabled")};
  out.applied = out.skipped = out.failed = 1;
  return out;
}

TEST(BootLog, Lines) {
  EXPECT_EQ(boot_log(some_plan(), LogStyle::lines, "overlay 4f1c9ab2", {}),
            "[INFO:genesis.apply_all] [Genesis] applied: P62 Structured output sees the end of "
            "reasoning\n"
            "[ERROR:genesis.apply_all] [Genesis] FAILED: P91 (anchor drifted in a.py: see `sndr "
            "doctor`)\n"
            "[INFO:genesis.apply_all] [Genesis] skipped: PN91 (not enabled)\n"
            "[Genesis] [APPLY] 1  [SKIP] 1  [FAIL] 1   overlay 4f1c9ab2   vllm 0.33.0\n");
}

TEST(BootLog, TagsWithModeAndNotices) {
  auto plan = some_plan();
  plan.mode_line = "verified-anchors mode: vllm 0.27.0 is no pin";
  plan.notices = {
      {Notice::Level::warning, "GENESIS_ENABLE_P67", "a short form does nothing", "write X"},
      {Notice::Level::note, "SNDR_ENABLE_X", "it turns on X", ""}};
  EXPECT_EQ(boot_log(plan, LogStyle::tags, "stock", {}),
            "[INFO] verified-anchors mode: vllm 0.27.0 is no pin\n"
            "[WARN] GENESIS_ENABLE_P67: a short form does nothing (write X)\n"
            "[INFO] SNDR_ENABLE_X: it turns on X\n"
            "[APPLY] P62 Structured output sees the end of reasoning\n"
            "[FAIL] P91 (anchor drifted in a.py: see `sndr doctor`)\n"
            "[SKIP] PN91 (not enabled)\n"
            "[Genesis] [APPLY] 1  [SKIP] 1  [FAIL] 1   stock   vllm 0.33.0\n");
}

TEST(BootLog, NoticesAsLines) {
  Plan plan;
  plan.vllm = "unknown version";
  plan.notices = {{Notice::Level::error, "GENESIS_DISABLE", "'x' is neither", ""},
                  {Notice::Level::warning, "GENESIS_X", "no such variable", ""}};
  EXPECT_EQ(boot_log(plan, LogStyle::lines, "stock", {}),
            "[ERROR:genesis.apply_all] [Genesis] GENESIS_DISABLE: 'x' is neither\n"
            "[WARNING:genesis.apply_all] [Genesis] GENESIS_X: no such variable\n"
            "[Genesis] [APPLY] 0  [SKIP] 0  [FAIL] 0   stock   vllm unknown version\n");
}

TEST(BootLog, OnlyTroubleIsPainted) {
  const term::Screen screen{.colour = true, .width = 80};
  const auto text = boot_log(some_plan(), LogStyle::tags, "stock", screen);
  EXPECT_NE(text.find("\x1b[31m[FAIL] P91"), std::string::npos) << text;
  EXPECT_EQ(text.find("[APPLY] P62"), 0u) << text;
}

}  // namespace
}  // namespace sndr::plan
