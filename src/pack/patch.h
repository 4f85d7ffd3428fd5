// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/version.h"

/// One patch, as `pack/patches/<ID>_<slug>/patch.yaml` gives it. Values only: nothing here reads a
/// vLLM tree.
///
/// Paths are relative to the `vllm/` package ("sampling_params.py"). Texts are matched byte for
/// byte in the pristine file with its line ends as "\n".
namespace sndr::pack {

enum class Mechanism : std::uint8_t { text, plugin, gateway, launch };
enum class Lifecycle : std::uint8_t { stable, experimental, retired };
enum class Implementation : std::uint8_t {
  full,
  partial,
  experimental,
  marker_only,
  placeholder,
  retired
};

/// Something a tree shows or doesn't: a file, or a text in it. Evidence, never a version, decides
/// about code.
struct Evidence {
  std::string file;
  std::string text;     ///< empty: the file's existence is the evidence
  bool absent = false;  ///< true: the evidence is that it isn't there
};

/// One way to make an edit. It is usable where its file exists, its anchor stands there exactly
/// once and no `unless` text does.
struct Variant {
  std::string file;    ///< empty: the edit's file
  std::string anchor;  ///< as short as stays unique
  std::string replacement;
  std::vector<std::string> unless;  ///< upstream's own fix; found = this edit isn't needed here
  std::string
      trees;    ///< "0.24.0 0.32.0": where it was seen to match; for messages and `rebase` only
  Where where;  ///< of the anchor in patch.yaml
};

/// Every edit of a patch lands or none does; an edit that `unless` or `only_if` rules out isn't
/// needed and doesn't count.
struct Edit {
  std::string name;
  std::string file;
  std::vector<Evidence> only_if;  ///< all must hold, else this edit isn't needed on this tree
  std::string after;              ///< id of a patch whose edit may overlap this one and goes first
  std::vector<Variant> variants;  ///< exactly one must be usable
  Where where;
};

/// A file that vLLM doesn't have. Its text lies beside patch.yaml.
struct NewFile {
  std::string path;  ///< below vllm/
  std::string text;
};

struct Upstream {
  std::string number;  ///< "#48846"
  std::string kind;    ///< pr or issue
  std::string author;  ///< GitHub name, or empty
  std::string state;   ///< open, merged, closed, as last read
};

/// One entry for each fix that the patch bundles. When all entries hold on a tree, the patch is
/// retired there.
struct Retirement {
  std::string fix;                 ///< what upstream did, in a few words
  std::string release;             ///< first release that has it, or empty while none has
  std::vector<Evidence> evidence;  ///< all must hold; never empty
};

/// One typed condition of applies_to. `words`: any of them, `*` as a glob at the end; `range`: PEP
/// 440 or plain numbers.
struct Gate {
  std::string key;
  std::vector<std::string> words;
  VersionRange range;
  std::string text;  ///< as written, for messages
};

/// The keys that applies_to may have, and how each is read. One table for the loader, the facts and
/// the docs.
struct GateKey {
  enum class Kind : std::uint8_t { words, range, flag };
  std::string_view name;
  Kind kind;
  std::string_view what;
};
[[nodiscard]] const std::vector<GateKey>& gate_keys();

struct Patch {
  std::string id;                        ///< "PN91", "GN001"
  std::string slug;                      ///< folder name after the id
  std::string flag;                      ///< "GENESIS_ENABLE_PN91_DEVELOPER_ROLE"
  std::vector<std::string> aliases;      ///< other full flags that turn it on, with a notice
  std::vector<std::string> also_covers;  ///< v12 ids whose job this patch does too
  std::vector<std::string> knobs;        ///< variables that act only with its flag
  std::string title;
  std::string why;  ///< two sentences: the bug as a user meets it, and what the patch does
  Mechanism mechanism = Mechanism::text;
  Lifecycle lifecycle = Lifecycle::experimental;
  Implementation implementation = Implementation::full;
  bool default_on = false;  ///< informational; the rule is in docs/PATCHES.md
  bool lossy = false;
  std::vector<Upstream> upstream;
  std::vector<Retirement> retires_when;
  std::vector<Evidence>
      applies_if;  ///< the code that the patch is about; where it is missing: "not for this tree"
  VersionRange vllm;        ///< the verified span, ">=0.22.1,<=0.33.0"
  std::vector<Gate> gates;  ///< all must hold
  std::vector<std::string> requires_ids;
  std::vector<std::string> conflicts;
  std::vector<Edit> edits;
  std::vector<NewFile> new_files;
  std::string plugin;       ///< mechanism plugin: "module:function" below the boot folder
  std::string proof;        ///< text of proof.py, or empty
  std::string proof_level;  ///< engine, function or text
  std::string
      fingerprint;  ///< sha256 over patch.yaml and every file beside it: part of the overlay's name
  std::string file;  ///< patch.yaml's path, for messages
};

[[nodiscard]] std::string_view to_text(Mechanism value);
[[nodiscard]] std::string_view to_text(Lifecycle value);
[[nodiscard]] std::string_view to_text(Implementation value);

}  // namespace sndr::pack
