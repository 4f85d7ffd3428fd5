// SPDX-License-Identifier: Apache-2.0
#include "cli/splice.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "yaml/yaml.h"

namespace sndr::cli {
namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// The line (0-based) with the last item's dash, or npos where the list is written as `[...]`.
std::size_t last_item_line(const std::vector<std::string_view>& lines, const yaml::Node& list) {
  if (list.list.empty()) return std::string_view::npos;
  const auto dash = [&](std::size_t line) {
    const auto text = trim(lines[line]);
    return text.starts_with("- ") || text == "-";
  };
  // The mark is that of the item's first key: behind its dash, or first on a line below it.
  const auto& mark = list.list.back().mark;
  auto line = static_cast<std::size_t>(std::max(mark.line, 1)) - 1;
  if (line >= lines.size()) return std::string_view::npos;
  if (dash(line)) return line;
  if (indent_of(lines[line]) + 1 != static_cast<std::size_t>(mark.column))
    return std::string_view::npos;
  while (line-- > 0) {
    if (dash(line)) return line;
    const auto text = trim(lines[line]);
    if (!text.empty() && text.front() != '#') break;
  }
  return std::string_view::npos;
}

/// The line behind an item that begins at `begin`: everything deeper than its dash belongs to it.
std::size_t item_end(const std::vector<std::string_view>& lines, std::size_t begin) {
  const auto dash = indent_of(lines[begin]);
  std::size_t end = begin + 1;
  for (std::size_t i = begin + 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    if (indent_of(lines[i]) <= dash) break;
    end = i + 1;
  }
  return end;
}

const yaml::Node* edit_named(const yaml::Node& root, std::string_view name) {
  const auto* edits = root.find("edits");
  if (edits == nullptr) return nullptr;
  for (const auto& edit : edits->list) {
    const auto* found = edit.find("name");
    if (found != nullptr && found->scalar == name) return &edit;
  }
  return nullptr;
}

}  // namespace

std::string variant_yaml(const NewVariant& variant, std::size_t indent) {
  const std::string blanks(indent, ' ');
  std::string out = blanks + "- trees: [" + yaml::emit_scalar(variant.trees) + "]\n";
  const auto key = [&](std::string_view name, std::string_view text) {
    out += blanks + "  " + std::string(name) + ": " + yaml::emit_scalar(text, indent + 4) + "\n";
  };
  if (!variant.file.empty()) key("file", variant.file);
  key("anchor", variant.anchor);
  key("replace", variant.replacement);
  return out;
}

Result<std::string> add_variant(std::string_view text, std::string_view file,
                                const NewVariant& variant) {
  SNDR_TRY(const auto root, yaml::parse(text, file));
  const auto* edit = edit_named(root, variant.edit);
  const auto* variants = edit == nullptr ? nullptr : edit->find("variants");
  if (variants == nullptr)
    return fail(Errc::not_found, "{} has no edit '{}' with variants", file, variant.edit);
  const auto lines = split_lines(text);
  const auto begin = last_item_line(lines, *variants);
  if (begin == std::string_view::npos)
    return fail(Errc::invalid_input,
                "{}:{}: the variants of '{}' aren't a list with a dash on each line", file,
                variants->mark.line, variant.edit);
  const auto end = item_end(lines, begin);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == end) out += variant_yaml(variant, indent_of(lines[begin]));
    out.append(lines[i]) += '\n';
  }
  if (end >= lines.size()) out += variant_yaml(variant, indent_of(lines[begin]));
  return out;
}

}  // namespace sndr::cli
