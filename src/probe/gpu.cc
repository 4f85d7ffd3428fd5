// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "probe/nvml.h"

namespace sndr::probe {
namespace {

struct Card {
  std::string_view key;
  std::string_view name;
  std::uint64_t vram_mib;
  int major, minor;
};

// Memory as `nvidia-smi` and NVML report it (total, ECC as the card ships), compute capability from
// NVIDIA's list of CUDA GPUs.
constexpr Card kCards[] = {
    {"3060", "NVIDIA GeForce RTX 3060", 12288, 8, 6},
    {"3090", "NVIDIA GeForce RTX 3090", 24576, 8, 6},
    {"3090ti", "NVIDIA GeForce RTX 3090 Ti", 24564, 8, 6},
    {"4080", "NVIDIA GeForce RTX 4080", 16376, 8, 9},
    {"4090", "NVIDIA GeForce RTX 4090", 24564, 8, 9},
    {"5080", "NVIDIA GeForce RTX 5080", 16303, 12, 0},
    {"5090", "NVIDIA GeForce RTX 5090", 32607, 12, 0},
    {"a5000", "NVIDIA RTX A5000", 24564, 8, 6},
    {"a6000", "NVIDIA RTX A6000", 49140, 8, 6},
    {"6000ada", "NVIDIA RTX 6000 Ada Generation", 49140, 8, 9},
    {"pro6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 97887, 12, 0},
    {"l4", "NVIDIA L4", 23034, 8, 9},
    {"l40s", "NVIDIA L40S", 46068, 8, 9},
    {"a100", "NVIDIA A100-SXM4-80GB", 81920, 8, 0},
    {"h100", "NVIDIA H100 80GB HBM3", 81559, 9, 0},
    {"h200", "NVIDIA H200", 143771, 9, 0},
};

/// "NVIDIA GeForce RTX 3090", "rtx-3090" and "3090" are one key.
std::string key_of(std::string_view name) {
  std::string out;
  for (const char c : lower(name))
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) out += c;
  for (const std::string_view word : {"nvidia", "geforce", "rtx"})
    if (out.starts_with(word)) out.erase(0, word.size());
  return out;
}

std::string known_names() {
  std::vector<std::string> out;
  for (const auto& card : kCards) out.emplace_back(card.key);
  return join(out, ", ");
}

tl::unexpected<Error> bad(std::string what, std::string hint) {
  Error error;
  error.code = Errc::invalid_input;
  error.what = "--fake-gpus: " + std::move(what);
  error.hint = std::move(hint);
  return fail(std::move(error));
}

template <class T>
bool read_number(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Takes "2x" off the front; 1 where there is none.
unsigned take_count(std::string_view& text) {
  const auto x = text.find_first_of("xX*");
  unsigned count = 1;
  if (x == std::string_view::npos || !read_number(trim(text.substr(0, x)), count)) return 1;
  text = trim(text.substr(x + 1));
  return count;
}

Result<Gpu> described_card(std::string_view text) {
  const auto parts = split(text, ':');
  Gpu out;
  out.fake = true;
  out.name = trim(parts[0]);
  const auto dot = parts.size() == 3 ? parts[2].find('.') : std::string_view::npos;
  const bool good = dot != std::string_view::npos && !out.name.empty() &&
                    read_number(trim(parts[1]), out.vram_mib) && out.vram_mib > 0 &&
                    read_number(trim(parts[2].substr(0, dot)), out.major) &&
                    read_number(trim(parts[2].substr(dot + 1)), out.minor);
  if (!good)
    return bad(fmt::format("'{}' is not NAME:VRAM_MIB:CC", text),
               "write it as in: --fake-gpus 'RTX 4090:24564:8.9'");
  return out;
}

Result<Gpu> named_card(std::string_view name) {
  const std::string key = key_of(name);
  const auto card = std::find_if(std::begin(kCards), std::end(kCards), [&](const Card& entry) {
    return key == entry.key || key == key_of(entry.name);
  });
  if (card == std::end(kCards))
    return bad(fmt::format("no card is called '{}'", name),
               "known: " + known_names() + "; any other as NAME:VRAM_MIB:CC");
  Gpu out;
  out.name = card->name;
  out.vram_mib = card->vram_mib;
  out.major = card->major;
  out.minor = card->minor;
  out.fake = true;
  return out;
}

Result<GpuReport> fake_gpus(std::string_view text) {
  constexpr std::size_t kMost = 1024;
  const bool described = text.find(':') != std::string_view::npos;
  GpuReport out;
  for (const auto part : split(text, described ? ';' : ',')) {
    std::string_view rest = trim(part);
    if (rest.empty() && described && !out.gpus.empty()) continue;  // a `;` at the end
    const unsigned count = take_count(rest);
    SNDR_TRY(const Gpu card, described ? described_card(rest) : named_card(rest));
    if (count == 0 || count > kMost)
      return bad(fmt::format("{} cards in '{}'", count, trim(part)),
                 fmt::format("between 1 and {} can be planned for", kMost));
    out.gpus.insert(out.gpus.end(), count, card);
  }
  return out;
}

}  // namespace

Result<GpuReport> read_gpus(std::string_view fake) {
  if (!trim(fake).empty()) return fake_gpus(trim(fake));
  return ask_nvml(nvml_libraries(), "/");
}

}  // namespace sndr::probe
