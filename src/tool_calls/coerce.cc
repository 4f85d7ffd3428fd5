// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/coerce.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "tool_calls/escape.h"
#include "tool_calls/literal.h"
#include "tool_calls/schema.h"

namespace sndr::tool_calls {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

/// The parts of [+-] digits [. digits] [e [+-] digits]; nothing else is a number.
struct Number {
  bool minus = false, plus = false;
  std::string_view whole, fraction, exponent;
  bool point = false;
};

std::optional<Number> number_of(std::string_view word) {
  Number out;
  std::size_t at = 0;
  if (at < word.size() && (word[at] == '-' || word[at] == '+')) {
    out.minus = word[at] == '-';
    out.plus = !out.minus;
    ++at;
  }
  out.whole = word.substr(at, digits_at(word, at));
  at += out.whole.size();
  if (at < word.size() && word[at] == '.') {
    out.point = true;
    out.fraction = word.substr(at + 1, digits_at(word, at + 1));
    at += 1 + out.fraction.size();
  }
  if (out.whole.empty() && out.fraction.empty()) return std::nullopt;
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    const bool sign = at + 1 < word.size() && (word[at + 1] == '-' || word[at + 1] == '+');
    const std::size_t begin = at + (sign ? 2 : 1);
    const auto count = digits_at(word, begin);
    if (count == 0) return std::nullopt;
    out.exponent = word.substr(at + 1, begin + count - at - 1);
    at = begin + count;
  }
  if (at != word.size()) return std::nullopt;
  return out;
}

std::optional<double> double_of(std::string_view json) {
  double value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  if (error != std::errc() || end != json.data() + json.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// JSON's spelling of a number; digits are kept as they are, only what JSON forbids is changed.
std::optional<Scalar> number_scalar(std::string_view word) {
  const auto number = number_of(word);
  if (!number) return std::nullopt;
  auto whole = number->whole;
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  std::string json = number->minus ? "-" : "";
  json += whole.empty() ? std::string_view("0") : whole;
  if (!number->fraction.empty()) json.append(".").append(number->fraction);
  if (!number->exponent.empty()) json.append("e").append(number->exponent);
  const bool integral = number->fraction.empty() && number->exponent.empty();
  if (!integral && !double_of(json)) return std::nullopt;  // 1e999
  const bool loose = number->plus || number->whole.empty() ||
                     whole.size() != number->whole.size() ||
                     (number->point && number->fraction.empty());
  return Scalar{integral && !number->point ? Types::integer : Types::number, json, loose};
}

/// 5.0 and 1e3 are integers that were written as numbers.
std::optional<std::string> integer_json(const Scalar& scalar) {
  if (scalar.kind == Types::integer) return scalar.json;
  const auto value = double_of(scalar.json);
  if (!value || std::nearbyint(*value) != *value || std::abs(*value) >= 9007199254740992.0)
    return std::nullopt;
  return fmt::format("{}", static_cast<long long>(*value));
}

/// A reader of the JSON would write it back as the same text: 7 and 1.5, but not 007 or 1.50.
bool reads_back(const Scalar& scalar, std::string_view text) {
  if (scalar.loose || scalar.json != text || text == "-0") return false;
  if (scalar.kind == Types::integer) return true;
  const auto value = double_of(scalar.json);
  return value && fmt::format("{}", *value) == text;
}

std::optional<std::string> number_json(std::string_view text, Types types) {
  const auto scalar = number_scalar(text);
  if (!scalar) return std::nullopt;
  if (types.has(Types::string) && !reads_back(*scalar, text)) return std::nullopt;
  if (types.has(Types::integer))
    if (auto integer = integer_json(*scalar)) return integer;
  if (types.has(Types::number)) return scalar->json;
  return std::nullopt;
}

std::optional<bool> boolean_of(std::string_view text, Types types, bool loose) {
  if (text == "true" || (loose && text == "True")) return true;
  if (text == "false" || (loose && text == "False")) return false;
  if (types.has(Types::string) || !loose) return std::nullopt;
  const bool numeric = types.has(Types::integer) || types.has(Types::number);
  if (text.empty() || (numeric && is_digit(text.front()))) return std::nullopt;
  const auto truth = truth_of(text);
  if (truth == Truth::neither) return std::nullopt;
  return truth == Truth::yes;
}

bool is_null(std::string_view text, Types types, bool loose) {
  if (text == "null" || (loose && text == "None")) return true;
  return !types.has(Types::string) && (lower(text) == "null" || (loose && lower(text) == "none"));
}

bool is_opening(char c) {
  return c == '{' || c == '[' || c == '(';
}

}  // namespace

std::optional<Scalar> scalar_of(std::string_view word) {
  if (word == "true" || word == "True") return Scalar{Types::boolean, "true", word == "True"};
  if (word == "false" || word == "False") return Scalar{Types::boolean, "false", word == "False"};
  if (word == "null" || word == "None") return Scalar{Types::null, "null", word == "None"};
  return number_scalar(word);
}

Coerced coerce_text(std::string_view text, const Schema& schema, bool loose) {
  const auto types = schema.types();
  if (types.text_alone()) return {quoted(text), true, false};
  const auto bare = trim(text);
  const bool scalar = !types.has(Types::string) || bare == text;
  if (scalar && types.has(Types::null) && is_null(bare, types, loose))
    return {"null", true, bare != "null"};
  if (scalar && types.has(Types::boolean))
    if (const auto truth = boolean_of(bare, types, loose))
      return {*truth ? "true" : "false", true, bare != "true" && bare != "false"};
  if (scalar)
    if (auto number = number_json(bare, types)) return {*std::move(number), true, false};
  if ((types.has(Types::object) || types.has(Types::array)) && !bare.empty() &&
      is_opening(bare.front())) {
    LiteralReader reader(bare, loose);
    std::string json;
    const auto kind = bare.front() == '{' ? Types::object : Types::array;
    if (types.has(kind) && reader.read(schema, json))
      return {std::move(json), !reader.misfit(), reader.loose()};
  }
  return {quoted(text), types.has(Types::string), false};
}

Coerced coerce_literal(std::string_view literal, const Schema& schema, bool loose) {
  LiteralReader reader(literal, loose);
  std::string json;
  if (reader.read(schema, json)) return {std::move(json), !reader.misfit(), reader.loose()};
  return {quoted(trim(literal)), false, true};
}

bool may_leave_text(std::string_view beginning, Types types) {
  if (types.text_alone()) return false;
  const auto first = beginning.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return beginning.size() <= 64;
  const auto text = beginning.substr(first);
  if (text.front() == '{' && types.has(Types::object)) return true;
  if ((text.front() == '[' || text.front() == '(') && types.has(Types::array)) return true;
  if (beginning.size() > 64) return false;
  const auto word = text.substr(0, text.find_first_of(" \t\r\n"));
  const bool whole = word.size() < text.size();
  if (whole && trim(text) != word) return false;  // something follows the word
  const auto may_be = [&](std::string_view known) {
    return whole ? word == known : known.starts_with(word);
  };
  if (types.has(Types::null) && (may_be("null") || may_be("None"))) return true;
  if (types.has(Types::boolean) &&
      (may_be("true") || may_be("false") || may_be("True") || may_be("False")))
    return true;
  return (types.has(Types::integer) || types.has(Types::number)) &&
         word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

}  // namespace sndr::tool_calls
