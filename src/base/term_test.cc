// SPDX-License-Identifier: Apache-2.0
#include "base/term.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/text.h"

namespace sndr::term {
namespace {

Screen of_width(std::size_t width) {
  return {false, width};
}

Table patches() {
  Table table({"ID", "STATE", "TITLE"}, 2);
  table.add({"P62", "applied", "Structured output sees the end of reasoning under speculation"});
  table.add({"PN91", "skipped", "Short"});
  return table;
}

TEST(Table, WideEnough) {
  EXPECT_EQ(patches().render(of_width(100)),
            "ID    STATE    TITLE\n"
            "P62   applied  Structured output sees the end of reasoning under speculation\n"
            "PN91  skipped  Short\n");
}

TEST(Table, TheFlexibleColumnWraps) {
  EXPECT_EQ(patches().render(of_width(40)),
            "ID    STATE    TITLE\n"
            "P62   applied  Structured output sees\n"
            "               the end of reasoning\n"
            "               under speculation\n"
            "PN91  skipped  Short\n");
}

TEST(Table, BelowForty) {
  EXPECT_EQ(patches().render(of_width(39)),
            "ID: P62\n"
            "STATE: applied\n"
            "TITLE: Structured output sees the end\n"
            "  of reasoning under speculation\n"
            "\n"
            "ID: PN91\n"
            "STATE: skipped\n"
            "TITLE: Short\n");
}

TEST(Table, SmallTablesStayTablesOnNarrowScreens) {
  Table table({"A", "B"});
  table.add({"1", "2"});
  EXPECT_EQ(table.render(of_width(20)), "A  B\n1  2\n");
}

TEST(Table, WithoutAFlexibleColumnARowBecomesLines) {
  Table table({"NAME", "VALUE"});
  table.add({std::string(30, 'n'), std::string(30, 'v')});
  table.add({"x", ""});
  EXPECT_EQ(table.render(of_width(50)),
            "NAME: " + std::string(30, 'n') + "\nVALUE: " + std::string(30, 'v') + "\n\nNAME: x\n");
}

TEST(Table, NoLineIsWiderThanTheScreen) {
  for (std::size_t width = 30; width < 110; ++width) {
    const std::string table = patches().render(of_width(width));
    for (const auto line : split_lines(table)) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Table, WideCharactersAndShortRows) {
  Table table({"A", "B"});
  table.add({"\xe6\xbc\xa2\xe5\xad\x97", "x"});
  table.add({"ab"});
  EXPECT_EQ(table.render(of_width(80)), "A     B\n\xe6\xbc\xa2\xe5\xad\x97  x\nab\n");
}

TEST(Table, ColourDoesNotMoveColumns) {
  auto table = patches();
  table.style(1, Style::yellow);
  EXPECT_EQ(table.render({true, 100}),
            "\x1b[1mID\x1b[0m    \x1b[1mSTATE\x1b[0m    \x1b[1mTITLE\x1b[0m\n"
            "P62   applied  Structured output sees the end of reasoning under speculation\n"
            "PN91  \x1b[33mskipped\x1b[0m  Short\n");
}

TEST(Wrap, Words) {
  EXPECT_EQ(wrap("one two three four", 9), "one two\nthree\nfour");
  EXPECT_EQ(wrap("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(wrap("exactly ten", 11), "exactly ten");
  EXPECT_EQ(wrap("a /a/path/that/is/longer b", 8), "a\n/a/path/that/is/longer\nb");
  EXPECT_EQ(wrap("first\nsecond", 80, 2), "first\n  second");
  EXPECT_EQ(wrap("", 10), "");
  EXPECT_EQ(wrap("a b", 0), "a\nb");
}

TEST(Paint, OnlyWithColour) {
  EXPECT_EQ(paint({true, 80}, Style::red, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(paint({true, 80}, Style::plain, "x"), "x");
  EXPECT_EQ(paint({true, 80}, Style::red, ""), "");
  EXPECT_EQ(paint({false, 80}, Style::red, "x"), "x");
}

/// The four variables that a screen depends on, set for one scope.
class Environment {
 public:
  Environment(const char* no_color, const char* term, const char* force, const char* columns) {
    set("NO_COLOR", no_color);
    set("TERM", term);
    set("CLICOLOR_FORCE", force);
    set("COLUMNS", columns);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const char* name : {"NO_COLOR", "TERM", "CLICOLOR_FORCE", "COLUMNS"}) ::unsetenv(name);
  }

 private:
  static void set(const char* name, const char* value) {
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }
};

TEST(Screen, NotATerminal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  {
    const Environment env(nullptr, "xterm", nullptr, nullptr);
    EXPECT_FALSE(screen_of(writer.get()).colour);
    EXPECT_EQ(screen_of(writer.get()).width, 100'000U) << "tables in a pipe don't wrap";
  }
  {
    const Environment env(nullptr, "xterm", "1", "40");
    EXPECT_TRUE(screen_of(writer.get()).colour);
    EXPECT_EQ(screen_of(writer.get()).width, 40U);
  }
}

TEST(Screen, Terminal) {
  const Fd master(::posix_openpt(O_RDWR | O_NOCTTY));
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0)
    GTEST_SKIP() << "no pseudo-terminals here";
  const Fd slave(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY));
  ASSERT_TRUE(slave);
  const auto screen = [&slave](const char* no_color, const char* term, const char* columns) {
    const Environment env(no_color, term, nullptr, columns);
    return screen_of(slave.get());
  };
  EXPECT_TRUE(screen(nullptr, "xterm", nullptr).colour);
  EXPECT_FALSE(screen("1", "xterm", nullptr).colour);
  EXPECT_FALSE(screen(nullptr, "dumb", nullptr).colour);
  EXPECT_EQ(screen(nullptr, "xterm", nullptr).width, 80U);
  winsize size{};
  size.ws_col = 123;
  ASSERT_EQ(::ioctl(master.get(), TIOCSWINSZ, &size), 0);
  EXPECT_EQ(screen(nullptr, "xterm", nullptr).width, 123U);
  EXPECT_EQ(screen(nullptr, "xterm", "50").width, 50U);
}

}  // namespace
}  // namespace sndr::term
