// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "json/json.h"
#include "pack/pack.h"
#include "pack/patch.h"

namespace sndr::cli {
namespace {

constexpr Option kIds{.name = "--ids", .value = {}, .help = "print the ids alone, one a line"};
constexpr Option kDefaultOn{
    .name = "--default-on", .value = {}, .help = "only those that `sndr run` enables by itself"};
constexpr Option kLifecycle{.name = "--lifecycle",
                            .value = "stable|experimental|retired",
                            .help = "only those of this lifecycle"};
constexpr Option kMechanism{.name = "--mechanism",
                            .value = "text|plugin|gateway|launch",
                            .help = "only those that work this way"};

std::vector<const pack::Patch*> wanted(const Call& call, const pack::Pack& pack) {
  std::vector<const pack::Patch*> out;
  for (const auto& patch : pack.patches) {
    if (call.has(kDefaultOn.name) && !patch.default_on) continue;
    if (call.has(kLifecycle.name) && to_text(patch.lifecycle) != call.value(kLifecycle.name))
      continue;
    if (call.has(kMechanism.name) && to_text(patch.mechanism) != call.value(kMechanism.name))
      continue;
    out.push_back(&patch);
  }
  return out;
}

/// v12's ids, without those that a patch of ours has already.
std::vector<const pack::Legacy*> legacy_wanted(const Call& call, const pack::Pack& pack) {
  std::vector<const pack::Legacy*> out;
  if (!call.has(kAll.name)) return out;
  for (const auto& entry : pack.legacy)
    if (pack.patch(entry.id) == nullptr) out.push_back(&entry);
  std::sort(out.begin(), out.end(),
            [](const auto* a, const auto* b) { return pack::id_less(a->id, b->id); });
  return out;
}

void print_json(const pack::Pack& pack, const std::vector<const pack::Patch*>& patches,
                const std::vector<const pack::Legacy*>& legacy, bool all) {
  json::Array list;
  for (const auto* patch : patches) list.push_back(to_json(*patch));
  json::Object out;
  out["count"] = patches.size();
  out["source"] = pack.source;
  out["patches"] = std::move(list);
  if (all) {
    json::Array answers;
    for (const auto* entry : legacy) answers.push_back(to_json(pack, *entry));
    out["legacy"] = std::move(answers);
  }
  put_json(out);
}

Result<int> patches_list(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  const auto patches = wanted(call, pack);
  const auto legacy = legacy_wanted(call, pack);
  if (call.has(kJson.name)) {
    print_json(pack, patches, legacy, call.has(kAll.name));
    return 0;
  }
  if (call.has(kIds.name)) {
    for (const auto* patch : patches) put(patch->id + "\n");
    for (const auto* entry : legacy) put(entry->id + "\n");
    return 0;
  }
  term::Table table({"ID", "TITLE", "LIFECYCLE", "HOW", "DEFAULT", "VLLM"}, 1);
  for (const auto* patch : patches) {
    table.add({patch->id, patch->title, std::string(to_text(patch->lifecycle)),
               std::string(to_text(patch->mechanism)), patch->default_on ? "on" : "",
               patch->vllm.text()});
    table.style(0, term::Style::bold);
  }
  if (!patches.empty()) put(table.render(call.out));
  if (!legacy.empty()) {
    term::Table answers({"ID", "ANSWER"}, 1);
    for (const auto* entry : legacy) answers.add({entry->id, pack.answer(*entry)});
    put((patches.empty() ? "" : "\n") + answers.render(call.out));
  }
  advise("one of them: sndr patches explain ID\n");
  return 0;
}

}  // namespace

extern const Command kPatchesList{
    .name = "patches list",
    .summary = "List the patches that this pack has",
    .details =
        "DEFAULT says which ones `sndr run` enables where the environment doesn't say otherwise. "
        "VLLM is the span that was verified.",
    .options = {kAll, kIds, kDefaultOn, kLifecycle, kMechanism, kPack, kJson},
    .example =
        "sndr patches list\n"
        "sndr patches list --all\n"
        "sndr patches list --json",
    .run = patches_list};

}  // namespace sndr::cli
