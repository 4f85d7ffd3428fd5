// SPDX-License-Identifier: Apache-2.0
//
// sndr_packc ROOT OUT: checks ROOT/pack and writes it, with ROOT/python, as one archive. Runs in
// the build; an invalid pack ends it with every error.
#include <fmt/core.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "pack/archive.h"
#include "pack/files.h"
#include "pack/pack.h"
#include "yaml/freeze.h"
#include "yaml/yaml.h"

// This program is the one that has nothing embedded.
extern "C" {
extern const char sndr_archive_begin[];
extern const char sndr_archive_end[];
const char sndr_archive_begin[1] = {0};
const char sndr_archive_end[1] = {0};
}

namespace sndr::pack {
namespace {

using Contents = std::map<std::string, std::string>;

bool has_end(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

Status add_folder(Contents& out, const fs::path& root, const std::string& folder) {
  SNDR_TRY(auto paths, list_files(root / folder));
  for (const auto& path : paths) {
    if (is_clutter(path)) continue;
    auto name = folder;
    name += "/" + path;
    SNDR_TRY(auto text, read_file(root / name));
    if (folder == "pack" && has_end(path, ".yaml")) {
      SNDR_TRY(auto node, yaml::parse(text, name));
      out[frozen_path(name)] = yaml::freeze(node);
    }
    out[name] = std::move(text);
  }
  return {};
}

Status write(const Pack& pack, const fs::path& root, const fs::path& out) {
  for (const auto list : {kPins, kLegacy, kVariables})
    if (!stat_path(root / "pack" / list).is_file)
      return fail(Errc::not_found, "no file {}", (root / "pack" / list).string());
  Contents contents;
  SNDR_CHECK(add_folder(contents, root, "pack"));
  SNDR_CHECK(add_folder(contents, root, "python"));
  for (const auto& patch : pack.patches)
    contents[frozen_path("pack/patches/" + patch.id + "_" + patch.slug)] = patch.fingerprint;
  return write_file(out, write_archive(contents), 0644, Durable::no);
}

int run(const std::string& root, const std::string& out) {
  const auto pack = load_folder(root + "/pack");
  if (!pack) {
    for (const auto& error : pack.error()) fmt::print(stderr, "error: {}\n", render(error));
    return 1;
  }
  if (const auto done = write(*pack, root, out); !done) {
    fmt::print(stderr, "error: {}\n", render(done.error()));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace sndr::pack

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: sndr_packc ROOT OUT\n");
    return 2;
  }
  return sndr::pack::run(argv[1], argv[2]);
}
