// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pack/patch.h"
#include "patch/edit.h"

/// Small trees and patches for this room's tests.
namespace sndr::patch {

using Tree = std::map<std::string, std::string, std::less<>>;

inline Source source_of(const Tree& tree) {
  return [&tree](std::string_view path) -> std::optional<std::string_view> {
    const auto found = tree.find(path);
    if (found == tree.end()) return std::nullopt;
    return found->second;
  };
}

inline pack::Variant variant_of(std::string anchor, std::string replacement,
                                std::vector<std::string> unless = {}) {
  pack::Variant out;
  out.anchor = std::move(anchor);
  out.replacement = std::move(replacement);
  out.unless = std::move(unless);
  out.where = {"patch.yaml", 7, 17};
  return out;
}

inline pack::Edit edit_of(std::string name, std::string file, std::vector<pack::Variant> variants,
                          std::string after = {}) {
  pack::Edit out;
  out.name = std::move(name);
  out.file = std::move(file);
  out.variants = std::move(variants);
  out.after = std::move(after);
  return out;
}

inline pack::Patch patch_of(std::string id, std::vector<pack::Edit> edits) {
  pack::Patch out;
  out.id = std::move(id);
  out.edits = std::move(edits);
  return out;
}

}  // namespace sndr::patch
