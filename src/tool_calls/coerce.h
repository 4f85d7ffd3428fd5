// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tool_calls/schema.h"

/// A parameter's text, or a JSON or Python literal, into JSON by the schema.
///
/// The principle: a text whose schema allows text stays text unless it is exactly another kind
/// that the schema allows, too. What fits no allowed kind stays the raw text and is reported.
///
///   schema             text            JSON
///   string             007  true  {}   "007"  "true"  "{}"
///   integer            7  " 7 "  5.0   7  7  5         (1_000, five: raw)
///   integer or string  7  007          7  "007"        (only what reads back the same)
///   boolean            true True 1 yes true
///   any with null      null None       null
///   object, array      JSON, Python's literals; members coerced by their own schemas
///   nothing            anything        text
namespace sndr::tool_calls {

struct Coerced {
  std::string json;    ///< always valid JSON
  bool fits = true;    ///< false: some of it doesn't fit its schema and stands there as it was
  bool loose = false;  ///< read from another notation than JSON's
};

/// `loose`: read Python's literals, single quotes, trailing commas and yes/no, too.
[[nodiscard]] Coerced coerce_text(std::string_view text, const Schema& schema, bool loose);

/// A whole value as a model wrote it into JSON arguments: a string in it is a string already.
/// Text that is no literal is kept as a string, and doesn't fit.
[[nodiscard]] Coerced coerce_literal(std::string_view literal, const Schema& schema, bool loose);

/// Whether a value that begins so can still become something other than text. Once it says no, the
/// value can be streamed as a string. Looks at 64 bytes at most.
[[nodiscard]] bool may_leave_text(std::string_view beginning, Types types);

/// A word that stands for a number, a boolean or null.
struct Scalar {
  Types::Kind kind;  ///< an integral number is an integer
  std::string json;
  bool loose;  ///< True, None, .5, +1
};
[[nodiscard]] std::optional<Scalar> scalar_of(std::string_view word);

}  // namespace sndr::tool_calls
