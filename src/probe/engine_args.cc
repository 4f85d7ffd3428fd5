// SPDX-License-Identifier: Apache-2.0
#include "probe/engine_args.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/json.h"
#include "probe/engine_flags.h"

/// vLLM first rewrites its arguments (FlexibleArgumentParser in utils/argparse_utils.py, the same
/// in 0.22.1 to 0.33.0) and then hands them to Python's argparse, which accepts abbreviations. Both
/// steps are followed here, oddities included: dotted flags move to the end of the line as one JSON
/// value, so they replace a JSON value given with the plain flag instead of extending it.
namespace sndr::probe {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// `-1`, `-0.5`: argparse takes these for values, since no flag of vLLM looks like them.
bool is_negative_number(std::string_view text) {
  if (text.size() < 2 || text.front() != '-') return false;
  text.remove_prefix(1);
  const auto dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  if (!std::all_of(whole.begin(), whole.end(), is_digit)) return false;
  if (dot == std::string_view::npos) return true;
  const std::string_view part = text.substr(dot + 1);
  return !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
}

/// The key of `--key=value`, underscores before its first dot as dashes.
std::string normal_key(std::string_view key) {
  if (!key.starts_with("--")) return std::string(key);
  const auto dot = key.find('.');
  return replace_all(std::string(key.substr(0, dot)), "_", "-") +
         std::string(dot == std::string_view::npos ? std::string_view{} : key.substr(dot));
}

std::string normal_argument(std::string_view argument) {
  const auto equals = argument.find('=');
  std::string out = normal_key(argument.substr(0, equals));
  if (equals != std::string_view::npos) out += argument.substr(equals);
  return out;
}

/// Merges `update` into `into`: maps by key, lists by appending, everything else by replacing.
void merge(json::Object& into, const json::Object& update) {
  for (const auto& [key, value] : update) {
    json::Value* old = into.if_contains(key);
    if (old != nullptr && old->is_object() && value.is_object())
      merge(old->get_object(), value.get_object());
    else if (old != nullptr && old->is_array() && value.is_array())
      for (const auto& item : value.get_array()) old->get_array().push_back(item);
    else
      into[key] = value;
  }
}

json::Array comma_list(std::string_view text) {
  json::Array out;
  for (const auto part : split(text, ',')) out.emplace_back(std::string(part));
  return out;
}

/// Dotted flags by their first part, in the order of their first occurrence.
class DottedFlags {
 public:
  void add(std::string_view key, std::string_view value) {
    const bool list = key.ends_with('+');
    if (list) key.remove_suffix(1);
    const auto parts = split(key, '.');
    json::Value nested = list ? json::Value(comma_list(value)) : lenient_value(value);
    for (std::size_t i = parts.size() - 1; i > 0; --i) {
      json::Object outer;
      outer[parts[i]] = std::move(nested);
      nested = std::move(outer);
    }
    const std::string flag(parts.front());
    auto found = std::find_if(flags_.begin(), flags_.end(),
                              [&](const auto& entry) { return entry.first == flag; });
    if (found == flags_.end()) found = flags_.insert(flags_.end(), {flag, {}});
    merge(found->second, nested.get_object());
  }

  void append_to(std::vector<std::string>& args) const {
    for (const auto& [flag, value] : flags_) {
      args.push_back(flag);
      args.push_back(json::compact(value));
    }
  }

 private:
  std::vector<std::pair<std::string, json::Object>> flags_;
};

/// Reads one argument after another as argparse does.
class Parser {
 public:
  explicit Parser(const std::vector<std::string>& args) : args_(args) {}

  ReadArguments read() {
    while (at_ < args_.size()) {
      const std::string& argument = args_[at_];
      if (argument == "--") {
        for (++at_; at_ < args_.size(); ++at_) out_.positionals.push_back(args_[at_]);
      } else if (is_value(at_)) {
        out_.positionals.push_back(argument);
        ++at_;
      } else {
        ++at_;
        option(argument);
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_value(std::size_t at) const {
    if (at >= args_.size()) return false;
    const std::string& text = args_[at];
    if (text.empty() || text.front() != '-' || text.size() == 1) return true;
    if (text == "--") return false;
    const FlagMatch match = match_flag(text.substr(0, text.find('=')));
    if (match.flag != nullptr || !match.candidates.empty()) return false;
    return is_negative_number(text) || text.find(' ') != std::string::npos;
  }

  void option(const std::string& argument) {
    const auto equals = argument.find('=');
    const std::string text = argument.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    FlagMatch match = match_flag(text);
    if (match.flag == nullptr && match.candidates.empty() && text.size() > 2 && text[1] != '-') {
      // `-q4`: the value glued to a flag of one letter.
      const FlagMatch letter = match_flag(text.substr(0, 2));
      if (letter.exact) {
        match = letter;
        value = argument.substr(2);
      }
    }
    if (!match.candidates.empty()) return ambiguous(text, match, value);
    if (match.flag == nullptr) return unknown(text, value);
    store(*match.flag, match.negated, text, value);
  }

  void store(const EngineFlag& flag, bool negated, const std::string& text,
             const std::optional<std::string>& value) {
    ReadOption read;
    read.name = flag.name;
    read.negated = negated;
    using Kind = EngineFlag::Kind;
    if (flag.kind == Kind::on_off) {
      if (value) note("{} takes no value: vLLM refuses '{}={}'", text, text, *value);
    } else if (value) {
      read.values = {*value};
    } else {
      const std::size_t most = flag.kind == Kind::list ? args_.size() : 1;
      while (read.values.size() < most && is_value(at_)) read.values.push_back(args_[at_++]);
      if (read.values.empty() && flag.kind != Kind::maybe)
        return note("{} has no value: vLLM refuses that", text);
    }
    out_.options.push_back(std::move(read));
  }

  /// A flag of a vLLM newer than we know: a value that follows is taken to be its own.
  void unknown(const std::string& text, const std::optional<std::string>& value) {
    ReadOption read;
    read.name = long_name(text);
    read.known = false;
    if (value)
      read.values = {*value};
    else if (is_value(at_))
      read.values = {args_[at_++]};
    note("{} is a flag that we don't know", text);
    out_.options.push_back(std::move(read));
  }

  void ambiguous(const std::string& text, const FlagMatch& match,
                 const std::optional<std::string>& value) {
    std::vector<std::string> names;
    bool takes_value = false;
    for (const auto* flag : match.candidates) {
      if (std::find(names.begin(), names.end(), flag->name) == names.end())
        names.push_back(flag->name);
      takes_value = takes_value || flag->kind != EngineFlag::Kind::on_off;
    }
    if (!value && takes_value && is_value(at_)) ++at_;
    note("{} could be --{}: write it out", text, join(names, " or --"));
    for (auto& name : names) out_.unclear.push_back(std::move(name));
  }

  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    out_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  const std::vector<std::string>& args_;
  std::size_t at_ = 0;
  ReadArguments out_;
};

/// `10k`, `2.5M`, `4K`: decimal for small letters, binary and whole for capitals. -1 where it is
/// neither.
std::int64_t human_number(std::string_view text) {
  static constexpr std::string_view kSmall = "kmgt";
  static constexpr std::string_view kCapital = "KMGT";
  const char last = text.empty() ? '0' : text.back();
  const auto small = kSmall.find(last);
  const auto capital = kCapital.find(last);
  const bool suffixed = small != std::string_view::npos || capital != std::string_view::npos;
  if (suffixed) text.remove_suffix(1);
  const auto dot = text.find('.');
  if (dot != std::string_view::npos && small == std::string_view::npos) return -1;
  const auto digit_or_dot = [](char c) { return is_digit(c) || c == '.'; };
  if (text.empty() || text.size() > 15 || !is_digit(text.front()) || !is_digit(text.back()) ||
      !std::all_of(text.begin(), text.end(), digit_or_dot))
    return -1;
  const double base = small != std::string_view::npos ? 1000 : 1024;
  const double power = !suffixed ? 0 : static_cast<double>(std::min(small, capital) + 1);
  return static_cast<std::int64_t>(std::strtod(std::string(text).c_str(), nullptr) *
                                   std::pow(base, power));
}

}  // namespace

json::Value lenient_value(std::string_view text) {
  if (auto value = json::parse(text)) return *std::move(value);
  if (const auto number = human_number(trim(text)); number >= 0) return number;
  return json::Value(std::string(text));
}

std::vector<std::string> rewrite_arguments(const std::vector<std::string>& args,
                                           std::vector<std::string>& notes) {
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& argument = args[i];
    if (argument.starts_with("--")) {
      plain.push_back(normal_argument(argument));
    } else if (argument.starts_with("-O") && argument.size() > 2) {
      plain.emplace_back("--optimization-level");
      plain.push_back(argument.substr(argument[2] == '=' ? 3 : 2));
    } else if (argument == "-O" && i + 1 < args.size() && args[i + 1].size() == 1 &&
               args[i + 1][0] >= '0' && args[i + 1][0] <= '3') {
      plain.emplace_back("--optimization-level");
    } else {
      plain.push_back(argument);
    }
  }
  std::vector<std::string> out;
  DottedFlags dotted;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string& argument = plain[i];
    const auto equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    if (!key.starts_with('-') || key.find('.') == std::string::npos || is_negative_number(key)) {
      out.push_back(argument);
    } else if (equals != std::string::npos) {
      dotted.add(key, argument.substr(equals + 1));
    } else if (i + 1 < plain.size()) {
      dotted.add(key, plain[++i]);
    } else {
      notes.push_back(key + " has no value: vLLM refuses that");
    }
  }
  dotted.append_to(out);
  return out;
}

ReadArguments parse_arguments(const std::vector<std::string>& args) {
  return Parser(args).read();
}

}  // namespace sndr::probe
