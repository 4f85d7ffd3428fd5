// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "overlay/inplace.h"
#include "overlay/overlay.h"
#include "patch/edit.h"
#include "probe/tree.h"

namespace sndr::overlay {
namespace {

/// A path that stays below vllm/.
bool stays_inside(std::string_view path) {
  const auto parts = split(path, '/');
  return std::none_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  });
}

std::string hex(const std::array<std::uint8_t, 32>& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

/// RECORD's form (urlsafe base64, no padding) of a hash in hex, without hashing again.
std::string record_form(std::string_view hex_digest) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : hex_digest) {
    bits = bits << 4 | static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    held += 4;
    if (held >= 6) {
      held -= 6;
      out += kAlphabet[bits >> held & 63];
    }
  }
  if (held > 0) out += kAlphabet[bits << (6 - held) & 63];
  return out;
}

}  // namespace

struct TreeReader::State {
  struct File {
    std::optional<std::string> text;
    Stat stat;
    std::string digest;  // made when asked for
  };
  fs::path package;
  std::map<std::string, fs::path> originals;  // of a tree that is patched in place
  std::map<std::string, File, std::less<>> files;

  File& file(std::string_view path) {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    File& entry = files[std::string(path)];
    if (!stays_inside(path)) return entry;
    // Looked at before it is read: should it change in between, its time is seen to differ later.
    fs::path place = package / path;
    if (const auto original = originals.find(std::string(path)); original != originals.end()) {
      if (original->second.empty()) return entry;  // vLLM has no such file
      place = original->second;
    }
    entry.stat = stat_path(place);
    if (!entry.stat.is_file) return entry;
    if (auto text = read_file(place)) entry.text = *std::move(text);
    return entry;
  }

  const std::string& digest(std::string_view path) {
    File& entry = file(path);
    if (entry.digest.empty() && entry.text) entry.digest = hex(sha256(*entry.text));
    return entry.digest;
  }
};

TreeReader::TreeReader(const probe::Tree& tree) : state_(std::make_unique<State>()) {
  state_->package = tree.package;
  state_->originals = originals(tree);
}
TreeReader::~TreeReader() = default;
TreeReader::TreeReader(TreeReader&&) noexcept = default;

patch::Source TreeReader::source() const {
  return [state = state_.get()](std::string_view path) -> std::optional<std::string_view> {
    const auto& text = state->file(path).text;
    if (!text) return std::nullopt;
    return *text;
  };
}

std::string TreeReader::digest(std::string_view path) const {
  return state_->digest(path);
}

Stat TreeReader::stat(std::string_view path) const {
  return state_->file(path).stat;
}

std::vector<std::string> TreeReader::changed(const probe::Record& record) const {
  std::vector<std::string> out;
  if (!record.known()) return out;
  for (const auto& [path, file] : state_->files) {
    if (!file.text) continue;
    const auto expected = record.digest(path);
    if (expected && *expected != record_form(state_->digest(path))) out.push_back(path);
  }
  return out;
}

std::vector<std::string> TreeReader::all_files() const {
  auto files = list_files(state_->package).value_or(std::vector<std::string>());
  std::erase_if(files, [](const std::string& path) {
    return path.ends_with(".pyc") || path.find("__pycache__/") != std::string::npos;
  });
  return files;
}

}  // namespace sndr::overlay
