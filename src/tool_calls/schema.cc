// SPDX-License-Identifier: Apache-2.0
#include "tool_calls/schema.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/json.h"

namespace sndr::tool_calls {
namespace {

constexpr int kDeepest = 24;       // a schema that refers to itself ends here
constexpr std::size_t kMost = 64;  // alternatives at one place

/// JSON Schema's names, and what tool frameworks write instead.
constexpr std::array<std::pair<std::string_view, Types::Kind>, 21> kNames = {{
    {"string", Types::string},   {"str", Types::string},      {"text", Types::string},
    {"enum", Types::string},     {"integer", Types::integer}, {"int", Types::integer},
    {"int32", Types::integer},   {"int64", Types::integer},   {"long", Types::integer},
    {"number", Types::number},   {"float", Types::number},    {"double", Types::number},
    {"boolean", Types::boolean}, {"bool", Types::boolean},    {"null", Types::null},
    {"none", Types::null},       {"object", Types::object},   {"dict", Types::object},
    {"array", Types::array},     {"list", Types::array},      {"tuple", Types::array},
}};

Types named(std::string_view name) {
  const auto word = lower(trim(name));
  for (const auto& [known, kind] : kNames)
    if (known == word) return Types(kind);
  return {};
}

Types type_of(const json::Value& value) {
  if (value.is_string()) return Types(Types::string);
  if (value.is_bool()) return Types(Types::boolean);
  if (value.is_null()) return Types(Types::null);
  if (value.is_object()) return Types(Types::object);
  if (value.is_array()) return Types(Types::array);
  return Types(value.is_double() ? Types::number : Types::integer);
}

const json::Value* member_of(const json::Value& node, std::string_view key) {
  const auto* object = node.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

const json::Array* list_at(const json::Value& node, std::string_view key) {
  const auto* found = member_of(node, key);
  return found == nullptr ? nullptr : found->if_array();
}

bool is_true(const json::Value* value) {
  return value != nullptr && value->is_bool() && value->get_bool();
}

/// "#/$defs/Foo" in the document, or nullptr.
const json::Value* resolve(const json::Value& document, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  const json::Value* at = &document;
  reference.remove_prefix(1);
  if (reference.empty()) return at;
  reference.remove_prefix(reference.starts_with('/') ? 1 : 0);
  for (const auto part : split(reference, '/')) {
    const auto key = replace_all(replace_all(std::string(part), "~1", "/"), "~0", "~");
    at = member_of(*at, key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

/// What a node says by itself, without its combinators.
Types own_types(const json::Value& node) {
  Types out;
  if (const auto* type = member_of(node, "type")) {
    if (type->is_string()) out.add(named(std::string_view(type->get_string())));
    if (const auto* list = type->if_array())
      for (const auto& one : *list)
        if (one.is_string()) out.add(named(std::string_view(one.get_string())));
  }
  const auto* values = list_at(node, "enum");
  const auto* constant = member_of(node, "const");
  if (out.untyped()) {
    if (values != nullptr)
      for (const auto& value : *values) out.add(type_of(value));
    if (constant != nullptr) out.add(type_of(*constant));
    if (member_of(node, "properties") != nullptr) out.add(Types(Types::object));
    if (member_of(node, "items") != nullptr || member_of(node, "prefixItems") != nullptr)
      out.add(Types(Types::array));
  } else {
    const bool lists_null =
        values != nullptr && std::any_of(values->begin(), values->end(),
                                         [](const json::Value& v) { return v.is_null(); });
    if (lists_null || is_true(member_of(node, "nullable"))) out.add(Types(Types::null));
  }
  return out;
}

/// Follows references and combinators from one node; collects every node that may apply.
class Walk {
 public:
  Walk(const json::Value& document, std::vector<const json::Value*>& nodes)
      : document_(document), nodes_(nodes) {}

  Types at(const json::Value& node, int depth) {
    if (depth > kDeepest || nodes_.size() >= kMost || !node.is_object()) return {};
    nodes_.push_back(&node);
    Types out = own_types(node);
    if (const auto* reference = member_of(node, "$ref");
        reference != nullptr && reference->is_string())
      if (const auto* target = resolve(document_, reference->get_string()))
        narrow(out, at(*target, depth + 1));
    for (const auto* key : {"anyOf", "oneOf"})
      if (const auto* branches = list_at(node, key)) narrow(out, any_of(*branches, depth));
    if (const auto* parts = list_at(node, "allOf"))
      for (const auto& part : *parts) narrow(out, at(part, depth + 1));
    return out;
  }

 private:
  /// A branch that allows anything makes the whole untyped.
  Types any_of(const json::Array& branches, int depth) {
    Types out;
    bool anything = false;
    for (const auto& branch : branches) {
      const auto types = at(branch, depth + 1);
      anything = anything || types.untyped();
      out.add(types);
    }
    return anything ? Types() : out;
  }

  static void narrow(Types& types, Types other) {
    if (other.untyped()) return;
    const auto both = static_cast<std::uint8_t>(types.bits() & other.bits());
    // integer is a number, too
    const bool whole = types.has(Types::number) && other.has(Types::integer);
    if (types.untyped())
      types = other;
    else if (both != 0)
      types = Types(both);
    else if (whole)
      types = Types(Types::integer);
  }

  const json::Value& document_;
  std::vector<const json::Value*>& nodes_;
};

}  // namespace

std::string to_string(Types types) {
  if (types.untyped()) return "anything";
  std::vector<std::string> words;
  for (const auto& [name, kind] :
       std::initializer_list<std::pair<const char*, Types::Kind>>{{"string", Types::string},
                                                                  {"integer", Types::integer},
                                                                  {"number", Types::number},
                                                                  {"boolean", Types::boolean},
                                                                  {"object", Types::object},
                                                                  {"array", Types::array},
                                                                  {"null", Types::null}})
    if (types.has(kind)) words.emplace_back(name);
  return join(words, " or ");
}

Schema::Schema(const json::Value* document, const json::Value* node) : document_(document) {
  if (document != nullptr && node != nullptr) types_ = Walk(*document, nodes_).at(*node, 0);
}

Schema Schema::below(const std::vector<const json::Value*>& found) const {
  Schema out;
  out.document_ = document_;
  bool untyped = false;
  for (const auto* node : found) {
    const auto types = Walk(*document_, out.nodes_).at(*node, 0);
    untyped = untyped || types.untyped();
    out.types_.add(types);
  }
  if (untyped) out.types_ = Types();
  return out;
}

Schema Schema::member(std::string_view key) const {
  std::vector<const json::Value*> found;
  for (const auto* node : nodes_)
    if (const auto* properties = member_of(*node, "properties"))
      if (const auto* one = member_of(*properties, key)) found.push_back(one);
  if (found.empty())
    for (const auto* node : nodes_)
      if (const auto* more = member_of(*node, "additionalProperties");
          more != nullptr && more->is_object())
        found.push_back(more);
  return below(found);
}

Schema Schema::item(std::size_t index) const {
  std::vector<const json::Value*> found;
  for (const auto* node : nodes_) {
    const auto* first = list_at(*node, "prefixItems");
    const auto* items = member_of(*node, "items");
    if (first == nullptr && items != nullptr) first = items->if_array();
    if (first != nullptr && index < first->size())
      found.push_back(&(*first)[index]);
    else if (items != nullptr && items->is_object())
      found.push_back(items);
  }
  return below(found);
}

std::vector<std::string> Schema::property_names() const {
  std::vector<std::string> out;
  for (const auto* node : nodes_)
    if (const auto* properties = member_of(*node, "properties"))
      if (const auto* object = properties->if_object())
        for (const auto& member : *object) out.emplace_back(member.key());
  return out;
}

std::vector<std::string> Schema::required_names() const {
  std::vector<std::string> out;
  for (const auto* node : nodes_)
    if (const auto* list = list_at(*node, "required"))
      for (const auto& name : *list)
        if (name.is_string()) out.emplace_back(name.get_string());
  return out;
}

}  // namespace sndr::tool_calls
