// SPDX-License-Identifier: Apache-2.0
#include "plan/decide.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "patch/edit.h"
#include "plan/gates.h"
#include "plan/span.h"

namespace sndr::plan {
namespace {

void skip(Decision& decision, Cause cause, std::string reason) {
  decision.verdict = Verdict::skip;
  decision.cause = cause;
  decision.reason = std::move(reason);
}

void fail_with(Decision& decision, Cause cause, std::string reason) {
  decision.verdict = Verdict::fail;
  decision.cause = cause;
  decision.reason = std::move(reason);
}

/// True where the patch isn't asked for; the decision says why.
bool switched_off(Decision& decision, const Flags& flags) {
  if (flags.all_off) {
    skip(decision, Cause::disabled, "turned off by GENESIS_DISABLE");
    return true;
  }
  const auto said = flags.switches.find(decision.id);
  if (said != flags.switches.end() && said->second.disabled) {
    skip(decision, Cause::disabled, "turned off by " + said->second.by);
    return true;
  }
  if (said != flags.switches.end() && said->second.enabled) return false;
  skip(decision, Cause::not_enabled, "not enabled");
  return true;
}

/// The first file that isn't vLLM's own text and that the finding rests on: what the patch edits,
/// or, where evidence alone decided, what the evidence was found in. Someone else's edit may look
/// like upstream's fix.
std::string changed_file(const patch::PatchFinding& finding, const Situation& situation) {
  const auto& changed = situation.changed_files;
  if (changed.empty()) return {};
  std::vector<const std::string*> files;
  const auto add = [&](const std::vector<pack::Evidence>& evidence) {
    for (const auto& one : evidence) files.push_back(&one.file);
  };
  if (finding.edits.empty()) {
    for (const auto& entry : finding.patch->retires_when) add(entry.evidence);
    add(finding.patch->applies_if);
  }
  for (const auto& edit : finding.edits) {
    files.push_back(&edit.file);
    add(edit.edit->only_if);
  }
  const auto at = std::find_if(files.begin(), files.end(), [&](const std::string* file) {
    return std::find(changed.begin(), changed.end(), *file) != changed.end();
  });
  return at == files.end() ? std::string() : **at;
}

/// A retired patch that has nothing left to do on any tree.
std::string retired_for_good(const pack::Patch& patch) {
  if (patch.lifecycle != pack::Lifecycle::retired || !patch.edits.empty() ||
      !patch.new_files.empty() || !patch.plugin.empty())
    return {};
  std::string out = "vLLM has the fix: ";
  for (const auto& entry : patch.retires_when) {
    if (&entry != &patch.retires_when.front()) out += "; ";
    out += entry.fix;
    if (!entry.release.empty()) out += fmt::format(" (since {})", entry.release);
  }
  return out;
}

/// The span's message, where the version is outside of it and its order can be trusted. A dev build
/// can't: 0.23.1rc1.dev748 sorts before 0.24.0 and holds later code. There anchors decide, and the
/// message is what a missing one becomes.
std::optional<std::string> outside_span(const pack::Patch& patch, const Situation& situation,
                                        bool drifted) {
  if (!situation.version) return std::nullopt;
  const auto placed = place(patch.vllm, *situation.version);
  if (placed.place == Place::within) return std::nullopt;
  if (placed.place == Place::above && situation.options.try_newer) return std::nullopt;
  if (situation.version->has_dev && !drifted) return std::nullopt;
  return fmt::format("applies_to mismatch: vllm {}, {}", situation.version->text, placed.needs);
}

}  // namespace

Decision decide(const pack::Patch& patch, const Situation& situation) {
  Decision out;
  out.id = patch.id;
  out.title = patch.title;
  out.patch = &patch;
  if (switched_off(out, situation.flags)) return out;
  if (auto reason = retired_for_good(patch); !reason.empty()) {
    skip(out, Cause::retired, std::move(reason));
    return out;
  }
  out.finding = patch::judge(patch, situation.source);
  const auto& finding = *out.finding;
  const auto changed = changed_file(finding, situation);
  if (changed.empty() && finding.state == patch::PatchState::retired) {
    skip(out, Cause::retired, finding.reason);
  } else if (changed.empty() && finding.state == patch::PatchState::elsewhere) {
    skip(out, Cause::elsewhere, finding.reason);
  } else if (auto gates = judge_gates(patch, situation.facts); gates.state != GateState::open) {
    skip(out, gates.state == GateState::closed ? Cause::mismatch : Cause::unknown_fact,
         std::move(gates.reason));
  } else if (auto span =
                 outside_span(patch, situation, finding.state == patch::PatchState::drifted);
             span) {
    skip(out, Cause::outside_span, *std::move(span));
  } else if (!changed.empty()) {
    fail_with(out, Cause::not_pristine,
              fmt::format("{} isn't vLLM's own text: see `sndr doctor`", changed));
  } else if (finding.state == patch::PatchState::drifted) {
    fail_with(out, Cause::drift, finding.reason + ": see `sndr doctor`");
  } else {
    out.verdict = Verdict::apply;
    out.cause = Cause::none;
  }
  return out;
}

}  // namespace sndr::plan
