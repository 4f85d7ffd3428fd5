// SPDX-License-Identifier: Apache-2.0
//
// How edits of several patches become one text, whatever order they come in.
//
// Each usable edit is a span of the pristine file. Sorted by place, spans fall into clusters of
// overlapping ones. A cluster of one, nearly always, is a splice. In a larger one every
// overlapping pair has to be ordered by `after`; the edits are then made one by one, in that order,
// on a copy of the cluster's bytes. Where `after` leaves two of them free, their place in the file
// decides, then id and name, so the order of the input never does.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "pack/patch.h"
#include "patch/edit.h"
#include "patch/normal.h"

namespace sndr::patch {
namespace {

struct Span {
  std::string_view id;
  const EditFinding* finding;
  [[nodiscard]] std::size_t begin() const { return finding->begin; }
  [[nodiscard]] std::size_t end() const { return finding->end; }
};

using Cluster = std::vector<Span>;

bool overlaps(const Span& a, const Span& b) {
  return std::max(a.begin(), b.begin()) < std::min(a.end(), b.end());
}

/// `late` says that it goes after `early`.
bool goes_after(const Span& late, const Span& early) {
  return overlaps(late, early) && late.id != early.id && late.finding->edit->after == early.id;
}

class File {
 public:
  File(std::string_view path, std::string_view raw, std::vector<Overlap>& conflicts)
      : path_(path), raw_(raw), normal_(raw), conflicts_(conflicts) {}

  std::string splice(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::tuple(a.begin(), a.end(), a.id, std::string_view(a.finding->edit->name)) <
             std::tuple(b.begin(), b.end(), b.id, std::string_view(b.finding->edit->name));
    });
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < spans.size();) {
      Cluster cluster{spans[at++]};
      std::size_t end = cluster[0].end();
      for (; at < spans.size() && spans[at].begin() < end; ++at) {
        cluster.push_back(spans[at]);
        end = std::max(end, spans[at].end());
      }
      out += raw_.substr(copied, cluster[0].begin() - copied);
      out += normal_.with_line_ends(cluster.size() == 1 ? cluster[0].finding->variant->replacement
                                                        : merge(cluster, end));
      copied = end;
    }
    return out += raw_.substr(copied);
  }

 private:
  void conflict(std::string_view first, std::string_view second, int line, std::string reason) {
    conflicts_.push_back({std::string(first), std::string(second), path_, line, std::move(reason)});
  }

  /// The edits of a cluster in the order in which they are made; fewer where they aren't ordered.
  Cluster ordered(const Cluster& cluster) {
    for (std::size_t i = 0; i < cluster.size(); ++i)
      for (std::size_t k = i + 1; k < cluster.size(); ++k) {
        const Span &a = cluster[i], &b = cluster[k];
        if (!overlaps(a, b) || goes_after(a, b) != goes_after(b, a)) continue;
        const auto& [first, second] = std::minmax(a.id, b.id);
        const int line = line_of(raw_, b.begin());
        conflict(
            first, second, line,
            first == second
                ? fmt::format("two edits of {} claim line {} of {}", first, line, path_)
                : fmt::format("{} and {} both edit line {} of {}", first, second, line, path_));
        return {};
      }
    Cluster out, left = cluster;
    while (!left.empty()) {
      const auto next = std::find_if(left.begin(), left.end(), [&](const Span& one) {
        return std::none_of(left.begin(), left.end(),
                            [&](const Span& other) { return goes_after(one, other); });
      });
      if (next == left.end()) {
        conflict(left[0].id, left[1].id, line_of(raw_, left[1].begin()),
                 fmt::format("the edits of {} and {} in {} go after each other in a circle",
                             left[0].id, left[1].id, path_));
        return {};
      }
      out.push_back(*next);
      left.erase(next);
    }
    return out;
  }

  std::string merge(const Cluster& cluster, std::size_t end) {
    std::string text;
    {
      const Normal region(raw_.substr(cluster[0].begin(), end - cluster[0].begin()));
      text = region.text();
    }
    const Span* earlier = nullptr;
    const Cluster order = ordered(cluster);
    for (const Span& span : order) {
      const bool later =
          std::any_of(order.data(), &span, [&](const Span& one) { return goes_after(span, one); });
      if (!make(text, span, later, earlier)) return {};
      earlier = &span;
    }
    return text;
  }

  /// One edit on a cluster's text. A `later` one may use any of its variants there.
  bool make(std::string& text, const Span& span, bool later, const Span* earlier) {
    std::vector<std::pair<std::size_t, const pack::Variant*>> fits;
    const auto& edit = *span.finding->edit;
    for (const auto& variant : edit.variants) {
      if (!later && &variant != span.finding->variant) continue;
      if ((variant.file.empty() ? edit.file : variant.file) != path_) continue;
      const auto places = find_all(text, variant.anchor);
      if (places.size() == 1) fits.emplace_back(places[0], &variant);
    }
    if (fits.size() != 1) {
      const Span& first = earlier == nullptr ? span : *earlier;
      conflict(first.id, span.id, line_of(raw_, span.begin()),
               fmt::format("{} of edit \"{}\" of {} in what {} leaves of {}",
                           fits.empty() ? "no anchor stands once" : "two anchors stand", edit.name,
                           span.id, first.id, path_));
      return false;
    }
    text.replace(fits[0].first, fits[0].second->anchor.size(), fits[0].second->replacement);
    return true;
  }

  std::string path_;
  std::string_view raw_;
  Normal normal_;
  std::vector<Overlap>& conflicts_;
};

struct Work {
  std::map<std::string, std::vector<Span>, std::less<>> spans;  // by file
  std::map<std::string, PatchedFile> added;
};

Status collect(const PatchFinding& finding, const Source& source, Work& work,
               std::vector<Overlap>& conflicts) {
  const pack::Patch& patch = *finding.patch;
  if (finding.state != PatchState::intact)
    return fail(Errc::internal, "{} can't be composed: {}", patch.id, finding.reason);
  for (const auto& edit : finding.edits)
    if (edit.state == EditState::usable) work.spans[edit.file].push_back({patch.id, &edit});
  for (const auto& file : patch.new_files) {
    if (source(file.path))
      return fail(Errc::drift, "{} adds {}, but vLLM has a file of that name", patch.id, file.path);
    PatchedFile& entry = work.added[file.path];
    if (!entry.ids.empty())
      conflicts.push_back(
          {entry.ids[0], patch.id, file.path, 0,
           fmt::format("{} and {} both add {}", entry.ids[0], patch.id, file.path)});
    entry = {file.path, file.text, {patch.id}, true};
  }
  return {};
}

}  // namespace

Result<Composition> compose(const std::vector<const PatchFinding*>& findings,
                            const Source& source) {
  auto sorted = findings;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->patch->id < b->patch->id; });
  Composition out;
  Work work;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i]->patch->id == sorted[i - 1]->patch->id)
      return fail(Errc::internal, "{} is there twice", sorted[i]->patch->id);
    SNDR_CHECK(collect(*sorted[i], source, work, out.overlaps));
  }
  for (auto& [path, spans] : work.spans) {
    const auto raw = source(path);
    if (!raw) return fail(Errc::drift, "{} is gone since it was judged", path);
    PatchedFile file{path, {}, {}, false};
    std::set<std::string_view> ids;
    for (const auto& span : spans) {
      if (span.end() > raw->size() || span.begin() >= span.end())
        return fail(Errc::internal, "edit \"{}\" of {} lies outside {}", span.finding->edit->name,
                    span.id, path);
      ids.insert(span.id);
    }
    file.ids.assign(ids.begin(), ids.end());
    file.text = File(path, *raw, out.overlaps).splice(std::move(spans));
    out.files.push_back(std::move(file));
  }
  for (auto& [path, file] : work.added) out.files.push_back(std::move(file));
  std::sort(out.files.begin(), out.files.end(),
            [](const PatchedFile& a, const PatchedFile& b) { return a.path < b.path; });
  if (!out.overlaps.empty()) out.files.clear();
  return out;
}

}  // namespace sndr::patch
