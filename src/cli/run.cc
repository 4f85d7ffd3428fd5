// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/apply.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/runs.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/watch.h"
#include "cli/words.h"
#include "overlay/overlay.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/facts.h"

namespace sndr::cli {
namespace {

constexpr Option kNoDefaults{
    .name = "--no-defaults",
    .value = {},
    .help = "use the environment's flags alone, not those of default_on patches"};
constexpr Option kDryRun{
    .name = "--dry-run",
    .value = {},
    .help = "do everything but start it, and print the line that would be run"};

/// What will be started, and how.
struct Launch {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  ///< whole
  std::vector<std::string> changed;                ///< names that differ from ours, for people
};

void set(Launch& launch, const std::string& name, const std::string& value) {
  launch.environment[name] = value;
  launch.changed.push_back(name);
}

/// What the hook can't reach, said before it surprises somebody.
void warn_of_bypasses(const Call& call, const Session& session) {
  const auto warn = [&](std::string_view text) {
    advise(term::paint(call.err, term::Style::yellow, "warning:") + " " + std::string(text) + "\n");
  };
  const auto value = [&](const char* name) {
    const auto found = session.environment.find(name);
    return found == session.environment.end() ? std::string_view()
                                              : std::string_view(found->second);
  };
  if (truth_of(value("VLLM_USE_RUST_FRONTEND")) == Truth::yes)
    warn("VLLM_USE_RUST_FRONTEND is set: patches of the Python frontend don't act there");
  if (!session.command) return;
  if (!session.command->isolation.empty())
    warn(fmt::format("python {} ignores the environment, so no patch is loaded: leave it away",
                     session.command->isolation));
  const auto backend = session.command->flags.find("distributed-executor-backend");
  if (backend != session.command->flags.end() && backend->second == "ray")
    warn(
        "Ray's workers don't inherit this environment: run `sndr hook install` on every node, and "
        "start Ray with the same flags set");
}

Status use_overlay(const Session& session, const overlay::Built& built, Launch& launch) {
  for (const auto& [name, value] : overlay::environment_for(built, live_file_of(::getpid())))
    set(launch, name, value);
  set(launch, "GENESIS_MAIN_PID", std::to_string(::getpid()));
  if (session.command) {
    SNDR_TRY(launch.argv,
             probe::with_additional_config(launch.argv, "genesis_overlay", built.hash));
  }
  return {};
}

Status record(const Session& session, const Launch& launch, const overlay::Built* built) {
  Run run;
  run.command = launch.argv;
  run.pid = ::getpid();
  run.start_time = process_start_time(run.pid);
  run.since = std::time(nullptr);
  run.by = "run";
  run.vllm = session.plan.vllm;
  if (built != nullptr) {
    run.overlay = built->path.string();
    run.live = live_file_of(run.pid).string();
    run.ids = applied_ids(session.plan);
    SNDR_CHECK(write_file(run.live, "", 0600, Durable::no));
  }
  return write_run(run);
}

Status watch(const Session& session, const overlay::Built& built) {
  // With TLS the question can't be asked in the clear; the engine says it itself, or at its end.
  if (!session.command || session.command->flags.count("ssl-certfile") != 0 ||
      session.command->flags.count("uds") != 0)
    return {};
  return start_watch({.server = ::getpid(),
                      .host = session.command->host,
                      .port = session.command->port,
                      .overlay = built.path,
                      .live_file = live_file_of(::getpid())});
}

/// The words as exec() wants them; they point into `words`.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

Result<int> start(const Launch& launch, const std::string& program) {
  if (const int code = finish_output(0); code != 0) return code;
  auto pairs = name_value_pairs(launch.environment);
  auto words = launch.argv;
  const auto environment = pointers(pairs);
  const auto argv = pointers(words);
  restore_signals();
  ::execve(program.c_str(), argv.data(), environment.data());
  return fail(Errc::io, "cannot start {}: {}", program, std::strerror(errno));
}

/// "NAME=value NAME=value vllm serve ...", to be pasted into a shell.
std::string launch_line(const Launch& launch) {
  std::string out;
  for (const auto& name : launch.changed)
    if (name != "GENESIS_MAIN_PID" && name != "GENESIS_LIVE")
      out += name + "=" + shell_quote(launch.environment.at(name)) + " ";
  return out + shell_quote(launch.argv) + "\n";
}

/// Everything up to the start. Where a patch failed, nothing is built, unless under --keep-going.
Result<std::optional<overlay::Built>> prepare(const Call& call, Session& session, Launch& launch) {
  const bool enabled = any_enabled(session.flags);
  if (const auto planned = make_plan(call, session); !planned) {
    if (enabled) return fail(planned.error());
    session.plan.vllm =
        "not found";  // nobody asked for a patch, so the command starts all the same
    log_plan(call, session.plan, "stock");
    return std::optional<overlay::Built>();
  }
  const auto& plan = session.plan;
  if (plan.failed > 0 && !call.has(kKeepGoing.name)) {
    log_plan(call, plan, "no overlay");
    return std::optional<overlay::Built>();
  }
  SNDR_TRY(auto built, overlay::build(plan, session.tree, *session.reader));
  log_plan(call, plan, layer_of(built));
  if (built) {
    warn_of_bypasses(call, session);
    SNDR_CHECK(use_overlay(session, *built, launch));
  }
  return built;
}

Result<int> run(const Call& call) {
  if (call.rest.empty())
    return fail(Errc::invalid_input, "`sndr run` needs a command: sndr run -- CMD");
  const auto program = find_program(call.rest.front());
  if (program.empty() && !call.has(kDryRun.name))
    return fail(Errc::not_found, "cannot find the program '{}'", call.rest.front());
  SNDR_TRY(auto session,
           open_session(call, call.has(kNoDefaults.name) ? Defaults::no : Defaults::yes));
  Launch launch{.argv = call.rest, .environment = plan::process_environment(), .changed = {}};
  for (const auto& name : session->default_flags) set(launch, name, session->environment.at(name));
  if (!session->default_flags.empty())
    advise(fmt::format(
        "[INFO:genesis.apply_all] [Genesis] default_on: {} (--no-defaults leaves them away)\n",
        join(session->default_flags, " ")));
  SNDR_TRY(const auto built, prepare(call, *session, launch));
  if (session->plan.failed > 0 && !call.has(kKeepGoing.name)) {
    advise(kAfterFailure);
    return 1;
  }
  if (call.has(kDryRun.name)) {
    put(launch_line(launch));
    return 0;
  }
  // An engine doesn't stay down because nobody will be told about it.
  const auto tell = [&](const Status& done) {
    if (!done) advise("note: " + render(done.error()) + "\n");
  };
  if (built || session->command) tell(record(*session, launch, built ? &*built : nullptr));
  if (built) tell(watch(*session, *built));
  return start(launch, program);
}

}  // namespace

extern const Command kRun{
    .name = "run",
    .summary = "Start a command with the enabled patches in its vLLM",
    .details =
        "The flags of default_on patches are set where the environment doesn't set them itself. "
        "The boot "
        "log goes to stderr; then the command takes this process's place. With nothing enabled it "
        "starts "
        "untouched. The vLLM is that of the command's own environment.",
    .options = {kNoDefaults, kDryRun, kEnable, kDisable, kVllm, kAsVersion, kAssume, kFakeGpus,
                kTryNewer, kKeepGoing, kAll, kStrictEnv, kLogStyle, kPack},
    .takes_rest = true,
    .example =
        "sndr run -- vllm serve Qwen/Qwen3.6-27B\n"
        "GENESIS_ENABLE_PN91_DEVELOPER_ROLE=1 sndr run --no-defaults -- vllm serve MODEL\n"
        "sndr run --dry-run -- python3 -m vllm.entrypoints.openai.api_server --model MODEL",
    .stray =
        "the command goes after --: sndr run -- vllm serve MODEL. A preset is started by `sndr up "
        "PRESET`, then "
        "`sndr chat`; presets come in a later release",
    .run = run};

}  // namespace sndr::cli
