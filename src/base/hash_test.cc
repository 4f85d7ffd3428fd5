// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace sndr {
namespace {

// FIPS 180-2's examples; the base64 forms are Python's base64.urlsafe_b64encode without "=".
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_record(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  EXPECT_EQ(sha256_record("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
}

TEST(Fingerprint, FieldsDoNotRunTogether) {
  const auto hex = [](auto... fields) {
    Fingerprint print;
    (print.add(fields), ...);
    return print.hex();
  };
  EXPECT_EQ(hex("a", "b"), hex("a", "b"));
  EXPECT_NE(hex("a", "b"), hex("b", "a"));
  EXPECT_NE(hex("ab", ""), hex("a", "b"));
  EXPECT_NE(hex("ab"), hex("ab", ""));
  EXPECT_NE(hex("1:a"), hex("a"));
}

}  // namespace
}  // namespace sndr
