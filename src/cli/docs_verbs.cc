// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "cli/command.h"
#include "cli/docs.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"

namespace sndr::cli {
namespace {

constexpr Option kDir{
    .name = "--dir", .value = "DIR", .help = "the folder of the documents; docs unless given"};
constexpr Option kWrite{
    .name = "--write", .value = {}, .help = "write docs/PATCHES_AUTO.md instead of printing it"};
constexpr Option kCheck{
    .name = "--check", .value = {}, .help = "write nothing; exit 1 if a document is stale"};

fs::path docs_folder(const Call& call) {
  return call.value(kDir.name, "docs");
}

Result<int> patches_doc(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  const auto text = patches_markdown(pack);
  if (!call.has(kWrite.name)) {
    put(text);
    return 0;
  }
  const auto path = docs_folder(call) / "PATCHES_AUTO.md";
  SNDR_CHECK(write_file(path, text));
  advise("wrote " + path.string() + "\n");
  return 0;
}

Result<int> docs_generate(const Call& call) {
  SNDR_TRY(const auto pack, load_pack(call));
  const std::vector<std::pair<std::string, std::string>> documents = {
      {"CLI.md", cli_markdown(table())},
      {"CONFIGURATION.md", configuration_markdown(pack)},
      {"PATCHES_AUTO.md", patches_markdown(pack)},
  };
  int code = 0;
  for (const auto& [name, text] : documents) {
    const auto path = docs_folder(call) / name;
    const auto before = read_file(path);
    if (before && *before == text) continue;
    if (call.has(kCheck.name)) {
      print("stale: {}\n", path.string());
      code = 1;
      continue;
    }
    SNDR_CHECK(write_file(path, text));
    advise("wrote " + path.string() + "\n");
  }
  if (code != 0) advise("to write them: sndr docs generate\n");
  return code;
}

}  // namespace

extern const Command kPatchesDoc{
    .name = "patches doc",
    .summary = "Print the list of all patches and of v12's ids as Markdown",
    .options = {kWrite, kDir, kPack},
    .example = "sndr patches doc > PATCHES.md\nsndr patches doc --write",
    .run = patches_doc};

extern const Command kDocsGenerate{
    .name = "docs generate",
    .summary = "Write docs/CLI.md, docs/CONFIGURATION.md and docs/PATCHES_AUTO.md",
    .details = "For authors, in a checkout. CI runs it with --check.",
    .options = {kCheck, kDir, kPack},
    .example = "sndr docs generate\nsndr docs generate --check",
    .hidden = true,
    .run = docs_generate};

}  // namespace sndr::cli
