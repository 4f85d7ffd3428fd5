// SPDX-License-Identifier: Apache-2.0
// The scripts run in their shells in tests/behaviour; here stands what a row becomes.
#include "cli/completion.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "cli/command.h"

namespace sndr::cli {
namespace {

Result<int> nothing(const Call&) {
  return 0;
}

const Command kExplain{.name = "patches explain",
                       .summary = "Say what's in a patch",
                       .positionals = {{.name = "ID", .help = "an id"}},
                       .options = {{.name = "--vllm", .value = "DIR", .help = "a tree"},
                                   {.name = "--log-style", .value = "lines|tags", .help = "how"}},
                       .run = nothing};
const Command kSecret{
    .name = "secret", .summary = "Nobody sees this", .hidden = true, .run = nothing};
const Command kStatus{.name = "status", .summary = "Say what runs", .run = nothing};
const Table kTable = {{"All", {&kExplain, &kSecret, &kStatus}}};

void has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n--- in\n" << text;
}

TEST(Completion, Bash) {
  const auto text = bash_completion(kTable);
  has(text, R"(compgen -W "patches status --help --version" -- "$cur")");
  has(text, R"(    patches) words="explain" ;;)");
  has(text, R"(    --log-style) COMPREPLY=($(compgen -W "lines tags" -- "$cur")); return ;;)");
  has(text, R"(    --vllm) COMPREPLY=($(compgen -d -- "$cur")); return ;;)");
  has(text, R"(    'patches explain') words='--help --vllm --log-style'; first='ID' ;;)");
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(Completion, Zsh) {
  const auto text = zsh_completion(kTable);
  has(text, "#compdef sndr genesis\n");
  has(text, "patches:explain");
  has(text, "'status:Say what runs'");
  has(text, R"('explain:Say what'\''s in a patch')");
  has(text, "    --log-style) compadd -- lines tags; return ;;");
}

TEST(Completion, Fish) {
  const auto text = fish_completion(kTable);
  has(text, "complete -c sndr -n __sndr_needs -a status -d 'Say what runs'\n");
  has(text, "complete -c sndr -n '__sndr_needs patches' -a explain -d 'Say what\\'s in a patch'\n");
  has(text,
      "complete -c sndr -n '__sndr_is patches explain' -l log-style -d 'how' -x -a 'lines tags'\n");
  has(text, "complete -c genesis -w sndr\n");
}

}  // namespace
}  // namespace sndr::cli
