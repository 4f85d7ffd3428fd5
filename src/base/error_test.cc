// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sndr {
namespace {

TEST(Error, Render) {
  Error error;
  error.what = "unknown key 'flagg'";
  EXPECT_EQ(render(error), "unknown key 'flagg'");
  error.where.file = "patch.yaml";
  EXPECT_EQ(render(error), "patch.yaml: unknown key 'flagg'");
  error.where.line = 3;
  EXPECT_EQ(render(error), "patch.yaml:3: unknown key 'flagg'");
  error.where.column = 5;
  error.hint = "did you mean 'flag'?";
  error.trail = {"patch PN91", "overlay"};
  EXPECT_EQ(render(error),
            "patch.yaml:3:5: unknown key 'flagg' (patch PN91) (overlay)\n"
            "  did you mean 'flag'?");
}

TEST(Error, ExitCodes) {
  EXPECT_EQ(exit_code(Errc::invalid_input), 2);
  EXPECT_EQ(exit_code(Errc::not_found), 2);
  for (const auto code :
       {Errc::conflict, Errc::drift, Errc::denied, Errc::io, Errc::unavailable, Errc::internal})
    EXPECT_EQ(exit_code(code), 1);
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Errc::invalid_input, "{} is odd", n);
  return n / 2;
}
Result<int> quarter(int n) {
  SNDR_TRY(const int once, half(n));
  return half(once);
}
Status check_quarter(int n) {
  SNDR_CHECK(quarter(n));
  return {};
}

TEST(Error, TryAndCheckReturnEarly) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().what, "3 is odd");
  EXPECT_EQ(quarter(5).error().what, "5 is odd");
  EXPECT_TRUE(check_quarter(4));
  EXPECT_EQ(check_quarter(5).error().code, Errc::invalid_input);
}

}  // namespace
}  // namespace sndr
