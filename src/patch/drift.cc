// SPDX-License-Identifier: Apache-2.0
#include "patch/drift.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/term.h"
#include "base/text.h"
#include "pack/patch.h"
#include "patch/edit.h"
#include "patch/nearest.h"
#include "patch/normal.h"
#include "patch/words.h"

namespace sndr::patch {
namespace {

constexpr double kMoved = 0.5;  // a text less like the anchor is not called the anchor's new place

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
std::string_view ending_of(std::string_view path) {
  const auto name = name_of(path);
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

std::string_view longest_line(std::string_view anchor) {
  std::string_view longest;
  for (const auto line : split_lines(anchor))
    if (trim(line).size() > longest.size()) longest = trim(line);
  return longest;
}

struct Moved {
  std::string file;
  Place place;
};

/// Looks into files of the same name, and into those that hold the anchor's longest line.
Moved find_elsewhere(std::string_view anchor, std::string_view file, const Source& source,
                     const std::vector<std::string>& files) {
  Moved best;
  const auto line = longest_line(anchor);
  for (const auto& path : files) {
    if (path == file || ending_of(path) != ending_of(file)) continue;
    const auto raw = source(path);
    if (!raw) continue;
    const bool named = name_of(path) == name_of(file);
    if (!named && (line.empty() || find_text(*raw, line) == std::string_view::npos)) continue;
    Place place = nearest_place(Normal(*raw).text(), anchor);
    if (place.likeness < kMoved || place.likeness <= best.place.likeness) continue;
    best = {path, std::move(place)};
  }
  return best;
}

std::string percent(double share) {
  return fmt::format("{}%", static_cast<int>(share * 100));
}

/// "the anchor stands in x.py:12" or "86% of the anchor's words stand in x.py:12".
std::string standing(const Place& place, std::string_view anchor, std::string_view text,
                     std::string_view file) {
  const bool exact = text.substr(place.begin, place.end - place.begin) == anchor;
  return fmt::format("{} in {}:{}",
                     exact ? std::string("the anchor stands")
                           : percent(place.likeness) + " of the anchor's words stand",
                     file, place.line);
}

std::string explain_ambiguous(const EditFinding& finding, std::string_view text,
                              DriftReport& report) {
  std::vector<std::string> lines;
  const auto places = find_all(text, finding.variant->anchor);
  lines.reserve(places.size());
  for (const auto at : places) lines.push_back(fmt::format("{}", line_of(text, at)));
  report.line = places.empty() ? 0 : line_of(text, places[0]);
  report.likeness = places.empty() ? 0 : 1;
  report.nearest = places.empty() ? "" : finding.variant->anchor;
  if (places.size() > 1)
    return fmt::format("the anchor stands {} times, at lines {}; it has to be unique",
                       places.size(), join(lines, ", "));
  return fmt::format("{} variants fit; exactly one may", finding.matches);
}

/// What else is known: the fix, our own text, another patch on the same lines.
void add_evidence(const pack::Patch& patch, const EditFinding& finding, const Source& source,
                  const std::vector<const PatchFinding*>& others, DriftReport& report) {
  for (const auto& entry : patch.retires_when)
    if (!entry.evidence.empty() && std::all_of(entry.evidence.begin(), entry.evidence.end(),
                                               [&](const auto& one) { return holds(one, source); }))
      report.explanation += fmt::format("; upstream's fix is there: {}", entry.fix);
  const std::string& file = report.moved_to.empty() ? report.file : report.moved_to;
  const auto raw = source(file);
  if (!raw) return;
  const Normal normal(*raw);
  const auto& replacement = finding.variant->replacement;
  if (const auto at = trim(replacement).empty() ? std::string_view::npos
                                                : find_text(normal.text(), replacement);
      at != std::string_view::npos)
    report.explanation += fmt::format(
        "; the patch's own text stands at line {}: it was applied "
        "here before, or upstream took it",
        line_of(normal.text(), at));
  if (report.line == 0) return;
  const int last = report.line +
                   static_cast<int>(std::count(report.nearest.begin(), report.nearest.end(), '\n'));
  for (const auto* other : others)
    for (const auto& edit : other->edits) {
      if (edit.edit == finding.edit || edit.state != EditState::usable || edit.file != file)
        continue;
      if (line_of(*raw, edit.begin) <= last && line_of(*raw, edit.end - 1) >= report.line)
        report.explanation +=
            fmt::format("; edit \"{}\" of {} overlaps it", edit.edit->name, other->patch->id);
    }
}

void take(DriftReport& report, Place place, std::string_view text, bool intact) {
  report.line = place.line;
  report.likeness = place.likeness;
  report.nearest = text.substr(place.begin, place.end - place.begin);
  if (!intact) report.diff = std::move(place.diff);
}

std::string explain_missing(const pack::Variant& variant, const Source& source,
                            const std::function<std::vector<std::string>()>& all_files,
                            DriftReport& report) {
  const auto raw = source(report.file);
  std::string gone = fmt::format("{} is gone", report.file);
  if (raw) {
    const Normal normal(*raw);
    Place place = nearest_place(normal.text(), variant.anchor);
    if (place.likeness >= kMoved) {
      take(report, std::move(place), normal.text(), false);
      return fmt::format("the anchor changed: {} of its words are still there",
                         percent(report.likeness));
    }
    gone = fmt::format("little of the anchor is left in {}", report.file);
    if (place.line == 0) gone = fmt::format("nothing like the anchor is in {}", report.file);
    take(report, std::move(place), normal.text(), false);
  }
  Moved moved = find_elsewhere(variant.anchor, report.file, source, all_files());
  if (moved.file.empty()) return gone + ", and no other file has it";
  const Normal normal(source(moved.file).value_or(""));
  const auto where = standing(moved.place, variant.anchor, normal.text(), moved.file);
  report.moved_to = moved.file;
  take(report, std::move(moved.place), normal.text(), where.starts_with("the anchor"));
  return fmt::format("{}; {}", gone, where);
}

std::string plain_piece(const DiffPiece& piece, std::string_view text) {
  if (piece.kind == DiffPiece::Kind::removed) return fmt::format("[-{}-]", text);
  if (piece.kind == DiffPiece::Kind::added) return fmt::format("{{+{}+}}", text);
  return std::string(text);
}

std::string piece_text(const DiffPiece& piece, std::string_view text, const term::Screen& screen) {
  if (text.empty()) return {};
  if (!screen.colour) return plain_piece(piece, text);
  if (piece.kind == DiffPiece::Kind::same) return std::string(text);
  return term::paint(
      screen, piece.kind == DiffPiece::Kind::removed ? term::Style::red : term::Style::green, text);
}

/// The diff line by line, each with its number in the file; a line that is gone has none.
std::string render_diff(const DriftReport& report, const term::Screen& screen) {
  std::string out, line;
  int number = report.line;
  bool stands = false, pending = false;
  const auto flush = [&](bool counts) {
    const auto gutter = stands ? fmt::format("{:>6} | ", number) : std::string("       | ");
    out += term::paint(screen, term::Style::dim, gutter) + line + "\n";
    if (counts) ++number;
    line.clear();
    stands = pending = false;
  };
  for (const auto& piece : report.diff)
    for (const auto part : whole_lines(piece.text)) {
      const bool ends = part.ends_with('\n');
      line += piece_text(piece, part.substr(0, part.size() - (ends ? 1 : 0)), screen);
      stands = stands || piece.kind != DiffPiece::Kind::removed;
      pending = true;
      if (ends) flush(piece.kind != DiffPiece::Kind::removed);
    }
  if (pending) flush(false);
  return out;
}

}  // namespace

DriftReport explain_drift(const pack::Patch& patch, const EditFinding& finding,
                          const Source& source,
                          const std::function<std::vector<std::string>()>& all_files,
                          const std::vector<const PatchFinding*>& others) {
  DriftReport report;
  report.id = patch.id;
  report.edit = finding.edit->name;
  report.file = finding.file;
  if (finding.variant == nullptr) {
    report.explanation = "the edit has no variant";
    return report;
  }
  report.anchor = finding.variant->where;
  if (finding.state == EditState::ambiguous) {
    const Normal normal(source(finding.file).value_or(""));
    report.explanation = explain_ambiguous(finding, normal.text(), report);
  } else {
    report.explanation = explain_missing(*finding.variant, source, all_files, report);
  }
  add_evidence(patch, finding, source, others, report);
  return report;
}

std::string render(const DriftReport& report, const term::Screen& screen) {
  std::string out =
      fmt::format("drift: {} {}:{}\n", report.id,
                  report.moved_to.empty() ? report.file : report.moved_to, report.line);
  out += "  " +
         term::wrap(fmt::format("edit \"{}\": {}", report.edit, report.explanation),
                    screen.width - std::min<std::size_t>(screen.width, 2), 2) +
         "\n";
  if (!report.anchor.file.empty())
    out += fmt::format("  its anchor: {}:{}\n", report.anchor.file, report.anchor.line);
  return out + render_diff(report, screen);
}

}  // namespace sndr::patch
