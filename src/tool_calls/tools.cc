// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/tools.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "json/json.h"
#include "tool_calls/schema.h"

namespace sndr::tool_calls {
namespace {

tl::unexpected<Error> bad_tools(std::string_view file, std::string what) {
  Error error;
  error.code = Errc::invalid_input;
  error.what = std::move(what);
  error.where.file = file;
  error.hint = R"(expected the request's array: [{"type": "function", "function": {"name": ...}}])";
  return fail(std::move(error));
}

std::string_view kind_of(const json::Value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_null()) return "null";
  return value.is_bool() ? "a boolean" : "a number";
}

}  // namespace

Tool::Tool(std::string name, json::Value parameters)
    : name_(std::move(name)), parameters_(std::move(parameters)) {
  const Schema schema(&parameters_, &parameters_);
  properties_ = schema.property_names();
  required_ = schema.required_names();
}

bool Tool::declares(std::string_view parameter) const {
  return is_open() ||
         std::find(properties_.begin(), properties_.end(), parameter) != properties_.end();
}

Schema Tool::parameter(std::string_view name) const {
  return Schema(&parameters_, &parameters_).member(name);
}

Result<Tools> Tools::parse(const json::Value& array, std::string_view file) {
  const auto* list = array.if_array();
  if (list == nullptr)
    return bad_tools(file, fmt::format("the tools are {}, not an array", kind_of(array)));
  Tools out;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto& entry = (*list)[i];
    if (!entry.is_object())
      return bad_tools(file, fmt::format("tool {} is {}, not an object", i + 1, kind_of(entry)));
    const auto* function = json::find(entry, "function");
    const auto& declared = function != nullptr && function->is_object() ? *function : entry;
    auto name = json::text_or(declared, "name");
    if (name.empty()) return bad_tools(file, fmt::format("tool {} has no name", i + 1));
    const auto* parameters = json::find(declared, "parameters");
    if (parameters == nullptr) parameters = json::find(declared, "input_schema");
    out.tools_.emplace_back(std::move(name), parameters == nullptr ? json::Value() : *parameters);
  }
  return out;
}

const Tool* Tools::find(std::string_view name) const {
  const auto found = std::find_if(tools_.begin(), tools_.end(),
                                  [&](const Tool& tool) { return tool.name() == name; });
  return found == tools_.end() ? nullptr : &*found;
}

bool Tools::any_begins(std::string_view prefix) const {
  return std::any_of(tools_.begin(), tools_.end(),
                     [&](const Tool& tool) { return tool.name().starts_with(prefix); });
}

}  // namespace sndr::tool_calls
