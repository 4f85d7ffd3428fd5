// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/facts_json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/words.h"
#include "json/json.h"
#include "pack/pack.h"
#include "pack/patch.h"

namespace sndr::cli {
namespace {

/// "flag      GENESIS_..." lines with the texts in one column.
class Sheet {
 public:
  explicit Sheet(const term::Screen& screen) : screen_(screen) {}

  void title(std::string_view id, std::string_view text) {
    out_ += hang(term::paint(screen_, term::Style::bold, id) + "  ", id.size() + 2, text, width()) +
            "\n";
  }
  void line(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    out_ += hang(term::paint(screen_, term::Style::dim, fmt::format("{:<{}}", name, kColumn)),
                 kColumn, text, width()) +
            "\n";
  }
  void list(std::string_view name, const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
      line(name, text);
      name = "";
    }
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  static constexpr std::size_t kColumn = 10;
  [[nodiscard]] std::size_t width() const {
    return std::clamp<std::size_t>(screen_.width, 40, 100);
  }
  const term::Screen& screen_;
  std::string out_;
};

std::vector<std::string> upstream_lines(const pack::Patch& patch) {
  std::vector<std::string> out;
  out.reserve(patch.upstream.size());
  for (const auto& entry : patch.upstream)
    out.push_back(fmt::format("{} ({}{}{}{}{})", entry.number, entry.kind,
                              entry.state.empty() ? "" : ", ", entry.state,
                              entry.author.empty() ? "" : ", by ", entry.author));
  return out;
}

std::vector<std::string> retirement_lines(const pack::Patch& patch) {
  std::vector<std::string> out;
  out.reserve(patch.retires_when.size());
  for (const auto& entry : patch.retires_when)
    out.push_back(entry.fix + (entry.release.empty()
                                   ? " (in no release yet)"
                                   : fmt::format(" (in vLLM {})", entry.release)));
  return out;
}

std::string was_in_v12(const pack::Legacy& entry) {
  return fmt::format("{}, {}, {}, default {}{}", entry.family, entry.lifecycle,
                     entry.implementation, entry.default_on ? "on" : "off",
                     entry.replaced_by.empty() ? "" : "; replaced by " + entry.replaced_by);
}

std::string show(const pack::Patch& patch, const pack::Legacy* legacy, const term::Screen& screen) {
  Sheet sheet(screen);
  sheet.title(patch.id, patch.title);
  sheet.line("flag", patch.flag + "=1" + (patch.default_on ? "  (`sndr run` sets it)" : ""));
  sheet.list("or", patch.aliases);
  sheet.line("why", patch.why);
  sheet.line("kind", fmt::format("{}, {}, {}{}", to_text(patch.mechanism), to_text(patch.lifecycle),
                                 to_text(patch.implementation), patch.lossy ? ", lossy" : ""));
  sheet.line("vllm", patch.vllm.text() + " (the verified span)");
  std::vector<std::string> gates;
  gates.reserve(patch.gates.size());
  for (const auto& gate : patch.gates) gates.push_back(gate.key + ": " + gate.text);
  sheet.list("only for", gates);
  sheet.line("requires", join(patch.requires_ids, ", "));
  sheet.line("conflicts", join(patch.conflicts, ", "));
  sheet.line("covers", join(patch.also_covers, ", "));
  sheet.list("knobs", patch.knobs);
  sheet.list("files", files_of(patch));
  sheet.list("upstream", upstream_lines(patch));
  sheet.list("retires", retirement_lines(patch));
  if (!patch.proof.empty())
    sheet.line("proof",
               fmt::format("at level {}: sndr patches prove {}", patch.proof_level, patch.id));
  if (legacy != nullptr) sheet.line("in v12", was_in_v12(*legacy));
  return sheet.text();
}

std::string show(const pack::Pack& pack, const pack::Legacy& entry, const term::Screen& screen) {
  Sheet sheet(screen);
  sheet.title(entry.id, entry.title);
  const auto answer = pack.answer(entry);
  sheet.line("answer", answer);
  // Most answers end with the note, less its last full stop.
  if (entry.note.empty() || answer.find(entry.note.substr(0, entry.note.size() - 1)) == answer.npos)
    sheet.line("note", entry.note);
  sheet.line("read in", entry.native_evidence);
  sheet.line("flag", entry.flag);
  sheet.list("or", entry.aliases);
  sheet.list("upstream", entry.upstream);
  sheet.line("in v12", was_in_v12(entry));
  return sheet.text();
}

/// v12 gave one flag to two ids in places (P67 and P67b): a flag then answers for both.
std::vector<const pack::Legacy*> legacy_of(const pack::Pack& pack, const pack::Named& named,
                                           const std::string& word) {
  std::vector<const pack::Legacy*> out;
  if (named.legacy != nullptr) out.push_back(named.legacy);
  for (const auto& entry : pack.legacy)
    if (entry.flag == word && &entry != named.legacy) out.push_back(&entry);
  return out;
}

Result<int> patches_explain(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  const auto word = call.word(0);
  const auto named = pack.named(word);
  if (named.patch == nullptr && named.legacy == nullptr) {
    const auto near = pack.near_ids(word);
    Error error{.code = Errc::not_found,
                .what = fmt::format("no patch is called '{}'", word),
                .where = {},
                .hint = near.empty() ? "all ids: sndr patches list --all"
                                     : "did you mean: " + join(near, ", "),
                .trail = {}};
    return fail(std::move(error));
  }
  const auto legacy = legacy_of(pack, named, word);
  if (call.has(kJson.name)) {
    json::Object out;
    out["asked"] = word;
    if (named.patch != nullptr) out["patch"] = to_json(*named.patch);
    json::Array entries;
    for (const auto* entry : legacy) entries.push_back(to_json(pack, *entry));
    out["legacy"] = std::move(entries);
    put_json(out);
    return 0;
  }
  if (named.patch != nullptr) {
    const bool same = named.legacy != nullptr && lower(named.legacy->id) == lower(named.patch->id);
    put(show(*named.patch, same ? named.legacy : nullptr, call.out));
    if (same) return 0;
  }
  for (const auto* entry : legacy) {
    if (named.patch != nullptr || entry != legacy.front()) put("\n");
    put(show(pack, *entry, call.out));
  }
  return 0;
}

}  // namespace

extern const Command kPatchesExplain{
    .name = "patches explain",
    .summary = "Say what a patch is for, or what became of a v12 id",
    .positionals = {{.name = "ID", .help = "an id, a full flag, or an alias of one; v12's too"}},
    .options = {kPack, kJson},
    .example =
        "sndr patches explain PN91\n"
        "sndr patches explain GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY\n"
        "sndr patches explain P67 --json",
    .run = patches_explain};

}  // namespace sndr::cli
