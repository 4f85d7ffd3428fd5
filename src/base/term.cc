// SPDX-License-Identifier: Apache-2.0
#include "base/term.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace sndr::term {
namespace {

constexpr std::size_t kGap = 2;             // between two columns
constexpr std::size_t kNarrow = 40;         // below this a table becomes "header: cell" lines
constexpr std::size_t kLeastFlexible = 12;  // a flexible column narrower than this can't be read

const char* code_of(Style style) {
  switch (style) {
    case Style::bold:
      return "1";
    case Style::dim:
      return "2";
    case Style::red:
      return "31";
    case Style::green:
      return "32";
    case Style::yellow:
      return "33";
    case Style::blue:
      return "34";
    case Style::cyan:
      return "36";
    case Style::plain:
      break;
  }
  return "";
}

/// Words filled into lines of `width` columns, the lines after the first shorter by `indent`. A
/// word that is longer than a line stays whole: a path that was cut can't be copied.
std::vector<std::string> fill(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  for (const auto paragraph : split(text, '\n')) {
    std::string line;
    std::size_t used = 0;
    for (const auto word : split(paragraph, ' ')) {
      if (word.empty()) continue;
      const std::size_t size = display_width(word);
      const std::size_t limit = lines.empty() ? width : width - std::min(width, indent);
      if (used > 0 && used + 1 + size > limit) {
        lines.push_back(std::move(line));
        line.clear();
        used = 0;
      }
      if (used > 0) line += ' ';
      line += word;
      used += size + (used > 0 ? 1 : 0);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void trim_right(std::string& text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

}  // namespace

Screen screen_of(int fd) {
  Screen screen;
  const bool terminal = ::isatty(fd) == 1;
  screen.colour = terminal && env_or("NO_COLOR").empty() && env_or("TERM") != "dumb";
  if (env_or("CLICOLOR_FORCE") == "1") screen.colour = true;
  screen.width = terminal ? 80 : 100'000;
  winsize size{};
  if (terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    screen.width = size.ws_col;
  if (const auto columns = std::strtoul(env_or("COLUMNS").c_str(), nullptr, 10); columns > 0)
    screen.width = columns;
  return screen;
}

std::string paint(const Screen& screen, Style style, std::string_view text) {
  if (!screen.colour || style == Style::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(style), text);
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  return join(fill(text, width, indent), "\n" + std::string(indent, ' '));
}

Table::Table(std::vector<std::string> headers, std::size_t flexible)
    : headers_(std::move(headers)), flexible_(flexible) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(headers_.size());
  rows_.push_back({std::move(cells), std::vector<Style>(headers_.size(), Style::plain)});
}

void Table::style(std::size_t column, Style style) {
  rows_.back().styles.at(column) = style;
}

std::string Table::render(const Screen& screen) const {
  std::vector<std::size_t> widths;
  widths.reserve(headers_.size());
  for (const auto& header : headers_) widths.push_back(display_width(header));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < widths.size(); ++i)
      for (const auto line : split(row.cells[i], '\n'))
        widths[i] = std::max(widths[i], display_width(line));

  std::size_t total = widths.empty() ? 0 : kGap * (widths.size() - 1);
  for (const auto width : widths) total += width;
  if (total > screen.width) {
    const std::size_t over = total - screen.width;
    if (screen.width < kNarrow || flexible_ >= widths.size() ||
        widths[flexible_] < over + kLeastFlexible)
      return render_records(screen);
    widths[flexible_] -= over;
  }

  std::string out;
  render_row({headers_, std::vector<Style>(headers_.size(), Style::bold)}, widths, screen, out);
  for (const auto& row : rows_) render_row(row, widths, screen, out);
  return out;
}

void Table::render_row(const Row& row, const std::vector<std::size_t>& widths, const Screen& screen,
                       std::string& out) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    // Only the flexible column is filled: in the others blanks may mean something.
    std::vector<std::string> lines;
    if (i == flexible_) {
      lines = fill(row.cells[i], widths[i], 0);
    } else {
      for (const auto line : split(row.cells[i], '\n')) lines.emplace_back(line);
    }
    height = std::max(height, lines.size());
    cells.push_back(std::move(lines));
  }
  for (std::size_t k = 0; k < height; ++k) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string text = k < cells[i].size() ? cells[i][k] : std::string();
      const std::size_t used = display_width(text);
      line += paint(screen, row.styles[i], text);
      if (i + 1 < widths.size()) line += std::string(std::max(widths[i], used) - used + kGap, ' ');
    }
    trim_right(line);
    out += line + '\n';
  }
}

std::string Table::render_records(const Screen& screen) const {
  std::string out;
  for (const auto& row : rows_) {
    if (&row != &rows_.front()) out += '\n';
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (row.cells[i].empty()) continue;
      const std::string text = wrap(headers_[i] + ": " + row.cells[i], screen.width, kGap);
      const std::size_t head = headers_[i].size() + 1;
      out += paint(screen, Style::bold, text.substr(0, head));
      out += paint(screen, row.styles[i], text.substr(head)) + '\n';
    }
  }
  return out;
}

Progress::Progress(std::string what)
    : what_(std::move(what)),
      began_(std::chrono::steady_clock::now()),
      shown_(began_),
      terminal_(::isatty(STDERR_FILENO) == 1 && env_or("TERM") != "dumb") {}

Progress::~Progress() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::step(std::size_t done, std::size_t total, std::string_view detail) {
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - began_ < milliseconds(1000)) return;
  if (visible_ && now - shown_ < milliseconds(100) && done != total) return;
  shown_ = now;
  visible_ = true;
  std::string line = fmt::format("{} {}/{} {}", what_, done, total, detail);
  // A line that wraps can't be rewritten.
  const std::size_t width = screen_of(STDERR_FILENO).width;
  while (!line.empty() && display_width(line) >= width) line.pop_back();
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

}  // namespace sndr::term
