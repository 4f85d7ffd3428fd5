// SPDX-License-Identifier: Apache-2.0
#include "pack/read_patch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "pack/files.h"
#include "pack/patch.h"
#include "yaml/yaml.h"

namespace sndr::pack {
namespace {

using yaml::Node;
using yaml::Reader;

/// What every reader below needs: the file's name for messages and the list that errors go to.
struct Context {
  std::string file;
  std::vector<Error>& errors;
  [[nodiscard]] Reader reader(const Node& node) { return {node, file, errors}; }
};

template <class Enum>
Enum read_word(Reader& reader, std::string_view key, const std::vector<Enum>& values,
               Enum otherwise) {
  std::vector<std::string> words;
  for (const auto value : values) words.emplace_back(to_text(value));
  const auto word = reader.one_of(key, words, to_text(otherwise));
  const auto at = std::find(words.begin(), words.end(), word);
  return values[static_cast<std::size_t>(at - words.begin())];
}

/// A path below vllm/ or beside patch.yaml.
void check_path(Reader& reader, std::string_view key, std::string_view path) {
  if (path.empty()) return;
  const auto parts = split(path, '/');
  const auto bad = [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  };
  if (std::any_of(parts.begin(), parts.end(), bad)) {
    reader.error_at(key, fmt::format("'{}' is no plain relative path", path),
                    "write it without a leading slash and without '..'");
  } else if (parts.front() == "vllm" && parts.size() > 1) {
    reader.error_at(key, fmt::format("'{}' begins with vllm/", path),
                    "paths are relative to the vllm/ package");
  }
}

VersionRange read_range(Reader& reader, std::string_view key, const std::string& text) {
  auto range = VersionRange::parse(text);
  if (range) return *std::move(range);
  reader.error_at(key, range.error().what, range.error().hint);
  return {};
}

Evidence read_evidence(const Node& node, Context& context) {
  auto reader = context.reader(node);
  Evidence out;
  out.file = reader.text("file");
  check_path(reader, "file", out.file);
  out.text = reader.text_or("text", "");
  out.absent = reader.flag("absent", false);
  reader.done();
  return out;
}

std::vector<Evidence> read_evidence_list(Reader& reader, std::string_view key, Context& context) {
  std::vector<Evidence> out;
  for (const auto* item : reader.items(key)) out.push_back(read_evidence(*item, context));
  return out;
}

/// Sentences of `text`: a full stop, question or exclamation mark, then a blank and a capital, or
/// the end.
std::size_t sentences(std::string_view text) {
  text = trim(text);
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.' && text[i] != '!' && text[i] != '?') continue;
    const auto rest = trim(text.substr(i + 1));
    const bool blank = i + 1 < text.size() && std::isspace(static_cast<unsigned char>(text[i + 1]));
    if (rest.empty() || (blank && std::isupper(static_cast<unsigned char>(rest.front())))) ++count;
    if (rest.empty()) return count;
  }
  return text.empty() ? 0 : count + 1;  // the last one has no full stop
}

Variant read_variant(const Node& node, Context& context) {
  auto reader = context.reader(node);
  Variant out;
  out.file = reader.text_or("file", "");
  check_path(reader, "file", out.file);
  out.trees = join(reader.texts("trees"), " ");
  out.anchor = reader.text("anchor");
  if (!reader.has("replace"))
    reader.error(node.mark, "'replace' is missing", "replace: \"\" takes the anchor away");
  out.replacement = reader.text_or("replace", "");
  out.unless = reader.texts("unless");
  const auto* anchor = node.find("anchor");
  out.where = reader.where(anchor == nullptr ? node.mark : anchor->mark);
  if (!out.anchor.empty() && out.anchor == out.replacement)
    reader.error_at("replace", "the replacement is the anchor");
  for (const auto& text : out.unless) {
    if (text.empty()) reader.error_at("unless", "an empty 'unless' text is found everywhere");
    if (!text.empty() && out.anchor.find(text) != std::string::npos)
      reader.error_at(
          "unless",
          fmt::format("'{}' stands in the anchor: the edit could never be used", trim(text)),
          "take a text that only upstream's fix has");
  }
  reader.done();
  return out;
}

Edit read_edit(const Node& node, Context& context) {
  auto reader = context.reader(node);
  Edit out;
  out.where = reader.where(node.mark);
  out.name = reader.text("name");
  out.file = reader.text_or("file", "");
  check_path(reader, "file", out.file);
  out.only_if = read_evidence_list(reader, "only_if", context);
  out.after = reader.text_or("after", "");
  for (const auto* item : reader.items("variants")) {
    out.variants.push_back(read_variant(*item, context));
    if (out.file.empty() && out.variants.back().file.empty())
      reader.error(item->mark, "no file: neither the edit nor this variant names one");
  }
  if (out.variants.empty()) reader.error_at("variants", "an edit needs at least one variant");
  reader.done();
  return out;
}

/// Our own edit must not look like upstream's fix, or a second look at the tree would call the
/// patch retired.
void check_replacements(const Node& node, const Patch& patch, Context& context) {
  auto reader = context.reader(node);
  const auto file_of = [](const Edit& edit, const Variant& variant) -> const std::string& {
    return variant.file.empty() ? edit.file : variant.file;
  };
  const auto look = [&](const Edit& edit, const Variant& ours, const std::string& text) {
    for (const auto& other : patch.edits) {
      for (const auto& variant : other.variants) {
        if (file_of(other, variant) != file_of(edit, ours) || text.empty()) continue;
        if (variant.replacement.find(text) == std::string::npos) continue;
        reader.error({variant.where.line, variant.where.column},
                     fmt::format("the replacement of edit '{}' holds the 'unless' text '{}'",
                                 other.name, trim(text)),
                     "our own edit would look like upstream's fix: write one of them differently");
      }
    }
  };
  for (const auto& edit : patch.edits)
    for (const auto& variant : edit.variants)
      for (const auto& text : variant.unless) look(edit, variant, text);
}

void read_gates(const Node& node, Patch& patch, Context& context) {
  auto reader = context.reader(node);
  patch.vllm = read_range(reader, "vllm", reader.text("vllm"));
  for (const auto& key : gate_keys()) {
    if (!reader.has(key.name)) continue;
    Gate gate;
    gate.key = key.name;
    switch (key.kind) {
      case GateKey::Kind::words:
        gate.words = reader.texts(key.name);
        if (gate.words.empty())
          reader.error_at(key.name, fmt::format("'{}' names no word", key.name));
        gate.text = join(gate.words, " or ");
        break;
      case GateKey::Kind::range:
        gate.text = reader.text(key.name);
        gate.range = read_range(reader, key.name, gate.text);
        break;
      case GateKey::Kind::flag:
        gate.text = reader.flag(key.name, false) ? "true" : "false";
        gate.words = {gate.text};
        break;
    }
    patch.gates.push_back(std::move(gate));
  }
  std::vector<std::string> known = {"vllm"};
  for (const auto& key : gate_keys()) known.emplace_back(key.name);
  for (const auto& entry : node.map) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const auto near = nearest(entry.key, known, 1);
    reader.error(entry.mark, fmt::format("applies_to has no key '{}'", entry.key),
                 near.empty() ? "known keys: " + join(known, ", ")
                              : fmt::format("did you mean '{}'?", near.front()));
  }
}

std::vector<Upstream> read_upstream(Reader& reader, Context& context) {
  std::vector<Upstream> out;
  for (const auto* item : reader.items("upstream")) {
    auto r = context.reader(*item);
    const auto pr = r.text_or("pr", "");
    const auto issue = r.text_or("issue", "");
    const auto& number = pr.empty() ? issue : pr;
    if (pr.empty() == issue.empty()) {
      r.error(item->mark, "expected one of 'pr' and 'issue'");
    } else if (number.find_first_not_of("0123456789") != std::string::npos) {
      r.error(item->mark, fmt::format("'{}' is no number", number),
              "write the number alone: 48846");
    }
    Upstream one;
    one.number = "#" + number;
    one.kind = pr.empty() ? "issue" : "pr";
    one.author = r.text_or("author", "");
    one.state = r.one_of("state", {"open", "merged", "closed"}, "");
    r.done();
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<Retirement> read_retirements(Reader& reader, Context& context) {
  std::vector<Retirement> out;
  for (const auto* item : reader.items("retires_when")) {
    auto r = context.reader(*item);
    Retirement one;
    one.fix = r.text("fix");
    one.release = r.text_or("release", "");
    if (!one.release.empty() && !Version::parse(one.release))
      r.error_at("release", fmt::format("'{}' is no version", one.release));
    one.evidence = read_evidence_list(r, "evidence", context);
    if (one.evidence.empty())
      r.error_at("evidence", fmt::format("'{}' has no evidence", one.fix),
                 "name a text that the fixed file holds, or one that it lost (absent: true)");
    r.done();
    out.push_back(std::move(one));
  }
  if (out.empty())
    reader.error_at("retires_when",
                    "'retires_when' is empty: nobody would know when the patch has done its work",
                    "write one entry for each fix that it bundles, each with evidence");
  return out;
}

std::vector<NewFile> read_new_files(Reader& reader, const Files& files, const std::string& folder,
                                    Context& context) {
  std::vector<NewFile> out;
  for (const auto* item : reader.items("new_files")) {
    auto r = context.reader(*item);
    NewFile one;
    one.path = r.text("path");
    const auto from = r.text("from");
    check_path(r, "path", one.path);
    check_path(r, "from", from);
    const auto found = files.texts.find("patches/" + folder + "/" + from);
    if (found != files.texts.end()) {
      one.text = found->second;
    } else if (!from.empty()) {
      r.error_at("from", fmt::format("no file '{}' beside patch.yaml", from));
    }
    r.done();
    out.push_back(std::move(one));
  }
  return out;
}

/// GENESIS_ENABLE_<ID> or GENESIS_ENABLE_<ID>_<SLUG>, in capitals. v12 lets P67b share P67's flag
/// and the like, so a small letter after the id's number may be left out.
bool good_flag(std::string_view flag, std::string_view id) {
  static constexpr std::string_view kPrefix = "GENESIS_ENABLE_";
  if (flag.substr(0, kPrefix.size()) != kPrefix) return false;
  const auto rest = flag.substr(kPrefix.size());
  const auto good = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (rest.empty() || rest.back() == '_' || !std::all_of(rest.begin(), rest.end(), good))
    return false;
  const auto word = upper(replace_all(std::string(id), "-", "_"));
  const auto begins = [rest](std::string_view name) {
    return rest.substr(0, name.size()) == name &&
           (rest.size() == name.size() || rest[name.size()] == '_');
  };
  return begins(word) || (!id.empty() && std::islower(static_cast<unsigned char>(id.back())) &&
                          begins(std::string_view(word).substr(0, word.size() - 1)));
}

void read_names(Reader& reader, const std::string& folder, Patch& patch) {
  patch.id = reader.text("id");
  if (!patch.id.empty() && folder.substr(0, patch.id.size() + 1) == patch.id + "_") {
    patch.slug = folder.substr(patch.id.size() + 1);
  } else if (!patch.id.empty()) {
    reader.error_at("id",
                    fmt::format("the folder is '{}', expected '{}_<slug>'", folder, patch.id));
  }
  patch.flag = reader.text("flag");
  if (!patch.flag.empty() && !patch.id.empty() && !good_flag(patch.flag, patch.id))
    reader.error_at("flag", fmt::format("'{}' is no flag of {}", patch.flag, patch.id),
                    fmt::format("expected GENESIS_ENABLE_{}_<SLUG>, in capitals",
                                upper(replace_all(patch.id, "-", "_"))));
  patch.aliases = reader.texts("aliases");
  for (const auto& alias : patch.aliases)
    if (alias.substr(0, 8) != "GENESIS_" && alias.substr(0, 5) != "SNDR_")
      reader.error_at("aliases", fmt::format("alias '{}' is no GENESIS_ or SNDR_ name", alias));
  patch.also_covers = reader.texts("also_covers");
  patch.knobs = reader.texts("knobs");
  patch.title = reader.text("title");
  if (patch.title.find('\n') != std::string::npos)
    reader.error_at("title", "the title has more than one line");
  patch.why = reader.text("why");
  if (const auto count = sentences(patch.why); count > 2)
    reader.error_at("why", fmt::format("'why' has {} sentences, expected two at most", count));
}

void read_words(Reader& reader, Patch& patch) {
  using M = Mechanism;
  using L = Lifecycle;
  using I = Implementation;
  patch.mechanism =
      read_word<M>(reader, "mechanism", {M::text, M::plugin, M::gateway, M::launch}, M::text);
  patch.lifecycle =
      read_word<L>(reader, "lifecycle", {L::stable, L::experimental, L::retired}, L::experimental);
  patch.implementation = read_word<I>(
      reader, "implementation",
      {I::full, I::partial, I::experimental, I::marker_only, I::placeholder, I::retired}, I::full);
  patch.default_on = reader.flag("default_on", false);
  patch.lossy = reader.flag("lossy", false);
  patch.requires_ids = reader.texts("requires");
  patch.conflicts = reader.texts("conflicts");
  patch.plugin = reader.text_or("plugin", "");
  if (patch.mechanism == M::plugin && patch.plugin.find(':') == std::string::npos)
    reader.error_at("plugin", "mechanism plugin needs 'plugin: \"module:function\"'");
}

void read_proof(Reader& reader, const Files& files, const std::string& folder, Patch& patch) {
  patch.proof_level = reader.one_of("proof_level", {"engine", "function", "text"}, "");
  const auto proof = files.texts.find("patches/" + folder + "/proof.py");
  if (proof != files.texts.end()) patch.proof = proof->second;
  if (patch.proof.empty() == patch.proof_level.empty()) return;
  if (patch.proof.empty()) {
    reader.error_at("proof_level", "no proof.py beside patch.yaml, or it is empty");
  } else {
    reader.error_at("proof_level", "'proof_level' is missing",
                    "engine, function or text: what proof.py needs");
  }
}

void read_edits(Reader& reader, Context& context, Patch& patch) {
  std::vector<std::string> names;
  for (const auto* item : reader.items("edits")) {
    patch.edits.push_back(read_edit(*item, context));
    const auto& name = patch.edits.back().name;
    if (std::find(names.begin(), names.end(), name) != names.end() && !name.empty())
      reader.error(item->mark, fmt::format("two edits are called '{}'", name));
    names.push_back(name);
  }
  if (patch.mechanism == Mechanism::text && patch.edits.empty() && patch.new_files.empty() &&
      patch.lifecycle != Lifecycle::retired)
    reader.error_at("edits", "a text patch needs edits or new_files");
}

std::string fingerprint_of(const Files& files, const std::string& folder) {
  // The build did it: the first sha256 of a process costs 1 ms, twice the rest of a load.
  const auto built = files.frozen.find("patches/" + folder);
  if (built != files.frozen.end()) return std::string(built->second);
  Fingerprint out;
  const auto prefix = "patches/" + folder + "/";
  for (auto at = files.texts.lower_bound(prefix);
       at != files.texts.end() && at->first.substr(0, prefix.size()) == prefix; ++at)
    out.add(std::string_view(at->first).substr(prefix.size())).add(at->second);
  return out.hex();
}

}  // namespace

PatchDocument read_patch(const Files& files, const std::string& folder,
                         std::vector<Error>& errors) {
  PatchDocument out;
  const auto path = "patches/" + folder + "/patch.yaml";
  Context context{files.shown(path), errors};
  out.patch.file = context.file;
  auto node = files.document(path);
  if (!node) {
    errors.push_back(std::move(node).error());
    return out;
  }
  out.node = *std::move(node);
  auto reader = context.reader(out.node);
  auto& patch = out.patch;
  read_names(reader, folder, patch);
  read_words(reader, patch);
  patch.upstream = read_upstream(reader, context);
  patch.retires_when = read_retirements(reader, context);
  patch.applies_if = read_evidence_list(reader, "applies_if", context);
  if (const auto* gates = reader.map("applies_to"); gates != nullptr) {
    read_gates(*gates, patch, context);
  } else if (!reader.has("applies_to")) {
    reader.error_at("applies_to", "'applies_to' is missing",
                    "it needs at least vllm: \">=...,<=...\"");
  }
  patch.new_files = read_new_files(reader, files, folder, context);
  read_edits(reader, context, patch);
  read_proof(reader, files, folder, patch);
  reader.done();
  check_replacements(out.node, patch, context);
  patch.fingerprint = fingerprint_of(files, folder);
  return out;
}

}  // namespace sndr::pack
