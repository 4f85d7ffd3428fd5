// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/words.h"
#include "json/json.h"
#include "overlay/overlay.h"
#include "pack/pack.h"
#include "pack/patch.h"
#include "patch/edit.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/tree.h"

// A proof is a program: it ends with 0 where vLLM behaves, 1 where it shows the bug, 2 where it
// can't run. It runs twice in the user's environment, on stock and with the overlay, and has to say
// 1, then 0.
namespace sndr::cli {
namespace {

constexpr Option kPython{.name = "--python",
                         .value = "PY",
                         .help = "the interpreter to run proofs with; the tree's own unless given"};
constexpr Option kEvery{.name = "--all", .value = {}, .help = "every patch of the pack"};
constexpr Option kLevel{
    .name = "--level",
    .value = "engine|function|text",
    .help = "prove at this level alone, instead of the best one that runs here"};
constexpr std::string_view kLibrary = "pack/patches/_proof/genesis_proof.py";
constexpr int kRight = 0;
constexpr int kBug = 1;
constexpr int kCannotRun = 2;
constexpr int kLimitMs = 15 * 60 * 1000;

enum class State : std::uint8_t { proved, not_needed, cannot_run, not_proved };

std::string_view to_text(State state) {
  switch (state) {
    case State::proved:
      return "proved";
    case State::not_needed:
      return "not needed";
    case State::cannot_run:
      return "can't run";
    case State::not_proved:
      return "NOT PROVED";
  }
  return {};
}

struct Outcome {
  // NOLINTBEGIN(readability-redundant-member-init): g++ warns of what a list leaves out without one
  State state = State::not_proved;
  std::string why = {};      ///< one sentence
  std::string stock = {};    ///< what the proof printed on stock
  std::string patched = {};  ///< and with the patch
  // NOLINTEND(readability-redundant-member-init)
};

/// A folder that is gone with the value.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "sndr-proof-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Prover {
 public:
  Prover(const Call& call, const pack::Pack& pack, const probe::Tree& tree)
      : pack_(pack), tree_(tree), reader_(tree) {
    python_ = call.value(kPython.name, tree.python.empty() ? "python3" : tree.python);
    own_python_ = python_ == tree.python;
    level_ = call.value(kLevel.name);
  }

  [[nodiscard]] Outcome prove(const pack::Patch& patch) const {
    const auto finding = patch::judge(patch, reader_.source());
    if (finding.state == patch::PatchState::retired ||
        finding.state == patch::PatchState::elsewhere)
      return {.state = State::not_needed, .why = finding.reason};
    if (finding.state == patch::PatchState::drifted)
      return {.why = "it drifted here: sndr patches verify"};
    if (patch.proof.empty()) return {.why = "it has no proof.py"};
    auto outcome = run_both(patch);
    return outcome ? *outcome : Outcome{.why = render(outcome.error())};
  }

 private:
  /// The patch with all that it requires, as a plan that applies it whatever the facts and flags
  /// say.
  [[nodiscard]] plan::Plan plan_for(const pack::Patch& patch) const {
    plan::Plan plan;
    plan.vllm = tree_.version_text;
    std::vector<std::string> wanted = {patch.id};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto* one = pack_.patch(wanted[i]);
      if (one == nullptr) continue;
      plan.decisions.push_back({.id = one->id,
                                .title = one->title,
                                .verdict = plan::Verdict::apply,
                                .cause = plan::Cause::none,
                                .reason = {},
                                .patch = one,
                                .legacy = nullptr,
                                .finding = patch::judge(*one, reader_.source())});
      for (const auto& id : one->requires_ids)
        if (std::find(wanted.begin(), wanted.end(), id) == wanted.end()) wanted.push_back(id);
    }
    plan.applied = plan.decisions.size();
    return plan;
  }

  [[nodiscard]] Result<Finished> run(const fs::path& proof, const overlay::Built* built) const {
    auto environment = plan::process_environment();
    std::erase_if(environment, [](const auto& entry) {
      return entry.first.starts_with("GENESIS_") || entry.first.starts_with("SNDR_");
    });
    environment["GENESIS_PROOF_TREE"] = tree_.site.string();
    environment["GENESIS_PROOF_LIB"] = (proof.parent_path() / "_proof").string();
    if (!level_.empty()) environment["GENESIS_PROOF_LEVEL"] = level_;
    environment["PYTHONDONTWRITEBYTECODE"] = "1";
    if (!own_python_) {
      const auto before = environment["PYTHONPATH"];
      environment["PYTHONPATH"] = tree_.site.string() + (before.empty() ? "" : ":" + before);
    }
    if (built != nullptr) {
      const auto path = environment["PYTHONPATH"];
      for (const auto& [name, value] :
           overlay::environment_for(*built, proof.parent_path() / "live"))
        environment[name] = value;
      // environment_for() knows our own PYTHONPATH, not the one that was made here.
      environment["PYTHONPATH"] =
          (built->path / "boot").string() + (path.empty() ? "" : ":" + path);
      environment["GENESIS_PROOF_OVERLAY"] = built->path.string();
    }
    const Spawn spawn{.argv = {python_, proof.string()},
                      .env = name_value_pairs(environment),
                      .cwd = proof.parent_path().string(),
                      .input = {},
                      .timeout_ms = kLimitMs};
    return run_process(spawn);
  }

  [[nodiscard]] Result<Outcome> run_both(const pack::Patch& patch) const {
    const TemporaryFolder folder;
    if (folder.path().empty()) return fail(Errc::io, "cannot make a temporary folder");
    const auto proof = folder.path() / "proof.py";
    SNDR_CHECK(write_file(proof, patch.proof, 0644, Durable::no));
    if (const auto library = pack::embedded(kLibrary))
      SNDR_CHECK(
          write_file(folder.path() / "_proof" / "genesis_proof.py", *library, 0644, Durable::no));
    SNDR_TRY(const auto stock, run(proof, nullptr));
    Outcome out;
    out.stock = stock.out + stock.err;
    if (stock.code == kCannotRun) {
      out.state = State::cannot_run;
      out.why = std::string(trim(out.stock));
      return out;
    }
    SNDR_TRY(const auto built, overlay::build(plan_for(patch), tree_, reader_));
    if (!built) return fail(Errc::internal, "no overlay came of it");
    SNDR_TRY(const auto patched, run(proof, &*built));
    out.patched = patched.out + patched.err;
    judge(stock, patched, out);
    return out;
  }

  static void judge(const Finished& stock, const Finished& patched, Outcome& out) {
    const auto level = level_of(stock.out);
    if (patched.code == kCannotRun) {
      out.why = "it runs on stock, but not with the patch";
    } else if (stock.code != kBug || patched.code != kRight) {
      out.why = fmt::format(
          "stock ended with {} (1 is expected), with the patch with {} (0 is expected){}",
          stock.code, patched.code, stock.timed_out || patched.timed_out ? ", out of time" : "");
    } else if (level_of(patched.out) != level) {
      out.why = fmt::format("on stock it ran at level {}, with the patch at level {}", level,
                            level_of(patched.out));
    } else {
      out.state = State::proved;
      out.why = "stock shows the bug, the patch takes it away" +
                (level.empty() ? "" : " (level " + level + ")");
    }
  }

  /// What the proof says that it ran at: its line "level: engine".
  static std::string level_of(std::string_view output) {
    constexpr std::string_view kLine = "level: ";
    for (const auto line : split_lines(output))
      if (line.starts_with(kLine)) return std::string(line.substr(kLine.size()));
    return {};
  }

  const pack::Pack& pack_;
  const probe::Tree& tree_;
  overlay::TreeReader reader_;
  std::string python_;
  bool own_python_ = false;
  std::string level_;
};

std::string indented(std::string_view text) {
  std::string out;
  for (const auto line : split_lines(text)) out += "    " + std::string(line) + "\n";
  return out;
}

void show(const Call& call, const pack::Patch& patch, const Outcome& outcome) {
  const auto style = outcome.state == State::proved       ? term::Style::green
                     : outcome.state == State::not_proved ? term::Style::red
                                                          : term::Style::yellow;
  print("{} {}: {}\n", term::paint(call.out, style, to_text(outcome.state)), patch.id, outcome.why);
  if (outcome.state == State::cannot_run || outcome.state == State::not_needed) return;
  if (!outcome.stock.empty()) put("  on stock:\n" + indented(outcome.stock));
  if (!outcome.patched.empty()) put("  with the patch:\n" + indented(outcome.patched));
}

json::Object to_json(const pack::Patch& patch, const Outcome& outcome) {
  json::Object out;
  out["id"] = patch.id;
  out["state"] = outcome.state == State::proved       ? "proved"
                 : outcome.state == State::not_needed ? "not_needed"
                 : outcome.state == State::cannot_run ? "cannot_run"
                                                      : "not_proved";
  out["why"] = outcome.why;
  out["declared_level"] = patch.proof_level;
  out["stock"] = outcome.stock;
  out["patched"] = outcome.patched;
  return out;
}

Result<std::vector<const pack::Patch*>> wanted(const Call& call, const pack::Pack& pack) {
  std::vector<const pack::Patch*> out;
  if (call.has(kEvery.name)) {
    for (const auto& patch : pack.patches) out.push_back(&patch);
    return out;
  }
  if (call.positionals.empty())
    return fail(Errc::invalid_input, "`sndr patches prove` needs an ID, or --all");
  const auto named = pack.named(call.word(0));
  if (named.patch == nullptr)
    return fail(Errc::not_found, "this pack has no patch '{}'", call.word(0));
  out.push_back(named.patch);
  return out;
}

Result<int> patches_prove(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  SNDR_TRY(const auto patches, wanted(call, pack));
  auto query = tree_query(call);
  if (!query) return fail(query.error());
  if (query->vllm.empty() && call.has(kPython.name)) query->program = call.value(kPython.name);
  SNDR_TRY(const auto tree, probe::find_tree(*query));
  const Prover prover(call, pack, tree);
  if (!call.has(kJson.name)) advise(describe(tree) + "\n");
  json::Array list;
  bool good = true;
  term::Progress progress("proving");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    progress.step(i, patches.size(), patches[i]->id);
    const auto outcome = prover.prove(*patches[i]);
    good = good && (outcome.state == State::proved || outcome.state == State::not_needed);
    if (call.has(kJson.name))
      list.push_back(to_json(*patches[i], outcome));
    else
      show(call, *patches[i], outcome);
  }
  if (call.has(kJson.name)) {
    json::Object out;
    out["proofs"] = std::move(list);
    put_json(out);
  }
  return good ? 0 : 1;
}

}  // namespace

extern const Command kPatchesProve{
    .name = "patches prove",
    .summary = "Show a patch's bug on stock vLLM, and that the patch takes it away",
    .details =
        "Runs the patch's proof.py twice in your environment: on stock it has to show the bug, "
        "with the patch "
        "it has to pass. Exit 1 for any that doesn't, or can't run here.",
    .positionals = {{.name = "ID", .help = "the patch", .required = false}},
    .options = {kEvery, kLevel, kVllm, kAsVersion, kPython, kPack, kJson},
    .example =
        "sndr patches prove PN91\n"
        "sndr patches prove --all --python /opt/venv/bin/python\n"
        "sndr patches prove PN91 --vllm 0.33.0",
    .run = patches_prove};

}  // namespace sndr::cli
