// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "base/error.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/elf.h"
#include "cli/options.h"
#include "cli/output.h"
#include "json/json.h"

namespace sndr::cli {
namespace {

Result<int> completion(const Call& call) {
  const auto shell = call.word(0);
  put(shell == "bash"  ? bash_completion(table())
      : shell == "zsh" ? zsh_completion(table())
                       : fish_completion(table()));
  return 0;
}

Result<int> version(const Call& call) {
  if (!call.has("--json")) {
    put("sndr " SNDR_VERSION "\n");
    return 0;
  }
  SNDR_TRY(const auto glibc, highest_glibc(self_path()));
  json::Object out;
  out["name"] = "sndr";
  out["version"] = SNDR_VERSION;
  out["glibc"] = glibc;
  put_json(out);
  return 0;
}

}  // namespace

extern const Command kCompletion{.name = "completion",
                                 .summary = "Print a completion script for a shell",
                                 .positionals = {{.name = "bash|zsh|fish", .help = "the shell"}},
                                 .example =
                                     "source <(sndr completion bash)\n"
                                     "sndr completion zsh > \"${fpath[1]}/_sndr\"\n"
                                     "sndr completion fish | source",
                                 .run = completion};

extern const Command kVersion{
    .name = "version",
    .summary = "Print the version; --version is the same",
    .details =
        "With --json also the highest glibc symbol that the binary needs: a container's "
        "glibc has to be that new.",
    .options = {kJson},
    .example = "sndr --version --json",
    .run = version};

}  // namespace sndr::cli
