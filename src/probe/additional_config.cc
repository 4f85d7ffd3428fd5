// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "json/json.h"
#include "probe/engine_flags.h"
#include "probe/facts.h"

namespace sndr::probe {
namespace {

constexpr std::string_view kFlag = "additional-config";

/// Whether an argument is --additional-config in any form: underscores, abbreviated, dotted, with
/// `=value`.
bool is_additional_config(std::string_view argument) {
  if (!argument.starts_with("--") || argument.size() == 2) return false;
  const std::string key = "--" + long_name(argument.substr(0, argument.find_first_of(".=")));
  const FlagMatch match = match_flag(key);
  return match.flag != nullptr && match.flag->name == kFlag;
}

/// Whether two command lines mean the same, --additional-config left out.
bool same_but(const EngineCommand& a, const EngineCommand& b) {
  auto left = a.flags;
  auto right = b.flags;
  left.erase(std::string(kFlag));
  right.erase(std::string(kFlag));
  return left == right && a.model == b.model && a.host == b.host && a.port == b.port;
}

}  // namespace

Result<std::vector<std::string>> with_additional_config(const std::vector<std::string>& argv,
                                                        std::string_view key,
                                                        std::string_view value) {
  SNDR_TRY(const auto command, read_engine_command(argv));
  if (!command.is_vllm) return argv;
  json::Object config;
  if (const auto found = command.flags.find(kFlag); found != command.flags.end()) {
    SNDR_TRY(const auto given, json::parse(found->second, "--additional-config"));
    if (!given.is_object()) {
      Error error;
      error.code = Errc::invalid_input;
      error.what = "--additional-config " + found->second + " is not a JSON object";
      error.hint = R"(write it as --additional-config '{"key": "value"}')";
      return fail(std::move(error));
    }
    config = given.get_object();
  }
  config[key] = json::Value(std::string(value));

  const auto first = argv.begin() + static_cast<std::ptrdiff_t>(command.first_argument);
  std::vector<std::string> out(argv.begin(), first);
  auto it = first;
  for (; it != argv.end() && *it != "--"; ++it) {
    if (!is_additional_config(*it))
      out.push_back(*it);
    else if (it->find('=') == std::string::npos && it + 1 != argv.end())
      ++it;
  }
  const std::string added = json::compact(config);
  out.emplace_back("--additional-config");
  out.push_back(added);
  out.insert(out.end(), it, argv.end());
  // What looked like the flag may have been another flag's value: the new line is read once more.
  const auto again = read_engine_command(out);
  const auto found = again ? again->flags.find(kFlag) : command.flags.end();
  if (!again || found == again->flags.end() || found->second != added || !same_but(*again, command))
    return fail(Errc::invalid_input,
                "cannot add --additional-config to this command line: another flag takes it as its "
                "value");
  return out;
}

}  // namespace sndr::probe
