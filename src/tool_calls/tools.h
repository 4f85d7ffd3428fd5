// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/json.h"
#include "tool_calls/schema.h"

/// The tools that a request declares: the only names that can be called.
namespace sndr::tool_calls {

class Tool {
 public:
  Tool(std::string name, json::Value parameters);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// A tool without a schema, or whose schema names no properties, takes any parameter.
  [[nodiscard]] bool declares(std::string_view parameter) const;
  [[nodiscard]] bool is_open() const { return properties_.empty(); }
  /// Untyped where the schema says nothing about it.
  [[nodiscard]] Schema parameter(std::string_view name) const;
  /// The required parameters.
  [[nodiscard]] const std::vector<std::string>& required() const { return required_; }

 private:
  std::string name_;
  json::Value parameters_;
  std::vector<std::string> properties_;
  std::vector<std::string> required_;
};

/// Immutable; parsers share it.
class Tools {
 public:
  Tools() = default;

  /// A request's `tools` array. Each entry is `{"type": "function", "function": {"name",
  /// "parameters"}}`, or the function alone, or Anthropic's `{"name", "input_schema"}`.
  /// Errors name `file` and the entry.
  [[nodiscard]] static Result<Tools> parse(const json::Value& array,
                                           std::string_view file = "tools");

  [[nodiscard]] const Tool* find(std::string_view name) const;
  /// Whether a tool's name begins with this.
  [[nodiscard]] bool any_begins(std::string_view prefix) const;
  [[nodiscard]] bool empty() const { return tools_.empty(); }

 private:
  std::vector<Tool> tools_;
};

}  // namespace sndr::tool_calls
