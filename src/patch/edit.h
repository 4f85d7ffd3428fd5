// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
/// says `after`), and all are spliced at once. "\r\n" files are matched as if they had "\n" and
/// keep their "\r\n".
namespace sndr::patch {

/// The pristine files, by path below vllm/. nullopt = no such file. Called at most once a path by
/// `judge`'s callers who cache (overlay does).
using Source = std::function<std::optional<std::string_view>(std::string_view path)>;

enum class EditState : std::uint8_t {
  usable,      ///< one variant's anchor stands exactly once
  not_needed,  ///< `only_if` doesn't hold
  upstream,    ///< an `unless` text is there: vLLM has the fix
  missing,     ///< no variant's anchor is there (or no file)
  ambiguous,   ///< an anchor stands more than once, or two variants match
};

struct EditFinding {
  const pack::Edit* edit = nullptr;
  EditState state = EditState::missing;
  const pack::Variant* variant =
      nullptr;       ///< usable: the one to use; missing: the one to report (the nearest)
  std::string file;  ///< the variant's file, or the edit's
  std::size_t begin = 0, end = 0;  ///< usable: the anchor's bytes in the pristine text
  std::size_t matches = 0;         ///< ambiguous: how often
};

/// What one patch finds on a tree, from evidence alone: no version, no flag.
enum class PatchState : std::uint8_t {
  intact,     ///< every needed edit is usable
  retired,    ///< every retires_when entry holds, or every edit is `upstream`
  elsewhere,  ///< applies_if doesn't hold: this tree never had the code
  drifted,    ///< at least one edit is missing or ambiguous
};

struct PatchFinding {
  const pack::Patch* patch = nullptr;
  PatchState state = PatchState::drifted;
  std::vector<EditFinding> edits;
  std::string reason;  ///< one line, for people: which evidence, which fix
};

[[nodiscard]] bool holds(const pack::Evidence& evidence, const Source& source);
[[nodiscard]] PatchFinding judge(const pack::Patch& patch, const Source& source);

/// Two edits that claim the same bytes.
struct Overlap {
  std::string first_id, second_id, file;
  int line = 0;
};

struct PatchedFile {
  std::string path;  ///< below vllm/
  std::string text;
  std::vector<std::string> ids;  ///< patches that touched it
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
