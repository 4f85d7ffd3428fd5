// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "json/json.h"
#include "probe/engine_args.h"
#include "probe/facts.h"

namespace sndr::probe {
namespace {

/// A way to start an engine. `serve` puts the model first; the others take --model.
struct EntryPoint {
  std::string_view words;
  bool model_first;
};

constexpr EntryPoint kSubcommands[] = {
    {"serve", true},          {"snapshot create", true},   {"run-batch", false},
    {"bench latency", false}, {"bench throughput", false}, {"bench startup", false},
};

constexpr std::string_view kCliModule = "vllm.entrypoints.cli.main";

constexpr std::string_view kModules[] = {
    "vllm.entrypoints.openai.api_server",
    "vllm.entrypoints.openai.run_batch",
    "vllm.entrypoints.api_server",
    "vllm.entrypoints.grpc_server",
};

/// Programs that start another; what stands behind them isn't looked into.
constexpr std::string_view kWrappers[] = {
    "accelerate", "bash",     "chrt",   "conda",  "dash",    "docker",  "dumb-init",
    "env",        "gdb",      "ionice", "mamba",  "mpirun",  "nice",    "nohup",
    "nsys",       "numactl",  "podman", "poetry", "py-spy",  "setpriv", "sh",
    "srun",       "stdbuf",   "strace", "sudo",   "taskset", "time",    "timeout",
    "tini",       "torchrun", "uv",     "uvx",    "zsh",
};

bool is_python(std::string_view name) {
  if (!name.starts_with("python")) return false;
  name.remove_prefix(6);
  return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

/// Where the interpreter's own options end: `-m MODULE`, a script, or neither.
struct PythonStart {
  std::size_t next = 0;  ///< index of the first argument of the module or script
  std::string module;
  std::string script;
  std::string isolation;
};

PythonStart read_python(const std::vector<std::string>& argv) {
  PythonStart out;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (!word.starts_with('-') || word == "-") {
      out.script = word;
      out.next = i + 1;
      return out;
    }
    if (word.starts_with("--")) {  // --check-hash-based-pycs takes a value of its own
      if (word == "--check-hash-based-pycs") ++i;
      continue;
    }
    for (std::size_t k = 1; k < word.size(); ++k) {
      const char letter = word[k];
      if (letter == 'I' || letter == 'E' || letter == 'S')
        out.isolation += (out.isolation.empty() ? "-" : " -") + std::string(1, letter);
      if (letter != 'm' && letter != 'c' && letter != 'W' && letter != 'X') continue;
      const bool glued = k + 1 < word.size();
      if (letter == 'm') {
        out.module = glued ? word.substr(k + 1) : i + 1 < argv.size() ? argv[i + 1] : "";
        out.next = i + (glued ? 1 : 2);
        return out;
      }
      if (letter == 'c') return out;
      if (!glued) ++i;
      break;
    }
  }
  return out;
}

/// What was found at the head of the command line.
struct Start {
  std::optional<EntryPoint> entry;
  std::string name;           ///< "vllm serve"
  std::size_t arguments = 0;  ///< where vLLM's own begin, subcommand not included
  std::string isolation;
  std::string note;  ///< why there is no entry
};

/// `vllm SUBCOMMAND`, whatever started the script.
void read_subcommand(const std::vector<std::string>& argv, std::size_t at,
                     const std::string& program, Start& out) {
  for (const auto& entry : kSubcommands) {
    const auto words = split(entry.words, ' ');
    if (at + words.size() > argv.size()) continue;
    if (!std::equal(words.begin(), words.end(), argv.begin() + static_cast<std::ptrdiff_t>(at)))
      continue;
    out.entry = entry;
    out.arguments = at + words.size();
    out.name = program + " " + std::string(entry.words);
    return;
  }
  out.note = at < argv.size() ? fmt::format("`{} {}` starts no engine", program, argv[at])
                              : fmt::format("`{}` alone starts no engine", program);
}

void read_python_start(const std::vector<std::string>& argv, Start& out) {
  const PythonStart python = read_python(argv);
  out.isolation = python.isolation;
  if (python.module == kCliModule)
    return read_subcommand(argv, python.next, "python -m " + python.module, out);
  if (base_name(python.script) == "vllm")
    return read_subcommand(argv, python.next, "python vllm", out);
  for (const auto module : kModules) {
    if (python.module != module) continue;
    out.entry = EntryPoint{"", false};
    out.arguments = std::min(python.next, argv.size());
    out.name = "python -m " + python.module;
    return;
  }
  out.note =
      !python.module.empty() ? fmt::format(
                                   "`python -m {}` isn't a start of vLLM that we "
                                   "know",
                                   python.module)
      : !python.script.empty()
          ? fmt::format("{} is a script of its own: what it starts isn't known", python.script)
          : "Python code on the command line isn't looked into";
}

Start read_start(const std::vector<std::string>& argv) {
  Start out;
  if (argv.empty()) {
    out.note = "there is no command";
    return out;
  }
  const std::string name = base_name(argv.front());
  if (name == "vllm") {
    read_subcommand(argv, 1, "vllm", out);
  } else if (is_python(name)) {
    read_python_start(argv, out);
  } else if (std::find(std::begin(kWrappers), std::end(kWrappers), name) != std::end(kWrappers)) {
    out.note = fmt::format("`{}` starts the command behind it, which isn't looked into", name);
  } else {
    out.note = fmt::format("`{}` isn't a start of vLLM that we know", name);
  }
  return out;
}

/// `vllm serve --model M` means the same as `vllm serve M`: the name moves to the front.
void move_model_first(std::vector<std::string>& args) {
  for (auto it = args.begin(); it != args.end(); ++it) {
    const bool alone = *it == "--model";
    if (!alone && !(it->starts_with("--model=") && it->size() > 8)) continue;
    if (alone && it + 1 == args.end()) return;
    const std::string model = alone ? *(it + 1) : it->substr(8);
    args.erase(it, it + (alone ? 2 : 1));
    args.insert(args.begin(), model);
    return;
  }
}

/// Puts the entries of `--config FILE` before the other flags, so that those win.
Status pull_config(std::vector<std::string>& args, bool model_first,
                   std::vector<std::string>& notes) {
  const auto found = std::find(args.begin(), args.end(), "--config");
  for (const auto& arg : args)
    if (arg.starts_with("--config="))
      notes.push_back(arg + " is ignored by vLLM: write `--config FILE` as two words");
  if (found == args.end()) return {};
  if (found + 1 == args.end()) return fail(Errc::invalid_input, "--config has no file behind it");
  SNDR_TRY(const auto pulled, config_arguments(*(found + 1)));
  const auto at = args.erase(found, found + 2);
  if (std::find(at, args.end(), "--config") != args.end())
    return fail(Errc::invalid_input, "--config is given twice: vLLM takes one file");
  const bool skip = model_first && !args.empty() && !args.front().starts_with('-');
  args.insert(args.begin() + (skip ? 1 : 0), pulled.begin(), pulled.end());
  return {};
}

std::string list_text(const std::vector<std::string>& values) {
  if (values.size() == 1) return values.front();
  json::Array out;
  for (const auto& value : values) out.emplace_back(value);
  return json::compact(out);
}

void store(const ReadArguments& read, EngineCommand& out) {
  std::vector<std::string> middleware;
  for (const auto& option : read.options) {
    if (option.values.empty()) {
      out.flags[option.name] = option.negated ? "false" : "true";
    } else if (option.name == "middleware") {
      middleware.push_back(option.values.front());
      out.flags[option.name] = list_text(middleware);
    } else {
      out.flags[option.name] = list_text(option.values);
    }
  }
  out.unclear = read.unclear;
}

/// JSON given with the plain flag is lost where dotted forms of the same flag exist.
void note_lost_json(const ReadArguments& read, EngineCommand& out) {
  for (std::size_t i = 0; i < read.options.size(); ++i)
    for (std::size_t k = i + 1; k < read.options.size(); ++k) {
      const ReadOption& first = read.options[i];
      const ReadOption& second = read.options[k];
      if (first.name == second.name && !first.values.empty() && !second.values.empty() &&
          first.values.front().starts_with('{') && second.values.front().starts_with('{'))
        out.notes.push_back(fmt::format("--{} is given twice: vLLM uses {} alone", first.name,
                                        second.values.front()));
    }
}

void set_model(const ReadArguments& read, bool model_first, EngineCommand& out) {
  if (const auto found = out.flags.find("model"); found != out.flags.end())
    out.model = found->second;
  if (read.positionals.empty()) return;
  if (model_first)
    out.model = read.positionals.front();
  else
    out.notes.push_back(fmt::format("'{}' is not taken as the model by `{}`: use --model",
                                    read.positionals.front(), out.entry));
  for (std::size_t i = 1; i < read.positionals.size(); ++i)
    out.notes.push_back(
        fmt::format("'{}' is one word too many: vLLM refuses it", read.positionals[i]));
}

void set_address(EngineCommand& out) {
  if (const auto host = out.flags.find("host"); host != out.flags.end()) out.host = host->second;
  const auto port = out.flags.find("port");
  if (port == out.flags.end()) return;
  const std::string& text = port->second;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size())
    out.port = value;
  else
    out.notes.push_back(fmt::format("--port {} is not a number", text));
}

}  // namespace

Result<EngineCommand> read_engine_command(const std::vector<std::string>& argv) {
  const Start start = read_start(argv);
  EngineCommand out;
  out.isolation = start.isolation;
  if (!start.entry) {
    out.notes.push_back(start.note);
    return out;
  }
  out.is_vllm = true;
  out.entry = start.name;
  out.first_argument = start.arguments;

  std::vector<std::string> args(argv.begin() + static_cast<std::ptrdiff_t>(start.arguments),
                                argv.end());
  if (start.entry->words == "serve") move_model_first(args);
  SNDR_CHECK(pull_config(args, start.entry->model_first, out.notes));
  const ReadArguments read = parse_arguments(rewrite_arguments(args, out.notes));
  out.notes.insert(out.notes.end(), read.notes.begin(), read.notes.end());
  store(read, out);
  note_lost_json(read, out);
  set_model(read, start.entry->model_first, out);
  set_address(out);
  return out;
}

}  // namespace sndr::probe
