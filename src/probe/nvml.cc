// SPDX-License-Identifier: Apache-2.0
#include "probe/nvml.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "probe/gpu.h"
#include "probe/machine.h"

namespace sndr::probe {
namespace {

// The few declarations of nvml.h that we need; its ABI has been the same since 2011 (the _v2 names
// since 2013).
using NvmlDevice = void*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
constexpr int kSuccess = 0;
constexpr int kNoPermission = 4;
constexpr int kDriverNotLoaded = 9;
constexpr int kVersionMismatch = 18;

/// The library and the functions that we call in it.
class Nvml {
 public:
  explicit Nvml(const char* path) : handle_(::dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }

  [[nodiscard]] bool loaded() const { return handle_ != nullptr; }

  /// Calls `name`; 12 (function not found) where the library lacks it.
  template <class... Args>
  int call(const char* name, Args... args) const {
    using Function = int (*)(Args...);
    const auto function = reinterpret_cast<Function>(::dlsym(handle_, name));
    return function == nullptr ? 12 : function(args...);
  }

  [[nodiscard]] std::string error_text(int code) const {
    using Function = const char* (*)(int);
    const auto function = reinterpret_cast<Function>(::dlsym(handle_, "nvmlErrorString"));
    return function == nullptr ? fmt::format("NVML error {}", code) : function(code);
  }

  [[nodiscard]] std::string text(const char* name) const {
    std::array<char, 96> buffer{};
    if (call(name, buffer.data(), static_cast<unsigned>(buffer.size())) != kSuccess) return {};
    return buffer.data();
  }

 private:
  void* handle_;
};

std::string problem_of(const Nvml& nvml, int code) {
  switch (code) {
    case kNoPermission:
      return "the NVIDIA driver denies access to its cards: check the permissions of /dev/nvidia*";
    case kDriverNotLoaded:
      return "an NVIDIA library is here but its kernel driver isn't loaded: try `nvidia-smi`";
    case kVersionMismatch:
      return "the NVIDIA library and its kernel driver are of different versions: reboot, or "
             "restart the container";
    default:
      return "the NVIDIA driver answers: " + nvml.error_text(code);
  }
}

std::optional<Gpu> read_card(const Nvml& nvml, unsigned index) {
  NvmlDevice device = nullptr;
  if (nvml.call("nvmlDeviceGetHandleByIndex_v2", index, &device) != kSuccess) return std::nullopt;
  Gpu out;
  std::array<char, 96> text{};
  const auto size = static_cast<unsigned>(text.size());
  if (nvml.call("nvmlDeviceGetName", device, text.data(), size) == kSuccess) out.name = text.data();
  if (nvml.call("nvmlDeviceGetUUID", device, text.data(), size) == kSuccess) out.uuid = text.data();
  NvmlMemory memory{};
  if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory) == kSuccess)
    out.vram_mib = memory.total / (1024 * 1024);
  nvml.call("nvmlDeviceGetCudaComputeCapability", device, &out.major, &out.minor);
  return out;
}

void read_cards(const Nvml& nvml, GpuReport& out) {
  out.driver = nvml.text("nvmlSystemGetDriverVersion");
  int cuda = 0;
  if (nvml.call("nvmlSystemGetCudaDriverVersion_v2", &cuda) == kSuccess)
    out.cuda = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
  unsigned count = 0;
  if (const int code = nvml.call("nvmlDeviceGetCount_v2", &count); code != kSuccess) {
    out.problem = problem_of(nvml, code);
    return;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (auto card = read_card(nvml, i))
      out.gpus.push_back(*std::move(card));
    else
      out.problem = fmt::format("card {} of {} doesn't answer: see `nvidia-smi`", i, count);
  }
  if (count == 0) out.problem = "the NVIDIA driver shows no card";
}

/// No library: what else may be here, kindly.
std::string problem_without_nvml(const fs::path& root) {
  const auto makers = card_makers(root);
  const auto has = [&](std::string_view maker) {
    return std::find(makers.begin(), makers.end(), maker) != makers.end();
  };
  if (has("NVIDIA"))
    return "an NVIDIA card is here but not its driver's library (libnvidia-ml.so.1): install the "
           "driver, or start the container with --gpus all";
  if (has("AMD"))
    return "an AMD card is here: patches that need CUDA are skipped, and nothing is validated on "
           "ROCm yet";
  if (has("Intel"))
    return "only an Intel card is here: patches that need CUDA are skipped, and nothing is "
           "validated on XPU yet";
  return "no NVIDIA driver is installed (libnvidia-ml.so.1 not found); --fake-gpus plans for cards "
         "that aren't here";
}

}  // namespace

const std::vector<std::string>& nvml_libraries() {
  static const std::vector<std::string> libraries = {
      "libnvidia-ml.so.1",
      "/usr/lib/wsl/lib/libnvidia-ml.so.1",
      "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1",
      "/usr/lib64/libnvidia-ml.so.1",
      "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
      "/run/opengl-driver/lib/libnvidia-ml.so.1",
  };
  return libraries;
}

std::vector<std::string> card_makers(const fs::path& root) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 3> kVendors = {
      {{"0x10de", "NVIDIA"}, {"0x1002", "AMD"}, {"0x8086", "Intel"}}};
  std::vector<std::string> out;
  for (const auto& card : entries(root / "sys/class/drm", "card")) {
    const auto vendor = read_file(card / "device/vendor");
    if (!vendor) continue;
    for (const auto& [id, maker] : kVendors)
      if (trim(*vendor) == id) out.emplace_back(maker);
  }
  // A data-centre card without display outputs, or a container that hides /sys.
  if (!entries(root / "proc/driver/nvidia", "version").empty()) out.emplace_back("NVIDIA");
  if (stat_path(root / "dev/kfd").exists) out.emplace_back("AMD");
  return out;
}

GpuReport ask_nvml(const std::vector<std::string>& libraries, const fs::path& root) {
  GpuReport out;
  for (const auto& library : libraries) {
    const Nvml nvml(library.c_str());
    if (!nvml.loaded()) continue;
    if (const int code = nvml.call("nvmlInit_v2"); code != kSuccess) {
      out.problem = problem_of(nvml, code);
      return out;
    }
    read_cards(nvml, out);
    nvml.call("nvmlShutdown");
    return out;
  }
  out.problem = problem_without_nvml(root);
  return out;
}

}  // namespace sndr::probe
