// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/literal.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "tool_calls/coerce.h"
#include "tool_calls/escape.h"
#include "tool_calls/schema.h"

namespace sndr::tool_calls {
namespace {

constexpr int kDeepest = 128;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool ends_word(char c) {
  return is_blank(c) || std::string_view(",:]})").find(c) != std::string_view::npos;
}

}  // namespace

bool LiteralReader::read(const Schema& schema, std::string& out) {
  blanks();
  if (!value(schema, out)) return false;
  blanks();
  return at_end();
}

void LiteralReader::blanks() {
  while (!at_end() && is_blank(text_[at_])) ++at_;
}

bool LiteralReader::skip(char byte) {
  blanks();
  if (at_end() || text_[at_] != byte) return false;
  ++at_;
  return true;
}

/// What follows isn't JSON; goes on only where that is allowed.
bool LiteralReader::use_loose() {
  loose_ = true;
  return allow_loose_;
}

bool LiteralReader::value(const Schema& schema, std::string& out) {
  if (at_end()) return false;
  const char first = text_[at_];
  const auto begin = at_;
  const auto written = out.size();
  if (first == '"' || first == '\'') return text(schema, out);
  if (first != '{' && first != '[' && first != '(') return word(schema, out);
  if (++depth_ > kDeepest) return false;
  ++at_;
  const bool read =
      first == '{' ? object(schema, out)
                   : array(schema, first == '[' ? ']' : ')', out) && (first == '[' || use_loose());
  --depth_;
  if (!read) return false;
  const auto kind = first == '{' ? Types::object : Types::array;
  if (schema.types().untyped() || schema.types().has(kind)) return true;
  if (schema.types().text_alone()) {  // a string was asked for: the text of it
    out.resize(written);
    out += quoted(text_.substr(begin, at_ - begin));
  } else {
    misfit_ = true;
  }
  return true;
}

bool LiteralReader::object(const Schema& schema, std::string& out) {
  out += '{';
  for (bool first = true;; first = false) {
    if (skip('}')) {
      if (!first && !use_loose()) return false;  // a trailing comma
      break;
    }
    if (at_end()) return false;
    std::string key;
    if (text_[at_] == '"' || text_[at_] == '\'') {
      if (!string(key)) return false;
    } else {  // Python's {1: "a"}
      while (!at_end() && !ends_word(text_[at_])) key += text_[at_++];
      if (key.empty() || !use_loose()) return false;
    }
    if (!skip(':')) return false;
    blanks();
    if (!first) out += ',';
    out += quoted(key);
    out += ':';
    if (!value(schema.member(key), out)) return false;
    if (skip(',')) continue;
    if (!skip('}')) return false;
    break;
  }
  out += '}';
  return true;
}

bool LiteralReader::array(const Schema& schema, char close, std::string& out) {
  out += '[';
  for (std::size_t index = 0;; ++index) {
    if (skip(close)) {
      if (index > 0 && !use_loose()) return false;
      break;
    }
    if (at_end()) return false;
    if (index > 0) out += ',';
    if (!value(schema.item(index), out)) return false;
    if (skip(',')) continue;
    if (!skip(close)) return false;
    break;
  }
  out += ']';
  return true;
}

/// A string; coerced where its schema wants none.
bool LiteralReader::text(const Schema& schema, std::string& out) {
  std::string decoded;
  if (!string(decoded)) return false;
  if (schema.types().takes_text()) {
    out += quoted(decoded);
    return true;
  }
  const auto coerced = coerce_text(decoded, schema, allow_loose_);
  misfit_ = misfit_ || !coerced.fits;
  loose_ = loose_ || coerced.loose;
  out += coerced.json;
  return true;
}

bool LiteralReader::string(std::string& decoded) {
  const char quote = text_[at_++];
  if (quote == '\'' && !use_loose()) return false;
  Unescape escape;
  while (true) {
    if (at_end()) return false;
    const char byte = text_[at_];
    if ((escape.active() || byte == '\\') && escape.take(byte, decoded)) {
      ++at_;
      continue;
    }
    if (byte == '\\') continue;  // an escape broke off here, and the next one begins
    ++at_;
    if (byte == quote) break;
    if (static_cast<unsigned char>(byte) < 0x20 && !use_loose()) return false;
    decoded += byte;
  }
  return !escape.loose() || use_loose();
}

/// A number, true, false, null, or Python's names for them.
bool LiteralReader::word(const Schema& schema, std::string& out) {
  const auto begin = at_;
  while (!at_end() && !ends_word(text_[at_])) ++at_;
  const auto word = text_.substr(begin, at_ - begin);
  if (word.empty()) return false;
  const auto scalar = scalar_of(word);
  if (!scalar || (scalar->loose && !use_loose())) return false;
  const auto types = schema.types();
  if (types.untyped() || types.has(scalar->kind)) {
    out += scalar->json;
  } else if (types.text_alone() && scalar->kind != Types::null) {
    out += quoted(word);
  } else {
    const auto coerced = coerce_text(word, schema, allow_loose_);
    misfit_ = misfit_ || !coerced.fits;
    out += coerced.fits ? coerced.json : scalar->json;
  }
  return true;
}

}  // namespace sndr::tool_calls
