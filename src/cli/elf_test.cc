// SPDX-License-Identifier: Apache-2.0
#include "cli/elf.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "base/version.h"

namespace sndr::cli {
namespace {

TEST(Elf, OurOwnBinaryNeedsAGlibc) {
  const auto version = highest_glibc(self_path());
  ASSERT_TRUE(version.has_value()) << render(version.error());
  EXPECT_TRUE(version->starts_with("2.")) << *version;
  EXPECT_TRUE(Version::parse(*version).has_value());
}

TEST(Elf, WhatIsNoElfFileIsSaid) {
  const auto path = (fs::path(testing::TempDir()) / "no_elf").string();
  ASSERT_TRUE(write_file(path, "#!/bin/sh\n").has_value());
  auto version = highest_glibc(path);
  ASSERT_FALSE(version.has_value());
  EXPECT_EQ(render(version.error()), path + " isn't a 64-bit ELF file");
  version = highest_glibc("/no/such/file");
  ASSERT_FALSE(version.has_value());
  EXPECT_EQ(render(version.error()), "cannot read /no/such/file: No such file or directory");
}

/// A file that ends anywhere is an error or an answer, never a crash.
TEST(Elf, AFileThatIsCutOff) {
  const auto whole = read_file("/bin/true");
  ASSERT_TRUE(whole.has_value());
  const auto path = (fs::path(testing::TempDir()) / "cut_elf").string();
  for (std::size_t size = 0; size < whole->size(); size += 97) {
    ASSERT_TRUE(write_file(path, whole->substr(0, size), 0644, Durable::no).has_value());
    const auto version = highest_glibc(path);
    EXPECT_TRUE(!version || version->empty()) << size;
  }
}

}  // namespace
}  // namespace sndr::cli
