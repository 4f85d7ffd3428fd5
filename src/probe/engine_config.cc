// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "json/json.h"
#include "probe/engine_args.h"
#include "probe/engine_flags.h"
#include "yaml/yaml.h"

/// `--config FILE`: vLLM reads it with PyYAML, whose scalars follow YAML 1.1 (`yes` is true, 010 is
/// 8), and turns every entry into arguments before its own.
namespace sndr::probe {
namespace {

enum class Scalar : std::uint8_t { text, yes, no, null };

Scalar kind_of(const yaml::Node& node) {
  if (node.kind == yaml::Node::Kind::null) return Scalar::null;
  if (node.quoted) return Scalar::text;
  const std::string& text = node.scalar;
  const std::string word = lower(text);
  const std::string capital = word.empty() ? word : upper(word.substr(0, 1)) + word.substr(1);
  if (text != word && text != upper(word) && text != capital) return Scalar::text;
  if (word == "true" || word == "yes" || word == "on") return Scalar::yes;
  if (word == "false" || word == "no" || word == "off") return Scalar::no;
  if (word == "null" || word == "~") return Scalar::null;
  return Scalar::text;
}

/// 0x10, 0b1, 017 and 1_000 as PyYAML reads them; decimal digits stay as they are.
std::optional<std::int64_t> integer_of(const yaml::Node& node) {
  if (node.quoted || node.scalar.empty()) return std::nullopt;
  std::string text = replace_all(node.scalar, "_", "");
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0b")) {
    base = text[1] == 'x' ? 16 : 2;
    text.erase(0, 2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? -value : value;
}

/// Python's str() of the value.
std::string text_of(const yaml::Node& node) {
  switch (kind_of(node)) {
    case Scalar::yes:
      return "True";
    case Scalar::no:
      return "False";
    case Scalar::null:
      return "None";
    case Scalar::text:
      break;
  }
  if (const auto number = integer_of(node)) return std::to_string(*number);
  return node.scalar;
}

json::Value json_of(const yaml::Node& node) {
  if (node.kind == yaml::Node::Kind::list) {
    json::Array out;
    for (const auto& item : node.list) out.push_back(json_of(item));
    return out;
  }
  if (node.kind == yaml::Node::Kind::map) {
    json::Object out;
    for (const auto& entry : node.map) out[entry.key] = json_of(entry.value);
    return out;
  }
  switch (kind_of(node)) {
    case Scalar::yes:
      return true;
    case Scalar::no:
      return false;
    case Scalar::null:
      return nullptr;
    case Scalar::text:
      break;
  }
  if (const auto number = integer_of(node)) return *number;
  if (!node.quoted)
    if (auto value = json::parse(node.scalar); value && value->is_double()) return *value;
  return json::Value(node.scalar);
}

/// One entry as arguments. `false` turns into --no-key where that exists (0.33.0 on; older releases
/// ignore the entry).
void expand(const std::string& key, const yaml::Node& value, std::vector<std::string>& out) {
  const std::string flag = "--" + key;
  if (value.kind == yaml::Node::Kind::list) {
    if (value.list.empty()) return;
    out.push_back(flag);
    for (const auto& item : value.list) out.push_back(text_of(item));
    return;
  }
  if (value.kind == yaml::Node::Kind::map) {
    out.push_back(flag);
    out.push_back(json::compact(json_of(value)));
    return;
  }
  const Scalar kind = kind_of(value);
  if (kind == Scalar::yes) {
    out.push_back(flag);
  } else if (kind == Scalar::no) {
    const FlagMatch match = match_flag("--no-" + key);
    if (match.flag != nullptr && match.flag->name == key) out.push_back("--no-" + key);
  } else {
    out.push_back(flag);
    out.push_back(text_of(value));
  }
}

}  // namespace

Result<std::vector<std::string>> config_arguments(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension != ".yaml" && extension != ".yml")
    return fail(Errc::invalid_input, "--config {}: vLLM takes only *.yaml and *.yml",
                file.string());
  if (!stat_path(file).is_file)
    return fail(Errc::not_found, "--config {}: no such file", file.string());
  SNDR_TRY(const auto text, read_file(file));
  SNDR_TRY(const auto root, yaml::parse(text, file.string()));
  if (root.kind != yaml::Node::Kind::map) {
    Error error;
    error.code = Errc::invalid_input;
    error.what = "a vLLM config file is a map of flags to values";
    error.where = {file.string(), root.mark.line, root.mark.column};
    error.hint = "write one flag a line, without its dashes: max-model-len: 8192";
    return fail(std::move(error));
  }
  std::vector<std::string> out;
  for (const auto& entry : root.map) expand(entry.key, entry.value, out);
  return out;
}

}  // namespace sndr::probe
