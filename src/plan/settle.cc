// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "patch/edit.h"
#include "plan/decide.h"

namespace sndr::plan {
namespace {

class Settler {
 public:
  Settler(std::vector<Decision>& decisions, const Situation& situation)
      : decisions_(decisions), situation_(situation) {}

  void run() {
    find_conflicts();
    find_missing_requirements();
    carry_requirements();
    find_overlaps();
    carry_requirements();
  }

 private:
  /// What is found in one pass; written down at its end, so that no decision sees another's.
  struct Change {
    Decision* decision;
    Verdict verdict;
    Cause cause;
    std::string reason;
  };

  Decision* find(const std::string& id) {
    const auto at = std::find_if(decisions_.begin(), decisions_.end(),
                                 [&](const Decision& one) { return one.id == id; });
    return at == decisions_.end() ? nullptr : &*at;
  }
  static bool applies(const Decision* decision) {
    return decision != nullptr && decision->patch != nullptr && decision->verdict == Verdict::apply;
  }

  /// The first reason for a decision stays.
  static void write(std::vector<Change> changes) {
    for (auto& change : changes) {
      if (change.decision->verdict != Verdict::apply) continue;
      change.decision->verdict = change.verdict;
      change.decision->cause = change.cause;
      change.decision->reason = std::move(change.reason);
    }
  }

  void find_conflicts() {
    std::vector<Change> changes;
    const auto clash = [&](Decision& one, const Decision& other) {
      changes.push_back(
          {&one, Verdict::fail, Cause::conflict,
           fmt::format("{} conflicts with {}: turn one of them off", one.id, other.id)});
    };
    for (auto& decision : decisions_) {
      if (!applies(&decision)) continue;
      for (const auto& id : decision.patch->conflicts) {
        auto* other = find(id);
        if (!applies(other)) continue;
        clash(decision, *other);
        clash(*other, decision);
      }
    }
    write(std::move(changes));
  }

  void find_missing_requirements() {
    std::vector<Change> changes;
    for (auto& decision : decisions_) {
      if (!applies(&decision)) continue;
      for (const auto& id : decision.patch->requires_ids) {
        const auto* other = find(id);
        if (other == nullptr || other->patch == nullptr) continue;  // the loader refuses it
        if (other->cause != Cause::not_enabled && other->cause != Cause::disabled) continue;
        changes.push_back(
            {&decision, Verdict::fail, Cause::missing_requirement,
             other->cause == Cause::disabled
                 ? fmt::format("{} requires {}, which is {}", decision.id, id, other->reason)
                 : fmt::format("{} requires {}, which isn't enabled: set {}=1", decision.id, id,
                               other->patch->flag)});
      }
    }
    write(std::move(changes));
  }

  /// What depends on a patch that doesn't apply is skipped with it, over any number of steps. A
  /// retired requirement is met: vLLM has it.
  void carry_requirements() {
    for (bool more = true; more;) {
      std::vector<Change> changes;
      for (auto& decision : decisions_) {
        if (!applies(&decision)) continue;
        for (const auto& id : decision.patch->requires_ids) {
          const auto* other = find(id);
          if (other == nullptr || applies(other) || other->cause == Cause::retired) continue;
          changes.push_back(
              {&decision, Verdict::skip, Cause::with_failed,
               fmt::format("requires {}, which {}", id,
                           other->verdict == Verdict::fail ? "failed" : "is skipped")});
        }
      }
      more = !changes.empty();
      write(std::move(changes));
    }
  }

  void find_overlaps() {
    std::vector<const patch::PatchFinding*> findings;
    for (const auto& decision : decisions_)
      if (applies(&decision) && decision.finding) findings.push_back(&*decision.finding);
    if (findings.empty()) return;
    const auto composed = patch::compose(findings, situation_.source);
    if (!composed) return;  // the overlay composes too, and says it
    std::vector<Change> changes;
    for (const auto& overlap : composed->overlaps)
      for (const auto* id : {&overlap.first_id, &overlap.second_id})
        if (auto* decision = find(*id); decision != nullptr)
          changes.push_back({decision, Verdict::fail, Cause::conflict, overlap.reason});
    write(std::move(changes));
  }

  std::vector<Decision>& decisions_;
  const Situation& situation_;
};

}  // namespace

void settle_together(std::vector<Decision>& decisions, const Situation& situation) {
  Settler(decisions, situation).run();
}

}  // namespace sndr::plan
