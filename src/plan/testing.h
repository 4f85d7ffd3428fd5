// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pack/pack.h"

/// A small pack for this room's tests.
namespace sndr::plan {

inline pack::Patch make_patch(std::string id, std::string flag, std::string title = "Title") {
  pack::Patch out;
  out.id = std::move(id);
  out.flag = std::move(flag);
  out.title = std::move(title);
  out.vllm = VersionRange::parse(">=0.22.1,<=0.33.0").value();
  out.retires_when = {{"the fix", "0.34.0", {{"a.py", "FIXED", false}}}};
  return out;
}

inline pack::Legacy make_legacy(std::string id, std::string flag, pack::Disposition disposition,
                                std::string by = {}, std::string note = {}) {
  pack::Legacy out;
  out.id = std::move(id);
  out.flag = std::move(flag);
  out.title = "Title of " + out.id;
  out.disposition = disposition;
  out.by = std::move(by);
  out.note = std::move(note);
  return out;
}

inline pack::Pack make_pack() {
  using D = pack::Disposition;
  pack::Pack out;
  out.patches = {make_patch("P61b", "GENESIS_ENABLE_P61B_STREAMING_OVERLAP", "Partial tags"),
                 make_patch("PN73", "GENESIS_ENABLE_PN73_TOOL_ARGS_SAFE_NORMALIZE", "Arguments"),
                 make_patch("PN91", "GENESIS_ENABLE_PN91_DEVELOPER_ROLE", "Developer role")};
  out.patches[0].aliases = {"GENESIS_ENABLE_P59_QWEN3_TOOL_RECOVERY"};
  out.patches[0].also_covers = {"P61"};
  out.patches[1].default_on = true;
  out.patches[2].default_on = true;
  out.patches[2].knobs = {"GENESIS_PN91_TO"};
  auto native = make_legacy("P60", "GENESIS_ENABLE_P60_GDN_NGRAM_FIX", D::native);
  native.native_absent = "0.22.1";
  native.native_present = "0.24.0";
  out.legacy = std::vector<pack::Legacy>{
      make_legacy("P61", "GENESIS_ENABLE_P61_QWEN3_MULTI_TOOL", D::patch, "P61b"),
      make_legacy("P62", "GENESIS_ENABLE_P62_STRUCT_OUT_SPEC_TIMING", D::open, "a later release"),
      make_legacy("P67", "GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL", D::plugin),
      make_legacy("P67b", "GENESIS_ENABLE_P67_TQ_MULTI_QUERY_KERNEL", D::plugin),
      make_legacy("P67c", "GENESIS_ENABLE_P67_SPARSE_V", D::dropped, {}, "it lost text"),
      make_legacy("P68", "GENESIS_ENABLE_P68_AUTO_FORCE_TOOL", D::gateway),
      make_legacy("P82", "GENESIS_ENABLE_P82", D::dropped, {}, "it biases sampling"),
      make_legacy("P12", "GENESIS_LEGACY_P12", D::dropped, {}, "vLLM's parser is new"),
      make_legacy("PN283", "SNDR_ENABLE_PN283_PROC_BRIDGE", D::dropped, {}, "nobody used it"),
      native};
  out.variables = std::vector<pack::Variable>{
      {"SNDR_HOME", "ours", "path", "~/.sndr", "our folder", "", ""},
      {"SNDR_DEBUG", "ours", "switch", "0", "says more", "", ""},
      {"GENESIS_ALLOW_RETIRED", "v12", "switch", "", "", "evidence decides, nothing forces", ""},
      {"GENESIS_LEGACY_DEFAULT_ON", "v12", "switch", "", "", "nothing is on by itself", ""},
      {"GENESIS_LEGACY_*", "v12", "switch", "", "", "v12 never acted on it", ""},
      {"SNDR_ENABLE_BUNDLE_*", "v12", "switch", "", "", "set the flags one by one", ""},
      {"GENESIS_P68_FORCE_ON_ALL_TOOLS", "v12", "switch", "", "", "our gateway takes it",
       "GENESIS_ENABLE_P68_AUTO_FORCE_TOOL"},
      {"GENESIS_P82_*", "v12", "number", "", "", "", "GENESIS_ENABLE_P82"},
  };
  out.pins = {{"recommended", "0.33.0", "trees", "", "2026-12-01", "fine"},
              {"current", "0.23.1rc1.dev748+g2dfaae752", "no", "", "", ""}};
  return out;
}

}  // namespace sndr::plan
