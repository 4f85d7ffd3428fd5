// SPDX-License-Identifier: Apache-2.0
// Small files and patches made from the input, so that anchors are often found, often twice, and
// often overlap.
//
// judge: a usable edit's anchor stands at its place and nowhere else. compose: outside the spans
// every byte is kept; where no spans overlap the result is exactly the splice; the order of the
// patches has no say.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.h"
#include "pack/patch.h"
#include "patch/drift.h"
#include "patch/edit.h"

namespace {

using sndr::fuzz::check;
using sndr::pack::Patch;
using sndr::patch::EditFinding;
using sndr::patch::EditState;
using sndr::patch::PatchFinding;
using sndr::patch::PatchState;
using Tree = std::map<std::string, std::string, std::less<>>;
using Span = std::pair<std::size_t, std::size_t>;

std::string normal(std::string_view text) {
  return sndr::replace_all(std::string(text), "\r\n", "\n");
}

/// Text of few words and both line ends: what repeats is what is hard.
std::string text_from(FuzzedDataProvider& input, std::size_t most) {
  static constexpr std::string_view kParts[] = {
      "a",  "b",   "\n", "\r\n",     " ",     "if x:", "    ",   "return",
      "\r", "c\n", "",   "\xc3\xa4", "x = 1", "\n\n",  "def f(", "):\n"};
  std::string out;
  for (auto count = input.ConsumeIntegralInRange<std::size_t>(0, most); count > 0; --count)
    out += kParts[input.ConsumeIntegralInRange<std::size_t>(0, std::size(kParts) - 1)];
  return out;
}

/// A piece of the file, mostly; else any text.
std::string piece_of(FuzzedDataProvider& input, const std::string& file) {
  if (file.empty() || input.ConsumeIntegralInRange(0, 7) == 0) return text_from(input, 4);
  const auto begin = input.ConsumeIntegralInRange<std::size_t>(0, file.size() - 1);
  const auto size =
      input.ConsumeIntegralInRange<std::size_t>(1, std::min<std::size_t>(30, file.size() - begin));
  return normal(file.substr(begin, size));
}

sndr::pack::Variant variant_from(FuzzedDataProvider& input, const Tree& tree,
                                 const std::string& file) {
  sndr::pack::Variant out;
  const auto found = tree.find(file);
  out.anchor = piece_of(input, found == tree.end() ? std::string() : found->second);
  if (out.anchor.empty()) out.anchor = "a";
  out.anchor = normal(out.anchor);
  // Patches are written with "\n" (a lone "\r" may be anywhere).
  out.replacement =
      normal(input.ConsumeBool() ? text_from(input, 6) : out.anchor + text_from(input, 2));
  if (input.ConsumeIntegralInRange(0, 5) == 0) out.unless.push_back(text_from(input, 3));
  out.where = {"patch.yaml", 1, 1};
  return out;
}

Patch patch_from(FuzzedDataProvider& input, const Tree& tree, std::string id) {
  static const std::string kFiles[] = {"a.py", "b.py", "gone.py"};
  Patch out;
  out.id = std::move(id);
  for (int i = input.ConsumeIntegralInRange(0, 3); i > 0; --i) {
    sndr::pack::Edit edit;
    edit.name = "edit " + std::to_string(i);
    edit.file = kFiles[input.ConsumeIntegralInRange(0, 8) % 3 % (input.ConsumeBool() ? 3 : 2)];
    if (input.ConsumeIntegralInRange(0, 2) == 0)
      edit.after = "P" + std::to_string(input.ConsumeIntegralInRange(0, 3));
    if (input.ConsumeIntegralInRange(0, 7) == 0)
      edit.only_if.push_back({"a.py", text_from(input, 2), input.ConsumeBool()});
    for (int k = input.ConsumeIntegralInRange(1, 2); k > 0; --k)
      edit.variants.push_back(variant_from(input, tree, edit.file));
    out.edits.push_back(std::move(edit));
  }
  if (input.ConsumeIntegralInRange(0, 4) == 0)
    out.new_files.push_back({input.ConsumeBool() ? "new.py" : "b.py", text_from(input, 3)});
  return out;
}

void check_finding(const EditFinding& finding, const Tree& tree) {
  const auto& variants = finding.edit->variants;
  check(finding.variant == nullptr ||
            std::any_of(variants.begin(), variants.end(),
                        [&](const auto& v) { return &v == finding.variant; }),
        "a finding points at one of its edit's variants");
  check(finding.state != EditState::ambiguous || finding.matches > 1,
        "ambiguous is more than once");
  if (finding.state != EditState::usable) return;
  const auto file = tree.find(finding.file);
  check(file != tree.end() && finding.variant != nullptr, "a usable edit has a file and a variant");
  check(finding.begin < finding.end && finding.end <= file->second.size(),
        "its span lies in the file");
  const std::string_view text = file->second;
  const std::string anchor = normal(finding.variant->anchor);
  check(normal(text.substr(finding.begin, finding.end - finding.begin)) == anchor,
        "its anchor stands there");
  check(sndr::count_of(normal(text), anchor) == 1, "and nowhere else");
  for (const auto& variant : variants)
    for (const auto& unless : variant.unless)
      check(unless.empty() || normal(text).find(unless) == std::string::npos,
            "and upstream's fix doesn't");
}

/// Spans of a file by all intact patches, with what goes there; `merged` are the runs that
/// overlapping ones cover.
struct Spans {
  std::vector<std::pair<Span, std::string>> edits;
  std::vector<Span> merged;
  bool overlap = false;
};

Spans spans_of(const std::vector<const PatchFinding*>& findings, const std::string& file) {
  Spans out;
  for (const auto* finding : findings)
    for (const auto& edit : finding->edits)
      if (edit.state == EditState::usable && edit.file == file)
        out.edits.push_back({{edit.begin, edit.end}, edit.variant->replacement});
  std::sort(out.edits.begin(), out.edits.end());
  for (const auto& [span, text] : out.edits) {
    if (!out.merged.empty() && span.first < out.merged.back().second) {
      out.overlap = true;
      out.merged.back().second = std::max(out.merged.back().second, span.second);
    } else {
      out.merged.push_back(span);
    }
  }
  return out;
}

void check_file(const sndr::patch::PatchedFile& file, const std::string& pristine,
                const Spans& spans) {
  // Every run of bytes between spans stands in the result, in order, the first at its beginning and
  // the last at its end.
  std::size_t from = 0;
  std::size_t at = 0;
  for (const auto& [begin, end] : spans.merged) {
    const auto kept = std::string_view(pristine).substr(from, begin - from);
    const auto found = file.text.find(kept, at);
    check(found != std::string::npos && (from > 0 || found == 0),
          "bytes outside the spans are kept");
    at = found + kept.size();
    from = end;
  }
  const auto tail = std::string_view(pristine).substr(from);
  check(file.text.size() >= at + tail.size() &&
            file.text.substr(file.text.size() - tail.size()) == tail,
        "the end is kept");
  if (spans.overlap) return;
  const auto first_line = pristine.find('\n');
  const bool crlf =
      first_line != std::string::npos && first_line > 0 && pristine[first_line - 1] == '\r';
  std::string expected;
  from = 0;
  for (const auto& [span, text] : spans.edits) {
    expected += pristine.substr(from, span.first - from);
    expected += crlf ? sndr::replace_all(text, "\n", "\r\n") : text;
    from = span.second;
  }
  expected += pristine.substr(from);
  check(file.text == expected, "without overlaps the result is the splice");
}

void check_composition(std::vector<const PatchFinding*> findings, const Tree& tree,
                       const sndr::patch::Source& source) {
  const auto made = sndr::patch::compose(findings, source);
  std::reverse(findings.begin(), findings.end());
  const auto turned = sndr::patch::compose(findings, source);
  check(made.has_value() == turned.has_value(), "the order of patches has no say");
  if (!made) return;
  check(made->overlaps.empty() || made->files.empty(), "nothing is built where spans collide");
  check(made->overlaps.size() == turned->overlaps.size(),
        "the order of patches has no say in overlaps");
  check(made->files.size() == turned->files.size(), "the order of patches has no say in files");
  for (std::size_t i = 0; i < made->files.size(); ++i) {
    const auto& file = made->files[i];
    check(file.text == turned->files[i].text && file.path == turned->files[i].path, "nor in texts");
    check(i == 0 || made->files[i - 1].path < file.path, "files are sorted, each once");
    check(!file.ids.empty() && std::is_sorted(file.ids.begin(), file.ids.end()),
          "ids are there, sorted");
    if (file.created) {
      check(tree.find(file.path) == tree.end(), "a new file replaces none");
    } else {
      check_file(file, tree.find(file.path)->second, spans_of(findings, file.path));
    }
  }
}

void check_drift(const Patch& patch, const EditFinding& finding, const Tree& tree,
                 const sndr::patch::Source& source) {
  const auto names = [&tree] {
    std::vector<std::string> out;
    for (const auto& [name, text] : tree) out.push_back(name);
    return out;
  };
  const auto report = sndr::patch::explain_drift(patch, finding, source, names);
  check(!report.explanation.empty() && report.line >= 0, "drift is explained");
  check(report.likeness >= 0 && report.likeness <= 1, "likeness is a share");
  check(!sndr::patch::render(report, {}).empty(), "drift can be shown");
  std::string before, after;
  for (const auto& piece : sndr::patch::word_diff(finding.variant->anchor, report.nearest)) {
    if (piece.kind != sndr::patch::DiffPiece::Kind::added) before += piece.text;
    if (piece.kind != sndr::patch::DiffPiece::Kind::removed) after += piece.text;
  }
  check(before == finding.variant->anchor && after == report.nearest, "a diff has both its sides");
  const auto file = tree.find(finding.file);
  if (file == tree.end()) return;
  if (const auto rebased = sndr::patch::rebase(*finding.variant, file->second))
    check(sndr::count_of(normal(file->second), rebased->anchor) == 1,
          "a rebased anchor stands once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const Tree tree = {{"a.py", text_from(input, 24)}, {"b.py", text_from(input, 12)}};
  const sndr::patch::Source source =
      [&tree](std::string_view path) -> std::optional<std::string_view> {
    const auto found = tree.find(path);
    if (found == tree.end()) return std::nullopt;
    return found->second;
  };
  std::vector<Patch> patches;
  for (int i = input.ConsumeIntegralInRange(1, 4); i > 0; --i)
    patches.push_back(patch_from(input, tree, "P" + std::to_string(i)));
  std::vector<PatchFinding> findings;
  for (const auto& patch : patches) findings.push_back(sndr::patch::judge(patch, source));
  std::vector<const PatchFinding*> intact;
  for (const auto& finding : findings) {
    check(!finding.reason.empty(), "a judgement says why");
    for (const auto& edit : finding.edits) {
      check_finding(edit, tree);
      if (edit.state == EditState::missing || edit.state == EditState::ambiguous) {
        check(finding.state == PatchState::drifted, "an edit without its place is drift");
        check_drift(*finding.patch, edit, tree, source);
      }
    }
    if (finding.state == PatchState::intact) intact.push_back(&finding);
  }
  check_composition(intact, tree, source);
  return 0;
}
