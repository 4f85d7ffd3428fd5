// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/statvfs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/hook_files.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verify.h"
#include "cli/words.h"
#include "json/json.h"
#include "overlay/inplace.h"
#include "overlay/overlay.h"
#include "pack/pack.h"
#include "patch/drift.h"
#include "plan/flags.h"
#include "plan/plan.h"
#include "probe/gpu.h"
#include "probe/tree.h"

// A section looks at one thing and never stops the others: a machine without vLLM still hears about
// its GPU.
namespace sndr::cli {
namespace {

enum class Level : std::uint8_t { good, note, problem };

struct Section {
  std::string title;
  std::vector<std::pair<Level, std::string>> lines;
  json::Object facts;

  void good(std::string text) { lines.emplace_back(Level::good, std::move(text)); }
  void note(std::string text) { lines.emplace_back(Level::note, std::move(text)); }
  void problem(std::string text) { lines.emplace_back(Level::problem, std::move(text)); }
};

std::string pin_of(const pack::Pack& pack, const probe::Tree& tree) {
  const auto* pin = tree.version ? pack.pin(tree.version_text) : nullptr;
  if (pin == nullptr) return "not a pin: anchors decide";
  return fmt::format("the pin `{}`, verified: {}", pin->slot, pin->verified);
}

void show_pristine(Section& out, const probe::Tree& tree) {
  const auto record = probe::Record::read(tree);
  if (!record) return out.problem(render(record.error()));
  const auto states = probe::check_pristine(tree, *record);
  if (!states) return out.problem(render(states.error()));
  out.facts["record"] = record->known();
  json::Array changed;
  bool v12 = false;
  for (const auto& state : *states) {
    v12 = v12 || state.v12_marker;
    if (state.state == probe::Pristine::yes && !state.v12_marker) continue;
    changed.emplace_back(state.file);
    out.problem(fmt::format(
        "{} {}{}", state.file,
        state.state == probe::Pristine::missing ? "is missing" : "isn't vLLM's own text",
        state.v12_marker ? " (patched by Genesis v12)" : ""));
  }
  const bool clean = changed.empty();
  out.facts["pristine"] = clean && record->known() ? json::Value(true)
                          : clean                  ? json::Value()
                                                   : json::Value(false);
  out.facts["changed_files"] = std::move(changed);
  out.facts["v12_marks"] = v12;
  if (!clean) {
    out.facts["reinstall"] = probe::reinstall_command(tree);
    out.note("to put it back: " + probe::reinstall_command(tree));
  } else if (record->known()) {
    out.good(
        fmt::format("pristine: every Python file has the hash that the wheel recorded ({} entries)",
                    record->size()));
  } else {
    out.note("it has no RECORD, so its files count as pristine as they are");
  }
}

void show_in_place(Section& out, const probe::Tree& tree) {
  const auto state = overlay::in_place_state(tree);
  out.facts["in_place"] = state == overlay::InPlaceState::none      ? "none"
                          : state == overlay::InPlaceState::applied ? "applied"
                                                                    : "interrupted";
  if (state == overlay::InPlaceState::applied)
    out.note("patched in place; to undo it: sndr revert");
  if (state == overlay::InPlaceState::interrupted)
    out.problem("an `apply --in-place` was interrupted; to put the files back: sndr revert");
}

Section vllm_section(const pack::Pack& pack, const Result<probe::Tree>& tree) {
  Section out{.title = "vLLM", .lines = {}, .facts = {}};
  if (!tree) {
    out.problem(render(tree.error()));
    return out;
  }
  out.facts = to_json(*tree);
  out.good(fmt::format("{}, found by {}{}", describe(*tree), tree->found_by,
                       tree->editable ? ", editable" : ""));
  out.good(pin_of(pack, *tree));
  show_pristine(out, *tree);
  show_in_place(out, *tree);
  return out;
}

/// What the flags ask for, on this tree, with what is known about the start.
struct Judged {
  Section section;
  bool ready = true;
};

Judged patches_section(const Call& call, const pack::Pack& pack, const probe::Tree& tree) {
  Judged out{.section = {.title = "patches", .lines = {}, .facts = {}}, .ready = true};
  auto& section = out.section;
  const auto verified = verify_tree(pack, tree);
  std::vector<std::string> drifted;
  for (const auto& report : verified.drift) {
    drifted.push_back(fmt::format("{} {}:{}", report.id, report.file, report.line));
    section.note("drifted: " + drifted.back() + ": " + report.explanation);
  }
  if (drifted.empty())
    section.good(
        fmt::format("no drift: all {} patches know what they find here", verified.findings.size()));
  section.facts["drift"] = to_json(drifted);
  auto session = open_session(call, Defaults::no);
  const auto planned = session ? make_plan(call, **session) : Status(fail(session.error()));
  if (!planned) {
    section.problem(render(planned.error()));
    out.ready = false;
    return out;
  }
  const auto& plan = (*session)->plan;
  section.facts["plan"] = to_json(plan);
  for (const auto& decision : plan.decisions)
    if (decision.verdict == plan::Verdict::fail)
      section.problem(decision.id + " would fail: " + decision.reason);
  section.good(fmt::format("with the flags that are set: {} to apply, {} to skip, {} would fail",
                           plan.applied, plan.skipped, plan.failed));
  out.ready = plan.failed == 0;
  return out;
}

Section environment_section(const pack::Pack& pack) {
  Section out{.title = "environment", .lines = {}, .facts = {}};
  const auto flags = plan::read_flags(pack, plan::process_environment());
  if (!flags) {
    out.problem(render(flags.error()));
    return out;
  }
  json::Array notices;
  for (const auto& notice : flags->notices) {
    notices.push_back(to_json(notice));
    auto text =
        notice.name + ": " + notice.text + (notice.hint.empty() ? "" : " (" + notice.hint + ")");
    if (notice.level == plan::Notice::Level::error)
      out.problem(std::move(text));
    else
      out.note(std::move(text));
  }
  if (flags->all_off) out.note("GENESIS_DISABLE is set: every patch is off");
  if (out.lines.empty()) out.good("every GENESIS_ and SNDR_ variable is known");
  out.facts["notices"] = std::move(notices);
  return out;
}

Section gpu_section(const Call& call) {
  Section out{.title = "GPU", .lines = {}, .facts = {}};
  const auto report = probe::read_gpus(call.value(kFakeGpus.name));
  if (!report) {
    out.problem(render(report.error()));
    return out;
  }
  json::Array gpus;
  for (const auto& gpu : report->gpus) {
    json::Object one;
    one["name"] = gpu.name;
    one["vram_mib"] = gpu.vram_mib;
    one["compute_capability"] = fmt::format("{}.{}", gpu.major, gpu.minor);
    one["fake"] = gpu.fake;
    gpus.push_back(std::move(one));
    out.good(fmt::format("{}, {} MiB, compute capability {}.{}{}", gpu.name, gpu.vram_mib,
                         gpu.major, gpu.minor, gpu.fake ? " (assumed)" : ""));
  }
  out.facts["gpus"] = std::move(gpus);
  out.facts["driver"] = report->driver;
  out.facts["cuda"] = report->cuda;
  out.facts["problem"] = report->problem;
  if (!report->driver.empty())
    out.good(fmt::format("driver {}{}", report->driver,
                         report->cuda.empty() ? "" : ", CUDA up to " + report->cuda));
  if (!report->problem.empty())
    out.note(report->problem + "; to plan for a card: --fake-gpus 2x3090");
  return out;
}

Section python_section(const Result<probe::Tree>& tree) {
  Section out{.title = "Python", .lines = {}, .facts = {}};
  const auto python = tree && !tree->python.empty() ? tree->python : find_program("python3");
  out.facts["python"] = python;
  if (python.empty())
    out.note("no interpreter was found: fine for looking, but no engine starts here");
  else
    out.good(python +
             (tree && tree->python == python ? " imports this vLLM" : " is the first on PATH"));
  return out;
}

Section hook_section(const Result<probe::Tree>& tree) {
  Section out{.title = "hook", .lines = {}, .facts = {}};
  if (!tree) {
    out.note("no environment to look at");
    return out;
  }
  const auto status = hook_status(tree->site, self_path());
  out.facts["installed"] = status.state != HookState::absent;
  out.facts["problem"] = status.problem;
  if (status.state == HookState::absent)
    out.good("not installed: `sndr run` needs none");
  else if (status.state == HookState::installed)
    out.good("installed, calls " + status.binary);
  else
    out.problem(status.problem + "; to write it anew: sndr hook install");
  return out;
}

Section disk_section() {
  Section out{.title = "disk", .lines = {}, .facts = {}};
  const auto home = overlay::home();
  std::uint64_t used = 0;
  std::size_t count = 0;
  if (const auto list = overlay::list()) {
    count = list->size();
    for (const auto& entry : *list) {
      used += entry.bytes;
      if (!entry.problem.empty())
        out.problem("overlay " + entry.hash.substr(0, 8) + ": " + entry.problem);
    }
  }
  auto folder = home;
  while (!stat_path(folder).exists && folder.has_relative_path()) folder = folder.parent_path();
  struct statvfs space{};
  const bool known = ::statvfs(folder.c_str(), &space) == 0;
  const auto available = known ? std::uint64_t{space.f_bavail} * space.f_frsize : 0;
  out.facts["home"] = home.string();
  out.facts["overlays"] = count;
  out.facts["bytes"] = used;
  out.facts["free_bytes"] = available;
  auto text = fmt::format("{}: {} overlays of {}, {} free", home.string(), count, human_size(used),
                          human_size(available));
  constexpr std::uint64_t kEnough = 64ULL << 20U;
  if (known && available < kEnough)
    out.problem(std::move(text));
  else
    out.good(std::move(text));
  return out;
}

void show(const Call& call, const Section& section) {
  put(term::paint(call.out, term::Style::bold, section.title) + "\n");
  for (const auto& [level, text] : section.lines) {
    const auto mark = level == Level::problem ? term::paint(call.out, term::Style::red, "!")
                      : level == Level::note  ? term::paint(call.out, term::Style::yellow, "-")
                                              : term::paint(call.out, term::Style::green, "+");
    put(hang("  " + mark + " ", 4, replace_all(text, "\n", " "), call.out.width) + "\n");
  }
}

Result<int> doctor(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  const auto query = tree_query(call);
  const auto tree = query ? probe::find_tree(*query) : Result<probe::Tree>(fail(query.error()));
  std::vector<Section> sections;
  bool ready = tree.has_value();
  sections.push_back(vllm_section(pack, tree));
  if (tree) {
    auto judged = patches_section(call, pack, *tree);
    ready = judged.ready;
    sections.push_back(std::move(judged.section));
  }
  sections.push_back(environment_section(pack));
  sections.push_back(gpu_section(call));
  sections.push_back(python_section(tree));
  sections.push_back(hook_section(tree));
  sections.push_back(disk_section());
  if (call.has(kJson.name)) {
    json::Object out;
    out["ready"] = ready;
    for (auto& section : sections) {
      json::Array problems;
      for (const auto& [level, text] : section.lines)
        if (level == Level::problem) problems.emplace_back(text);
      section.facts["problems"] = std::move(problems);
      out[lower(section.title)] = std::move(section.facts);
    }
    put_json(out);
    return ready ? 0 : 1;
  }
  for (const auto& section : sections) show(call, section);
  print("{}\n", ready  ? "ready"
                : tree ? "not ready: an enabled patch would fail"
                       : "not ready: there is no vLLM to look at");
  return ready ? 0 : 1;
}

}  // namespace

extern const Command kDoctor{
    .name = "doctor",
    .summary = "Look at vLLM, the patches, the environment, GPU, Python, hook and disk",
    .details =
        "Says which vLLM was found and how, which of its files aren't its own, what drifted, and "
        "whether every "
        "patch whose flag is set would apply. Exit 1 if one would fail, or if there is no vLLM.",
    .options = {kEnable, kDisable, kVllm, kAsVersion, kAssume, kFakeGpus, kTryNewer, kStrictEnv,
                kPack, kJson},
    .takes_rest = true,
    .example =
        "sndr doctor\n"
        "sndr doctor -- vllm serve Qwen/Qwen3.6-27B --kv-cache-dtype turboquant_k8v4\n"
        "sndr doctor --vllm 0.33.0 --json",
    .run = doctor};

}  // namespace sndr::cli
