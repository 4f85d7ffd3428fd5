// SPDX-License-Identifier: Apache-2.0
// Any text: an error with a place, or a tree that keeps what yaml.h promises, freezes and thaws to
// itself, and whose scalars can be written down and read back.
#include "yaml/yaml.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "check.h"
#include "yaml/freeze.h"

namespace {

using sndr::fuzz::check;
using sndr::yaml::Node;

void check_tree(const Node& node, int depth) {
  check(depth <= 64, "no more than 64 levels");
  check(node.mark.line >= 1 && node.mark.column >= 1, "every node has a place");
  check(node.kind == Node::Kind::list || node.list.empty(), "only a list has items");
  check(node.kind == Node::Kind::map || node.map.empty(), "only a map has entries");
  check(node.kind != Node::Kind::null || !node.quoted, "what is quoted is no null");
  std::set<std::string> keys;
  for (const auto& entry : node.map) {
    check(!entry.key.empty() && keys.insert(entry.key).second, "keys are there, and once");
    check(entry.mark.line >= 1 && entry.mark.column >= 1, "every key has a place");
    check(node.find(entry.key) == &entry.value, "find finds");
    check_tree(entry.value, depth + 1);
  }
  for (const auto& item : node.list) check_tree(item, depth + 1);
}

void check_scalar(const std::string& text) {
  for (const std::size_t indent : {std::size_t{0}, std::size_t{2}}) {
    const std::string document = "a: " + sndr::yaml::emit_scalar(text, indent) + "\nb: 1\n";
    const auto back = sndr::yaml::parse(document, "emitted");
    check(back && back->map.size() == 2, "an emitted scalar can be read");
    check(back->map[0].value.scalar == text, "an emitted scalar is the same text");
    check(back->map[0].value.kind == Node::Kind::scalar, "an emitted scalar is text");
  }
}

void check_scalars(const Node& node, int& left) {
  if (node.kind == Node::Kind::scalar && left-- > 0) check_scalar(node.scalar);
  for (const auto& item : node.list) check_scalars(item, left);
  for (const auto& entry : node.map) check_scalars(entry.value, left);
}

/// A schema with every kind of key: whatever the tree is, each error has a place.
void check_reader(const Node& node, std::string_view text) {
  std::vector<sndr::Error> errors;
  sndr::yaml::Reader reader(node, "f.yaml", errors);
  (void)reader.text("id");
  (void)reader.text_or("title", "t");
  (void)reader.flag("lossy", false);
  (void)reader.integer("rank", 0);
  (void)reader.texts("flags");
  const auto word = reader.one_of("state", {"stable", "retired"}, "stable");
  check(word == "stable" || word == "retired", "one_of gives one of its words");
  for (const auto* item : reader.items("edits")) (void)sndr::yaml::Reader(*item, "f.yaml", errors);
  (void)reader.map("applies_to");
  reader.done();
  for (const auto& error : errors) {
    sndr::fuzz::check_error(error, text);
    check(error.code == sndr::Errc::invalid_input, "the user's file is to blame");
    check(error.where.line >= 1, "every error of a reader has a line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = sndr::fuzz::text_of(data, size);
  const auto node = sndr::yaml::parse(text, "f.yaml");
  if (!node) {
    sndr::fuzz::check_error(node.error(), text);
    check(node.error().where.line >= 1, "every error has a line");
    return 0;
  }
  check_tree(*node, 1);
  const auto back = sndr::yaml::thaw(sndr::yaml::freeze(*node));
  check(back && *back == *node, "thaw undoes freeze");
  int scalars = 20;
  check_scalars(*node, scalars);
  check_reader(*node, text);
  return 0;
}
