// SPDX-License-Identifier: Apache-2.0
#include "patch/edit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "pack/patch.h"
#include "patch/normal.h"

namespace sndr::patch {
namespace {

bool all_hold(const std::vector<pack::Evidence>& evidence, const Source& source) {
  return std::all_of(evidence.begin(), evidence.end(),
                     [&](const pack::Evidence& one) { return holds(one, source); });
}

std::string describe(const pack::Evidence& evidence) {
  if (evidence.text.empty())
    return fmt::format("{} {}", evidence.file, evidence.absent ? "is there" : "is not there");
  const auto lines = split_lines(evidence.text);
  return fmt::format("\"{}\" is {}in {}", trim(lines.front()), evidence.absent ? "" : "not ",
                     evidence.file);
}

/// How many of an anchor's lines stand in a text: enough to choose which variant to report.
double lines_kept(std::string_view text, std::string_view anchor) {
  std::size_t kept = 0, all = 0;
  for (const auto line : split_lines(anchor)) {
    const auto words = trim(line);
    if (words.empty()) continue;
    ++all;
    if (find_text(text, words) != std::string_view::npos) ++kept;
  }
  return all == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(all);
}

struct Match {
  const pack::Variant* variant;
  std::size_t begin, end;  // in the pristine bytes
};

/// What one pass over an edit's variants sees.
struct Sighting {
  std::vector<Match> once;
  const pack::Variant* often = nullptr;
  std::size_t often_count = 0;
  const pack::Variant* fixed = nullptr;    // its `unless` stands
  const pack::Variant* nearest = nullptr;  // the most lines kept
};

Sighting look(const pack::Edit& edit, const Source& source) {
  Sighting seen;
  double best = -1;
  for (const auto& variant : edit.variants) {
    const auto raw = source(variant.file.empty() ? edit.file : variant.file);
    if (!raw) continue;
    const Normal file(*raw);
    for (const auto& text : variant.unless)
      if (!text.empty() && find_text(file.text(), text) != std::string_view::npos)
        seen.fixed = &variant;
    const auto places = find_all(file.text(), variant.anchor);
    if (places.size() == 1)
      seen.once.push_back({&variant, file.raw_offset(places[0]),
                           file.raw_offset(places[0] + variant.anchor.size())});
    if (places.size() > 1 && seen.often == nullptr) {
      seen.often = &variant;
      seen.often_count = places.size();
    }
    const double kept = places.empty() ? lines_kept(file.text(), variant.anchor) : 1;
    if (kept > best) {
      best = kept;
      seen.nearest = &variant;
    }
  }
  return seen;
}

EditFinding judge_edit(const pack::Edit& edit, const Source& source) {
  EditFinding out;
  out.edit = &edit;
  out.file = edit.file;
  if (!all_hold(edit.only_if, source)) {
    out.state = EditState::not_needed;
    return out;
  }
  const Sighting seen = look(edit, source);
  if (seen.fixed != nullptr) {
    out.state = EditState::upstream;
    out.variant = seen.fixed;
  } else if (seen.once.size() == 1) {
    out.state = EditState::usable;
    out.variant = seen.once[0].variant;
    out.begin = seen.once[0].begin;
    out.end = seen.once[0].end;
  } else if (seen.once.size() > 1) {
    out.state = EditState::ambiguous;
    out.variant = seen.once[0].variant;
    out.matches = seen.once.size();
  } else if (seen.often != nullptr) {
    out.state = EditState::ambiguous;
    out.variant = seen.often;
    out.matches = seen.often_count;
  } else {
    out.state = EditState::missing;
    out.variant = seen.nearest;
    if (out.variant == nullptr && !edit.variants.empty()) out.variant = &edit.variants.back();
  }
  if (out.variant != nullptr && !out.variant->file.empty()) out.file = out.variant->file;
  return out;
}

std::string drift_of(const EditFinding& finding, const Source& source) {
  if (finding.state == EditState::missing)
    return source(finding.file) ? fmt::format("anchor drifted in {}", finding.file)
                                : fmt::format("{} is gone", finding.file);
  const auto raw = source(finding.file);
  const auto places = find_all(Normal(raw.value_or("")).text(), finding.variant->anchor).size();
  return places > 1 ? fmt::format("anchor stands {} times in {}", finding.matches, finding.file)
                    : fmt::format("{} variants of edit \"{}\" fit {}", finding.matches,
                                  finding.edit->name, finding.file);
}

std::size_t count_state(const std::vector<EditFinding>& edits, EditState state) {
  return static_cast<std::size_t>(std::count_if(
      edits.begin(), edits.end(), [&](const EditFinding& one) { return one.state == state; }));
}

std::string plural(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void judge_edits(PatchFinding& out, const Source& source) {
  for (const auto& edit : out.patch->edits) out.edits.push_back(judge_edit(edit, source));
  std::vector<std::string> drifts;
  for (const auto& finding : out.edits)
    if (finding.state == EditState::missing || finding.state == EditState::ambiguous)
      drifts.push_back(drift_of(finding, source));
  for (const auto& added : out.patch->new_files)
    if (source(added.path)) drifts.push_back(fmt::format("vLLM has its own {}", added.path));
  const std::size_t usable = count_state(out.edits, EditState::usable);
  const std::size_t fixed = count_state(out.edits, EditState::upstream);
  const std::size_t idle = count_state(out.edits, EditState::not_needed);
  if (!out.edits.empty() && usable + fixed + idle == out.edits.size() && usable == 0) {
    out.state = fixed > 0 ? PatchState::retired : PatchState::elsewhere;
    out.reason = fixed > 0 ? "vLLM has the fix: each edit finds upstream's own text"
                           : "not for this tree: no edit is needed here";
    return;
  }
  if (!drifts.empty()) {
    out.state = PatchState::drifted;
    out.reason = drifts.size() == 1 ? drifts[0]
                                    : fmt::format("{}, and {} more", drifts[0], drifts.size() - 1);
    return;
  }
  out.state = PatchState::intact;
  out.reason = fmt::format("{}", plural(usable, "edit fits", "edits fit"));
  if (out.edits.empty()) out.reason = "nothing to edit";
  if (fixed > 0) out.reason += fmt::format(", {} by now in vLLM", fixed);
  if (idle > 0) out.reason += fmt::format(", {} not needed here", idle);
}

}  // namespace

bool holds(const pack::Evidence& evidence, const Source& source) {
  const auto raw = source(evidence.file);
  const bool there =
      raw && (evidence.text.empty() ||
              find_text(Normal(*raw).text(), evidence.text) != std::string_view::npos);
  return there != evidence.absent;
}

PatchFinding judge(const pack::Patch& patch, const Source& source) {
  PatchFinding out;
  out.patch = &patch;
  const auto& fixes = patch.retires_when;
  if (!fixes.empty() && std::all_of(fixes.begin(), fixes.end(), [&](const auto& entry) {
        return all_hold(entry.evidence, source);
      })) {
    out.state = PatchState::retired;
    out.reason = "vLLM has the fix: ";
    for (const auto& entry : fixes) {
      if (&entry != &fixes.front()) out.reason += "; ";
      out.reason += entry.fix;
      if (!entry.release.empty()) out.reason += fmt::format(" (since {})", entry.release);
    }
    return out;
  }
  for (const auto& evidence : patch.applies_if) {
    if (holds(evidence, source)) continue;
    out.state = PatchState::elsewhere;
    out.reason = "not for this tree: " + describe(evidence);
    return out;
  }
  judge_edits(out, source);
  return out;
}

}  // namespace sndr::patch
