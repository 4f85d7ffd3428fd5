// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

/// What a JSON Schema says about one place in a tool's arguments.
///
/// Only what coercion needs: which kinds of value may stand there, and what stands below. `$ref`
/// (into the same document), `anyOf`, `oneOf`, `allOf`, type lists, `nullable`, `enum`, `const`,
/// `items`, `prefixItems`, `properties` and `additionalProperties` are followed; a schema that
/// refers to itself is followed to a fixed depth.
namespace sndr::tool_calls {

/// A set of JSON kinds.
class Types {
 public:
  enum Kind : std::uint8_t {
    string = 1,
    integer = 2,
    number = 4,
    boolean = 8,
    null = 16,
    object = 32,
    array = 64
  };
  constexpr Types() = default;
  constexpr explicit Types(std::uint8_t bits) : bits_(bits) {}

  /// Nothing is known: any kind may stand there.
  [[nodiscard]] constexpr bool untyped() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool has(Kind kind) const { return (bits_ & kind) != 0; }
  /// A text may stand there as it is.
  [[nodiscard]] constexpr bool takes_text() const { return untyped() || has(string); }
  [[nodiscard]] constexpr bool text_alone() const { return untyped() || bits_ == string; }
  [[nodiscard]] constexpr std::uint8_t bits() const { return bits_; }
  constexpr void add(Types other) { bits_ |= other.bits_; }

 private:
  std::uint8_t bits_ = 0;
};

/// "integer or null"; "anything" where nothing is known.
[[nodiscard]] std::string to_string(Types types);

/// One place: the schemas that may apply there, with `$ref` and the combinators followed. Points
/// into the document that it was made from.
class Schema {
 public:
  Schema() = default;  ///< untyped
  Schema(const json::Value* document, const json::Value* node);

  [[nodiscard]] Types types() const { return types_; }
  [[nodiscard]] Schema member(std::string_view key) const;
  [[nodiscard]] Schema item(std::size_t index) const;
  [[nodiscard]] std::vector<std::string> property_names() const;
  [[nodiscard]] std::vector<std::string> required_names() const;

 private:
  [[nodiscard]] Schema below(const std::vector<const json::Value*>& found) const;

  const json::Value* document_ = nullptr;
  std::vector<const json::Value*> nodes_;
  Types types_;
};

}  // namespace sndr::tool_calls
