// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "pack/patch.h"

/// Pure text in, text out: where edits land in pristine files, and what the files become.
///
/// Anchors are looked for in pristine text only, so the order of patches never changes the result:
/// edits become spans of the pristine file, spans of different patches may not overlap (unless one
/// says `after`), and all are spliced at once. "\r\n" is matched as "\n". A file whose first line
/// ends in "\r\n" gets its replacements with "\r\n"; bytes outside the spans are kept as they are.
///
/// `after: ID` lets an edit share bytes with an edit of patch ID, and go second. Exactly:
///  - its anchor has to stand in the pristine text as any other's, so a patch can be judged alone,
///    and does its work where ID is not applied;
///  - where both are applied and their spans overlap, the edit of ID is made first. Then all
///    variants of the later edit are looked for in what became of the bytes that the overlapping
///    spans cover together; exactly one of them must stand there exactly once, else it is an
///    Overlap. So ID's replacement has to keep the later edit's anchor, or the later edit has a
///    variant whose anchor is a text of that replacement;
///  - spans that don't overlap are spliced as usual, and `after` says nothing.
namespace sndr::patch {

/// The pristine files, by path below vllm/. nullopt = no such file. Called at most once a path by
/// `judge`'s callers who cache (overlay does).
using Source = std::function<std::optional<std::string_view>(std::string_view path)>;

/// `not_needed` is decided first, then `upstream`; the anchors say the rest.
enum class EditState : std::uint8_t {
  usable,      ///< exactly one variant's anchor stands exactly once
  not_needed,  ///< `only_if` doesn't hold
  upstream,    ///< an `unless` text of any variant is there: vLLM has the fix
  missing,     ///< no variant's anchor is there (or no file)
  ambiguous,   ///< an anchor stands more than once, or two variants match
};

struct EditFinding {
  const pack::Edit* edit = nullptr;
  EditState state = EditState::missing;
  const pack::Variant* variant = nullptr;  ///< usable: the one to use; else: the one to report
  std::string file;                        ///< the variant's file, or the edit's
  std::size_t begin = 0, end = 0;          ///< usable: the anchor's bytes in the pristine text
  std::size_t matches = 0;  ///< ambiguous: how often the anchor stands, or how many variants do
};

/// What one patch finds on a tree, from evidence alone: no version, no flag.
enum class PatchState : std::uint8_t {
  intact,     ///< every needed edit is usable
  retired,    ///< every retires_when entry holds, or every needed edit is `upstream`
  elsewhere,  ///< applies_if doesn't hold, or no edit is needed: this tree never had the code
  drifted,    ///< an edit is missing or ambiguous, or vLLM has a file where the patch adds one
};

struct PatchFinding {
  const pack::Patch* patch = nullptr;
  PatchState state = PatchState::drifted;
  std::vector<EditFinding> edits;  ///< empty where evidence alone decided (retired, elsewhere)
  std::string reason;              ///< one line, for people: which evidence, which fix
};

[[nodiscard]] bool holds(const pack::Evidence& evidence, const Source& source);
[[nodiscard]] PatchFinding judge(const pack::Patch& patch, const Source& source);

/// Two edits that claim the same bytes (or two patches that add the same file).
struct Overlap {
  std::string first_id, second_id, file;
  int line = 0;        ///< in the pristine file; 0 for an added file
  std::string reason;  ///< one sentence with both ids and the place
};

struct PatchedFile {
  std::string path;  ///< below vllm/
  std::string text;
  std::vector<std::string> ids;  ///< patches that touched it, sorted
  bool created = false;
};

struct Composition {
  std::vector<PatchedFile> files;  ///< by path
  std::vector<Overlap> overlaps;   ///< not empty = nothing may be built
};

/// Splices all edits of all findings (each must be `intact`) into the pristine text of each file.
[[nodiscard]] Result<Composition> compose(const std::vector<const PatchFinding*>& findings,
                                          const Source& source);

}  // namespace sndr::patch
