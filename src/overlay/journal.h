// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "overlay/disk.h"

/// Changes files of a tree so that every byte can be put back, from any point at which the process
/// may be killed.
///
///   <folder>/journal.json   what is being changed: state, and for each file how it was
///   <folder>/files/<n>      the bytes that were there
///
/// The order makes it safe. Before the tree is touched, the old bytes and then journal.json are on
/// the disk. New files are then written whole beside the old ones, under names that are ours, and
/// only when all of them are on the disk is each renamed into place: a full disk stops us before
/// anything has changed. journal.json goes last when the tree is as it was.
namespace sndr::overlay {

/// One file that will be in the tree; `path` is relative to the tree's root.
struct NewFile {
  std::string path;
  std::string bytes;
};

struct JournalEntry {
  enum class Kind : std::uint8_t {
    replaced,  ///< was there, has other bytes now
    created,   ///< wasn't there
    compiled,  ///< compiled Python of a replaced module: was there, is away now
  };
  Kind kind = Kind::replaced;
  std::string path;
  std::string was;    ///< sha256 of the bytes that were there
  std::string is;     ///< sha256 of ours
  std::string link;   ///< it was a symbolic link to this; its target is never touched
  Metadata metadata;  ///< how it was; for `created`, how it is made
};

enum class JournalState : std::uint8_t { none, applying, applied, reverting };

class Journal {
 public:
  /// `root` must be without links; `folder` is made when it is needed.
  Journal(fs::path root, fs::path folder, Disk disk = Disk());

  /// What an earlier process left; an unreadable journal is an error.
  [[nodiscard]] Status load();
  [[nodiscard]] JournalState state() const { return state_; }
  [[nodiscard]] const std::vector<JournalEntry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }
  /// Where the bytes that were there lie; only for `replaced` and `compiled` without a link.
  [[nodiscard]] fs::path backup(const JournalEntry& entry) const;

  /// Puts the files into the tree. The state must be `none`. On failure the tree is as it was, or
  /// the error says that `sndr revert` is needed. `installed` is kept for `installed()`: what tells
  /// this installation from a later one.
  [[nodiscard]] Status apply(const std::vector<NewFile>& files, std::vector<std::string> ids,
                             std::string installed);
  [[nodiscard]] const std::string& installed() const { return installed_; }

  /// Makes the tree what it was, from any state. Files that someone changed since stop it before
  /// anything is touched: the error names each and the command that puts it back.
  [[nodiscard]] Status revert();
  /// The tree was installed anew: takes away only what is still ours, and forgets the rest.
  [[nodiscard]] Status abandon();
  /// Files that are neither what they were nor what we made of them.
  [[nodiscard]] Result<std::vector<std::string>> changed() const;

 private:
  [[nodiscard]] Status inspect(const std::vector<NewFile>& files);
  [[nodiscard]] Status inspect_file(const NewFile& file);
  void inspect_compiled(const std::string& path);
  [[nodiscard]] Status keep_originals();
  [[nodiscard]] Status stage(const std::vector<NewFile>& files);
  [[nodiscard]] Status publish();
  [[nodiscard]] Status put_back();
  [[nodiscard]] Status put_back_files();
  [[nodiscard]] Status remove_compiled();
  [[nodiscard]] Status remove_leftovers();
  [[nodiscard]] Status forget();
  [[nodiscard]] Status save(JournalState state);
  [[nodiscard]] Status sync_folders() const;
  [[nodiscard]] fs::path target(const JournalEntry& entry) const { return root_ / entry.path; }
  [[nodiscard]] fs::path staged(const JournalEntry& entry) const;

  fs::path root_;
  fs::path folder_;
  Disk disk_;
  JournalState state_ = JournalState::none;
  std::vector<JournalEntry> entries_;
  std::vector<std::string> ids_;
  std::string installed_;
  std::vector<std::string> made_folders_;  ///< by us, parents first
  std::vector<std::string> new_caches_;    ///< __pycache__ folders that weren't there
};

}  // namespace sndr::overlay
