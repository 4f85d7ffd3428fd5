// SPDX-License-Identifier: Apache-2.0
#include "cli/splice.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace sndr::cli {
namespace {

constexpr const char* kPatch = R"(# about this patch
id: GN999
edits:
  # the first one
  - name: refuse
    file: sampling_params.py
    variants:
      - trees: [0.22.1]     # seen in May
        anchor: |
          def f():

              return 1
        replace: "x\n"
        # a word on that

      # what follows belongs to the next edit
  - name: count
    file: b.py
    variants:
      -
        # odd, but allowed
        anchor: "a"
        replace: "b"
)";

TEST(Splice, AddsBehindTheLastVariantAndKeepsComments) {
  const auto out = add_variant(kPatch, "patch.yaml",
                               {.edit = "refuse",
                                .trees = "0.34.0",
                                .file = "new/place.py",
                                .anchor = "def f():\n    return 2\n",
                                .replacement = "    x\n"});
  ASSERT_TRUE(out.has_value()) << render(out.error());
  EXPECT_EQ(*out, R"(# about this patch
id: GN999
edits:
  # the first one
  - name: refuse
    file: sampling_params.py
    variants:
      - trees: [0.22.1]     # seen in May
        anchor: |
          def f():

              return 1
        replace: "x\n"
        # a word on that
      - trees: ["0.34.0"]
        file: new/place.py
        anchor: |
          def f():
              return 2
        replace: |2
              x

      # what follows belongs to the next edit
  - name: count
    file: b.py
    variants:
      -
        # odd, but allowed
        anchor: "a"
        replace: "b"
)");
}

TEST(Splice, ADashOnItsOwnLine) {
  const auto out =
      add_variant(kPatch, "patch.yaml",
                  {.edit = "count", .trees = "dev", .file = {}, .anchor = "c", .replacement = "d"});
  ASSERT_TRUE(out.has_value()) << render(out.error());
  EXPECT_EQ(out->substr(std::string(kPatch).size()), R"(      - trees: [dev]
        anchor: c
        replace: d
)");
}

TEST(Splice, SaysWhatItCannotDo) {
  const NewVariant variant{
      .edit = "nobody", .trees = "1", .file = {}, .anchor = "a", .replacement = "b"};
  auto out = add_variant(kPatch, "p/patch.yaml", variant);
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(render(out.error()), "p/patch.yaml has no edit 'nobody' with variants");
  out = add_variant("edits:\n  - name: nobody\n    variants: [{anchor: a, replace: b}]\n",
                    "patch.yaml", variant);
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(render(out.error()),
            "patch.yaml:3: the variants of 'nobody' aren't a list with a dash on each line");
}

}  // namespace
}  // namespace sndr::cli
