// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "cli/apply.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/session.h"
#include "json/json.h"
#include "overlay/inplace.h"
#include "overlay/overlay.h"
#include "plan/boot_log.h"
#include "plan/plan.h"
#include "probe/tree.h"

namespace sndr::cli {
namespace {

constexpr Option kPrintOverlay{
    .name = "--print-overlay",
    .value = {},
    .help = "print the overlay's path alone, and nothing where nothing applies"};
constexpr Option kInPlace{.name = "--in-place",
                          .value = {},
                          .help =
                              "replace vLLM's own files, for platforms that can't use the hook; "
                              "`sndr revert` puts them back"};

Result<int> in_place(const Call& call, const Session& session) {
  const auto before = overlay::in_place_state(session.tree);
  SNDR_TRY(const auto result, overlay::apply_in_place(session.plan, session.tree, *session.reader));
  if (before == overlay::InPlaceState::interrupted)
    advise("an interrupted --in-place was tidied up first\n");
  log_plan(call, session.plan, session.plan.applied > 0 ? "in place" : "stock");
  if (call.has(kJson.name)) {
    auto out = to_json(session.plan);
    out["in_place"] = session.tree.package.string();
    out["files"] = result.files;
    out["journal"] = result.journal.string();
    put_json(out);
  } else if (session.plan.applied > 0) {
    put(session.tree.package.string() + "\n");
    advise("to undo it: sndr revert\n");
  }
  return session.plan.failed > 0 ? 1 : 0;
}

/// The .pth hook asks from inside the engine, so the engine is our parent; `status` then knows it.
Status record_caller(const Call& call, const plan::Plan& plan, const overlay::Built& built) {
  Run run;
  run.pid = ::getppid();
  run.start_time = process_start_time(run.pid);
  run.since = std::time(nullptr);
  run.by = "hook";
  run.command = call.rest;
  run.overlay = built.path.string();
  run.live = live_file_of(run.pid).string();
  run.ids = applied_ids(plan);
  run.vllm = plan.vllm;
  return write_run(run);
}

/// What the .pth hook asks at every start of a vLLM: quiet and quick where nothing is enabled.
bool nothing_to_ask(const Call& call, const Session& session) {
  return call.has(kPrintOverlay.name) && !any_enabled(session.flags);
}

Result<int> apply(const Call& call) {
  SNDR_TRY(auto session, open_session(call, Defaults::no));
  if (nothing_to_ask(call, *session)) {
    show_notices(call, session->flags.notices, Notes::no);
    return 0;
  }
  SNDR_CHECK(make_plan(call, *session));
  const auto& plan = session->plan;
  if (plan.failed > 0 && !call.has(kKeepGoing.name)) {
    log_plan(call, plan, "no overlay");
    advise(std::string(kAfterFailure));
    if (call.has(kJson.name)) put_json(to_json(plan));
    return 1;
  }
  if (call.has(kInPlace.name)) return in_place(call, *session);
  SNDR_TRY(const auto built, overlay::build(plan, session->tree, *session->reader));
  log_plan(call, plan, layer_of(built));
  if (call.has(kJson.name)) {
    auto out = to_json(plan);
    out["overlay"] = built ? json::Value(built->path.string()) : json::Value();
    out["hash"] = built ? json::Value(built->hash) : json::Value();
    put_json(out);
  } else if (built) {
    put(built->path.string() + "\n");
  }
  if (built && call.has(kPrintOverlay.name))
    if (const auto done = record_caller(call, plan, *built); !done)
      advise("note: " + render(done.error()) + "\n");
  return 0;
}

Result<int> revert(const Call& call) {
  SNDR_TRY(const auto query, tree_query(call));
  SNDR_TRY(const auto tree, probe::find_tree(query));
  const auto state = overlay::in_place_state(tree);
  SNDR_TRY(const auto result, overlay::revert(tree));
  if (call.has(kJson.name)) {
    json::Object out;
    out["tree"] = to_json(tree);
    out["files"] = result.files;
    out["patches"] = to_json(result.ids);
    put_json(out);
  } else if (state == overlay::InPlaceState::none) {
    print("{} has no patches in place: nothing to do\n", tree.package.string());
  } else {
    print("{}: {} files are vLLM's own again\n", tree.package.string(), result.files);
  }
  return 0;
}

}  // namespace

std::vector<std::string> applied_ids(const plan::Plan& plan) {
  std::vector<std::string> out;
  for (const auto& decision : plan.decisions)
    if (decision.verdict == plan::Verdict::apply) out.push_back(decision.id);
  return out;
}

std::string layer_of(const std::optional<overlay::Built>& built) {
  return built ? "overlay " + built->hash.substr(0, 8) : "stock";
}

void log_plan(const Call& call, const plan::Plan& plan, std::string_view layer) {
  const auto style =
      call.value(kLogStyle.name) == "tags" ? plan::LogStyle::tags : plan::LogStyle::lines;
  advise(plan::boot_log(plan, style, layer, call.err));
}

extern const Command kApply{
    .name = "apply",
    .summary = "Build the overlay that a start with these flags would use, and print its path",
    .details =
        "The boot log goes to stderr. An overlay is a folder with patched copies of vLLM's files; "
        "vLLM's "
        "own files stay as they are, except under --in-place. Without --keep-going one failed "
        "patch is "
        "exit 1 and nothing is built.",
    .options = {kEnable, kDisable, kVllm, kAsVersion, kAssume, kFakeGpus, kTryNewer, kKeepGoing,
                kPrintOverlay, kInPlace, kAll, kStrictEnv, kLogStyle, kPack, kJson},
    .takes_rest = true,
    .example =
        "sndr apply --enable PN91\n"
        "sndr apply -- vllm serve Qwen/Qwen3.6-27B\n"
        "sndr apply --in-place --vllm /opt/venv/lib/python3.12/site-packages",
    .run = apply};

extern const Command kRevert{
    .name = "revert",
    .summary = "Put back every file that `apply --in-place` replaced",
    .details =
        "Bytes, modes, owners and names come back from any crash point. A file that someone "
        "changed since "
        "is left alone and named.",
    .options = {kVllm, kAsVersion, kJson},
    .example = "sndr revert\nsndr revert --vllm /opt/venv/lib/python3.12/site-packages",
    .run = revert};

}  // namespace sndr::cli
