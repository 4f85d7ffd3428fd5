// SPDX-License-Identifier: Apache-2.0
//
// A word diff in two steps: the longest common subsequence of lines, then of words inside each run
// of lines that differ. Words alone would pair every "(" with any other; lines first keeps the
// pairs where a reader sees them, and keeps the tables small.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "patch/drift.h"
#include "patch/words.h"

namespace sndr::patch {
namespace {

using Kind = DiffPiece::Kind;
using Tokens = std::vector<std::string_view>;
using Ids = std::vector<std::uint32_t>;

constexpr std::size_t kMostCells = 4'000'000;  // 16 MB; above that only both ends are compared

std::pair<Ids, Ids> number(const Tokens& a, const Tokens& b) {
  std::unordered_map<std::string_view, std::uint32_t> ids;
  const auto of = [&](const Tokens& tokens) {
    Ids out;
    out.reserve(tokens.size());
    for (const auto token : tokens)
      out.push_back(ids.emplace(token, static_cast<std::uint32_t>(ids.size())).first->second);
    return out;
  };
  auto first = of(a);
  return {std::move(first), of(b)};
}

/// Index pairs of a longest common subsequence.
std::vector<std::pair<std::size_t, std::size_t>> common(const Ids& a, const Ids& b) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  std::size_t head = 0, tail = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) {
    out.emplace_back(head, head);
    ++head;
  }
  while (tail < std::min(a.size(), b.size()) - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const std::size_t n = a.size() - head - tail, m = b.size() - head - tail;
  if (n > 0 && m > 0 && n <= kMostCells / m) {
    std::vector<std::uint32_t> length((n + 1) * (m + 1), 0);
    const auto cell = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
      return length[i * (m + 1) + j];
    };
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t j = m; j-- > 0;)
        cell(i, j) = a[head + i] == b[head + j] ? cell(i + 1, j + 1) + 1
                                                : std::max(cell(i + 1, j), cell(i, j + 1));
    for (std::size_t i = 0, j = 0; i < n && j < m;) {
      if (a[head + i] == b[head + j])
        out.emplace_back(head + i++, head + j++);
      else if (cell(i + 1, j) >= cell(i, j + 1))
        ++i;
      else
        ++j;
    }
  }
  for (; tail > 0; --tail) out.emplace_back(a.size() - tail, b.size() - tail);
  return out;
}

std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string out;
  for (; begin < end; ++begin) out += tokens[begin];
  return out;
}

/// Calls `same` for each common token and `differ` for what stands between two of them.
template <class Same, class Differ>
void walk(const Tokens& a, const Tokens& b, Same same, Differ differ) {
  const auto [ids_a, ids_b] = number(a, b);
  std::size_t i = 0, j = 0;
  for (const auto& [next_a, next_b] : common(ids_a, ids_b)) {
    differ(joined(a, i, next_a), joined(b, j, next_b));
    same(a[next_a]);
    i = next_a + 1;
    j = next_b + 1;
  }
  differ(joined(a, i, a.size()), joined(b, j, b.size()));
}

/// Pieces in order; a change is always "removed" before "added".
class Pieces {
 public:
  void same(std::string_view text) {
    if (text.empty()) return;
    if (removed_.empty() && added_.empty() && !out_.empty() && out_.back().kind == Kind::same) {
      out_.back().text += text;
      return;
    }
    flush();
    out_.push_back({Kind::same, std::string(text)});
  }
  void change(std::string_view removed, std::string_view added) {
    if (removed.empty() && added.empty()) return;
    // Blanks between two changed words are no news: they join the change.
    if (removed_.empty() && added_.empty() && out_.size() > 1 && out_.back().kind == Kind::same &&
        out_.back().text.find_first_not_of(" \t") == std::string::npos) {
      removed_ = added_ = out_.back().text;
      out_.pop_back();
      if (out_.back().kind == Kind::added) {
        added_.insert(0, out_.back().text);
        out_.pop_back();
      }
      if (!out_.empty() && out_.back().kind == Kind::removed) {
        removed_.insert(0, out_.back().text);
        out_.pop_back();
      }
    }
    removed_ += removed;
    added_ += added;
  }
  std::vector<DiffPiece> done() {
    flush();
    return std::move(out_);
  }

 private:
  void flush() {
    if (!removed_.empty()) out_.push_back({Kind::removed, std::move(removed_)});
    if (!added_.empty()) out_.push_back({Kind::added, std::move(added_)});
    removed_.clear();
    added_.clear();
  }
  std::vector<DiffPiece> out_;
  std::string removed_, added_;
};

}  // namespace

std::vector<DiffPiece> word_diff(std::string_view before, std::string_view after) {
  Pieces pieces;
  walk(
      whole_lines(before), whole_lines(after), [&](std::string_view line) { pieces.same(line); },
      [&](const std::string& removed, const std::string& added) {
        walk(
            tokens(removed), tokens(added), [&](std::string_view word) { pieces.same(word); },
            [&](const std::string& gone, const std::string& come) { pieces.change(gone, come); });
      });
  return pieces.done();
}

}  // namespace sndr::patch
