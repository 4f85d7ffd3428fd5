// SPDX-License-Identifier: Apache-2.0
#include "probe/cards_used.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "probe/facts.h"

namespace sndr::probe {
namespace {

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The cards that a list of indices or UUIDs means; nothing where a word of it isn't understood
/// (MIG slices).
std::optional<std::vector<Gpu>> selected(const std::vector<Gpu>& gpus, std::string_view list) {
  std::vector<Gpu> out;
  for (const auto part : split(list, ',')) {
    const std::string_view word = trim(part);
    if (const auto index = number(word)) {
      if (*index >= gpus.size()) return out;  // CUDA stops at the first that doesn't exist
      out.push_back(gpus[*index]);
      continue;
    }
    if (word == "-1") return out;
    const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
      return !gpu.uuid.empty() && gpu.uuid.starts_with(word);
    });
    if (found == gpus.end() || word.empty()) return std::nullopt;
    out.push_back(*found);
  }
  return out;
}

bool alike(const std::vector<Gpu>& gpus) {
  return std::all_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
    return gpu.major == gpus.front().major && gpu.minor == gpus.front().minor;
  });
}

std::size_t size_of(const EngineCommand& command, const char* flag) {
  const auto found = command.flags.find(flag);
  return found == command.flags.end() ? 1 : number(found->second).value_or(1);
}

}  // namespace

UsedCards cards_used(const std::vector<Gpu>& gpus, const EngineCommand* command,
                     const std::function<std::string(const char*)>& environment) {
  UsedCards out;
  out.cards = gpus;
  if (gpus.empty() || alike(gpus)) return out;
  const bool fake = gpus.front().fake;
  const std::string visible = fake ? "" : environment("CUDA_VISIBLE_DEVICES");
  // By default CUDA numbers cards by speed, NVML by slot: an index means the same card to both only
  // where CUDA is told so.
  const bool same_order = fake || environment("CUDA_DEVICE_ORDER") == "PCI_BUS_ID";
  const bool by_uuid = visible.starts_with("GPU-");
  if (!same_order && !by_uuid) {
    out.note =
        "the cards differ and CUDA may number them otherwise than NVML: the weakest of all counts "
        "(CUDA_DEVICE_ORDER=PCI_BUS_ID settles it)";
    return out;
  }
  if (!visible.empty()) {
    auto chosen = selected(gpus, visible);
    if (!chosen) {
      out.note = "CUDA_VISIBLE_DEVICES=" + visible + " isn't understood: all cards count";
      return out;
    }
    out.cards = *std::move(chosen);
  }
  if (command == nullptr || !command->is_vllm) return out;
  if (const auto ids = command->flags.find("device-ids"); ids != command->flags.end()) {
    if (auto chosen = selected(out.cards, ids->second)) out.cards = *std::move(chosen);
    return out;
  }
  const std::size_t processes = size_of(*command, "tensor-parallel-size") *
                                size_of(*command, "pipeline-parallel-size") *
                                size_of(*command, "data-parallel-size");
  if (processes > 0 && processes < out.cards.size()) out.cards.resize(processes);
  return out;
}

}  // namespace sndr::probe
