// SPDX-License-Identifier: Apache-2.0
#include "overlay/inplace.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "overlay/journal.h"
#include "overlay/overlay.h"
#include "overlay/store.h"
#include "patch/edit.h"
#include "plan/plan.h"
#include "probe/tree.h"

namespace sndr::overlay {
namespace {

constexpr std::string_view kV12Marker = "# [Genesis wiring marker:";

fs::path in_place_dir() {
  return home() / "inplace";
}

fs::path journal_folder(const probe::Tree& tree) {
  return in_place_dir() / sha256_hex(tree.package.string()).substr(0, 16);
}

Journal journal_of(const probe::Tree& tree) {
  return {tree.package, journal_folder(tree)};
}

/// What tells this installation from one that pip puts in its place: RECORD's hash.
std::string installation(const probe::Tree& tree) {
  if (tree.dist_info.empty()) return {};
  const auto record = read_file(tree.dist_info / "RECORD");
  return record ? sha256_hex(*record) : std::string{};
}

tl::unexpected<Error> refuse(std::string what, std::string hint) {
  Error error;
  error.code = Errc::conflict;
  error.what = std::move(what);
  error.hint = std::move(hint);
  return fail(std::move(error));
}

/// One process at a time, in a folder that nobody else can write: the originals in it become code.
Result<FileLock> lock_tree(const probe::Tree& tree) {
  SNDR_CHECK(check_owner(in_place_dir()));
  return FileLock::take(journal_folder(tree).string() + ".lock");
}

Result<std::vector<patch::PatchedFile>> wanted_files(const plan::Plan& plan,
                                                     const TreeReader& reader) {
  std::vector<const patch::PatchFinding*> findings;
  for (const auto* finding : plan::applied_findings(plan)) {
    if (!finding->patch->plugin.empty())
      return refuse(
          fmt::format("{} brings a vLLM plugin, which can't be put in place", finding->patch->id),
          "use `sndr run`, or leave it out: --disable " + finding->patch->id);
    findings.push_back(finding);
  }
  SNDR_TRY(auto composed, patch::compose(findings, reader.source()));
  if (composed.overlaps.empty()) return std::move(composed.files);
  std::string what;
  for (const auto& overlap : composed.overlaps) what += (what.empty() ? "" : "; ") + overlap.reason;
  return refuse(std::move(what), "enable only one of them");
}

/// The tree holds exactly these texts already.
bool is_applied(const Journal& journal, const std::vector<patch::PatchedFile>& wanted,
                const probe::Tree& tree) {
  std::vector<std::string> ours;
  for (const auto& entry : journal.entries())
    if (entry.kind != JournalEntry::Kind::compiled) ours.push_back(entry.path);
  const auto stands = [&](const patch::PatchedFile& file) {
    const auto text = read_file(tree.package / file.path);
    return text && *text == file.text &&
           std::find(ours.begin(), ours.end(), file.path) != ours.end();
  };
  return journal.state() == JournalState::applied && ours.size() == wanted.size() &&
         std::all_of(wanted.begin(), wanted.end(), stands);
}

/// The files are those that the plan was made from, and nobody patched them before us.
Status check_pristine(const std::vector<patch::PatchedFile>& wanted, const probe::Tree& tree,
                      const TreeReader& reader) {
  for (const auto& file : wanted) {
    if (file.created) continue;
    const fs::path path = tree.package / file.path;
    SNDR_TRY(const auto text, read_file(path));
    if (text.find(kV12Marker) != std::string::npos)
      return refuse(fmt::format("{} carries an edit of Genesis v12", path.string()),
                    "put vLLM's own files back first: " + probe::reinstall_command(tree));
    if (sha256_hex(text) != reader.digest(file.path))
      return refuse(fmt::format("{} changed while the plan was made", path.string()),
                    "wait until whatever writes to the tree is done, then try again");
  }
  return {};
}

/// From any state back to the tree as it was.
Status settle(Journal& journal, const probe::Tree& tree) {
  if (journal.state() != JournalState::none && journal.installed() != installation(tree))
    return journal.abandon();
  return journal.revert();
}

std::vector<std::string> ids_of(const std::vector<patch::PatchedFile>& files) {
  std::vector<std::string> out;
  for (const auto& file : files)
    for (const auto& id : file.ids)
      if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  return out;
}

}  // namespace

Result<InPlaceResult> apply_in_place(const plan::Plan& plan, const probe::Tree& tree,
                                     const TreeReader& reader) {
  SNDR_TRY(auto wanted, wanted_files(plan, reader));
  SNDR_TRY(const auto lock, lock_tree(tree));
  Journal journal = journal_of(tree);
  SNDR_CHECK(journal.load());
  InPlaceResult out{wanted.size(), ids_of(wanted), journal_folder(tree)};
  if (!wanted.empty() && is_applied(journal, wanted, tree)) return out;
  SNDR_CHECK(settle(journal, tree));
  if (wanted.empty()) return out;
  SNDR_CHECK(check_pristine(wanted, tree, reader));
  std::vector<NewFile> files;
  for (auto& file : wanted) files.push_back({std::move(file.path), std::move(file.text)});
  SNDR_CHECK(journal.apply(files, out.ids, installation(tree)));
  return out;
}

Result<InPlaceResult> revert(const probe::Tree& tree) {
  InPlaceResult out;
  out.journal = journal_folder(tree);
  if (!stat_path(out.journal).is_dir) return out;
  SNDR_TRY(const auto lock, lock_tree(tree));
  Journal journal = journal_of(tree);
  SNDR_CHECK(journal.load());
  out.ids = journal.ids();
  for (const auto& entry : journal.entries())
    if (entry.kind != JournalEntry::Kind::compiled) ++out.files;
  SNDR_CHECK(settle(journal, tree));
  return out;
}

InPlaceState in_place_state(const probe::Tree& tree) {
  Journal journal = journal_of(tree);
  if (!journal.load()) return InPlaceState::interrupted;
  switch (journal.state()) {
    case JournalState::none:
      return InPlaceState::none;
    case JournalState::applied:
      return InPlaceState::applied;
    case JournalState::applying:
    case JournalState::reverting:
      break;
  }
  return InPlaceState::interrupted;
}

std::map<std::string, fs::path> originals(const probe::Tree& tree) {
  std::map<std::string, fs::path> out;
  Journal journal = journal_of(tree);
  if (!journal.load() || journal.state() == JournalState::none) return out;
  for (const auto& entry : journal.entries()) {
    if (entry.kind == JournalEntry::Kind::compiled) continue;
    const fs::path path = tree.package / entry.path;
    const auto text = read_file(path);
    if (!text || sha256_hex(*text) != entry.is) continue;  // put back already, or someone else's
    if (entry.kind == JournalEntry::Kind::created)
      out[entry.path] = fs::path();
    else
      out[entry.path] =
          entry.link.empty() ? journal.backup(entry) : path.parent_path() / entry.link;
  }
  return out;
}

}  // namespace sndr::overlay
