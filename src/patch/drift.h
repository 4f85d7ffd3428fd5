// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/term.h"
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
  int line = 0;                 ///< of the nearest text; 0 = nothing like it
  double likeness = 0;          ///< 0..1, share of the anchor's words that survive
  std::string nearest;          ///< the text that stands there
  std::vector<DiffPiece> diff;  ///< anchor -> nearest, word by word
  std::string moved_to;         ///< the file that holds the anchor, or its nearest text, now
  std::string explanation;      ///< one sentence: file gone, moved, upstream's fix is there, anchor
                                ///< stands N times, ...
};

/// `all_files` lists every path of the tree (for "the file moved to"); it is asked only when the
/// file is gone.
[[nodiscard]] DriftReport explain_drift(const pack::Patch& patch, const EditFinding& finding,
                                        const Source& source,
                                        const std::function<std::vector<std::string>()>& all_files);

/// "drift: PN91 entrypoints/chat_utils.py:1234", then the explanation and the coloured word diff.
[[nodiscard]] std::string render(const DriftReport& report, const term::Screen& screen);

[[nodiscard]] std::vector<DiffPiece> word_diff(std::string_view before, std::string_view after);

/// A variant for review: the anchor that the nearest text suggests, made unique, and the
/// replacement carried over by the same edit script. Nothing if the likeness is under a half.
struct Rebased {
  std::string anchor;
  std::string replacement;
  int line = 0;
};
[[nodiscard]] std::optional<Rebased> rebase(const pack::Variant& variant,
                                            std::string_view pristine);

}  // namespace sndr::patch
