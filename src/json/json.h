// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

/// JSON in and out (Boost.JSON underneath; key order is kept).
namespace sndr::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;

/// Errors carry line and column; depth up to 128; duplicate keys: the last wins, as in Python.
/// A number of more than 15 digits may come back changed in its last one.
[[nodiscard]] Result<Value> parse(std::string_view text, std::string_view file = "JSON");

/// Two blanks of indentation, a newline at the end, doubles as people write them (0.85,
/// not 8.5E-1).
[[nodiscard]] std::string pretty(const Value& value);
/// On one line, without blanks.
[[nodiscard]] std::string compact(const Value& value);

/// A member of an object by a dotted path, or nullptr.
[[nodiscard]] const Value* find(const Value& value, std::string_view path);
[[nodiscard]] std::string text_or(const Value& object, std::string_view path,
                                  std::string_view otherwise = {});

}  // namespace sndr::json
