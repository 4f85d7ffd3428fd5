// SPDX-License-Identifier: Apache-2.0
#include "overlay/journal_file.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "json/json.h"
#include "overlay/journal.h"

namespace sndr::overlay {
namespace {

constexpr int kFormat = 1;
constexpr std::array<const char*, 4> kStates = {"none", "applying", "applied", "reverting"};
constexpr std::array<const char*, 3> kKinds = {"replaced", "created", "compiled"};

template <std::size_t N>
int index_of(const std::array<const char*, N>& words, std::string_view word) {
  for (std::size_t i = 0; i < N; ++i)
    if (word == words[i]) return static_cast<int>(i);
  return -1;
}

json::Array array_of(const std::vector<std::string>& texts) {
  json::Array out;
  for (const auto& text : texts) out.emplace_back(text);
  return out;
}

std::vector<std::string> texts_of(const json::Value& value, std::string_view key) {
  std::vector<std::string> out;
  const json::Value* found = json::find(value, key);
  if (found == nullptr || !found->is_array()) return out;
  for (const auto& item : found->get_array())
    if (item.is_string()) out.emplace_back(item.get_string());
  return out;
}

std::int64_t number_of(const json::Value& value, std::string_view key) {
  const json::Value* found = json::find(value, key);
  return found != nullptr && found->is_int64() ? found->get_int64() : -1;
}

json::Value entry_json(const JournalEntry& entry) {
  json::Object out;
  out["path"] = entry.path;
  out["kind"] = kKinds[static_cast<std::size_t>(entry.kind)];
  if (!entry.was.empty()) out["was"] = entry.was;
  if (!entry.is.empty()) out["is"] = entry.is;
  if (!entry.link.empty()) out["link"] = entry.link;
  out["mode"] = static_cast<std::int64_t>(entry.metadata.mode);
  out["uid"] = static_cast<std::int64_t>(entry.metadata.uid);
  out["gid"] = static_cast<std::int64_t>(entry.metadata.gid);
  out["mtime_ns"] = entry.metadata.mtime_ns;
  return out;
}

tl::unexpected<Error> damaged(const fs::path& file, std::string what) {
  Error error;
  error.code = Errc::io;
  error.what = "the journal of an in-place patch is damaged: " + std::move(what);
  error.where.file = file.string();
  error.hint = "reinstall vLLM, then remove " + file.parent_path().string();
  return fail(std::move(error));
}

Result<JournalEntry> entry_of(const json::Value& value, const fs::path& file) {
  JournalEntry out;
  out.path = json::text_or(value, "path");
  const int kind = index_of(kKinds, json::text_or(value, "kind"));
  if (out.path.empty() || kind < 0) return damaged(file, "an entry without path or kind");
  out.kind = static_cast<JournalEntry::Kind>(kind);
  out.was = json::text_or(value, "was");
  out.is = json::text_or(value, "is");
  out.link = json::text_or(value, "link");
  const auto mode = number_of(value, "mode");
  const auto uid = number_of(value, "uid");
  const auto gid = number_of(value, "gid");
  if (mode < 0 || uid < 0 || gid < 0) return damaged(file, out.path + " has no mode or owner");
  out.metadata.mode = static_cast<mode_t>(mode);
  out.metadata.uid = static_cast<uid_t>(uid);
  out.metadata.gid = static_cast<gid_t>(gid);
  out.metadata.mtime_ns = number_of(value, "mtime_ns");
  return out;
}

}  // namespace

std::string write_journal(const JournalFile& journal) {
  json::Object out;
  out["format"] = kFormat;
  out["root"] = journal.root;
  out["state"] = kStates[static_cast<std::size_t>(journal.state)];
  out["installed"] = journal.installed;
  out["ids"] = array_of(journal.ids);
  out["made_folders"] = array_of(journal.made_folders);
  out["new_caches"] = array_of(journal.new_caches);
  json::Array entries;
  for (const auto& entry : journal.entries) entries.push_back(entry_json(entry));
  out["entries"] = std::move(entries);
  return json::pretty(out);
}

Result<JournalFile> read_journal(const fs::path& file) {
  SNDR_TRY(const auto text, read_file(file));
  const auto value = json::parse(text, file.string());
  if (!value) return damaged(file, value.error().what);
  if (number_of(*value, "format") != kFormat)
    return damaged(file, fmt::format("its format isn't {}", kFormat));
  JournalFile out;
  const int state = index_of(kStates, json::text_or(*value, "state"));
  if (state < 1) return damaged(file, "it has no state");
  out.state = static_cast<JournalState>(state);
  out.root = json::text_or(*value, "root");
  out.installed = json::text_or(*value, "installed");
  out.ids = texts_of(*value, "ids");
  out.made_folders = texts_of(*value, "made_folders");
  out.new_caches = texts_of(*value, "new_caches");
  const json::Value* entries = json::find(*value, "entries");
  if (entries == nullptr || !entries->is_array()) return damaged(file, "it has no entries");
  for (const auto& item : entries->get_array()) {
    SNDR_TRY(auto entry, entry_of(item, file));
    out.entries.push_back(std::move(entry));
  }
  return out;
}

}  // namespace sndr::overlay
