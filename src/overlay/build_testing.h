// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "overlay/overlay.h"
#include "patch/testing.h"
#include "plan/plan.h"
#include "probe/testing.h"

/// A small vLLM, patches for it, and a $SNDR_HOME of its own for each test.
namespace sndr::overlay::testing {

using patch::edit_of;
using patch::patch_of;
using patch::variant_of;
using probe::testing::ScopedEnv;
using probe::testing::TempDir;

/// A plan that applies all of `patches`, judged on what `reader` sees.
inline plan::Plan plan_of(const std::vector<pack::Patch>& patches, const TreeReader& reader) {
  plan::Plan out;
  out.vllm = "9.9.9";
  for (const auto& patch : patches) {
    plan::Decision decision;
    decision.id = patch.id;
    decision.patch = &patch;
    decision.verdict = plan::Verdict::apply;
    decision.cause = plan::Cause::none;
    decision.finding = patch::judge(patch, reader.source());
    out.decisions.push_back(std::move(decision));
  }
  return out;
}

class World {
 public:
  World() : home_("SNDR_HOME", (dir_ / "home").string()) {
    write("site/vllm/__init__.py", "__version__ = '9.9.9'\n");
    write("site/vllm/params.py", "one = 1\ntwo = 2\n");
    write("site/vllm/moe/__init__.py", "");
    write("site/vllm/moe/fused.py", "import os\nhere = os.path.dirname(__file__)\nn = 1\n");
    write("site/vllm/moe/other.py", "x = 1\n");
    write("site/vllm/moe/configs/a.json", "{}\n");
    write("site/vllm/moe/table.txt", "table\n");
    write("site/vllm/moe/fused.so", "binary");
    write("site/vllm/moe/__pycache__/fused.cpython-311.pyc", "pyc");
    write("site/vllm/py.typed", "");
    patches = {first(), second()};
    // Overlays are known by their names: two runs of these tests at once must not see each other's.
    for (auto& patch : patches) patch.fingerprint = patch.id + std::to_string(::getpid());
    payload.version = "1.2.3";
    payload.boot = {{"genesis_boot.py", "boot = 1\n"},
                    {"genesis_plugin/__init__.py", "def register():\n    pass\n"},
                    {"sitecustomize.py", "import genesis_boot\n"}};
  }

  void write(const std::string& name, std::string_view text) {
    const auto done = write_file(dir_ / name, text, 0644, Durable::no);
    ASSERT_TRUE(done) << render(done.error());
  }

  static pack::Patch first() {
    auto out = patch_of("P1", {edit_of("e", "params.py",
                                       {variant_of("one = 1\n", "one = 11\n"),
                                        variant_of("eins = 1\n", "eins = 11\n")})});
    out.title = "One is eleven";
    return out;
  }
  static pack::Patch second() {
    auto out = patch_of("P2", {edit_of("e", "params.py", {variant_of("two = 2\n", "two = 22\n")}),
                               edit_of("i", "__init__.py", {variant_of("9.9.9", "9.9.9+p")})});
    out.title = "Two is more";
    out.new_files = {{"moe/extra.py", "extra = True\n"}};
    return out;
  }
  /// Edits a module that looks for data beside itself.
  static pack::Patch third() {
    return patch_of("P3", {edit_of("e", "moe/fused.py", {variant_of("n = 1\n", "n = 2\n")})});
  }

  [[nodiscard]] probe::Tree tree() const {
    probe::Tree out;
    out.site = dir_ / "site";
    out.package = out.site / "vllm";
    return out;
  }

  [[nodiscard]] Result<std::optional<Built>> build() const {
    const TreeReader reader(tree());
    return overlay::build(plan_of(patches, reader), tree(), reader, payload);
  }
  /// For tests that are about something else.
  [[nodiscard]] Built built() const {
    auto done = build();
    EXPECT_TRUE(done && *done) << (done ? "nothing to apply" : render(done.error()));
    return done && *done ? **done : Built{};
  }
  [[nodiscard]] const fs::path& path() const { return dir_.path(); }
  [[nodiscard]] std::string relative(const fs::path& path) const {
    return path.lexically_relative(dir_.path());
  }

  std::vector<pack::Patch> patches;
  Payload payload;

 private:
  TempDir dir_;
  ScopedEnv home_;
};

inline std::string text_of(const fs::path& path) {
  return read_file(path).value_or("cannot be read");
}

}  // namespace sndr::overlay::testing
