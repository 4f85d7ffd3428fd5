// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

/// YAML as a tree with a place for every key and value (libyaml's events underneath).
///
/// Scalars stay text; what they mean is the schema's business, so that `NO` is never false and
/// `010` never 8. Refused: duplicate keys, more than 64 levels, more than one document, anchors
/// that expand past 100,000 nodes, tags.
namespace sndr::yaml {

struct Mark {
  int line = 0;  ///< 1-based
  int column = 0;
};

class Node {
 public:
  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string scalar;
  bool quoted = false;  ///< written in quotes or as a block: always a string
  std::vector<Node> list;
  std::vector<Entry> map;
  Mark mark;

  /// The value of a key, or nullptr.
  [[nodiscard]] const Node* find(std::string_view key) const;

  /// Marks included.
  [[nodiscard]] bool operator==(const Node& other) const;
};

struct Node::Entry {
  std::string key;
  Mark mark;
  Node value;
};

/// `file` is only for messages ("patch.yaml:3:5: duplicate key 'flag'").
[[nodiscard]] Result<Node> parse(std::string_view text, std::string_view file);

/// Reads one map against a known set of keys and collects every error in it instead of stopping at
/// the first.
///
///   Reader r(node, file, errors);
///   std::string id = r.text("id");            // required
///   bool lossy = r.flag("lossy", false);      // optional
///   r.done();                                 // unknown keys, with the nearest known one
class Reader {
 public:
  Reader(const Node& node, std::string_view file, std::vector<Error>& errors);

  std::string text(std::string_view key);  ///< required, non-empty scalar
  std::string text_or(std::string_view key, std::string_view otherwise);  ///< optional
  bool flag(std::string_view key, bool otherwise);                        ///< true/false
  std::int64_t integer(std::string_view key, std::int64_t otherwise);
  /// A list of scalars, or one scalar for a list of one; absent = empty.
  std::vector<std::string> texts(std::string_view key);
  /// One of `words`; absent or wrong (an error with all of them) gives `otherwise`.
  std::string one_of(std::string_view key, const std::vector<std::string>& words,
                     std::string_view otherwise);
  /// The list's items, each to be read by a Reader of its own; absent = empty.
  std::vector<const Node*> items(std::string_view key);
  /// A nested map, or nullptr.
  const Node* map(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const;
  void error(const Mark& mark, std::string what, std::string hint = {});
  /// At the key's value, or at the map where it is absent.
  void error_at(std::string_view key, std::string what, std::string hint = {});
  [[nodiscard]] Where where(const Mark& mark) const;
  void done();

 private:
  const Node* take(std::string_view key);
  const Node& node_;
  std::string file_;
  std::vector<Error>& errors_;
  std::vector<std::string> seen_;
};

/// A scalar in the quoting it needs: read back, it is this text again and counts as text. Where
/// `indent` is 2 or more, lines become a literal block at that column, which is two right of the
/// map or list that holds it; otherwise double quotes. Bytes that aren't UTF-8 become U+FFFD.
[[nodiscard]] std::string emit_scalar(std::string_view text, std::size_t indent = 0);

}  // namespace sndr::yaml
