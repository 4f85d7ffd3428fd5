// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "probe/machine.h"
#include "probe/testing.h"
#include "probe/tree.h"
#include "probe/tree_find.h"

namespace sndr::probe {
namespace {

using testing::install_vllm;
using testing::machine_in;
using testing::TempDir;

Tree tree_in(const TempDir& dir, const char* name) {
  TreeQuery query;
  query.vllm = (dir / name).string();
  auto tree = choose_tree(query, machine_in(dir));
  EXPECT_TRUE(tree);
  return *tree;
}

TEST(Record, FormsOfALine) {
  const TempDir dir;
  install_vllm(dir, "w", "0.33.0");
  dir.write("w/vllm-0.33.0.dist-info/RECORD",
            "vllm/__init__.py,sha256=AbC-_1,12\r\n"
            "\"vllm/a,b.json\",sha256=Def,3\n"
            "vllm/old.py,md5=xyz,3\n"
            "vllm/bare.py,,\n"
            "../../bin/vllm,sha256=Ghi,3\n"
            "vllm_other/__init__.py,sha256=Jkl,3\n"
            "broken line\n");
  const auto record = Record::read(tree_in(dir, "w"));
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->known());
  EXPECT_EQ(record->size(), 2U);
  EXPECT_EQ(record->digest("__init__.py"), "AbC-_1");
  EXPECT_EQ(record->digest("a,b.json"), "Def");
  EXPECT_FALSE(record->digest("old.py"));
  const Record moved = *record;
  EXPECT_EQ(moved.digest("__init__.py"), "AbC-_1");
}

TEST(Record, UnknownWithoutOne) {
  const TempDir dir;
  dir.write("git/vllm/__init__.py", "");
  const auto record = Record::read(tree_in(dir, "git"));
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->known());
  EXPECT_EQ(record->size(), 0U);
}

TEST(Pristine, OnlyWhatDiffersComesBack) {
  const TempDir dir;
  install_vllm(dir, "w", "0.33.0");
  const Tree tree = tree_in(dir, "w");
  const auto record = Record::read(tree);
  ASSERT_TRUE(record);
  const auto clean = check_pristine(tree, *record);
  ASSERT_TRUE(clean);
  EXPECT_TRUE(clean->empty());

  dir.write("w/vllm/sampling_params.py",
            "# [Genesis wiring marker: Genesis P62 v1]\nclass SamplingParams:\n    pass\n");
  dir.write("w/vllm/__init__.py", "# mine\n");
  fs::remove(dir / "w/vllm/engine/arg_utils.py");
  dir.write("w/vllm/local.py", "");
  dir.write("w/vllm/notes.txt", "not Python\n");
  const auto states = check_pristine(tree, *record);
  ASSERT_TRUE(states);
  ASSERT_EQ(states->size(), 4U);
  const struct {
    const char* file;
    Pristine state;
    bool v12;
  } expected[] = {{"__init__.py", Pristine::changed, false},
                  {"engine/arg_utils.py", Pristine::missing, false},
                  {"local.py", Pristine::unrecorded, false},
                  {"sampling_params.py", Pristine::changed, true}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*states)[i].file, expected[i].file);
    EXPECT_EQ((*states)[i].state, expected[i].state) << expected[i].file;
    EXPECT_EQ((*states)[i].v12_marker, expected[i].v12) << expected[i].file;
  }
}

TEST(Pristine, WithoutARecordOnlyV12MarkersAreTold) {
  const TempDir dir;
  dir.write("git/vllm/__init__.py", "");
  dir.write("git/vllm/a.py", "x = 1\n# [Genesis wiring marker: P5]\n");
  const Tree tree = tree_in(dir, "git");
  const auto states = check_pristine(tree, *Record::read(tree));
  ASSERT_TRUE(states);
  ASSERT_EQ(states->size(), 1U);
  EXPECT_EQ(states->front().file, "a.py");
  EXPECT_EQ(states->front().state, Pristine::unrecorded);
  EXPECT_TRUE(states->front().v12_marker);
}

TEST(Pristine, AFileThatCantBeReadIsAnError) {
  const TempDir dir;
  install_vllm(dir, "w", "0.33.0");
  const Tree tree = tree_in(dir, "w");
  const auto record = Record::read(tree);
  ASSERT_TRUE(record);
  fs::remove(dir / "w/vllm/sampling_params.py");
  fs::create_directory(dir / "w/vllm/sampling_params.py");
  const auto states = check_pristine(tree, *record);
  ASSERT_FALSE(states);
  EXPECT_EQ(states.error().code, Errc::io);
  EXPECT_NE(states.error().what.find("vllm/sampling_params.py"), std::string::npos);
}

class RealTree : public ::testing::TestWithParam<const char*> {};

TEST_P(RealTree, IsFoundWithItsVersionAndIsPristine) {
  const fs::path path = testing::real_tree(GetParam());
  if (path.empty()) GTEST_SKIP() << "vLLM " << GetParam() << " hasn't been fetched";
  TreeQuery query;
  query.vllm = path.string();
  const auto tree = find_tree(query);
  ASSERT_TRUE(tree) << render(tree.error());
  EXPECT_EQ(tree->version_text, GetParam());
  EXPECT_EQ(tree->distribution, "vllm");
  EXPECT_EQ(tree->site, fs::canonical(path));
  const auto record = Record::read(*tree);
  ASSERT_TRUE(record);
  EXPECT_GT(record->size(), 2000U);
  const auto states = check_pristine(*tree, *record);
  ASSERT_TRUE(states);
  for (const auto& state : *states) ADD_FAILURE() << state.file;
  EXPECT_EQ(reinstall_command(*tree),
            std::string("python3 -m pip install --force-reinstall --no-deps vllm==") + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Releases, RealTree,
                         ::testing::Values("0.22.1", "0.24.0", "0.32.0", "0.33.0"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace sndr::probe
