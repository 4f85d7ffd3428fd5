// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/version.h"

/// Where a version stands to a patch's verified span.
namespace sndr::plan {

enum class Place : unsigned char { within, below, above, hole };

struct Placed {
  Place place = Place::within;
  std::string needs;  ///< not within: "verified up to 0.33.0", "verified from 0.22.1", "needs ..."
};

[[nodiscard]] Placed place(const VersionRange& span, const Version& version);

}  // namespace sndr::plan
