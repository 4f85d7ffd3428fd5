// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so for tests. What it shows is in FAKE_NVML: "CARDS" or "CARDS:INIT_ERROR"; card 1
// is a smaller one, card 2 never answers.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int setting(int field) {
  const char* text = std::getenv("FAKE_NVML");
  if (text == nullptr) return 0;
  if (field == 0) return std::atoi(text);
  const char* colon = std::strchr(text, ':');
  return colon == nullptr ? 0 : std::atoi(colon + 1);
}

int copy(char* out, unsigned size, const char* text) {
  std::snprintf(out, size, "%s", text);
  return 0;
}

struct Memory {
  unsigned long long total, free, used;
};

char cards[3];

bool is_second(const void* device) {
  return device == &cards[1];
}

}  // namespace

extern "C" {
int nvmlInit_v2() {
  return setting(1);
}
int nvmlShutdown() {
  return 0;
}
const char* nvmlErrorString(int code) {
  return code == 999 ? "Unknown Error" : "?";
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  return copy(out, size, "580.126.09");
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  *out = 13010;
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = static_cast<unsigned>(setting(0));
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
  *out = &cards[index];
  return index == 2 ? 15 : 0;
}
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
  return copy(out, size, is_second(device) ? "NVIDIA GeForce RTX 3060" : "NVIDIA GeForce RTX 4090");
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
  return copy(out, size, is_second(device) ? "GPU-bbbb" : "GPU-aaaa");
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* out) {
  out->total = (is_second(device) ? 12288ULL : 24564ULL) << 20;
  return 0;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  *major = 8;
  *minor = is_second(device) ? 6 : 9;
  return 0;
}
}
