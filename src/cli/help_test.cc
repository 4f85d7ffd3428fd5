// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/term.h"
#include "cli/command.h"

namespace sndr::cli {
namespace {

Result<int> nothing(const Call&) {
  return 0;
}

const Command kExplain{
    .name = "patches explain",
    .summary = "Say what a patch is for",
    .details = "Answers for every id that v12 had, too, and for full flags and aliases of either.",
    .positionals = {{.name = "ID", .help = "an id or a full flag"}},
    .options = {{.name = "--json", .value = {}, .help = "print JSON"},
                {.name = "--vllm", .value = "DIR", .help = "a tree", .many = true}},
    .example = "sndr patches explain PN91\nsndr patches explain P61b --json",
    .run = nothing};
const Command kList{.name = "patches list", .summary = "List the patches", .run = nothing};
const Command kSecret{
    .name = "secret", .summary = "Nobody sees this", .hidden = true, .run = nothing};
const Command kRun{.name = "run",
                   .summary = "Start a command with patches",
                   .takes_rest = true,
                   .example = "sndr run -- vllm serve M",
                   .run = nothing};
const Table kTable = {{"Look", {&kList, &kExplain}}, {"Start", {&kRun, &kSecret}}};
const term::Screen kWide{.colour = false, .width = 80};
const term::Screen kNarrow{.colour = false, .width = 44};

TEST(Help, Program) {
  EXPECT_EQ(help_program(kTable, kWide),
            R"(sndr patches stock vLLM as it starts. Your vLLM install is never written to.

Usage
  sndr VERB [WORD...] [OPTION...]

Look
  patches list     List the patches
  patches explain  Say what a patch is for

Start
  run  Start a command with patches

First steps
  sndr doctor
  sndr patches plan --enable PN91
  sndr run -- vllm serve Qwen/Qwen3.6-27B

`sndr VERB --help` shows a verb's options. Verbs that print facts take --json.
)");
}

TEST(Help, Family) {
  EXPECT_EQ(help(kTable, "patches", kWide), R"(Usage
  sndr patches VERB [WORD...] [OPTION...]

Verbs
  patches list     List the patches
  patches explain  Say what a patch is for

Examples
  sndr patches explain PN91
)");
}

TEST(Help, Verb) {
  EXPECT_EQ(help(kTable, "patches explain", kWide), R"(Say what a patch is for.

Answers for every id that v12 had, too, and for full flags and aliases of
either.

Usage
  sndr patches explain ID [OPTION...]

Words
  ID  an id or a full flag

Options
  --json      print JSON
  --vllm DIR  a tree (may be repeated)

Examples
  sndr patches explain PN91
  sndr patches explain P61b --json
)");
}

TEST(Help, NarrowTerminal) {
  EXPECT_EQ(help(kTable, "patches explain", kNarrow), R"(Say what a patch is for.

Answers for every id that v12 had, too, and
for full flags and aliases of either.

Usage
  sndr patches explain ID [OPTION...]

Words
  ID
      an id or a full flag

Options
  --json
      print JSON
  --vllm DIR
      a tree (may be repeated)

Examples
  sndr patches explain PN91
  sndr patches explain P61b --json
)");
}

TEST(Help, HeadingsAreBoldWhereThereIsColour) {
  const auto text = help_program(kTable, {.colour = true, .width = 80});
  EXPECT_NE(text.find("\x1b[1mUsage\x1b[0m\n"), std::string::npos);
}

TEST(Help, MarkdownHasEveryVerb) {
  const auto text = cli_markdown(kTable);
  EXPECT_NE(text.find(R"(
### sndr patches explain

Say what a patch is for. Answers for every id that v12 had, too, and for full flags and aliases of either.

```
sndr patches explain ID [OPTION...]
```

- `ID`: an id or a full flag
- `--json`: print JSON
- `--vllm DIR`: a tree (may be repeated)

```sh
sndr patches explain PN91
sndr patches explain P61b --json
```
)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("### sndr secret"), std::string::npos);
}

}  // namespace
}  // namespace sndr::cli
