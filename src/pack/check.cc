// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "pack/read_patch.h"

namespace sndr::pack {
namespace {

/// One patch being checked against the others.
struct Place {
  const PatchDocument& document;
  std::vector<Error>& errors;

  /// At item `index` of a list, at the key's scalar, or at the file's beginning.
  void error(std::string_view key, std::size_t index, std::string what,
             std::string hint = {}) const {
    const auto* value = document.node.find(key);
    yaml::Mark mark = document.node.mark;
    if (value != nullptr) mark = index < value->list.size() ? value->list[index].mark : value->mark;
    error({document.patch.file, mark.line, mark.column}, std::move(what), std::move(hint));
  }
  void error(Where where, std::string what, std::string hint = {}) const {
    Error out;
    out.code = Errc::invalid_input;
    out.what = std::move(what);
    out.where = std::move(where);
    out.hint = std::move(hint);
    errors.push_back(std::move(out));
  }
};

class Checker {
 public:
  Checker(const std::vector<PatchDocument>& patches, const std::vector<std::string>& v12_ids,
          std::vector<Error>& errors)
      : patches_(patches), v12_ids_(v12_ids), errors_(errors) {
    for (const auto& document : patches) ids_.push_back(document.patch.id);
  }

  void run() {
    for (const auto& document : patches_) {
      const Place place{document, errors_};
      check_id(place);
      check_flags(place);
      check_references(place);
    }
    const auto requirements = [](const Patch& patch) { return patch.requires_ids; };
    const auto order = [](const Patch& patch) {
      std::vector<std::string> out;
      for (const auto& edit : patch.edits)
        if (!edit.after.empty()) out.push_back(edit.after);
      return out;
    };
    for (const auto& document : patches_) {
      find_circle(document, "requires", requirements);
      find_circle(document, "after", order);
    }
  }

 private:
  using Next = std::function<std::vector<std::string>(const Patch&)>;

  static bool has(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  }

  [[nodiscard]] std::string near(const std::string& word) const {
    const auto found = nearest(word, ids_, 1);
    return found.empty() ? "patches: " + join(ids_, ", ") : "did you mean '" + found.front() + "'?";
  }

  void check_id(const Place& place) {
    const auto& patch = place.document.patch;
    const auto [at, fresh] = seen_ids_.emplace(lower(patch.id), &patch);
    if (!fresh && !patch.id.empty())
      place.error("id", 0, fmt::format("id {} stands in {} too", patch.id, at->second->file));
  }

  void check_flags(const Place& place) {
    const auto& patch = place.document.patch;
    const auto claim = [&](std::string_view key, std::size_t index, const std::string& flag) {
      if (flag.empty()) return;
      const auto [at, fresh] = seen_flags_.emplace(flag, &patch);
      if (!fresh)
        place.error(
            key, index,
            fmt::format("'{}' belongs to {} already ({})", flag, at->second->id, at->second->file));
    };
    claim("flag", 0, patch.flag);
    for (std::size_t i = 0; i < patch.aliases.size(); ++i) claim("aliases", i, patch.aliases[i]);
  }

  void check_references(const Place& place) const {
    const auto& patch = place.document.patch;
    const auto look = [&](std::string_view key, const std::vector<std::string>& ids, bool ours,
                          bool v12) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == patch.id) {
          place.error(key, i, fmt::format("'{}' names {} itself", key, patch.id));
        } else if (!(ours && has(ids_, ids[i])) && !(v12 && has(v12_ids_, ids[i]))) {
          place.error(key, i,
                      fmt::format("'{}' names {}, which is {}", key, ids[i],
                                  ours ? "no patch of this pack" : "no id of v12"),
                      ours ? near(ids[i]) : std::string());
        }
      }
    };
    look("requires", patch.requires_ids, true, false);
    look("conflicts", patch.conflicts, true, true);
    look("also_covers", patch.also_covers, false, true);
    for (std::size_t i = 0; i < patch.conflicts.size(); ++i)
      if (has(patch.requires_ids, patch.conflicts[i]))
        place.error("conflicts", i,
                    fmt::format("{} is required, and conflicts", patch.conflicts[i]));
    for (const auto& edit : patch.edits) {
      if (edit.after.empty()) continue;
      if (edit.after == patch.id)
        place.error(edit.where, fmt::format("'after' names {} itself", patch.id));
      if (!has(ids_, edit.after))
        place.error(edit.where,
                    fmt::format("'after' names {}, which is no patch of this pack", edit.after),
                    near(edit.after));
    }
  }

  /// A circle is reported once: at its patch that comes first.
  void find_circle(const PatchDocument& start, std::string_view key, const Next& next) const {
    std::vector<std::string> path = {start.patch.id};
    const std::function<bool()> walk = [&] {
      const auto at = std::find(ids_.begin(), ids_.end(), path.back());
      if (at == ids_.end()) return false;
      for (const auto& id : next(patches_[static_cast<std::size_t>(at - ids_.begin())].patch)) {
        if (id == path.back()) continue;  // said already
        const bool closed = id == path.front();
        if (!closed && (has(path, id) || id_index(id) < id_index(path.front()))) continue;
        path.push_back(id);
        if (closed || walk()) return true;
        path.pop_back();
      }
      return false;
    };
    if (!walk()) return;
    Place{start, errors_}.error(key, 0,
                                fmt::format("'{}' goes in a circle: {}", key, join(path, " -> ")));
  }

  [[nodiscard]] std::size_t id_index(const std::string& id) const {
    return static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), id) - ids_.begin());
  }

  const std::vector<PatchDocument>& patches_;
  const std::vector<std::string>& v12_ids_;
  std::vector<Error>& errors_;
  std::vector<std::string> ids_;
  std::map<std::string, const Patch*> seen_ids_;
  std::map<std::string, const Patch*> seen_flags_;
};

}  // namespace

void check_patches(const std::vector<PatchDocument>& patches,
                   const std::vector<std::string>& known_ids, std::vector<Error>& errors) {
  Checker(patches, known_ids, errors).run();
}

}  // namespace sndr::pack
