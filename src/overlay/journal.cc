// SPDX-License-Identifier: Apache-2.0
#include "overlay/journal.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "overlay/compiled.h"
#include "overlay/disk.h"
#include "overlay/journal_file.h"

namespace sndr::overlay {
namespace {

using Kind = JournalEntry::Kind;

constexpr const char* kJournal = "journal.json";
constexpr const char* kFiles = "files";

tl::unexpected<Error> refuse(Errc code, std::string what, std::string hint) {
  Error error;
  error.code = code;
  error.what = std::move(what);
  error.hint = std::move(hint);
  return fail(std::move(error));
}

Metadata metadata_of(const Stat& stat) {
  return {stat.mode, stat.uid, stat.gid, stat.mtime_ns};
}

std::string link_target(const fs::path& path) {
  std::error_code ec;
  return fs::read_symlink(path, ec).string();
}

/// What stands at `path`: the sha256 of a regular file, "" for anything else.
Result<std::string> digest_at(const fs::path& path) {
  if (!stat_path(path, Follow::no).is_file) return std::string{};
  SNDR_TRY(const auto text, read_file(path));
  return sha256_hex(text);
}

bool stays_inside(std::string_view path) {
  const auto parts = split(path, '/');
  return std::none_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  });
}

/// Whether the entry's file is as it was, or isn't ours to judge.
Result<bool> is_original(const JournalEntry& entry, const fs::path& path) {
  const Stat now = stat_path(path, Follow::no);
  if (entry.kind == Kind::created) return !now.exists;
  if (!entry.link.empty()) return now.is_link && link_target(path) == entry.link;
  SNDR_TRY(const auto digest, digest_at(path));
  return digest == entry.was;
}

}  // namespace

Journal::Journal(fs::path root, fs::path folder, Disk disk)
    : root_(std::move(root)), folder_(std::move(folder)), disk_(std::move(disk)) {}

Status Journal::load() {
  *this = Journal(std::move(root_), std::move(folder_), std::move(disk_));
  const fs::path file = folder_ / kJournal;
  if (!stat_path(file).exists) return {};
  SNDR_TRY(auto read, read_journal(file));
  if (read.root != root_.string())
    return refuse(Errc::conflict, fmt::format("{} is the journal of {}", file.string(), read.root),
                  "set SNDR_HOME to the one with which that tree was patched");
  state_ = read.state;
  installed_ = std::move(read.installed);
  ids_ = std::move(read.ids);
  entries_ = std::move(read.entries);
  made_folders_ = std::move(read.made_folders);
  new_caches_ = std::move(read.new_caches);
  return {};
}

fs::path Journal::backup(const JournalEntry& entry) const {
  return folder_ / kFiles / std::to_string(&entry - entries_.data());
}

fs::path Journal::staged(const JournalEntry& entry) const {
  return target(entry).parent_path() / fmt::format(".genesis-{}.tmp", &entry - entries_.data());
}

// Looking, before anything is written.

Status Journal::inspect(const std::vector<NewFile>& files) {
  for (const auto& file : files) SNDR_CHECK(inspect_file(file));
  const std::size_t sources = entries_.size();
  for (std::size_t i = 0; i < sources; ++i) inspect_compiled(std::string(entries_[i].path));
  return {};
}

Status Journal::inspect_file(const NewFile& file) {
  if (!stays_inside(file.path))
    return refuse(Errc::internal, fmt::format("'{}' isn't a path below the tree", file.path), "");
  JournalEntry entry;
  entry.path = file.path;
  entry.is = sha256_hex(file.bytes);
  const fs::path path = target(entry);
  fs::path parent = path.parent_path();
  std::vector<std::string> missing;
  for (; !stat_path(parent, Follow::no).exists; parent = parent.parent_path())
    missing.push_back(parent.lexically_relative(root_).string());
  std::error_code ec;
  if (fs::canonical(parent, ec) != parent || ec)
    return refuse(Errc::conflict,
                  fmt::format("{} lies behind a link that leaves the tree", path.string()),
                  "its target may be shared with others: use `sndr run` instead of --in-place");
  const Stat now = stat_path(path, Follow::no);
  const Stat owner = now.exists ? now : stat_path(parent);
  if (::geteuid() != 0 && owner.uid != ::geteuid())
    return refuse(Errc::denied,
                  fmt::format("{} belongs to another user (uid {})",
                              (now.exists ? path : parent).string(), owner.uid),
                  "run this as that user, or use `sndr run`, which writes nothing there");
  if (now.exists) {
    entry.metadata = metadata_of(now);
    if (now.is_link) entry.link = link_target(path);
    if (!stat_path(path).is_file)
      return refuse(Errc::conflict, fmt::format("{} is no file", path.string()), "reinstall vLLM");
    SNDR_TRY(const auto text, read_file(path));
    entry.was = sha256_hex(text);
    if (entry.was == entry.is) return {};
    if (now.is_link) entry.metadata.mode = stat_path(path).mode;
  } else {
    entry.kind = Kind::created;
    entry.metadata = {0644, owner.uid, owner.gid, -1};
    for (auto it = missing.rbegin(); it != missing.rend(); ++it)
      if (std::find(made_folders_.begin(), made_folders_.end(), *it) == made_folders_.end())
        made_folders_.push_back(*it);
  }
  entries_.push_back(std::move(entry));
  return {};
}

void Journal::inspect_compiled(const std::string& path) {
  const std::string cache = cache_folder(path);
  if (cache.empty()) return;
  if (!stat_path(root_ / cache).is_dir) {
    if (std::find(new_caches_.begin(), new_caches_.end(), cache) == new_caches_.end())
      new_caches_.push_back(cache);
    return;
  }
  for (auto& form : compiled_forms(root_, path)) {
    JournalEntry entry;
    entry.kind = Kind::compiled;
    entry.path = std::move(form);
    const Stat now = stat_path(target(entry), Follow::no);
    if (!now.is_file) continue;  // a link or a folder is not ours to move
    entry.metadata = metadata_of(now);
    entries_.push_back(std::move(entry));
  }
}

// Applying.

Status Journal::keep_originals() {
  SNDR_CHECK(make_dirs(folder_.parent_path()));
  const Metadata ours = {0700, ::geteuid(), ::getegid(), -1};
  SNDR_CHECK(disk_.make_folder(folder_, ours));
  SNDR_CHECK(disk_.make_folder(folder_ / kFiles, ours));
  for (auto& entry : entries_) {
    if (entry.kind == Kind::created || !entry.link.empty()) continue;
    SNDR_TRY(const auto bytes, read_file(target(entry)));
    if (entry.kind == Kind::compiled) entry.was = sha256_hex(bytes);
    if (sha256_hex(bytes) != entry.was)
      return refuse(Errc::conflict,
                    fmt::format("{} changed while it was read", target(entry).string()),
                    "wait until whatever writes to the tree is done, then try again");
    SNDR_CHECK(disk_.write_new(backup(entry), bytes, {0600, ours.uid, ours.gid, -1}));
  }
  SNDR_CHECK(disk_.sync_folder(folder_ / kFiles));
  return disk_.sync_folder(folder_.parent_path());
}

Status Journal::save(JournalState state) {
  JournalFile out;
  out.root = root_.string();
  out.state = state;
  out.installed = installed_;
  out.ids = ids_;
  out.entries = entries_;
  out.made_folders = made_folders_;
  out.new_caches = new_caches_;
  SNDR_CHECK(disk_.replace(folder_ / kJournal, write_journal(out)));
  state_ = state;
  return {};
}

Status Journal::stage(const std::vector<NewFile>& files) {
  for (const auto& folder : made_folders_) {
    const Stat parent = stat_path((root_ / folder).parent_path());
    SNDR_CHECK(disk_.make_folder(root_ / folder, {parent.mode, parent.uid, parent.gid, -1}));
  }
  for (const auto& entry : entries_) {
    if (entry.kind == Kind::compiled) continue;
    const auto file = std::find_if(files.begin(), files.end(), [&](const NewFile& candidate) {
      return candidate.path == entry.path;
    });
    Metadata metadata = entry.metadata;
    metadata.mtime_ns = -1;
    SNDR_CHECK(disk_.write_new(staged(entry), file->bytes, metadata));
  }
  return {};
}

Status Journal::publish() {
  for (const auto& entry : entries_)
    if (entry.kind != Kind::compiled) SNDR_CHECK(disk_.rename(staged(entry), target(entry)));
  // After the sources: what is compiled from the old ones meanwhile is seen by its time to be old.
  for (const auto& entry : entries_)
    if (entry.kind == Kind::compiled) SNDR_CHECK(disk_.remove(target(entry)));
  return sync_folders();
}

Status Journal::sync_folders() const {
  std::set<fs::path> folders;
  for (const auto& entry : entries_) folders.insert(target(entry).parent_path());
  for (const auto& folder : made_folders_) folders.insert((root_ / folder).parent_path());
  for (const auto& folder : folders)
    if (stat_path(folder).is_dir) SNDR_CHECK(disk_.sync_folder(folder));
  return {};
}

Status Journal::apply(const std::vector<NewFile>& files, std::vector<std::string> ids,
                      std::string installed) {
  if (state_ != JournalState::none)
    return refuse(Errc::internal, "the tree is patched in place already", "sndr revert");
  SNDR_CHECK(forget());  // what a process left that was killed before it had a journal
  ids_ = std::move(ids);
  installed_ = std::move(installed);
  SNDR_CHECK(inspect(files));
  if (entries_.empty()) return {};
  Status done = keep_originals();
  if (done) done = save(JournalState::applying);
  if (!done) {
    (void)forget();
    return done;
  }
  done = stage(files);
  if (done) done = publish();
  if (done) done = save(JournalState::applied);
  if (done) return done;
  if (const auto undone = put_back(); !undone)
    done.error().hint = fmt::format("putting the files back failed, too ({}): run `sndr revert`",
                                    undone.error().what);
  return done;
}

// Putting back.

Result<std::vector<std::string>> Journal::changed() const {
  std::vector<std::string> out;
  for (const auto& entry : entries_) {
    if (entry.kind == Kind::compiled) continue;
    SNDR_TRY(const bool original, is_original(entry, target(entry)));
    if (original) continue;
    SNDR_TRY(const auto digest, digest_at(target(entry)));
    if (digest != entry.is) out.push_back(entry.path);
  }
  return out;
}

Status Journal::put_back_files() {
  std::vector<const JournalEntry*> waiting;
  for (const auto& entry : entries_) {
    if (entry.kind == Kind::created) continue;
    SNDR_TRY(const bool original, is_original(entry, target(entry)));
    if (original) continue;
    if (entry.kind == Kind::compiled && !stat_path(target(entry).parent_path()).is_dir) continue;
    if (!entry.link.empty()) {
      SNDR_CHECK(disk_.link_new(staged(entry), entry.link, entry.metadata));
    } else {
      SNDR_TRY(const auto bytes, read_file(backup(entry)));
      if (sha256_hex(bytes) != entry.was)
        return refuse(Errc::io, fmt::format("the saved copy of {} is damaged", entry.path),
                      "reinstall vLLM, then remove " + folder_.string());
      SNDR_CHECK(disk_.write_new(staged(entry), bytes, entry.metadata));
    }
    waiting.push_back(&entry);
  }
  // All of them are on the disk: from here on no space is needed.
  for (const auto* entry : waiting)
    if (entry->kind == Kind::replaced) SNDR_CHECK(disk_.rename(staged(*entry), target(*entry)));
  for (const auto& entry : entries_)
    if (entry.kind == Kind::created) SNDR_CHECK(disk_.remove(target(entry)));
  SNDR_CHECK(remove_compiled());
  for (const auto* entry : waiting)
    if (entry->kind == Kind::compiled) SNDR_CHECK(disk_.rename(staged(*entry), target(*entry)));
  return {};
}

/// What Python made of our files in the meantime.
Status Journal::remove_compiled() {
  std::set<std::string> kept;
  for (const auto& entry : entries_)
    if (entry.kind == Kind::compiled) {
      SNDR_TRY(const bool original, is_original(entry, target(entry)));
      if (original) kept.insert(entry.path);
    }
  for (const auto& entry : entries_)
    for (const auto& form : compiled_forms(root_, entry.path))
      if (!kept.contains(form)) SNDR_CHECK(disk_.remove(root_ / form));
  return {};
}

Status Journal::remove_leftovers() {
  for (const auto& entry : entries_) SNDR_CHECK(disk_.remove(staged(entry)));
  for (const auto& cache : new_caches_) SNDR_CHECK(disk_.remove_folder(root_ / cache));
  for (auto it = made_folders_.rbegin(); it != made_folders_.rend(); ++it)
    SNDR_CHECK(disk_.remove_folder(root_ / *it));
  return {};
}

Status Journal::put_back() {
  // From `applying` the way back is the same; a full disk must not be in its way.
  if (state_ == JournalState::applied) SNDR_CHECK(save(JournalState::reverting));
  SNDR_CHECK(put_back_files());
  SNDR_CHECK(remove_leftovers());
  SNDR_CHECK(sync_folders());
  return forget();
}

/// journal.json first: without it the rest means nothing.
Status Journal::forget() {
  const fs::path folder = folder_;
  if (stat_path(folder).is_dir) {
    SNDR_CHECK(disk_.remove(folder / kJournal));
    SNDR_CHECK(disk_.sync_folder(folder));
    SNDR_CHECK(disk_.remove(folder / (std::string(kJournal) + ".new")));
    std::error_code ec;
    for (fs::directory_iterator it(folder / kFiles, ec), end; !ec && it != end; it.increment(ec))
      SNDR_CHECK(disk_.remove(it->path()));
    SNDR_CHECK(disk_.remove_folder(folder / kFiles));
    SNDR_CHECK(disk_.remove_folder(folder));
  }
  *this = Journal(std::move(root_), std::move(folder_), std::move(disk_));
  return {};
}

Status Journal::revert() {
  if (state_ == JournalState::none) return forget();
  SNDR_TRY(const auto foreign, changed());
  if (foreign.empty()) return put_back();
  std::string hint = "nothing was touched. To drop a change and go on, for each of them:";
  for (const auto& entry : entries_) {
    if (std::find(foreign.begin(), foreign.end(), entry.path) == foreign.end()) continue;
    const std::string path = shell_quote(target(entry).string());
    hint += entry.kind == Kind::created ? "\n    rm " + path
            : entry.link.empty()
                ? fmt::format("\n    cp {} {}", shell_quote(backup(entry).string()), path)
                : fmt::format("\n    ln -sf {} {}", shell_quote(entry.link), path);
  }
  hint += "\n  then: sndr revert. To keep one, copy it elsewhere first";
  return refuse(Errc::conflict,
                fmt::format("{} changed since Genesis patched {}: {}",
                            foreign.size() == 1 ? "a file was" : "files were",
                            foreign.size() == 1 ? "it" : "them", join(foreign, ", ")),
                std::move(hint));
}

Status Journal::abandon() {
  for (const auto& entry : entries_) {
    if (entry.kind != Kind::created) continue;
    SNDR_TRY(const auto digest, digest_at(target(entry)));
    if (digest == entry.is) SNDR_CHECK(disk_.remove(target(entry)));
  }
  SNDR_CHECK(remove_leftovers());
  return forget();
}

}  // namespace sndr::overlay
