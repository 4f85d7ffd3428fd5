// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"
#include "pack/pack.h"

namespace sndr::cli {
namespace {

constexpr std::string_view kPatchYaml =
    R"(# yaml-language-server: $schema=../../schema/patch.schema.json
# docs/PATCH_FORMAT.md explains every key.
id: @ID@
flag: GENESIS_ENABLE_@ID_UPPER@_@SLUG_UPPER@
title: One line, as it stands in lists and in the boot log
why: >-
  What a user meets on stock vLLM, in one sentence.
  What the patch does, in one sentence.

mechanism: text
lifecycle: experimental
implementation: full

upstream: []

retires_when:
  - fix: what vLLM will have done, in a few words
    evidence:
      - {file: sampling_params.py, text: "a line of vLLM's own fix"}

# The code that the patch is about. Until this holds, the patch is "not for this tree".
applies_if:
  - {file: sampling_params.py, text: "a line of the code that the patch is about"}

applies_to:
  vllm: ">=0.33.0,<=0.33.0"

edits:
  - name: edit
    file: sampling_params.py
    variants:
      - trees: [0.33.0]
        anchor: |
          the few lines of vLLM that the edit must find
        replace: |
          the lines that stand there afterwards

proof_level: function
)";

constexpr std::string_view kProof = R"(# SPDX-License-Identifier: Apache-2.0
"""@ID@: shows the bug on stock vLLM, and its absence with the patch.

GENESIS_PROOF_TREE is the folder that holds vllm/. GENESIS_PROOF_OVERLAY is set for the run with the patch.
Exit 0: behaves. Exit 1: the bug is there, and was printed. Exit 2: can't run here, and why was printed.
"""
import sys

print("this proof isn't written yet")
sys.exit(2)
)";

bool is_id(std::string_view text) {
  auto at = text.begin();
  const auto run = [&](auto test) {
    const auto begin = at;
    at = std::find_if_not(at, text.end(), test);
    return at - begin;
  };
  const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  return run(letter) > 0 && run(digit) > 0 && run(small) <= 1 && at == text.end();
}

bool is_slug(std::string_view text) {
  return !text.empty() && text.front() != '_' && text.back() != '_' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

std::string fill(std::string_view text, const std::string& id, const std::string& slug) {
  auto out = replace_all(std::string(text), "@ID@", id);
  out = replace_all(std::move(out), "@ID_UPPER@", upper(id));
  return replace_all(std::move(out), "@SLUG_UPPER@", upper(slug));
}

Status check(const pack::Pack& pack, const std::string& id, const std::string& slug) {
  if (!is_id(id))
    return fail(Errc::invalid_input,
                "'{}' isn't an id: capitals, a number, at most one small letter (GN001)", id);
  if (!is_slug(slug))
    return fail(Errc::invalid_input,
                "'{}' isn't a slug: small letters, digits and _ (empty_stop_word)", slug);
  if (pack.patch(id) != nullptr)
    return fail(Errc::conflict, "the pack has a patch {} already: sndr patches explain {}", id, id);
  if (pack.legacy_id(id) == nullptr && !id.starts_with("GN"))
    return fail(Errc::invalid_input,
                "{} isn't an id of v12: a new patch is called GN and three digits", id);
  return {};
}

Result<int> patches_new(const Call& call) {
  auto id = call.word(0);
  auto slug = call.word(1);
  if (const auto at = id.find('_');
      slug.empty() && at != std::string::npos) {  // GN001_empty_stop, the folder's name
    slug = id.substr(at + 1);
    id.resize(at);
  }
  SNDR_TRY(const auto folder, pack_folder(call));
  SNDR_TRY(const auto pack, load_pack(call));
  SNDR_CHECK(check(pack, id, slug));
  const auto path = folder / "patches" / (id + "_" + slug);
  SNDR_CHECK(write_file(path / "patch.yaml", fill(kPatchYaml, id, slug)));
  SNDR_CHECK(write_file(path / "proof.py", fill(kProof, id, slug)));
  put(path.string() + "\n");
  advise(fmt::format("next: fill in patch.yaml, then: sndr patches verify --pack {} --vllm DIR\n",
                     shell_quote(folder.string())));
  return 0;
}

}  // namespace

extern const Command kPatchesNew{
    .name = "patches new",
    .summary = "Start a patch: a folder with patch.yaml and proof.py to fill in",
    .details = "A patch that v12 doesn't have is called GN and three digits.",
    .positionals = {{.name = "ID", .help = "GN001, or a v12 id that has no patch yet"},
                    {.name = "SLUG", .help = "a few words in snake_case", .required = false}},
    .options = {kPack},
    .example = "sndr patches new GN001 empty_stop_word --pack pack",
    .run = patches_new};

}  // namespace sndr::cli
