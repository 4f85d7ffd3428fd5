// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// A file's text as patches see it: every "\r\n" read as "\n", with the way back to the file's own
/// bytes. Files without "\r\n", nearly all, are not copied.
namespace sndr::patch {

class Normal {
 public:
  explicit Normal(std::string_view raw);
  Normal(const Normal&) = delete;
  Normal& operator=(const Normal&) = delete;

  [[nodiscard]] std::string_view text() const { return crlf_at_.empty() ? raw_ : copy_; }
  /// The byte of the file at an offset of text(). A "\r" belongs to the line end that it begins.
  [[nodiscard]] std::size_t raw_offset(std::size_t offset) const;
  /// A text with the line ends of this file, which are those of its first line.
  [[nodiscard]] std::string with_line_ends(std::string_view text) const;

 private:
  std::string_view raw_;
  std::string copy_;
  std::vector<std::size_t> crlf_at_;  ///< offsets in copy_ of each "\n" that was "\r\n"
  bool crlf_ = false;
};

/// Like std::string_view::find, many times faster for needles that begin with blanks.
[[nodiscard]] std::size_t find_text(std::string_view text, std::string_view needle,
                                    std::size_t from = 0);
/// Where a needle stands, overlapping places too; an empty needle stands nowhere.
[[nodiscard]] std::vector<std::size_t> find_all(std::string_view text, std::string_view needle);

}  // namespace sndr::patch
