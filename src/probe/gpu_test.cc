// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/files.h"
#include "probe/nvml.h"
#include "probe/testing.h"

namespace sndr::probe {
namespace {

using testing::ScopedEnv;
using testing::TempDir;

std::string cards_text(const GpuReport& report) {
  std::string out;
  for (const auto& gpu : report.gpus)
    out += fmt::format("{}{} {} {}.{}", out.empty() ? "" : "; ", gpu.name, gpu.vram_mib, gpu.major,
                       gpu.minor);
  return out;
}

TEST(FakeGpus, Forms) {
  const struct {
    const char* text;
    const char* cards;
  } cases[] = {
      {"3090", "NVIDIA GeForce RTX 3090 24576 8.6"},
      {"RTX 3090", "NVIDIA GeForce RTX 3090 24576 8.6"},
      {"nvidia-geforce-rtx-3090", "NVIDIA GeForce RTX 3090 24576 8.6"},
      {"2x3090", "NVIDIA GeForce RTX 3090 24576 8.6; NVIDIA GeForce RTX 3090 24576 8.6"},
      {"1x4090,1x3090", "NVIDIA GeForce RTX 4090 24564 8.9; NVIDIA GeForce RTX 3090 24576 8.6"},
      {" 1X 5090 , h200", "NVIDIA GeForce RTX 5090 32607 12.0; NVIDIA H200 143771 9.0"},
      {"rtxpro6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition 97887 12.0"},
      {"a5000", "NVIDIA RTX A5000 24564 8.6"},
      {"RTX A6000", "NVIDIA RTX A6000 49140 8.6"},
      {"L40S", "NVIDIA L40S 46068 8.9"},
      {"h100", "NVIDIA H100 80GB HBM3 81559 9.0"},
      {"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3 81559 9.0"},
      {"My Card:11000:7.5", "My Card 11000 7.5"},
      {"A:1000:8.6;2xB:2000:12.0;", "A 1000 8.6; B 2000 12.0; B 2000 12.0"},
  };
  for (const auto& test : cases) {
    const auto report = read_gpus(test.text);
    ASSERT_TRUE(report) << test.text << ": " << render(report.error());
    EXPECT_EQ(cards_text(*report), test.cards) << test.text;
    for (const auto& gpu : report->gpus) EXPECT_TRUE(gpu.fake && gpu.uuid.empty());
    EXPECT_EQ(report->driver, "");
    EXPECT_EQ(report->problem, "");
  }
}

TEST(FakeGpus, Refusals) {
  const std::string known =
      "known: 3060, 3090, 3090ti, 4080, 4090, 5080, 5090, a5000, a6000, 6000ada, pro6000, l4, "
      "l40s, a100, h100, h200; any other as NAME:VRAM_MIB:CC";
  const std::string form = "\n  write it as in: --fake-gpus 'RTX 4090:24564:8.9'";
  const struct {
    const char* text;
    std::string message;
  } cases[] = {
      {"3091", "--fake-gpus: no card is called '3091'\n  " + known},
      {"3090,", "--fake-gpus: no card is called ''\n  " + known},
      {"0x3090", "--fake-gpus: 0 cards in '0x3090'\n  between 1 and 1024 can be planned for"},
      {"5000x3090",
       "--fake-gpus: 5000 cards in '5000x3090'\n  between 1 and 1024 can be planned for"},
      {"A:1000", "--fake-gpus: 'A:1000' is not NAME:VRAM_MIB:CC" + form},
      {"A:many:8.6", "--fake-gpus: 'A:many:8.6' is not NAME:VRAM_MIB:CC" + form},
      {"A:1000:86", "--fake-gpus: 'A:1000:86' is not NAME:VRAM_MIB:CC" + form},
      {":1000:8.6", "--fake-gpus: ':1000:8.6' is not NAME:VRAM_MIB:CC" + form},
      {"A:0:8.6", "--fake-gpus: 'A:0:8.6' is not NAME:VRAM_MIB:CC" + form},
  };
  for (const auto& test : cases) {
    const auto report = read_gpus(test.text);
    ASSERT_FALSE(report) << test.text;
    EXPECT_EQ(render(report.error()), test.message);
    EXPECT_EQ(report.error().code, Errc::invalid_input);
  }
}

TEST(Nvml, CardsDriverAndCuda) {
  const ScopedEnv two("FAKE_NVML", "2");
  const auto report = ask_nvml({"/nonexistent/libnvidia-ml.so.1", SNDR_FAKE_NVML}, "/");
  EXPECT_EQ(cards_text(report),
            "NVIDIA GeForce RTX 4090 24564 8.9; NVIDIA GeForce RTX 3060 12288 8.6");
  EXPECT_EQ(report.driver, "580.126.09");
  EXPECT_EQ(report.cuda, "13.1");
  EXPECT_EQ(report.problem, "");
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_EQ(report.gpus[1].uuid, "GPU-bbbb");
  EXPECT_FALSE(report.gpus[1].fake);
}

TEST(Nvml, Problems) {
  const struct {
    const char* setting;
    std::size_t cards;
    const char* problem;
  } cases[] = {
      {"0", 0, "the NVIDIA driver shows no card"},
      {"3", 2, "card 2 of 3 doesn't answer: see `nvidia-smi`"},
      {"2:4", 0,
       "the NVIDIA driver denies access to its cards: check the permissions of /dev/nvidia*"},
      {"2:9", 0, "an NVIDIA library is here but its kernel driver isn't loaded: try `nvidia-smi`"},
      {"2:18", 0,
       "the NVIDIA library and its kernel driver are of different versions: reboot, or restart the "
       "container"},
      {"2:999", 0, "the NVIDIA driver answers: Unknown Error"},
  };
  for (const auto& test : cases) {
    const ScopedEnv setting("FAKE_NVML", test.setting);
    const auto report = ask_nvml({SNDR_FAKE_NVML}, "/");
    EXPECT_EQ(report.gpus.size(), test.cards) << test.setting;
    EXPECT_EQ(report.problem, test.problem);
  }
}

TEST(Nvml, WithoutALibraryOtherMakersAreTold) {
  const struct {
    const char* file;
    const char* text;
    const char* problem;
  } cases[] = {
      {"sys/class/drm/card0/device/vendor", "0x10de\n",
       "an NVIDIA card is here but not its driver's library (libnvidia-ml.so.1): install the "
       "driver, or start the container with --gpus all"},
      {"sys/class/drm/card1/device/vendor", "0x1002\n",
       "an AMD card is here: patches that need CUDA are skipped, and nothing is validated on ROCm "
       "yet"},
      {"dev/kfd", "",
       "an AMD card is here: patches that need CUDA are skipped, and nothing is validated on ROCm "
       "yet"},
      {"sys/class/drm/card0/device/vendor", "0x8086\n",
       "only an Intel card is here: patches that need CUDA are skipped, and nothing is validated "
       "on XPU yet"},
      {"sys/class/drm/version", "drm 1.1.0\n",
       "no NVIDIA driver is installed (libnvidia-ml.so.1 not found); --fake-gpus plans for cards "
       "that aren't here"},
  };
  for (const auto& test : cases) {
    const TempDir dir;
    dir.write(test.file, test.text);
    const auto report = ask_nvml({"/nonexistent/libnvidia-ml.so.1"}, dir.path());
    EXPECT_TRUE(report.gpus.empty());
    EXPECT_EQ(report.problem, test.problem) << test.file;
  }
}

}  // namespace
}  // namespace sndr::probe
