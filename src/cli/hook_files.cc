// SPDX-License-Identifier: Apache-2.0
#include "cli/hook_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "pack/pack.h"

namespace sndr::cli {
namespace {

constexpr std::string_view kModule = "_sndr_hook.py";
constexpr std::string_view kPth = "sndr_genesis.pth";
constexpr std::string_view kSeal = "# sndr hook, sha256 of the lines above: ";

std::string sealed(std::string_view text) {
  return fmt::format("{}{}{}\n", text, kSeal, sha256_hex(text));
}

/// The text above the seal, or nothing where there is no seal or it doesn't fit.
std::optional<std::string_view> unsealed(std::string_view text) {
  const auto at = text.rfind(kSeal);
  if (at == std::string_view::npos || sealed(text.substr(0, at)) != text) return std::nullopt;
  return text.substr(0, at);
}

Result<std::string> module_text(const std::string& binary) {
  const auto text = pack::embedded("python/_sndr_hook.py");
  if (!text) return fail(Errc::internal, "this binary carries no {}", kModule);
  const auto path = replace_all(replace_all(binary, "\\", "\\\\"), "\"", "\\\"");
  return sealed(replace_all(std::string(*text), "@SNDR@", path));
}

Result<std::string> pth_text() {
  const auto text = pack::embedded("python/sndr_genesis.pth");
  if (!text) return fail(Errc::internal, "this binary carries no {}", kPth);
  return sealed(*text);
}

/// The path that the module calls: its line SNDR = "...".
std::string binary_of(std::string_view module) {
  constexpr std::string_view kBegin = "\nSNDR = \"";
  const auto at = module.find(kBegin);
  if (at == std::string_view::npos) return {};
  const auto rest = module.substr(at + kBegin.size());
  auto path = std::string(rest.substr(0, rest.find("\"\n")));
  return replace_all(replace_all(path, "\\\"", "\""), "\\\\", "\\");
}

std::optional<std::string> text_of(const fs::path& path) {
  auto text = read_file(path);
  if (!text) return std::nullopt;
  return *std::move(text);
}

Error changed_error(const fs::path& site, const std::string& problem) {
  return {.code = Errc::conflict,
          .what = fmt::format("the hook in {} isn't as sndr wrote it: {}", site.string(), problem),
          .where = {},
          .hint = "look at it; to go on all the same: --force",
          .trail = {}};
}

}  // namespace

HookStatus hook_status(const fs::path& site, const std::string& binary) {
  const auto module = text_of(site / kModule);
  const auto pth = text_of(site / kPth);
  if (!module && !pth) return {};
  HookStatus out{.state = HookState::changed, .binary = {}, .problem = {}};
  if (!module || !pth) {
    out.problem = fmt::format("{} is missing", module ? kPth : kModule);
    return out;
  }
  out.binary = binary_of(*module);
  if (!unsealed(*module) || !unsealed(*pth)) {
    out.problem = fmt::format("somebody edited {}", unsealed(*module) ? kPth : kModule);
    return out;
  }
  const auto wanted = module_text(binary);
  const auto wanted_pth = pth_text();
  out.state = HookState::stale;
  if (::access(out.binary.c_str(), X_OK) != 0)
    out.problem = out.binary + " is gone";
  else if (out.binary != binary)
    out.problem = "it calls another sndr";
  else if (!wanted || !wanted_pth || *wanted != *module || *wanted_pth != *pth)
    out.problem = "another version of sndr wrote it";
  else
    out.state = HookState::installed;
  return out;
}

Status install_hook(const fs::path& site, const std::string& binary, Force force) {
  const auto before = hook_status(site, binary);
  if (before.state == HookState::changed && force == Force::no)
    return fail(changed_error(site, before.problem));
  SNDR_TRY(const auto module, module_text(binary));
  SNDR_TRY(const auto pth, pth_text());
  // The .pth comes last: without the module it would be an error at every start of Python.
  SNDR_CHECK(write_file(site / kModule, module));
  return write_file(site / kPth, pth);
}

Status remove_hook(const fs::path& site, Force force) {
  const auto before = hook_status(site, {});
  if (before.state == HookState::changed && force == Force::no)
    return fail(changed_error(site, before.problem));
  for (const auto name : std::array{kPth, kModule}) {
    std::error_code ec;
    fs::remove(site / name, ec);
    if (ec) return fail(Errc::io, "cannot remove {}: {}", (site / name).string(), ec.message());
  }
  std::error_code ec;
  for (fs::directory_iterator it(site / "__pycache__", ec), end; !ec && it != end; it.increment(ec))
    if (it->path().filename().string().starts_with("_sndr_hook.")) {
      std::error_code ignored;  // compiled code without its source does nothing
      fs::remove(it->path(), ignored);
    }
  return {};
}

}  // namespace sndr::cli
