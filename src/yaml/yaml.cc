// SPDX-License-Identifier: Apache-2.0
#include "yaml/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/text.h"

// libyaml gives a clean stream of events with a place for each, and accepts far more than a config
// should hold. What we refuse is refused here, at the event, so that the message has the event's
// line.
namespace sndr::yaml {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxCopies = 100'000;  // nodes; 64 bytes of text count as one more

Mark mark_of(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&raw_); }
  yaml_event_t* out() {
    yaml_event_delete(&raw_);
    return &raw_;
  }
  const yaml_event_t* operator->() const { return &raw_; }
  [[nodiscard]] Mark mark() const { return mark_of(raw_.start_mark); }

 private:
  yaml_event_t raw_{};
};

std::string_view text_of(const yaml_char_t* text, std::size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}
std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

std::size_t cost_of(std::string_view text) {
  return 1 + text.size() / 64;
}

/// How many nodes a copy makes, long text counted as several.
std::size_t cost_of(const Node& node) {
  std::size_t cost = cost_of(node.scalar);
  for (const auto& item : node.list) cost += cost_of(item);
  for (const auto& entry : node.map) cost += cost_of(entry.key) + cost_of(entry.value);
  return cost;
}

int height_of(const Node& node) {
  int height = 0;
  for (const auto& item : node.list) height = std::max(height, height_of(item));
  for (const auto& entry : node.map) height = std::max(height, height_of(entry.value));
  return height + 1;
}

/// libyaml's words for the commonest slips, and what to do about them.
std::string hint_for(std::string_view problem) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> kHints = {{
      {"mapping values are not allowed", "put quotes around text that holds ': '"},
      {"cannot start any token",
       "indent with blanks, not tabs; put quotes around text that begins with @, ` or %"},
      {"did not find expected key", "the indentation differs from the lines above"},
      {"could not find expected ':'", "write `key: value`, or put quotes around the text"},
      {"unexpected end of stream", "a quote isn't closed"},
  }};
  for (const auto& [part, hint] : kHints)
    if (problem.find(part) != std::string_view::npos) return hint;
  return {};
}

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, std::string_view file)
      : text_(text.data() == nullptr ? "" : text), file_(file) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text_.data()),
                                 text_.size());
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { yaml_parser_delete(&parser_); }

  Result<Node> document() {
    Event event;
    Node root;
    root.mark = {1, 1};
    SNDR_CHECK(next(event));  // the stream's start
    SNDR_CHECK(next(event));
    if (event->type == YAML_STREAM_END_EVENT) return root;
    SNDR_CHECK(next(event));
    SNDR_TRY(root, node(event, 1));
    SNDR_CHECK(next(event));  // the document's end
    SNDR_CHECK(next(event));
    if (event->type != YAML_STREAM_END_EVENT)
      return refuse(event.mark(), "a second document begins here",
                    "one file holds one document: remove the '---'");
    return root;
  }

 private:
  tl::unexpected<Error> refuse(const Mark& mark, std::string what, std::string hint = {}) const {
    Error error;
    error.code = Errc::invalid_input;
    error.what = std::move(what);
    error.where = {file_, mark.line, mark.column};
    error.hint = std::move(hint);
    return fail(std::move(error));
  }

  Status next(Event& event) {
    if (yaml_parser_parse(&parser_, event.out()) != 0) return {};
    const std::string_view problem =
        parser_.problem == nullptr ? "not valid YAML" : parser_.problem;
    if (parser_.error == YAML_READER_ERROR) {
      // The reader knows the byte alone.
      return refuse({line_of(text_, parser_.problem_offset), 0}, std::string(problem),
                    "the file must be UTF-8 text");
    }
    std::string what(problem);
    if (parser_.context != nullptr) {
      what += fmt::format(" {}", parser_.context);
      if (parser_.context_mark.line != parser_.problem_mark.line)
        what += fmt::format(" that begins in line {}", parser_.context_mark.line + 1);
    }
    return refuse(mark_of(parser_.problem_mark), std::move(what), hint_for(problem));
  }

  /// The node that `event` begins, with its children.
  Result<Node> node(Event& event, int depth) {
    if (event->type == YAML_ALIAS_EVENT) return alias(event, depth);
    if (depth > kMaxDepth)
      return refuse(event.mark(), fmt::format("more than {} levels of nesting", kMaxDepth));
    Node out;
    out.mark = event.mark();
    std::string anchor;
    if (event->type == YAML_SCALAR_EVENT) {
      const auto& scalar = event->data.scalar;
      SNDR_CHECK(no_tag(out.mark, scalar.tag));
      anchor = text_of(scalar.anchor);
      out.scalar = text_of(scalar.value, scalar.length);
      out.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
      const bool null =
          !out.quoted && (out.scalar.empty() || out.scalar == "~" || out.scalar == "null");
      out.kind = null ? Node::Kind::null : Node::Kind::scalar;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
      SNDR_CHECK(no_tag(out.mark, event->data.sequence_start.tag));
      anchor = text_of(event->data.sequence_start.anchor);
      SNDR_CHECK(list(out, depth));
    } else {
      SNDR_CHECK(no_tag(out.mark, event->data.mapping_start.tag));
      anchor = text_of(event->data.mapping_start.anchor);
      SNDR_CHECK(map(out, depth));
    }
    if (!anchor.empty()) {
      SNDR_CHECK(spend(out, out.mark));
      anchors_.insert_or_assign(anchor, out);
    }
    return out;
  }

  Status list(Node& out, int depth) {
    out.kind = Node::Kind::list;
    Event event;
    for (;;) {
      SNDR_CHECK(next(event));
      if (event->type == YAML_SEQUENCE_END_EVENT) return {};
      SNDR_TRY(auto item, node(event, depth + 1));
      out.list.push_back(std::move(item));
    }
  }

  Status map(Node& out, int depth) {
    out.kind = Node::Kind::map;
    std::unordered_set<std::string> keys;
    Event event;
    for (;;) {
      SNDR_CHECK(next(event));
      if (event->type == YAML_MAPPING_END_EVENT) return {};
      if (event->type != YAML_SCALAR_EVENT) return refuse(event.mark(), "a key must be plain text");
      Node::Entry entry;
      entry.mark = event.mark();
      SNDR_CHECK(no_tag(entry.mark, event->data.scalar.tag));
      entry.key = text_of(event->data.scalar.value, event->data.scalar.length);
      if (entry.key.empty()) return refuse(entry.mark, "a key is empty");
      if (event->data.scalar.anchor != nullptr)
        return refuse(entry.mark, "a key can't have an anchor");
      if (!keys.insert(entry.key).second)
        return refuse(entry.mark, fmt::format("duplicate key '{}'", entry.key));
      SNDR_CHECK(next(event));
      SNDR_TRY(entry.value, node(event, depth + 1));
      out.map.push_back(std::move(entry));
    }
  }

  Result<Node> alias(const Event& event, int depth) {
    const std::string name(text_of(event->data.alias.anchor));
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      return refuse(event.mark(), fmt::format("unknown anchor '*{}'", name),
                    "an anchor must end before it is used");
    if (depth + height_of(found->second) - 1 > kMaxDepth)
      return refuse(event.mark(), fmt::format("more than {} levels of nesting", kMaxDepth));
    SNDR_CHECK(spend(found->second, event.mark()));
    return found->second;
  }

  /// Copies are bounded: a few lines of anchors can stand for more nodes than memory holds.
  Status spend(const Node& copied, const Mark& mark) {
    copies_ += cost_of(copied);
    if (copies_ > kMaxCopies)
      return refuse(mark, fmt::format("anchors stand for more than {} nodes", kMaxCopies));
    return {};
  }

  Status no_tag(const Mark& mark, const yaml_char_t* tag) const {
    if (tag == nullptr) return {};
    return refuse(mark, fmt::format("tag '{}'", text_of(tag)),
                  "tags have no meaning here: remove it");
  }

  std::string_view text_;
  std::string file_;
  yaml_parser_t parser_{};
  std::unordered_map<std::string, Node> anchors_;
  std::size_t copies_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& entry : map)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

bool Node::operator==(const Node& other) const {
  const auto same_mark = [](const Mark& a, const Mark& b) {
    return a.line == b.line && a.column == b.column;
  };
  return kind == other.kind && quoted == other.quoted && scalar == other.scalar &&
         same_mark(mark, other.mark) && list == other.list &&
         std::equal(map.begin(), map.end(), other.map.begin(), other.map.end(),
                    [&](const Entry& a, const Entry& b) {
                      return a.key == b.key && same_mark(a.mark, b.mark) && a.value == b.value;
                    });
}

Result<Node> parse(std::string_view text, std::string_view file) {
  return TreeBuilder(text, file).document();
}

}  // namespace sndr::yaml
