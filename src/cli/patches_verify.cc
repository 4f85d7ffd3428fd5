// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verify.h"
#include "json/json.h"
#include "overlay/overlay.h"
#include "pack/pack.h"
#include "patch/drift.h"
#include "patch/edit.h"
#include "probe/tree.h"

namespace sndr::cli {
namespace {

constexpr std::array kStates = {patch::PatchState::intact, patch::PatchState::retired,
                                patch::PatchState::elsewhere, patch::PatchState::drifted};

/// Conflicting patches may claim the same bytes: they are never enabled together.
bool conflict(const pack::Pack& pack, const patch::Overlap& overlap) {
  const auto names = [&](const std::string& id, const std::string& other) {
    const auto* found = pack.patch(id);
    return found != nullptr && std::find(found->conflicts.begin(), found->conflicts.end(), other) !=
                                   found->conflicts.end();
  };
  return names(overlap.first_id, overlap.second_id) || names(overlap.second_id, overlap.first_id);
}

std::vector<patch::Overlap> overlaps_of(const pack::Pack& pack,
                                        const std::vector<patch::PatchFinding>& findings,
                                        const patch::Source& source) {
  std::vector<const patch::PatchFinding*> intact;
  for (const auto& finding : findings)
    if (finding.state == patch::PatchState::intact) intact.push_back(&finding);
  auto composed = patch::compose(intact, source);
  if (!composed) return {};
  std::erase_if(composed->overlaps, [&](const auto& overlap) { return conflict(pack, overlap); });
  return composed->overlaps;
}

Result<std::vector<probe::Tree>> trees_of(const Call& call) {
  auto folders = call.values(kVllm.name);
  folders.insert(folders.end(), call.positionals.begin(), call.positionals.end());
  std::vector<probe::Tree> out;
  if (folders.empty()) folders.emplace_back();
  for (const auto& folder : folders) {
    probe::TreeQuery query;
    SNDR_TRY(query.vllm, tree_folder(folder));
    query.as_version = call.value(kAsVersion.name);
    SNDR_TRY(auto tree, probe::find_tree(query));
    out.push_back(std::move(tree));
  }
  return out;
}

std::size_t count_of(const Verified& verified, patch::PatchState state) {
  return static_cast<std::size_t>(
      std::count_if(verified.findings.begin(), verified.findings.end(),
                    [&](const patch::PatchFinding& finding) { return finding.state == state; }));
}

json::Object to_json(const patch::DriftReport& report) {
  json::Object out;
  out["id"] = report.id;
  out["edit"] = report.edit;
  out["file"] = report.file;
  out["line"] = report.line;
  out["likeness"] = report.likeness;
  out["explanation"] = report.explanation;
  out["moved_to"] = report.moved_to;
  out["nearest"] = report.nearest;
  return out;
}

json::Object to_json(const Verified& verified) {
  json::Object out;
  out["tree"] = cli::to_json(verified.tree);
  json::Array patches;
  for (const auto& finding : verified.findings) {
    json::Object one;
    one["id"] = finding.patch->id;
    one["state"] = to_text(finding.state);
    one["reason"] = finding.reason;
    patches.push_back(std::move(one));
  }
  out["patches"] = std::move(patches);
  json::Array drift;
  for (const auto& report : verified.drift) drift.push_back(to_json(report));
  out["drift"] = std::move(drift);
  json::Array overlaps;
  for (const auto& overlap : verified.overlaps) {
    json::Object one;
    one["first"] = overlap.first_id;
    one["second"] = overlap.second_id;
    one["file"] = overlap.file;
    one["line"] = overlap.line;
    overlaps.push_back(std::move(one));
  }
  out["overlaps"] = std::move(overlaps);
  return out;
}

void show(const Call& call, const Verified& verified) {
  std::string counts;
  for (const auto state : kStates)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count_of(verified, state),
                          to_text(state));
  advise(fmt::format("{}: {}\n", describe(verified.tree), counts));
  show_drift(call, verified.drift);
  for (const auto& overlap : verified.overlaps)
    print("overlap: {} {} {}:{}\n", overlap.first_id, overlap.second_id, overlap.file,
          overlap.line);
}

Result<int> patches_verify(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  SNDR_TRY(auto trees, trees_of(call));
  std::vector<Verified> results(trees.size());
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < trees.size(); ++i)
      workers.emplace_back([&, i] { results[i] = verify_tree(pack, std::move(trees[i])); });
    results[0] = verify_tree(pack, std::move(trees[0]));
  }
  const bool clean = std::all_of(results.begin(), results.end(), [](const Verified& verified) {
    return verified.drift.empty() && verified.overlaps.empty();
  });
  if (call.has(kJson.name)) {
    json::Array list;
    for (const auto& verified : results) list.push_back(to_json(verified));
    json::Object out;
    out["clean"] = clean;
    out["trees"] = std::move(list);
    put_json(out);
  } else {
    for (const auto& verified : results) show(call, verified);
    if (!clean) advise("a variant for review: sndr patches rebase ID --vllm DIR\n");
  }
  return clean ? 0 : 1;
}

constexpr Option kTrees{
    .name = "--vllm",
    .value = "DIR",
    .help = "a tree to judge, as for every verb; more may follow it, or it may be repeated",
    .many = true};

}  // namespace

std::string_view to_text(patch::PatchState state) {
  switch (state) {
    case patch::PatchState::intact:
      return "intact";
    case patch::PatchState::retired:
      return "retired";
    case patch::PatchState::elsewhere:
      return "elsewhere";
    case patch::PatchState::drifted:
      return "drifted";
  }
  return {};
}

Verified verify_tree(const pack::Pack& pack, probe::Tree tree) {
  Verified out;
  out.tree = std::move(tree);
  const overlay::TreeReader reader(out.tree);
  const auto source = reader.source();
  std::vector<const patch::PatchFinding*> others;
  out.findings.reserve(pack.patches.size());
  for (const auto& patch : pack.patches) {
    out.findings.push_back(patch::judge(patch, source));
    others.push_back(&out.findings.back());
  }
  for (const auto& finding : out.findings) {
    if (finding.state != patch::PatchState::drifted) continue;
    for (const auto& edit : finding.edits)
      if (edit.state == patch::EditState::missing || edit.state == patch::EditState::ambiguous)
        out.drift.push_back(patch::explain_drift(
            *finding.patch, edit, source, [&] { return reader.all_files(); }, others));
  }
  out.overlaps = overlaps_of(pack, out.findings, source);
  return out;
}

void show_drift(const Call& call, const std::vector<patch::DriftReport>& drift) {
  for (const auto& report : drift) {
    print("drift: {} {}:{}\n", report.id, report.file, report.line);
    const auto text = patch::render(report, call.err);
    advise(text.substr(std::min(text.find('\n'), text.size() - 1) +
                       1));  // the first line stands above
  }
}

extern const Command kPatchesVerify{
    .name = "patches verify",
    .summary = "Judge every patch against one or more vLLM trees, by their text alone",
    .details =
        "No flag and no version counts: a patch is intact where its anchors stand, retired where "
        "vLLM has the "
        "fix, elsewhere where this vLLM never had the code, and drifted otherwise. One line "
        "`drift: ID "
        "FILE:LINE` each on stdout, what changed on stderr; exit 1 with any.",
    .positionals =
        {{.name = "DIR", .help = "more trees, or pins' versions", .required = false, .many = true}},
    .options = {kTrees, kAsVersion, kPack, kJson},
    .example =
        "sndr patches verify\n"
        "sndr patches verify --vllm ~/src/vllm\n"
        "sndr patches verify 0.22.1 0.24.0 0.32.0 0.33.0",
    .run = patches_verify};

}  // namespace sndr::cli
