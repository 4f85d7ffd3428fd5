// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "pack/patch.h"

/// The tuning pack as typed values: patches, pins, v12's ids, and the variables we know.
///
/// It travels inside the binary; `SNDR_PACK=DIR` (or `--pack DIR`) reads a folder instead, which is
/// how a patch is written and tried. Loading reports every error of every file at once, each with
/// file, line and column.
namespace sndr::pack {

/// One line of pins.yaml.
struct Pin {
  std::string slot;  ///< recommended, stable, current, rollback, also
  std::string version;
  std::string verified;  ///< engine, trees or no
  std::string platform;  ///< of `engine`: cpu or cuda
  std::string date;      ///< ISO
  std::string result;    ///< one sentence
};

/// What became of a v12 id.
enum class Disposition : std::uint8_t {
  patch,    ///< a patch of ours does it (`by` = its id)
  native,   ///< vLLM does it itself, from `native_present` on
  plugin,   ///< our attention backend or plugin does it
  gateway,  ///< our gateway does it
  launch,   ///< an option of vLLM's own does it (`by` = the option)
  open,     ///< still wanted, not shipped yet (`by` = how it will come)
  dropped,  ///< not carried over, and `note` says why
};
[[nodiscard]] std::string_view to_text(Disposition value);

struct Legacy {
  std::string id;
  std::string flag;
  std::vector<std::string> aliases;
  std::string title;  ///< our words
  Disposition disposition = Disposition::dropped;
  std::string by;
  std::string note;             ///< one or two sentences, our words
  std::string native_absent;    ///< last tree read that lacks it, "0.22.1"
  std::string native_present;   ///< first tree read that has it, "0.24.0"
  std::string native_evidence;  ///< where it was read: a file and what stands there
  std::vector<std::string> upstream;
  std::string family, lifecycle, implementation;  ///< as v12 had them
  bool default_on = false;
  std::string replaced_by;  ///< v12's superseded_by
};

/// A GENESIS_*, SNDR_* name that isn't a patch's flag.
struct Variable {
  std::string name;       ///< "SNDR_HOME"; a trailing `*` matches a family ("GENESIS_LEGACY_*")
  std::string origin;     ///< ours or v12
  std::string kind;       ///< path, switch, number, words, secret
  std::string otherwise;  ///< the default, as docs show it
  std::string what;       ///< one sentence
  std::string answer;     ///< v12 names: what to do instead
  std::string flag;       ///< knobs: the patch flag that they act with
};

/// A list that is read when it is first asked for: v12's 329 ids cost more to read than all
/// patches, and most commands need none of them. It looks like a const vector, and is assigned one;
/// copies share one list, so pointers into it stay good.
template <class T>
class Lazy {
 public:
  Lazy() : Lazy(std::vector<T>{}) {}
  Lazy(std::vector<T> list) : Lazy([list = std::move(list)] { return list; }) {}
  explicit Lazy(std::function<std::vector<T>()> read)
      : state_(std::make_shared<State>(std::move(read))) {}

  [[nodiscard]] const std::vector<T>& get() const {
    std::call_once(state_->once, [this] { state_->list = state_->read(); });
    return state_->list;
  }
  [[nodiscard]] auto begin() const { return get().begin(); }
  [[nodiscard]] auto end() const { return get().end(); }
  [[nodiscard]] std::size_t size() const { return get().size(); }
  [[nodiscard]] bool empty() const { return get().empty(); }
  [[nodiscard]] const T& operator[](std::size_t index) const { return get()[index]; }

 private:
  struct State {
    explicit State(std::function<std::vector<T>()> reader) : read(std::move(reader)) {}
    std::once_flag once;
    std::function<std::vector<T>()> read;
    std::vector<T> list;
  };
  std::shared_ptr<State> state_;
};

/// What a user may mean by one word; both are nullptr where nobody knows it.
struct Named {
  const Patch* patch = nullptr;
  const Legacy* legacy = nullptr;
  bool exact = false;  ///< the word is an id or a full flag itself, no alias and no covered v12 id
};

struct Pack {
  std::vector<Patch> patches;  ///< by id, natural order (P61b before P109)
  std::vector<Pin> pins;
  Lazy<Legacy> legacy;  ///< in the file's order
  Lazy<Variable> variables;
  std::string source;  ///< "built in", or the folder

  [[nodiscard]] const Patch* patch(std::string_view id) const;       ///< id, without case
  [[nodiscard]] const Patch* by_flag(std::string_view flag) const;   ///< full flag or alias
  [[nodiscard]] const Legacy* legacy_id(std::string_view id) const;  ///< id, without case
  [[nodiscard]] const Legacy* legacy_flag(std::string_view flag) const;
  [[nodiscard]] const Pin* pin(std::string_view version) const;  ///< local part left out
  [[nodiscard]] const Pin* slot(std::string_view name) const;
  /// An id of ours or of v12, a full flag, an alias ("GENESIS_ENABLE_P59_..."), an alias's short id
  /// ("P59"), or a v12 id that a patch of ours covers. Ids without case.
  [[nodiscard]] Named named(std::string_view word) const;
  /// The nearest known ids to a word that nobody knows.
  [[nodiscard]] std::vector<std::string> near_ids(std::string_view word) const;
  /// What became of a v12 id, in one line: "native in vLLM: 0.24.0 has it, 0.22.1 doesn't".
  [[nodiscard]] std::string answer(const Legacy& entry) const;
};

/// The pack that this process uses: SNDR_PACK's folder or the built-in one (1 to 2 ms).
[[nodiscard]] tl::expected<Pack, std::vector<Error>> load();
/// A folder with patches/ and, if it has them, pins.yaml, legacy.yaml and variables.yaml; those
/// that it lacks come from the built-in pack. Everything is read and checked at once.
[[nodiscard]] tl::expected<Pack, std::vector<Error>> load_folder(const std::string& folder);

/// A file that travels in the binary ("python/genesis_boot.py"), or nothing. With SNDR_PACK set,
/// files below "pack/" come from there.
[[nodiscard]] std::optional<std::string_view> embedded(std::string_view path);

/// sha256 over everything embedded: two binaries with the same pack have the same one.
[[nodiscard]] const std::string& embedded_fingerprint();

/// "GENESIS_ENABLE_P61B_X" -> "P61B_X": what stands after a known prefix
/// (GENESIS_|SNDR_)(ENABLE|DISABLE|LEGACY)_, or "".
[[nodiscard]] std::string_view flag_suffix(std::string_view name);

/// P61b < P109 < PN9 < PN91: letters first, then the number, then the rest.
[[nodiscard]] bool id_less(std::string_view a, std::string_view b);

}  // namespace sndr::pack
