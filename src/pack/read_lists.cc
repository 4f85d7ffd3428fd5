// SPDX-License-Identifier: Apache-2.0
#include "pack/read_lists.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/version.h"

namespace sndr::pack {
namespace {

using yaml::Node;
using yaml::Reader;

const std::vector<Disposition>& dispositions() {
  using D = Disposition;
  static const std::vector<Disposition> all = {D::patch,  D::native, D::plugin, D::gateway,
                                               D::launch, D::open,   D::dropped};
  return all;
}

Disposition read_disposition(Reader& reader) {
  std::vector<std::string> words;
  for (const auto value : dispositions()) words.emplace_back(to_text(value));
  if (!reader.has("disposition"))
    reader.error_at("disposition", "'disposition' is missing", "one of " + join(words, ", "));
  const auto word = reader.one_of("disposition", words, "dropped");
  const auto at = std::find(words.begin(), words.end(), word);
  return dispositions()[static_cast<std::size_t>(at - words.begin())];
}

Pin read_pin(const Node& node, std::string slot, const std::string& file,
             std::vector<Error>& errors) {
  Reader reader(node, file, errors);
  Pin out;
  out.slot = std::move(slot);
  out.version = reader.text("version");
  if (!out.version.empty() && !Version::parse(out.version))
    reader.error_at("version", fmt::format("'{}' is no version", out.version));
  out.verified = reader.one_of("verified", {"engine", "trees", "no"}, "no");
  out.platform = reader.one_of("platform", {"cpu", "cuda"}, "");
  if (out.verified == "engine" && out.platform.empty())
    reader.error_at("platform", "'verified: engine' needs 'platform: cpu' or 'platform: cuda'");
  out.date = reader.text_or("date", "");
  out.result = reader.text_or("result", "");
  if (out.verified != "no" && (out.date.empty() || out.result.empty()))
    reader.error_at("verified",
                    fmt::format("'verified: {}' needs a date and a result", out.verified));
  reader.done();
  return out;
}

void check_legacy(Reader& reader, const Legacy& entry) {
  using D = Disposition;
  const auto needs_by = entry.disposition == D::patch || entry.disposition == D::launch ||
                        entry.disposition == D::open;
  if (needs_by && entry.by.empty())
    reader.error_at("by", fmt::format("disposition {} needs 'by'", to_text(entry.disposition)),
                    entry.disposition == D::patch ? "the id of our patch"
                                                  : "what does it, or how it will come");
  if (entry.disposition == D::dropped && entry.note.empty())
    reader.error_at("note", "disposition dropped needs a 'note' that says why");
}

Legacy read_entry(const Node& node, const std::string& file, std::vector<Error>& errors) {
  Reader reader(node, file, errors);
  Legacy out;
  out.id = reader.text("id");
  out.flag = reader.text("flag");
  out.aliases = reader.texts("aliases");
  out.title = reader.text("title");
  out.disposition = read_disposition(reader);
  out.by = reader.text_or("by", "");
  out.note = reader.text_or("note", "");
  out.upstream = reader.texts("upstream");
  if (const auto* native = reader.map("native"); native != nullptr) {
    Reader r(*native, file, errors);
    out.native_absent = r.text_or("absent", "");
    out.native_present = r.text_or("present", "");
    out.native_evidence = r.text_or("evidence", "");
    r.done();
  }
  if (out.disposition == Disposition::native && out.native_present.empty())
    reader.error_at("native", "disposition native needs 'native: {present: VERSION}'",
                    "the first tree read that has it");
  if (const auto* v12 = reader.map("v12"); v12 != nullptr) {
    Reader r(*v12, file, errors);
    out.family = r.text_or("family", "");
    out.lifecycle = r.text_or("lifecycle", "");
    out.implementation = r.text_or("implementation", "");
    out.default_on = r.flag("default_on", false);
    out.replaced_by = join(r.texts("superseded_by"), " ");
    r.done();
  }
  check_legacy(reader, out);
  reader.done();
  return out;
}

Variable read_variable(const Node& node, const std::string& file, std::vector<Error>& errors) {
  Reader reader(node, file, errors);
  Variable out;
  out.name = reader.text("name");
  out.origin = reader.one_of("origin", {"ours", "v12"}, "ours");
  out.kind = reader.one_of("kind", {"path", "switch", "number", "words", "secret"}, "words");
  out.otherwise = reader.text_or("default", "");
  out.what = reader.text_or("what", "");
  out.answer = reader.text_or("answer", "");
  out.flag = reader.text_or("flag", "");
  if (out.origin == "ours" && out.what.empty())
    reader.error_at("what", "a variable of ours needs 'what'");
  if (out.origin == "v12" && out.answer.empty() && out.flag.empty())
    reader.error_at("answer", "a v12 name needs an 'answer'");
  reader.done();
  return out;
}

/// Says where a name stands twice.
void check_once(std::set<std::string>& seen, const std::string& name, const Node& node,
                std::string_view key, const std::string& file, std::vector<Error>& errors) {
  if (name.empty() || seen.insert(lower(name)).second) return;
  Reader(node, file, errors).error_at(key, fmt::format("'{}' stands in this file twice", name));
}

}  // namespace

std::vector<Pin> read_pins(const Node& node, const std::string& file, std::vector<Error>& errors) {
  static constexpr std::array<std::string_view, 4> kSlots = {"recommended", "stable", "current",
                                                             "rollback"};
  std::vector<Pin> out;
  Reader reader(node, file, errors);
  for (const auto slot : kSlots)
    if (const auto* pin = reader.map(slot); pin != nullptr)
      out.push_back(read_pin(*pin, std::string(slot), file, errors));
  for (const auto* item : reader.items("also"))
    out.push_back(read_pin(*item, "also", file, errors));
  reader.done();
  return out;
}

std::vector<Legacy> read_legacy(const Node& node, const std::string& file,
                                std::vector<Error>& errors) {
  std::vector<Legacy> out;
  std::set<std::string> seen;
  Reader reader(node, file, errors);
  for (const auto* item : reader.items("ids")) {
    out.push_back(read_entry(*item, file, errors));
    check_once(seen, out.back().id, *item, "id", file, errors);
  }
  reader.done();
  return out;
}

std::vector<Variable> read_variables(const Node& node, const std::string& file,
                                     std::vector<Error>& errors) {
  std::vector<Variable> out;
  std::set<std::string> seen;
  Reader reader(node, file, errors);
  for (const auto* item : reader.items("variables")) {
    out.push_back(read_variable(*item, file, errors));
    check_once(seen, out.back().name, *item, "name", file, errors);
  }
  reader.done();
  return out;
}

}  // namespace sndr::pack
