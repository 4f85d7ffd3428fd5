// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

/// A new variant written into patch.yaml by splicing text, so that comments and layout survive.
namespace sndr::cli {

struct NewVariant {
  std::string edit;   ///< name of the edit that it belongs to
  std::string trees;  ///< "0.34.0"
  std::string file;   ///< empty: the edit's file
  std::string anchor;
  std::string replacement;
};

/// The lines of the variant as an item of a list whose dashes stand `indent` blanks in.
[[nodiscard]] std::string variant_yaml(const NewVariant& variant, std::size_t indent);

/// `text` with the variant behind the last one of its edit. `file` is for messages.
[[nodiscard]] Result<std::string> add_variant(std::string_view text, std::string_view file,
                                              const NewVariant& variant);

}  // namespace sndr::cli
