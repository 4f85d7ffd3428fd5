// SPDX-License-Identifier: Apache-2.0
#include "cli/boot_log.h"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/term.h"
#include "plan/flags.h"
#include "plan/plan.h"

namespace sndr::cli {
namespace {

std::string prefix(std::string_view level) {
  return fmt::format("[{}:genesis.apply_all] [Genesis] ", level);
}

std::string lead(plan::Verdict verdict, LogStyle style) {
  const bool tags = style == LogStyle::tags;
  switch (verdict) {
    case plan::Verdict::apply:
      return tags ? "[APPLY] " : prefix("INFO") + "applied: ";
    case plan::Verdict::skip:
      return tags ? "[SKIP] " : prefix("INFO") + "skipped: ";
    case plan::Verdict::fail:
      return tags ? "[FAIL] " : prefix("ERROR") + "FAILED: ";
  }
  return {};
}

}  // namespace

std::string notice_lines(const plan::Plan& plan, LogStyle style) {
  using Level = plan::Notice::Level;
  std::string out;
  for (const auto& notice : plan.notices) {
    const std::string_view level = notice.level == Level::error     ? "ERROR"
                                   : notice.level == Level::warning ? "WARNING"
                                                                    : "INFO";
    out += style == LogStyle::tags ? fmt::format("[{}] ", level) : prefix(level);
    out += notice.name + ": " + notice.text;
    if (!notice.hint.empty()) out += " (" + notice.hint + ")";
    out += '\n';
  }
  return out;
}

std::string decision_lines(const plan::Plan& plan, LogStyle style, const term::Screen& screen) {
  std::string out;
  for (const auto& decision : plan.decisions) {
    auto line = lead(decision.verdict, style) + decision.id;
    if (decision.verdict == plan::Verdict::apply)
      line += " " + decision.title;
    else
      line += " (" + decision.reason + ")";
    if (decision.verdict == plan::Verdict::fail) line = term::paint(screen, term::Style::red, line);
    out += line + "\n";
  }
  return out;
}

std::string summary_line(const plan::Plan& plan, std::string_view layer) {
  return fmt::format("[Genesis] [APPLY] {}  [SKIP] {}  [FAIL] {}   {}   vllm {}\n", plan.applied,
                     plan.skipped, plan.failed, layer, plan.vllm);
}

std::string boot_log(const plan::Plan& plan, LogStyle style, std::string_view layer,
                     const term::Screen& screen) {
  std::string out;
  if (!plan.mode_line.empty()) {
    if (style == LogStyle::lines) out += prefix("INFO");
    out += plan.mode_line + "\n";
  }
  return out + notice_lines(plan, style) + decision_lines(plan, style, screen) +
         summary_line(plan, layer);
}

}  // namespace sndr::cli
