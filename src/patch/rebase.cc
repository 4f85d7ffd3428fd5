// SPDX-License-Identifier: Apache-2.0
//
// Carrying an edit over to text that moved on: a three-way merge of words. The anchor is the base;
// anchor -> replacement is our script, anchor -> nearest text is vLLM's. Both are cut into changes
// of the base, and laid over each other. A block that vLLM indented or dedented as a whole is
// first shifted with our own text, so that lines which the edit adds move along.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "pack/patch.h"
#include "patch/drift.h"
#include "patch/nearest.h"
#include "patch/normal.h"
#include "patch/words.h"

namespace sndr::patch {
namespace {

constexpr double kEnough = 0.5;

/// One step of an edit script: the base's bytes [begin, end) become `text`.
struct Change {
  std::size_t begin, end;
  std::string text;
  [[nodiscard]] bool inserts() const { return begin == end; }
  bool operator==(const Change& other) const = default;
};

std::vector<Change> changes_of(std::string_view base, std::string_view after) {
  std::vector<Change> out;
  std::size_t at = 0;
  bool open = false;
  for (const auto& piece : word_diff(base, after)) {
    if (piece.kind == DiffPiece::Kind::same) {
      at += piece.text.size();
      open = false;
      continue;
    }
    if (!open) out.push_back({at, at, {}});
    open = true;
    if (piece.kind == DiffPiece::Kind::removed)
      out.back().end = at += piece.text.size();
    else
      out.back().text += piece.text;
  }
  return out;
}

/// Changes of the same bytes. An insertion at the border of another's bytes is none.
bool collide(const Change& a, const Change& b) {
  if (a.inserts() && b.inserts()) return a.begin == b.begin;
  if (a.inserts()) return b.begin < a.begin && a.begin < b.end;
  if (b.inserts()) return a.begin < b.begin && b.begin < a.end;
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

struct Merged {
  std::string text;
  int conflicts = 0;
};

class Merge {
 public:
  Merge(std::string_view base, std::vector<Change> ours, std::vector<Change> theirs)
      : base_(base), ours_(std::move(ours)), theirs_(std::move(theirs)) {}

  Merged run() {
    while (o_ < ours_.size() || t_ < theirs_.size()) step();
    copy_to(base_.size());
    return std::move(out_);
  }

 private:
  void step() {
    if (t_ == theirs_.size() || (o_ < ours_.size() && before(ours_[o_], theirs_[t_])))
      return apply(ours_[o_++]);
    if (o_ == ours_.size() || before(theirs_[t_], ours_[o_])) return apply(theirs_[t_++]);
    if (ours_[o_] == theirs_[t_]) {
      ++t_;
      return apply(ours_[o_++]);
    }
    collision();
  }

  /// `a` can be applied without looking at `b`.
  static bool before(const Change& a, const Change& b) {
    if (collide(a, b)) return false;
    return a.begin < b.begin || (a.begin == b.begin && (a.inserts() || a.end <= b.begin));
  }

  /// Everything that hangs together: our changes are made, theirs dropped, but two insertions at
  /// one place are both kept.
  void collision() {
    ++out_.conflicts;
    if (ours_[o_].inserts() && theirs_[t_].inserts()) {
      apply(theirs_[t_++]);
      return apply(ours_[o_++]);
    }
    std::size_t end = std::max(ours_[o_].end, theirs_[t_].end);
    for (bool grown = true; grown;) {
      grown = false;
      for (; o_ < ours_.size() && ours_[o_].begin < end; ++o_) {
        end = std::max(end, ours_[o_].end);
        apply(ours_[o_]);
        grown = true;
      }
      for (; t_ < theirs_.size() && theirs_[t_].begin < end; ++t_) {
        end = std::max(end, theirs_[t_].end);
        grown = true;
      }
    }
    copy_to(end);
  }

  void apply(const Change& change) {
    copy_to(change.begin);
    out_.text += change.text;
    copied_ = std::max(copied_, change.end);
  }
  void copy_to(std::size_t end) {
    if (end <= copied_) return;
    out_.text += base_.substr(copied_, end - copied_);
    copied_ = end;
  }

  std::string_view base_;
  std::vector<Change> ours_, theirs_;
  std::size_t o_ = 0, t_ = 0, copied_ = 0;
  Merged out_;
};

std::string_view indent_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

/// What a block's indentation gained (or lost) as a whole: lines equal but for it, all by the same.
struct Shift {
  std::string gained, lost;
};

Shift shift_between(std::string_view before, std::string_view after) {
  Shift out;
  bool first = true;
  const auto lines = split_lines(after);
  auto next = lines.begin();
  for (const auto line : split_lines(before)) {
    if (trim(line).empty()) continue;
    const auto other = std::find_if(next, lines.end(),
                                    [&](std::string_view one) { return trim(one) == trim(line); });
    if (other == lines.end()) continue;
    next = other + 1;
    const auto from = indent_of(line), to = indent_of(*other);
    Shift one;
    if (to.ends_with(from)) {
      one.gained = to.substr(0, to.size() - from.size());
    } else if (from.ends_with(to)) {
      one.lost = from.substr(0, from.size() - to.size());
    } else {
      return {};
    }
    if (!first && (one.gained != out.gained || one.lost != out.lost)) return {};
    out = one;
    first = false;
  }
  return out;
}

std::string shifted(std::string_view text, const Shift& shift) {
  std::string out;
  for (auto line : whole_lines(text)) {
    if (!trim(line).empty()) {
      if (line.starts_with(shift.lost)) line.remove_prefix(shift.lost.size());
      out += shift.gained;
    }
    out += line;
  }
  return out;
}

}  // namespace

std::optional<Rebased> rebase(const pack::Variant& variant, std::string_view pristine) {
  const Normal normal(pristine);
  const std::string_view text = normal.text();
  const Place place = nearest_place(text, variant.anchor);
  if (place.likeness < kEnough) return std::nullopt;
  const std::string_view nearest = text.substr(place.begin, place.end - place.begin);
  const Shift shift = shift_between(variant.anchor, nearest);
  const std::string base = shifted(variant.anchor, shift);
  Merged merged =
      Merge(base, changes_of(base, shifted(variant.replacement, shift)), changes_of(base, nearest))
          .run();
  if (merged.text == nearest) return std::nullopt;

  // Whole lines around it, until the anchor stands once.
  std::size_t begin = place.begin, end = place.end;
  for (bool up = true; find_all(text, text.substr(begin, end - begin)).size() != 1; up = !up) {
    if (begin == 0 && end == text.size()) return std::nullopt;
    if (up && begin > 0)
      begin = begin < 2 ? 0 : text.rfind('\n', begin - 2) + 1;
    else if (end < text.size())
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  Rebased out;
  out.anchor = text.substr(begin, end - begin);
  out.replacement = std::string(text.substr(begin, place.begin - begin)) + merged.text +
                    std::string(text.substr(place.end, end - place.end));
  out.line = line_of(text, begin);
  out.conflicts = merged.conflicts;
  return out;
}

}  // namespace sndr::patch
