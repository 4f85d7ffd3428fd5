// SPDX-License-Identifier: Apache-2.0
#include "json/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json/kind.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace sndr::json {
namespace {

constexpr std::size_t kMaxDepth = 128;

tl::unexpected<Error> bad_json(std::string_view text, std::string_view file, std::size_t at,
                               std::string what) {
  at = std::min(at, text.size());
  const std::size_t line_start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  Error error;
  error.code = Errc::invalid_input;
  error.what = std::move(what);
  error.where = {std::string(file), line_of(text, at), static_cast<int>(at - line_start) + 1};
  return fail(std::move(error));
}

/// What stands at an offset, in words.
std::string found(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the text";
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == '\n') return "the end of the line";
  if (byte < 0x20 || byte >= 0x7f) return fmt::format("byte 0x{:02x}", byte);
  return fmt::format("'{}'", text[at]);
}

/// Boost writes 8.5E-1; people, and Python, write 0.85.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::string out = fmt::format("{}", value);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

/// `indent` is the indentation of the line we are on; npos writes everything on one line.
void write(const Value& value, std::size_t indent, std::string& out) {
  const bool lines = indent != std::string::npos;
  const std::size_t inner = lines ? indent + 2 : indent;
  const auto new_line = [&](std::size_t blanks) {
    if (lines) out.append("\n").append(blanks, ' ');
  };
  switch (value.kind()) {
    case boost::json::kind::object: {
      bool first = true;
      out += '{';
      for (const auto& member : value.get_object()) {
        if (!std::exchange(first, false)) out += ',';
        new_line(inner);
        out += boost::json::serialize(member.key());
        out += lines ? ": " : ":";
        write(member.value(), inner, out);
      }
      if (!first) new_line(indent);
      out += '}';
      break;
    }
    case boost::json::kind::array: {
      bool first = true;
      out += '[';
      for (const auto& item : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        new_line(inner);
        write(item, inner, out);
      }
      if (!first) new_line(indent);
      out += ']';
      break;
    }
    case boost::json::kind::double_:
      out += number(value.get_double());
      break;
    default:
      out += boost::json::serialize(value);
  }
}

}  // namespace

Result<Value> parse(std::string_view text, std::string_view file) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::stream_parser parser({}, options);
  boost::system::error_code ec;
  const std::size_t read = parser.write_some(text.data(), text.size(), ec);
  if (ec == boost::json::error::too_deep)
    return bad_json(text, file, read, fmt::format("more than {} levels of nesting", kMaxDepth));
  if (ec)
    return bad_json(text, file, read,
                    fmt::format("not valid JSON: {} at {}", ec.message(), found(text, read)));
  if (read < text.size())
    return bad_json(text, file, read,
                    fmt::format("not valid JSON: {} after the value", found(text, read)));
  parser.finish(ec);
  if (ec) return bad_json(text, file, text.size(), "not valid JSON: the text ends too early");
  return parser.release();
}

std::string pretty(const Value& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return out;
}

std::string compact(const Value& value) {
  std::string out;
  write(value, std::string::npos, out);
  return out;
}

const Value* find(const Value& value, std::string_view path) {
  const Value* at = &value;
  for (const auto key : split(path, '.')) {
    const auto* object = at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string text_or(const Value& object, std::string_view path, std::string_view otherwise) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_string()) return std::string(otherwise);
  return std::string(value->get_string());
}

}  // namespace sndr::json
