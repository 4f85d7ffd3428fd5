// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/splice.h"
#include "overlay/overlay.h"
#include "pack/pack.h"
#include "pack/patch.h"
#include "patch/drift.h"
#include "patch/edit.h"
#include "probe/tree.h"

namespace sndr::cli {
namespace {

constexpr Option kWrite{
    .name = "--write",
    .value = {},
    .help = "add the variants to patch.yaml in the pack's folder (--pack, SNDR_PACK or ./pack)"};

struct Proposal {
  NewVariant variant;
  std::string place;  ///< "file.py:120"
  int conflicts = 0;
};

/// nullopt: nothing in the tree is near enough to the anchor.
std::optional<Proposal> propose(const patch::EditFinding& finding, const patch::DriftReport& report,
                                const patch::Source& source, const std::string& trees) {
  const auto file = report.moved_to.empty() ? finding.file : report.moved_to;
  const auto text = source(file);
  if (!text || finding.variant == nullptr) return std::nullopt;
  const auto rebased = patch::rebase(*finding.variant, *text);
  if (!rebased) return std::nullopt;
  return Proposal{.variant = {.edit = finding.edit->name,
                              .trees = trees,
                              .file = file == finding.edit->file ? "" : file,
                              .anchor = rebased->anchor,
                              .replacement = rebased->replacement},
                  .place = fmt::format("{}:{}", file, rebased->line),
                  .conflicts = rebased->conflicts};
}

Result<const pack::Patch*> patch_named(const pack::Pack& pack, const std::string& word) {
  if (const auto* found = pack.named(word).patch) return found;
  Error error{.code = Errc::not_found,
              .what = fmt::format("this pack has no patch '{}'", word),
              .where = {},
              .hint = "its patches: sndr patches list",
              .trail = {}};
  if (pack.named(word).legacy != nullptr)
    error.hint = "what became of it: sndr patches explain " + word;
  return fail(std::move(error));
}

/// Splices the proposals into patch.yaml and reads it back: a pack that no longer loads isn't left.
Status write_all(const Call& call, const pack::Patch& patch,
                 const std::vector<Proposal>& proposals) {
  SNDR_TRY(const auto folder, pack_folder(call));
  const auto path = folder / "patches" / (patch.id + "_" + patch.slug) / "patch.yaml";
  SNDR_TRY(const auto before, read_file(path));
  auto text = before;
  for (const auto& proposal : proposals) {
    SNDR_TRY(text, add_variant(text, path.string(), proposal.variant));
  }
  SNDR_CHECK(write_file(path, text));
  const auto loaded = pack::load_folder(folder.string());
  if (!loaded) {
    SNDR_CHECK(write_file(path, before));
    Error error = loaded.error().front();
    error.trail.emplace_back("the new variant; patch.yaml is as it was");
    return fail(std::move(error));
  }
  advise(fmt::format("wrote {}: review it, then: sndr patches verify --pack {} DIR...\n",
                     path.string(), shell_quote(folder.string())));
  return {};
}

Result<int> patches_rebase(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  SNDR_TRY(const auto* patch, patch_named(pack, call.word(0)));
  SNDR_TRY(const auto query, tree_query(call));
  SNDR_TRY(const auto tree, probe::find_tree(query));
  const overlay::TreeReader reader(tree);
  const auto source = reader.source();
  const auto finding = patch::judge(*patch, source);
  if (finding.state != patch::PatchState::drifted) {
    advise(fmt::format("{} needs no new variant for {}: {}\n", patch->id, describe(tree),
                       finding.reason));
    return 0;
  }
  const auto trees = tree.version ? tree.version->canonical() : tree.site.filename().string();
  std::vector<Proposal> proposals;
  bool all = true;
  for (const auto& edit : finding.edits) {
    if (edit.state != patch::EditState::missing && edit.state != patch::EditState::ambiguous)
      continue;
    const auto report =
        patch::explain_drift(*patch, edit, source, [&] { return reader.all_files(); });
    if (auto proposal = propose(edit, report, source, trees)) {
      proposals.push_back(*std::move(proposal));
      continue;
    }
    all = false;
    advise(fmt::format("edit '{}': nothing in this tree is near enough to its anchor: {}\n",
                       edit.edit->name, report.explanation));
  }
  for (const auto& proposal : proposals) {
    print("# edit '{}', from {}\n", proposal.variant.edit, proposal.place);
    if (proposal.conflicts > 0)
      print("# {} places were changed by vLLM and by the edit: the edit's text was taken\n",
            proposal.conflicts);
    put(variant_yaml(proposal.variant, 6));
  }
  if (call.has(kWrite.name) && !proposals.empty()) SNDR_CHECK(write_all(call, *patch, proposals));
  return all ? 0 : 1;
}

}  // namespace

extern const Command kPatchesRebase{
    .name = "patches rebase",
    .summary = "Propose a variant of a drifted patch for a vLLM whose text moved",
    .details =
        "The anchor is what stands in the tree now, the replacement is carried over by the same "
        "change. It is "
        "a proposal: read it, and run the patch's proof. Exit 1 where an edit's text is gone.",
    .positionals = {{.name = "ID", .help = "the patch"}},
    .options = {kVllm, kAsVersion, kWrite, kPack},
    .example =
        "sndr patches rebase PN91 --vllm ~/src/vllm\n"
        "sndr patches rebase PN91 --vllm 0.34.0 --write --pack pack",
    .run = patches_rebase};

}  // namespace sndr::cli
