// SPDX-License-Identifier: Apache-2.0
#include "yaml/freeze.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.h"
#include "yaml/yaml.h"

namespace sndr::yaml {
namespace {

constexpr std::string_view kMagic = "SNY1";
constexpr int kMaxDepth = 64;
constexpr std::size_t kSmallestNode = 4;  // kind, line, column, count: what bounds a count
constexpr unsigned kQuoted = 4;
constexpr std::int64_t kFar = std::int64_t{1} << 32;  // no line is there, and adding to it is safe

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void node(const Node& node) {
    out_ += static_cast<char>(static_cast<unsigned>(node.kind) | (node.quoted ? kQuoted : 0));
    mark(node.mark);
    if (node.kind == Node::Kind::list) {
      number(node.list.size());
      for (const auto& item : node.list) this->node(item);
    } else if (node.kind == Node::Kind::map) {
      number(node.map.size());
      for (const auto& entry : node.map) {
        text(entry.key);
        mark(entry.mark);
        this->node(entry.value);
      }
    } else {
      text(node.scalar);
    }
  }

 private:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  void text(std::string_view bytes) {
    number(bytes.size());
    out_ += bytes;
  }
  void mark(const Mark& mark) {
    const std::int64_t step = std::int64_t{mark.line} - line_;
    number(static_cast<std::uint64_t>(step) << 1 ^ static_cast<std::uint64_t>(step >> 63));
    number(static_cast<std::uint64_t>(mark.column));
    line_ = mark.line;
  }

  std::string& out_;
  int line_ = 0;
};

/// After the first damaged byte every read gives zero or nothing, so that only `thaw` has to ask.
class Thawer {
 public:
  explicit Thawer(std::string_view bytes)
      : at_(bytes.data()), end_(at_ + bytes.size()), nodes_left_(bytes.size() / kSmallestNode) {}

  void node(Node& out, int depth) {
    const unsigned head = byte();
    if (head > (kQuoted | 3U) || depth > kMaxDepth) return damage();
    out.kind = static_cast<Node::Kind>(head & 3U);
    out.quoted = (head & kQuoted) != 0;
    mark(out.mark);
    if (out.kind == Node::Kind::list) {
      out.list.resize(count());
      for (auto& item : out.list) {
        if (damaged_) return;
        node(item, depth + 1);
      }
    } else if (out.kind == Node::Kind::map) {
      out.map.resize(count());
      for (auto& entry : out.map) {
        if (damaged_) return;
        entry.key = text();
        mark(entry.mark);
        node(entry.value, depth + 1);
      }
    } else {
      out.scalar = text();
    }
  }

  [[nodiscard]] bool damaged() const { return damaged_; }
  [[nodiscard]] const char* at() const { return at_; }
  [[nodiscard]] bool done() const { return at_ == end_; }

 private:
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  void damage() { damaged_ = true; }

  unsigned byte() {
    if (at_ == end_) {
      damage();
      return 0;
    }
    return static_cast<unsigned char>(*at_++);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t next = byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    damage();
    return 0;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > left()) {
      damage();
      return {};
    }
    const std::string_view out(at_, size);
    at_ += size;
    return out;
  }
  /// All counts together are no more than the bytes can hold: a damaged one must not reserve
  /// memory.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > nodes_left_) {
      damage();
      return 0;
    }
    nodes_left_ -= value;
    return value;
  }
  /// A line or column; nothing that a text of 2 GB couldn't have.
  int place(std::int64_t value) {
    if (value >= 0 && value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
    damage();
    return 0;
  }
  void mark(Mark& out) {
    const std::uint64_t zigzag = number();
    const auto step = static_cast<std::int64_t>(zigzag >> 1);
    const std::int64_t line = (zigzag & 1) != 0 ? line_ - step - 1
                              : step > kFar     ? kFar
                                                : line_ + step;
    out.line = line_ = place(line);
    out.column = place(static_cast<std::int64_t>(number()));
  }

  const char* at_;
  const char* end_;
  std::size_t nodes_left_;
  int line_ = 0;
  bool damaged_ = false;
};

}  // namespace

std::string freeze(const Node& node) {
  std::string out(kMagic);
  Writer(out).node(node);
  return out;
}

Result<Node> thaw(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return fail(Errc::internal, "this is no frozen YAML");
  Thawer thawer(bytes.substr(kMagic.size()));
  Node out;
  thawer.node(out, 1);
  if (thawer.damaged())
    return fail(Errc::internal, "frozen YAML is damaged before byte {}",
                thawer.at() - bytes.data());
  if (!thawer.done())
    return fail(Errc::internal, "frozen YAML has {} bytes too many",
                bytes.data() + bytes.size() - thawer.at());
  return out;
}

}  // namespace sndr::yaml
