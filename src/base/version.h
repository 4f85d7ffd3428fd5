// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// PEP 440 versions and ranges under Genesis's policy: order as `packaging` has it, pre-releases
/// always included in a range, the local part ("+cu129", "+g2dfaae752") ignored, "v0.24.0" read as
/// 0.24.0.
///
/// Order is not code order: 0.23.1rc1.dev748 sorts before 0.24.0 but holds later code. So a range
/// chooses messages and the verified span; anchors decide (DESIGN.md, Versions).
namespace sndr {

struct Version {
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;
  std::string pre;  ///< "a", "b", "rc" or ""
  std::uint64_t pre_number = 0;
  bool has_post = false;
  std::uint64_t post = 0;
  bool has_dev = false;
  std::uint64_t dev = 0;
  std::string local;
  std::string text;  ///< as it was written

  [[nodiscard]] static Result<Version> parse(std::string_view text);
  /// "0.24.0rc2.dev1", normalised, without the local part.
  [[nodiscard]] std::string canonical() const;
};

/// Without the local part.
[[nodiscard]] std::strong_ordering compare(const Version& a, const Version& b);

/// ">=0.22.1,<0.34", or v12's space-separated form (">=0.20.0 <0.23.0"); `==1.2.*`, `~=`, `!=`,
/// `===` as PEP 440. Empty text matches every version.
///
/// "Pre-releases included" is what `packaging` does under prereleases=True: 0.24.0rc2 is in
/// ">=0.23" and in "<0.25", but PEP 440's own exclusions stay: "<0.24.0" leaves out 0.24.0rc2
/// ("<0.24.0rc3" doesn't), and ">0.24.0" leaves out 0.24.0.post1. A local part is ignored on both
/// sides; `===` compares the spelling ("===0.24" isn't 0.24.0).
class VersionRange {
 public:
  [[nodiscard]] static Result<VersionRange> parse(std::string_view text);
  [[nodiscard]] bool contains(const Version& version) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return clauses_.empty(); }

 private:
  struct Clause {
    std::string op;
    Version version;
    bool wildcard = false;
  };
  std::vector<Clause> clauses_;
  std::string text_;
};

}  // namespace sndr
