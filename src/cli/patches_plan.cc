// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>

#include "base/error.h"
#include "base/term.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/words.h"
#include "plan/plan.h"

namespace sndr::cli {
namespace {

term::Style style_of(plan::Verdict verdict) {
  switch (verdict) {
    case plan::Verdict::apply:
      return term::Style::green;
    case plan::Verdict::fail:
      return term::Style::red;
    case plan::Verdict::skip:
      break;
  }
  return term::Style::plain;
}

Error no_presets(const std::string& preset) {
  return {.code = Errc::not_found,
          .what = fmt::format("no preset is called '{}': presets come in a later release", preset),
          .where = {},
          .hint =
              "until then flags come from the environment and from --enable: sndr patches plan "
              "--enable PN91 -- vllm serve MODEL",
          .trail = {}};
}

void show(const Call& call, const Session& session) {
  const auto& plan = session.plan;
  advise(describe(session.tree) + ", found by " + session.tree.found_by + "\n");
  if (!plan.mode_line.empty()) advise(plan.mode_line + "\n");
  show_notices(call, plan.notices, Notes::yes);
  for (const auto& note : session.facts.notes) advise("note: " + note + "\n");
  term::Table table({"", "ID", "WHY"}, 2);
  for (const auto& decision : plan.decisions) {
    table.add({std::string(to_text(decision.verdict)), decision.id,
               decision.reason.empty() ? decision.title : decision.reason});
    table.style(0, style_of(decision.verdict));
  }
  put(table.render(call.out));
  print("{} to apply, {} to skip, {} would fail\n", plan.applied, plan.skipped, plan.failed);
  if (plan.failed > 0) advise("what stands there now: sndr doctor\n");
}

Result<int> patches_plan(const Call& call) {
  if (!call.positionals.empty()) return fail(no_presets(call.word(0)));
  SNDR_TRY(auto session, open_session(call, Defaults::no));
  SNDR_CHECK(make_plan(call, *session));
  if (call.has(kJson.name)) {
    auto out = to_json(session->plan);
    out["tree"] = to_json(session->tree);
    out["facts"] = to_json(session->facts);
    put_json(out);
  } else {
    show(call, *session);
  }
  return session->plan.failed > 0 ? 1 : 0;
}

}  // namespace

extern const Command kPatchesPlan{
    .name = "patches plan",
    .summary = "Say which patches would fire on this vLLM, and why not the others",
    .details =
        "Nothing is written. Flags come from the environment, --enable and --disable; facts about "
        "the "
        "start come from the vLLM command after --, the model's config.json, the GPUs and "
        "--assume. "
        "Exit 1 if an enabled patch would fail.",
    .positionals = {{.name = "PRESET",
                     .help = "presets come in a later release",
                     .required = false}},
    .options = {kEnable, kDisable, kVllm, kAsVersion, kAssume, kFakeGpus, kTryNewer, kAll,
                kStrictEnv, kPack, kJson},
    .takes_rest = true,
    .example =
        "sndr patches plan --enable PN91\n"
        "sndr patches plan --all -- vllm serve Qwen/Qwen3.6-27B --kv-cache-dtype turboquant_k8v4\n"
        "sndr patches plan --vllm 0.33.0 --fake-gpus 2x3090 --json",
    .run = patches_plan};

}  // namespace sndr::cli
