// SPDX-License-Identifier: Apache-2.0
#include "plan/boot_log.h"

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "base/term.h"

namespace sndr::plan {
namespace {

enum class Kind : unsigned char { applied, skipped, failed, info, warning, error };

std::string_view tag_of(Kind kind) {
  switch (kind) {
    case Kind::applied:
      return "[APPLY] ";
    case Kind::skipped:
      return "[SKIP] ";
    case Kind::failed:
      return "[FAIL] ";
    case Kind::info:
      return "[INFO] ";
    case Kind::warning:
      return "[WARN] ";
    case Kind::error:
      return "[ERROR] ";
  }
  return "";
}

std::string_view line_of(Kind kind) {
  switch (kind) {
    case Kind::applied:
      return "[INFO:genesis.apply_all] [Genesis] applied: ";
    case Kind::skipped:
      return "[INFO:genesis.apply_all] [Genesis] skipped: ";
    case Kind::failed:
      return "[ERROR:genesis.apply_all] [Genesis] FAILED: ";
    case Kind::info:
      return "[INFO:genesis.apply_all] [Genesis] ";
    case Kind::warning:
      return "[WARNING:genesis.apply_all] [Genesis] ";
    case Kind::error:
      return "[ERROR:genesis.apply_all] [Genesis] ";
  }
  return "";
}

Kind kind_of(Verdict verdict) {
  return verdict == Verdict::apply  ? Kind::applied
         : verdict == Verdict::fail ? Kind::failed
                                    : Kind::skipped;
}

Kind kind_of(Notice::Level level) {
  return level == Notice::Level::error     ? Kind::error
         : level == Notice::Level::warning ? Kind::warning
                                           : Kind::info;
}

term::Style paint_of(Kind kind) {
  if (kind == Kind::failed || kind == Kind::error) return term::Style::red;
  return kind == Kind::warning ? term::Style::yellow : term::Style::plain;
}

}  // namespace

std::string to_line(const Notice& notice) {
  auto out = notice.name + ": " + notice.text;
  if (!notice.hint.empty()) out += " (" + notice.hint + ")";
  return out;
}

std::string boot_log(const Plan& plan, LogStyle style, std::string_view layer,
                     const term::Screen& screen) {
  std::string out;
  const auto say = [&](Kind kind, const std::string& text) {
    const auto lead = style == LogStyle::tags ? tag_of(kind) : line_of(kind);
    out += term::paint(screen, paint_of(kind), std::string(lead) + text) + "\n";
  };
  if (!plan.mode_line.empty()) say(Kind::info, plan.mode_line);
  for (const auto& notice : plan.notices) say(kind_of(notice.level), to_line(notice));
  for (const auto& one : plan.decisions)
    say(kind_of(one.verdict), one.verdict == Verdict::apply
                                  ? one.id + " " + one.title
                                  : fmt::format("{} ({})", one.id, one.reason));
  out += fmt::format("[Genesis] [APPLY] {}  [SKIP] {}  [FAIL] {}   {}   vllm {}\n", plan.applied,
                     plan.skipped, plan.failed, layer, plan.vllm);
  return out;
}

}  // namespace sndr::plan
