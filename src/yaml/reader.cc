// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "yaml/yaml.h"

namespace sndr::yaml {
namespace {

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "empty";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  static constexpr std::size_t kMost = 60;
  const auto end = std::min(node.scalar.find('\n'), kMost);
  return end < node.scalar.size() ? fmt::format("'{}...'", node.scalar.substr(0, end))
                                  : fmt::format("'{}'", node.scalar);
}

std::string wrong(std::string_view key, const Node& node, std::string_view expected) {
  return fmt::format("'{}' is {}, expected {}", key, describe(node), expected);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known, 1);
  return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near.front());
}

}  // namespace

Reader::Reader(const Node& node, std::string_view file, std::vector<Error>& errors)
    : node_(node), file_(file), errors_(errors) {
  if (node.kind == Node::Kind::list || node.kind == Node::Kind::scalar)
    error(node.mark, fmt::format("expected a map of keys, found {}", describe(node)));
}

const Node* Reader::take(std::string_view key) {
  if (std::find(seen_.begin(), seen_.end(), key) == seen_.end()) seen_.emplace_back(key);
  return node_.find(key);
}

std::string Reader::text(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr) {
    // A list or a scalar where a map should be was reported once, by the constructor.
    if (node_.kind == Node::Kind::map || node_.kind == Node::Kind::null)
      error(node_.mark, fmt::format("'{}' is missing", key));
  } else if (node->kind != Node::Kind::scalar) {
    error(node->mark, wrong(key, *node, "text"));
  } else if (node->scalar.empty()) {
    error(node->mark, fmt::format("'{}' is empty, expected text", key));
  } else {
    return node->scalar;
  }
  return {};
}

std::string Reader::text_or(std::string_view key, std::string_view otherwise) {
  const Node* node = take(key);
  if (node == nullptr || node->kind == Node::Kind::null) return std::string(otherwise);
  if (node->kind == Node::Kind::scalar) return node->scalar;
  error(node->mark, wrong(key, *node, "text"));
  return std::string(otherwise);
}

bool Reader::flag(std::string_view key, bool otherwise) {
  const Node* node = take(key);
  if (node == nullptr) return otherwise;
  if (node->kind == Node::Kind::scalar && !node->quoted && node->scalar == "true") return true;
  if (node->kind == Node::Kind::scalar && !node->quoted && node->scalar == "false") return false;
  error(node->mark, wrong(key, *node, "true or false"));
  return otherwise;
}

std::int64_t Reader::integer(std::string_view key, std::int64_t otherwise) {
  const Node* node = take(key);
  if (node == nullptr) return otherwise;
  std::int64_t value = 0;
  const char* end = node->scalar.data() + node->scalar.size();
  const auto [stop, ec] = std::from_chars(node->scalar.data(), end, value);
  if (node->kind == Node::Kind::scalar && !node->quoted && ec == std::errc() && stop == end)
    return value;
  error(node->mark, wrong(key, *node, "a whole number"));
  return otherwise;
}

std::vector<std::string> Reader::texts(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr || node->kind == Node::Kind::null) return {};
  if (node->kind == Node::Kind::scalar) return {node->scalar};
  if (node->kind == Node::Kind::map) error(node->mark, wrong(key, *node, "a list of texts"));
  std::vector<std::string> out;
  for (const auto& item : node->list) {
    if (item.kind == Node::Kind::scalar) {
      out.push_back(item.scalar);
    } else {
      error(item.mark, fmt::format("an item of '{}' is {}, expected text", key, describe(item)));
    }
  }
  return out;
}

std::string Reader::one_of(std::string_view key, const std::vector<std::string>& words,
                           std::string_view otherwise) {
  const Node* node = take(key);
  if (node == nullptr) return std::string(otherwise);
  if (node->kind == Node::Kind::scalar &&
      std::find(words.begin(), words.end(), node->scalar) != words.end())
    return node->scalar;
  error(node->mark, wrong(key, *node, "one of " + join(words, ", ")),
        did_you_mean(node->scalar, words));
  return std::string(otherwise);
}

std::vector<const Node*> Reader::items(std::string_view key) {
  const Node* node = take(key);
  std::vector<const Node*> out;
  if (node == nullptr || node->kind == Node::Kind::null) return out;
  if (node->kind != Node::Kind::list) error(node->mark, wrong(key, *node, "a list"));
  for (const auto& item : node->list) out.push_back(&item);
  return out;
}

const Node* Reader::map(std::string_view key) {
  const Node* node = take(key);
  if (node == nullptr || node->kind == Node::Kind::null) return nullptr;
  if (node->kind == Node::Kind::map) return node;
  error(node->mark, wrong(key, *node, "a map"));
  return nullptr;
}

bool Reader::has(std::string_view key) const {
  return node_.find(key) != nullptr;
}

void Reader::error(const Mark& mark, std::string what, std::string hint) {
  Error error;
  error.code = Errc::invalid_input;
  error.what = std::move(what);
  error.where = where(mark);
  error.hint = std::move(hint);
  errors_.push_back(std::move(error));
}

void Reader::error_at(std::string_view key, std::string what, std::string hint) {
  const Node* node = node_.find(key);
  error(node == nullptr ? node_.mark : node->mark, std::move(what), std::move(hint));
}

Where Reader::where(const Mark& mark) const {
  return {file_, mark.line, mark.column};
}

void Reader::done() {
  for (const auto& entry : node_.map) {
    if (std::find(seen_.begin(), seen_.end(), entry.key) != seen_.end()) continue;
    auto hint = did_you_mean(entry.key, seen_);
    if (hint.empty()) hint = "known keys: " + join(seen_, ", ");
    error(entry.mark, fmt::format("unknown key '{}'", entry.key), std::move(hint));
  }
}

}  // namespace sndr::yaml
