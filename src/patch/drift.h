// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/term.h"
#include "pack/patch.h"
#include "patch/edit.h"

/// When an anchor is gone: where did it go, and what changed in it?
namespace sndr::patch {

/// A run of the diff between an anchor and what stands there now.
struct DiffPiece {
  enum class Kind : unsigned char { same, removed, added };
  Kind kind;
  std::string text;
};

struct DriftReport {
  std::string id, edit, file;
  Where anchor;                 ///< of the anchor in patch.yaml
  int line = 0;                 ///< of the nearest text; 0 = nothing like it
  double likeness = 0;          ///< 0..1, share of the anchor's words that survive
  std::string nearest;          ///< the text that stands there
  std::vector<DiffPiece> diff;  ///< anchor -> nearest, word by word; empty if the anchor is intact
  std::string
      moved_to;  ///< the file that holds the anchor, or its nearest text, now; `line` is there
  std::string explanation;  ///< one sentence: file gone, moved, upstream's fix, stands N times, ...
};

/// `all_files` lists every path of the tree (for "the file moved to"); it is asked only when the
/// file is gone, or holds nothing like the anchor. `others` are findings on the same tree: an edit
/// of theirs on the nearest text is named.
[[nodiscard]] DriftReport explain_drift(const pack::Patch& patch, const EditFinding& finding,
                                        const Source& source,
                                        const std::function<std::vector<std::string>()>& all_files,
                                        const std::vector<const PatchFinding*>& others = {});

/// "drift: PN91 entrypoints/chat_utils.py:1234", then the explanation and the coloured word diff
/// (without colour: [-gone-]{+come+}). Line 0 where there is nothing like the anchor.
[[nodiscard]] std::string render(const DriftReport& report, const term::Screen& screen);

/// `same` and `removed` pieces joined are `before`, `same` and `added` ones `after`.
[[nodiscard]] std::vector<DiffPiece> word_diff(std::string_view before, std::string_view after);

/// A variant for review: the anchor that the nearest text suggests, made unique by whole lines
/// around it, and the replacement carried over by the same edit script. Where vLLM and the edit
/// changed the same words, the edit's text is taken and counted in `conflicts`. Nothing if the
/// likeness is under a half, or the result would change nothing.
struct Rebased {
  std::string anchor;
  std::string replacement;
  int line = 0;
  int conflicts = 0;
};
[[nodiscard]] std::optional<Rebased> rebase(const pack::Variant& variant,
                                            std::string_view pristine);

}  // namespace sndr::patch
