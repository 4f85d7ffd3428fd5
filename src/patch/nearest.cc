// SPDX-License-Identifier: Apache-2.0
//
// Where did this text go? Two steps, so that a long file costs a few milliseconds.
//
// Coarse: each line of the file scores the anchor's words that it holds, rare words more than
// common ones (a word that stands N times in the file counts 1/N). A window as tall as the anchor
// slides over the scores; the best three that don't touch go on.
// Fine: around each window, the anchor's lines are aligned with the file's (local alignment: equal
// lines score their words, similar lines a share of them, lines between cost a little). The place
// runs from the first aligned line to the last, and the word diff of it decides between the three.
#include "patch/nearest.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "patch/drift.h"
#include "patch/words.h"

namespace sndr::patch {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kWindows = 3;
constexpr double kSimilar = 0.4;  // a line pair below this is no pair
constexpr double kBetween = 0.3;  // what a line between two aligned ones costs, in words
constexpr double kNothingAlike = 0.25;

/// Scores lines by the anchor's words in them.
class WordIndex {
 public:
  explicit WordIndex(std::string_view anchor) {
    for (const auto word : words(anchor)) {
      ids_.emplace(word, static_cast<std::uint32_t>(ids_.size()));
      maybe_.set(slot(word));
    }
  }

  [[nodiscard]] std::vector<double> score(const Lines& lines) const {
    std::vector<std::uint32_t> hits;  // ids, line after line
    std::vector<std::size_t> ends;    // of each line in hits
    std::vector<double> count(ids_.size(), 0);
    for (const auto line : lines) {
      const std::size_t begin = hits.size();
      each_word(line, [&](std::uint32_t id) {
        if (std::find(hits.begin() + static_cast<std::ptrdiff_t>(begin), hits.end(), id) ==
            hits.end())
          hits.push_back(id);
      });
      ends.push_back(hits.size());
    }
    for (const auto id : hits) count[id] += 1;
    std::vector<double> out(lines.size(), 0);
    for (std::size_t line = 0, at = 0; line < lines.size(); ++line)
      for (; at < ends[line]; ++at) out[line] += 1 / count[hits[at]];
    return out;
  }

 private:
  static std::size_t slot(std::string_view word) {
    return (static_cast<unsigned char>(word[0]) * 31U +
            static_cast<unsigned char>(word.back()) * 7U + word.size()) %
           4096;
  }
  template <class Visit>
  void each_word(std::string_view line, Visit visit) const {
    for (std::size_t at = 0; at < line.size();) {
      if (!is_word(line[at])) {
        ++at;
        continue;
      }
      std::size_t end = at + 1;
      while (end < line.size() && is_word(line[end])) ++end;
      const auto word = line.substr(at, end - at);
      at = end;
      if (!maybe_.test(slot(word))) continue;  // spares nearly every look-up
      const auto found = ids_.find(word);
      if (found != ids_.end()) visit(found->second);
    }
  }

  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::bitset<4096> maybe_;
};

struct Line {
  std::string_view text;                 // without outer blanks
  std::vector<std::string_view> sorted;  // its words
};

std::vector<Line> prepare(const Lines& lines, std::size_t begin, std::size_t end) {
  std::vector<Line> out;
  for (; begin < end; ++begin) {
    Line line{trim(lines[begin]), words(lines[begin])};
    std::sort(line.sorted.begin(), line.sorted.end());
    out.push_back(std::move(line));
  }
  return out;
}

/// 0..1: the share of words that two lines have in common.
double similarity(const Line& a, const Line& b) {
  if (a.text == b.text) return 1;
  const std::size_t all = a.sorted.size() + b.sorted.size();
  if (all == 0) return 0;
  std::size_t same = 0;
  for (std::size_t i = 0, j = 0; i < a.sorted.size() && j < b.sorted.size();) {
    const int order = a.sorted[i].compare(b.sorted[j]);
    if (order == 0) ++same;
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
  return 2.0 * static_cast<double>(same) / static_cast<double>(all);
}

struct Rows {
  std::size_t begin = 0, end = 0;  // end == begin: nothing aligned
};

/// The rows of `text` that align best with the anchor's.
Rows align(const std::vector<Line>& anchor, const std::vector<Line>& text) {
  enum Step : std::uint8_t { stop, pair, skip_anchor, skip_text };
  const std::size_t width = text.size() + 1;
  std::vector<double> score((anchor.size() + 1) * width, 0);
  std::vector<Step> step(score.size(), stop);
  for (std::size_t i = 1; i <= anchor.size(); ++i)
    for (std::size_t j = 1; j <= text.size(); ++j) {
      const std::size_t here = i * width + j;
      const auto better = [&](double value, Step how) {
        if (value > score[here]) {
          score[here] = value;
          step[here] = how;
        }
      };
      better(score[here - width], skip_anchor);
      better(score[here - 1] - kBetween, skip_text);
      const double alike = similarity(anchor[i - 1], text[j - 1]);
      if (alike >= kSimilar)
        better(score[here - width - 1] +
                   alike * (0.05 + static_cast<double>(anchor[i - 1].sorted.size())),
               pair);
    }
  const auto last = score.begin() + static_cast<std::ptrdiff_t>(anchor.size() * width);
  std::size_t i = anchor.size();
  std::size_t j = static_cast<std::size_t>(std::max_element(last, score.end()) - last);
  Rows rows;
  for (; step[i * width + j] != stop;) {
    const Step how = step[i * width + j];
    if (how == pair) {
      if (rows.end == 0) rows.end = j;
      rows.begin = j - 1;
    }
    if (how != skip_text) --i;
    if (how != skip_anchor) --j;
  }
  return rows;
}

/// Drops what a place has before the anchor's first token and after its last: an anchor may begin
/// and end inside a line, a place is cut out of whole lines. Where the last token itself changed,
/// as many new tokens stay as old ones went.
void trim_ends(std::size_t& begin, std::size_t& end, std::vector<DiffPiece>& diff,
               bool inside_line) {
  if (diff.size() > 1 && diff.back().kind == DiffPiece::Kind::added) {
    const auto& before = diff[diff.size() - 2];
    std::string& added = diff.back().text;
    std::size_t keep = 0;
    if (before.kind == DiffPiece::Kind::removed) {
      keep = added.size();
      const auto come = tokens(added);
      const std::size_t gone = tokens(before.text).size();
      if (inside_line && come.size() > gone)
        keep = static_cast<std::size_t>(come[gone].data() - added.data());
    }
    end -= added.size() - keep;
    added.resize(keep);
    if (keep == 0) diff.pop_back();
  }
  if (!diff.empty() && diff.front().kind == DiffPiece::Kind::added &&
      !trim(diff.front().text).empty()) {
    begin += diff.front().text.size();
    diff.erase(diff.begin());
  }
}

double words_kept(const std::vector<DiffPiece>& diff, std::string_view anchor) {
  std::size_t kept = 0;
  for (const auto& piece : diff)
    if (piece.kind == DiffPiece::Kind::same) kept += words(piece.text).size();
  const std::size_t all = words(anchor).size();
  return all == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(all);
}

/// First lines of the best windows that don't touch.
std::vector<std::size_t> windows(std::vector<double> scores, std::size_t height) {
  std::vector<std::size_t> out;
  height = std::min(height, scores.size());
  std::vector<double> sums(scores.size() - height + 1, 0);
  for (std::size_t k = 0; k < height; ++k) sums[0] += scores[k];
  for (std::size_t at = 1; at < sums.size(); ++at)
    sums[at] = sums[at - 1] + scores[at + height - 1] - scores[at - 1];
  while (out.size() < kWindows) {
    const auto best = std::max_element(sums.begin(), sums.end());
    if (*best <= 1e-9) break;
    const auto at = static_cast<std::size_t>(best - sums.begin());
    out.push_back(at);
    const std::size_t from = at - std::min(at, height - 1);
    for (std::size_t k = from; k < std::min(sums.size(), at + height); ++k) sums[k] = 0;
  }
  return out;
}

}  // namespace

Place nearest_place(std::string_view text, std::string_view anchor) {
  Place best;
  const Lines lines = whole_lines(text), wanted = whole_lines(anchor);
  if (lines.empty() || wanted.empty()) return best;
  const auto anchor_lines = prepare(wanted, 0, wanted.size());
  const std::size_t slack = wanted.size() / 2 + 4;
  for (const std::size_t window : windows(WordIndex(anchor).score(lines), wanted.size())) {
    const std::size_t from = window - std::min(window, slack);
    const std::size_t to = std::min(lines.size(), window + wanted.size() + slack);
    const Rows rows = align(anchor_lines, prepare(lines, from, to));
    if (rows.end == rows.begin) continue;
    const auto offset = [&](std::string_view line) {
      return static_cast<std::size_t>(line.data() - text.data());
    };
    const std::string_view last = lines[from + rows.end - 1];
    std::size_t begin = offset(lines[from + rows.begin]), end = offset(last) + last.size();
    const bool inside_line = !anchor.ends_with('\n');
    if (inside_line && last.ends_with('\n')) --end;
    auto diff = word_diff(anchor, text.substr(begin, end - begin));
    trim_ends(begin, end, diff, inside_line);
    const double likeness = words_kept(diff, anchor);
    if (likeness < kNothingAlike || likeness <= best.likeness) continue;
    best = {begin, end, line_of(text, begin), likeness, std::move(diff)};
  }
  return best;
}

}  // namespace sndr::patch
