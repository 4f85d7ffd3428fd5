// SPDX-License-Identifier: Apache-2.0
#include "overlay/journal.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "overlay/journal_testing.h"

namespace sndr::overlay {
namespace {

using testing::difference;
using testing::picture_of;
using testing::some_edits;
using testing::Zoo;

std::string text_at(const fs::path& path) {
  return read_file(path).value_or("cannot be read");
}

std::size_t pick(std::mt19937& random, std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
}

/// Edits of a random part of the tree's files and new files in old and new folders.
std::vector<NewFile> random_edits(const Zoo& zoo, std::mt19937& random) {
  std::map<std::string, NewFile> out;
  const auto all = zoo.picture();
  for (const auto& [name, line] : all) {
    const bool python = name.ends_with(".py") || name.ends_with(".json");
    if (!python || pick(random, 3) != 0) continue;
    out[name] = {name, fmt::format("edited {} = {}\n", name.size(), random())};
  }
  static constexpr const char* kNew[] = {
      "new.py",         "engine/new.py",      "fresh/a.py",
      "fresh/b/c/d.py", "engine/deep/x/y.py", "fresh/caf\xc3\xa9.py"};
  for (const char* name : kNew)
    if (pick(random, 3) == 0) out[name] = {name, fmt::format("new = {}\n", random())};
  std::vector<NewFile> files;
  for (auto& [name, file] : out) files.push_back(std::move(file));
  return files;
}

TEST(Journal, AThousandRandomSubsetsComeBackByteForByte) {
  const Zoo zoo;
  const auto before = zoo.picture();
  const auto outside = picture_of(zoo.outside());
  std::mt19937 random(20261201);
  std::size_t edits = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto files = random_edits(zoo, random);
    edits += files.size();
    Journal journal = zoo.journal();
    const auto applied = journal.apply(files, {"P1"}, "");
    ASSERT_TRUE(applied) << render(applied.error());
    for (const auto& file : files) ASSERT_EQ(text_at(zoo.root() / file.path), file.bytes);
    ASSERT_EQ(picture_of(zoo.outside()), outside) << "a link's target was written to";
    for (const auto& file : files)
      if (pick(random, 2) == 0 && file.path.ends_with(".py")) zoo.compile(file.path);
    Journal again = zoo.journal();
    ASSERT_EQ(again.state(), files.empty() ? JournalState::none : JournalState::applied);
    const auto reverted = again.revert();
    ASSERT_TRUE(reverted) << render(reverted.error());
    ASSERT_EQ(difference(before, zoo.picture()), "") << "round " << round;
    ASSERT_FALSE(fs::exists(zoo.folder())) << "round " << round;
  }
  EXPECT_GT(edits, 5000U);
}

TEST(Journal, WhatAPatchedTreeLooksLike) {
  const Zoo zoo;
  const auto before = zoo.picture();
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply(some_edits(), {"P1", "P2"}, "RECORD"));
  const auto after = zoo.picture();
  const auto start = [](const std::string& line) { return line.substr(0, line.find(' ', 7)); };
  for (const char* name : {"sampling.py", "engine/core.py", "engine/read_only.py"})
    EXPECT_EQ(start(before.at(name)), start(after.at(name))) << name;  // mode and owner
  EXPECT_EQ(text_at(zoo.root() / "sampling.py"), "a = 1\r\nb = 22\r\n");
  EXPECT_FALSE(after.contains("__pycache__/sampling.cpython-311.pyc"));
  EXPECT_FALSE(after.contains("engine/__pycache__/core.cpython-312.opt-1.pyc"));
  EXPECT_TRUE(after.contains("engine/__pycache__/core_utils.cpython-311.pyc"));
  EXPECT_FALSE(fs::is_symlink(zoo.root() / "absolute_link.py"));
  EXPECT_EQ(text_at(zoo.root() / "absolute_link.py"), "shared = 2\n");
  EXPECT_EQ(text_at(zoo.outside() / "shared.py"), "shared = 1\n");
  EXPECT_EQ(stat_path(zoo.root() / "absolute_link.py").mode, 0640U);
  EXPECT_EQ(stat_path(zoo.root() / "engine/new.py").mode, 0644U);
  for (const auto& [name, line] : after) EXPECT_EQ(name.find(".genesis"), std::string::npos);

  const Journal loaded = zoo.journal();
  EXPECT_EQ(loaded.state(), JournalState::applied);
  EXPECT_EQ(loaded.ids(), (std::vector<std::string>{"P1", "P2"}));
  EXPECT_EQ(loaded.installed(), "RECORD");
  EXPECT_EQ(stat_path(zoo.folder()).mode, 0700U);
}

TEST(Journal, CreatedFilesBelongToTheTreesOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const Zoo zoo;
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply({{"engine/deep/new/file.py", "x\n"}}, {}, ""));
  for (const char* name : {"engine/deep/new", "engine/deep/new/file.py"}) {
    const Stat stat = stat_path(zoo.root() / name);
    EXPECT_EQ(stat.uid, 4321U) << name;
    EXPECT_EQ(stat.gid, 8765U) << name;
  }
}

TEST(Journal, FilesThatAreRightAlreadyAreLeftAlone) {
  const Zoo zoo;
  const auto before = zoo.picture();
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply({{"sampling.py", "a = 1\r\nb = 2\r\n"}}, {"P1"}, ""));
  EXPECT_EQ(difference(before, zoo.picture()), "");
  EXPECT_FALSE(fs::exists(zoo.folder()));
}

TEST(Journal, AFileChangedSinceStopsItBeforeAnythingIsTouched) {
  const Zoo zoo;
  const auto before = zoo.picture();
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply(some_edits(), {"P1"}, ""));
  ASSERT_TRUE(write_file(zoo.root() / "engine/core.py", "mine = 1\n"));
  ASSERT_TRUE(write_file(zoo.root() / "engine/new.py", "mine = 2\n"));
  fs::remove(zoo.root() / "absolute_link.py");
  const auto patched = zoo.picture();
  Journal again = zoo.journal();
  const auto refused = again.revert();
  ASSERT_FALSE(refused);
  const std::string root = zoo.root().string();
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_EQ(render(refused.error()),
            "files were changed since Genesis patched them: engine/core.py, absolute_link.py, "
            "engine/new.py\n"
            "  nothing was touched. To drop a change and go on, for each of them:\n"
            "    cp " +
                zoo.folder().string() + "/files/1 " + root +
                "/engine/core.py\n"
                "    ln -sf " +
                zoo.outside().string() + "/shared.py " + root +
                "/absolute_link.py\n"
                "    rm " +
                root +
                "/engine/new.py\n"
                "  then: sndr revert. To keep one, copy it elsewhere first");
  EXPECT_EQ(difference(patched, zoo.picture()), "");
  // What the message says to type.
  fs::copy_file(zoo.folder() / "files/1", zoo.root() / "engine/core.py",
                fs::copy_options::overwrite_existing);
  fs::create_symlink(zoo.outside() / "shared.py", zoo.root() / "absolute_link.py");
  fs::remove(zoo.root() / "engine/new.py");
  Journal last = zoo.journal();
  const auto reverted = last.revert();
  ASSERT_TRUE(reverted) << render(reverted.error());
  auto now = zoo.picture();
  now["engine/core.py"] = before.at("engine/core.py");  // its time is the copy's
  EXPECT_EQ(difference(before, now), "");
}

TEST(Journal, ATreeInstalledAnewKeepsNothingOfOurs) {
  const Zoo zoo;
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply(some_edits(), {"P1"}, "old"));
  for (const char* name : {"sampling.py", "engine/core.py"})
    ASSERT_TRUE(write_file(zoo.root() / name, "newer release\n"));
  Journal again = zoo.journal();
  ASSERT_TRUE(again.abandon());
  EXPECT_EQ(text_at(zoo.root() / "sampling.py"), "newer release\n");
  EXPECT_FALSE(fs::exists(zoo.root() / "engine/new.py"));
  EXPECT_FALSE(fs::exists(zoo.root() / "added"));
  EXPECT_FALSE(fs::exists(zoo.folder()));
  EXPECT_EQ(zoo.journal().state(), JournalState::none);
}

TEST(Journal, WhatItRefusesToChange) {
  const Zoo zoo;
  fs::create_directory_symlink(zoo.outside(), zoo.root() / "linked");
  fs::create_symlink("nowhere.py", zoo.root() / "dangling.py");
  fs::create_directory(zoo.root() / "folder.py");
  const std::string root = zoo.root().string();
  const struct {
    const char* path;
    std::string message;
  } cases[] = {
      {"linked/shared.py", root +
                               "/linked/shared.py lies behind a link that leaves the tree\n"
                               "  its target may be shared with others: use `sndr run` instead of "
                               "--in-place"},
      {"linked/more/new.py",
       root + "/linked/more/new.py lies behind a link that leaves the tree\n"
              "  its target may be shared with others: use `sndr run` instead of "
              "--in-place"},
      {"dangling.py", root + "/dangling.py is no file\n  reinstall vLLM"},
      {"folder.py", root + "/folder.py is no file\n  reinstall vLLM"},
      {"../outside/shared.py", "'../outside/shared.py' isn't a path below the tree"},
      {"/etc/passwd", "'/etc/passwd' isn't a path below the tree"},
  };
  const auto before = zoo.picture();
  for (const auto& test : cases) {
    Journal journal = zoo.journal();
    const auto done = journal.apply({{"sampling.py", "x\n"}, {test.path, "x\n"}}, {}, "");
    ASSERT_FALSE(done) << test.path;
    EXPECT_EQ(render(done.error()), test.message);
    EXPECT_EQ(difference(before, zoo.picture()), "");
    EXPECT_EQ(zoo.journal().state(), JournalState::none);
  }
}

TEST(Journal, ADamagedJournalIsSaid) {
  const Zoo zoo;
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply(some_edits(), {"P1"}, ""));
  const fs::path file = zoo.folder() / "journal.json";
  const std::string good = text_at(file);
  const struct {
    std::string text;
    const char* what;
  } cases[] = {
      {"{", "not valid JSON: the text ends too early"},
      {"{\"format\": 2}", "its format isn't 1"},
      {"{\"format\": 1}", "it has no state"},
      {"{\"format\": 1, \"state\": \"applied\"}", "it has no entries"},
      {"{\"format\": 1, \"state\": \"applied\", \"entries\": [{}]}",
       "an entry without path or kind"},
      {"{\"format\": 1, \"state\": \"applied\", \"entries\": [{\"path\": \"a\", \"kind\": "
       "\"created\"}]}",
       "a has no mode or owner"},
  };
  for (const auto& test : cases) {
    ASSERT_TRUE(write_file(file, test.text));
    Journal broken(zoo.root(), zoo.folder());
    const auto loaded = broken.load();
    ASSERT_FALSE(loaded) << test.text;
    EXPECT_EQ(render(loaded.error()),
              file.string() + ": the journal of an in-place patch is damaged: " + test.what +
                  "\n  reinstall vLLM, then remove " + zoo.folder().string());
  }
  ASSERT_TRUE(write_file(file, good));
  Journal elsewhere(zoo.root() / "engine", zoo.folder());
  const auto other = elsewhere.load();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, file.string() + " is the journal of " + zoo.root().string());
}

TEST(Journal, ADamagedCopyIsNeverPutBack) {
  const Zoo zoo;
  Journal journal = zoo.journal();
  ASSERT_TRUE(journal.apply({{"sampling.py", "x\n"}}, {"P1"}, ""));
  ASSERT_TRUE(write_file(zoo.folder() / "files/0", "not what it was"));
  Journal again = zoo.journal();
  const auto refused = again.revert();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the saved copy of sampling.py is damaged");
  EXPECT_EQ(text_at(zoo.root() / "sampling.py"), "x\n");
}

}  // namespace
}  // namespace sndr::overlay
