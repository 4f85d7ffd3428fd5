// SPDX-License-Identifier: Apache-2.0
// Arguments, one a line; after a line "---" the text of the file that `--config c.yaml` reads. A
// command line is read without trouble or refused with an error, and our addition to
// --additional-config changes nothing else.
#include <unistd.h>
#include <boost/json/value.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "check.h"
#include "json/json.h"
#include "probe/facts.h"

namespace {

using sndr::fuzz::check;
using sndr::probe::EngineCommand;

constexpr std::string_view kFlag = "additional-config";

/// A folder of our own: whatever --config names is looked for there.
void enter_folder() {
  static const bool entered = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "sndr-fuzz-XXXXXX").string();
    return ::mkdtemp(folder.data()) != nullptr && ::chdir(folder.c_str()) == 0;
  }();
  check(entered, "a folder of our own");
}

/// The lines as argv. Slashes are taken from arguments after the first, so that no --config leaves
/// our folder.
std::vector<std::string> argv_of(std::string_view lines) {
  std::vector<std::string> out;
  for (const auto line : sndr::split(lines, '\n')) {
    std::string word(line.substr(0, line.find('\0')));
    out.push_back(out.empty() ? word : sndr::replace_all(std::move(word), "/", "_"));
  }
  return out;
}

void check_addition(const std::vector<std::string>& argv, const EngineCommand& command) {
  const auto with = sndr::probe::with_additional_config(argv, "genesis_overlay", "4f1c");
  if (!with) {
    check(!with.error().what.empty(), "a refusal says why");
    return;
  }
  const auto again = sndr::probe::read_engine_command(*with);
  check(again && again->is_vllm, "it is a start of vLLM still");
  const auto added = again->flags.find(kFlag);
  check(added != again->flags.end(), "the flag is there");
  const auto value = sndr::json::parse(added->second);
  check(value && sndr::json::text_or(*value, "genesis_overlay") == "4f1c", "our key is there");
  check(again->model == command.model && again->port == command.port && again->host == command.host,
        "the engine is the same");
  for (const auto& [name, text] : command.flags)
    if (name != kFlag)
      check(again->flags.count(name) == 1 && again->flags.find(name)->second == text,
            "no flag changes");
  if (const auto before = command.flags.find(kFlag); before != command.flags.end())
    if (const auto old = sndr::json::parse(before->second); old && old->is_object())
      for (const auto& member : old->get_object())
        check(value->get_object().contains(member.key()), "what stood there stays");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  enter_folder();
  const auto text = sndr::fuzz::text_of(data, size);
  const auto cut = text.find("\n---\n");
  const auto argv = argv_of(text.substr(0, cut));
  // Written only where it is asked for: a file for each input would be most of the run.
  if (text.find("--c") != std::string_view::npos) {
    const auto config = cut == std::string_view::npos ? std::string_view() : text.substr(cut + 5);
    check(sndr::write_file("c.yaml", config, 0644, sndr::Durable::no).has_value(),
          "c.yaml is written");
  }
  const auto command = sndr::probe::read_engine_command(argv);
  if (!command) {
    check(!command.error().what.empty(), "an error says what is wrong");
    return 0;
  }
  check(command->first_argument <= argv.size(), "the arguments begin in argv");
  check(command->is_vllm || command->flags.empty(), "only vLLM's flags are read");
  // Where a note says that vLLM itself would refuse the line, ours need not make sense either.
  if (command->is_vllm && command->notes.empty()) check_addition(argv, *command);
  return 0;
}
