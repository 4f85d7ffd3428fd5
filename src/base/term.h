// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What people see: colour, tables, wrapped text, progress. Data goes to stdout, advice and
/// progress to stderr.
namespace sndr::term {

enum class Style : unsigned char { plain, bold, dim, red, green, yellow, blue, cyan };

/// Colour is used where the stream is a terminal, NO_COLOR is unset and TERM isn't "dumb"
/// (CLICOLOR_FORCE=1 forces it).
struct Screen {
  bool colour = false;
  std::size_t width =
      80;  ///< COLUMNS, else the terminal's, else 80 (100,000 where output isn't a terminal)
};
[[nodiscard]] Screen screen_of(int fd);

[[nodiscard]] std::string paint(const Screen& screen, Style style, std::string_view text);

/// Words wrapped at the width; every line after the first indented by `indent`.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

/// Left-aligned columns, two blanks apart. Where the width is too small, `flexible` is wrapped
/// inside its column; below 40 columns each row becomes "header: cell" lines.
class Table {
 public:
  explicit Table(std::vector<std::string> headers, std::size_t flexible = std::string::npos);
  void add(std::vector<std::string> cells);
  /// Paints a cell of the last row.
  void style(std::size_t column, Style style);
  [[nodiscard]] std::string render(const Screen& screen) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<Style> styles;
  };
  void render_row(const Row& row, const std::vector<std::size_t>& widths, const Screen& screen,
                  std::string& out) const;
  [[nodiscard]] std::string render_records(const Screen& screen) const;
  std::vector<std::string> headers_;
  std::size_t flexible_;
  std::vector<Row> rows_;
};

/// One line on stderr that rewrites itself, shown only on a terminal and only once a second has
/// gone by.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(std::size_t done, std::size_t total, std::string_view detail = {});

 private:
  std::string what_;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point shown_;
  bool visible_ = false;
  bool terminal_ = false;
};

}  // namespace sndr::term
