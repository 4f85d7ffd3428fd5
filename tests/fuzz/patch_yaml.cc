// SPDX-License-Identifier: Apache-2.0
// One patch.yaml of any text, beside a proof and a new file: errors with places, or a patch that
// the rest of the program may trust without asking again.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "pack/files.h"
#include "pack/pack.h"
#include "pack/patch.h"
#include "pack/read_patch.h"

namespace {

using sndr::fuzz::check;
using sndr::pack::Patch;

bool is_below(std::string_view path) {
  if (path.empty()) return false;
  for (const auto part : sndr::split(path, '/'))
    if (part.empty() || part == "." || part == "..") return false;
  return true;
}

void check_evidence(const std::vector<sndr::pack::Evidence>& evidence) {
  for (const auto& one : evidence) check(is_below(one.file), "evidence lies below vllm/");
}

void check_edits(const Patch& patch) {
  for (const auto& edit : patch.edits) {
    check(!edit.variants.empty(), "an edit has a variant");
    check_evidence(edit.only_if);
    for (const auto& variant : edit.variants) {
      check(!variant.anchor.empty(), "an anchor is never empty");
      check(variant.anchor != variant.replacement, "an edit changes something");
      check(is_below(variant.file.empty() ? edit.file : variant.file),
            "an edit's file lies below vllm/");
      check(variant.where.line >= 1, "an anchor has a place");
      for (const auto& text : variant.unless) {
        check(!text.empty(), "an unless text isn't empty");
        check(variant.anchor.find(text) == std::string::npos, "an unless text isn't in the anchor");
      }
    }
  }
}

void check_patch(const Patch& patch) {
  check(!patch.id.empty() && !patch.title.empty() && !patch.why.empty(),
        "what people read is there");
  check(patch.flag.substr(0, 15) == "GENESIS_ENABLE_", "the flag is a full one");
  check(patch.fingerprint.size() == 64, "a patch has a fingerprint");
  check_edits(patch);
  check_evidence(patch.applies_if);
  for (const auto& entry : patch.retires_when) {
    check(!entry.evidence.empty(), "a retirement has evidence");
    check_evidence(entry.evidence);
  }
  for (const auto& file : patch.new_files)
    check(is_below(file.path), "a new file lies below vllm/");
  const auto& keys = sndr::pack::gate_keys();
  for (const auto& gate : patch.gates) {
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.name == gate.key; });
    check(key != keys.end(), "a gate's key is known");
    check(key->kind == sndr::pack::GateKey::Kind::range || !gate.words.empty(), "a gate has words");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = sndr::fuzz::text_of(data, size);
  sndr::pack::Files files;
  files.root = "pack";
  files.texts = {{"patches/PN91_developer_role/patch.yaml", text},
                 {"patches/PN91_developer_role/proof.py", "print('proof')\n"},
                 {"patches/PN91_developer_role/new.py", "x = 1\n"}};
  std::vector<sndr::Error> errors;
  std::vector<sndr::pack::PatchDocument> patches;
  patches.push_back(sndr::pack::read_patch(files, "PN91_developer_role", errors));
  if (errors.empty()) check_patch(patches[0].patch);
  sndr::pack::check_patches(patches, {"PN91", "P62"}, errors);
  for (const auto& error : errors) {
    sndr::fuzz::check_error(error, text);
    check(error.code == sndr::Errc::invalid_input, "the file is to blame");
    check(error.where.file.find("patch.yaml") != std::string::npos, "every error names its file");
  }
  return 0;
}
