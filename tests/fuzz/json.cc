// SPDX-License-Identifier: Apache-2.0
// Any text: an error with a place, or a value that both writers give back.
#include "json/json.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>

#include "check.h"

namespace {

using sndr::json::Value;

/// Equal but for the last digit of a long number, which Boost's reader may miss, and for what no
/// JSON number can say.
bool alike(const Value& a, const Value& b) {
  if (a.is_double() && !std::isfinite(a.get_double())) return b.is_null();
  if (a.is_double() && b.is_double()) {
    const double x = a.get_double(), y = b.get_double();
    return std::abs(x - y) <= 1e-14 * std::max(std::abs(x), std::abs(y)) ||
           std::abs(x - y) < 1e-300;
  }
  if (a.is_array() && b.is_array()) {
    const auto &x = a.get_array(), &y = b.get_array();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), alike);
  }
  if (a.is_object() && b.is_object()) {
    const auto &x = a.get_object(), &y = b.get_object();
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& m, const auto& n) {
      return m.key() == n.key() && alike(m.value(), n.value());
    });
  }
  return a == b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sndr::fuzz::check;
  const auto text = sndr::fuzz::text_of(data, size);
  const auto value = sndr::json::parse(text, "f.json");
  if (!value) {
    sndr::fuzz::check_error(value.error(), text);
    check(value.error().where.line >= 1 && value.error().where.column >= 1,
          "every error has a place");
    return 0;
  }
  const auto compact = sndr::json::parse(sndr::json::compact(*value));
  check(compact && alike(*value, *compact), "compact keeps the value");
  check(sndr::json::compact(*value).find('\n') == std::string::npos, "compact is one line");
  const auto pretty = sndr::json::parse(sndr::json::pretty(*value));
  check(pretty && alike(*value, *pretty), "pretty keeps the value");
  return 0;
}
