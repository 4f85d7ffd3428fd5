// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/decide.h"

namespace sndr::plan {
namespace {

Decision answer(const pack::Pack& pack, const pack::Legacy& entry) {
  Decision out;
  out.id = entry.id;
  out.title = entry.title;
  out.cause = Cause::legacy;
  out.reason = pack.answer(entry);
  out.legacy = &entry;
  return out;
}

/// v12's ids that no patch of ours has: those that are set, or all of them.
void add_legacy(std::vector<Decision>& decisions, const Situation& situation) {
  std::set<std::string> there;
  for (const auto& decision : decisions) there.insert(decision.id);
  const auto add = [&](const pack::Legacy& entry) {
    if (there.insert(entry.id).second) decisions.push_back(answer(situation.pack, entry));
  };
  for (const auto& set : situation.flags.legacy) add(*set.entry);
  if (!situation.options.all_legacy) return;
  for (const auto& entry : situation.pack.legacy) add(entry);
  for (auto& decision : decisions)
    if (decision.legacy == nullptr) decision.legacy = situation.pack.legacy_id(decision.id);
}

bool above_every_pin(const pack::Pack& pack, const Version& version) {
  return !version.has_dev && !pack.pins.empty() &&
         std::all_of(pack.pins.begin(), pack.pins.end(), [&](const pack::Pin& pin) {
           const auto other = Version::parse(pin.version);
           return other && compare(version, *other) > 0;
         });
}

void set_mode(Plan& plan, const Situation& situation) {
  static constexpr const char* kMode =
      "verified-anchors mode: {}, so anchors decide, and a missing one is a failure";
  const auto& version = situation.version;
  plan.vllm = version ? version->text : "unknown version";
  if (version && situation.pack.pin(version->text) != nullptr) return;
  plan.mode = Mode::verified_anchors;
  if (!version) {
    plan.mode_line = fmt::format(kMode, "vLLM's version can't be read");
  } else if (situation.options.try_newer || !above_every_pin(situation.pack, *version)) {
    plan.mode_line = fmt::format(kMode, fmt::format("vllm {} is no pin", version->text));
  } else {
    plan.mode_line = fmt::format(
        "vllm {} is newer than every pin: a patch is skipped above its verified span "
        "(--try-newer lets anchors decide)",
        version->text);
  }
}

}  // namespace

Plan make_plan(const pack::Pack& pack, const Flags& flags, const probe::Facts& facts,
               const std::optional<Version>& version, const patch::Source& source,
               const std::vector<std::string>& changed_files, const Options& options) {
  const Situation situation{pack, flags, facts, version, source, changed_files, options};
  Plan out;
  set_mode(out, situation);
  out.notices = flags.notices;
  for (const auto& patch : pack.patches) out.decisions.push_back(decide(patch, situation));
  settle_together(out.decisions, situation);
  add_legacy(out.decisions, situation);
  std::sort(out.decisions.begin(), out.decisions.end(),
            [](const Decision& a, const Decision& b) { return pack::id_less(a.id, b.id); });
  for (const auto& decision : out.decisions) {
    out.applied += decision.verdict == Verdict::apply ? 1 : 0;
    out.skipped += decision.verdict == Verdict::skip ? 1 : 0;
    out.failed += decision.verdict == Verdict::fail ? 1 : 0;
  }
  return out;
}

std::vector<const patch::PatchFinding*> applied_findings(const Plan& plan) {
  std::vector<const patch::PatchFinding*> out;
  for (const auto& decision : plan.decisions)
    if (decision.verdict == Verdict::apply && decision.finding) out.push_back(&*decision.finding);
  return out;
}

}  // namespace sndr::plan
