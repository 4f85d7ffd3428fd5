// SPDX-License-Identifier: Apache-2.0
// The practical floor of any kernel that reads a cache once: 16-byte loads, a persistent grid, nothing else.
#include <cuda_runtime.h>
#include <cstdint>
__global__ void __launch_bounds__(512) reader(const uint4* p, size_t n, uint32_t* out) {
  uint4 s = make_uint4(0, 0, 0, 0);
  size_t stride = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + 3 * stride < n; i += 4 * stride) {
    uint4 a = __ldcs(p + i), b = __ldcs(p + i + stride), c = __ldcs(p + i + 2 * stride), d = __ldcs(p + i + 3 * stride);
    s.x ^= a.x ^ b.x ^ c.x ^ d.x; s.y ^= a.y ^ b.y ^ c.y ^ d.y; s.z ^= a.z ^ b.z ^ c.z ^ d.z; s.w ^= a.w ^ b.w ^ c.w ^ d.w;
  }
  for (; i < n; i += stride) { uint4 a = __ldcs(p + i); s.x ^= a.x ^ a.y ^ a.z ^ a.w; }
  if ((s.x ^ s.y ^ s.z ^ s.w) == 0x12345678) *out = 1;
}
extern "C" void bare_read(const void* p, size_t bytes, void* out, void* stream) {
  reader<<<132 * 4, 512, 0, (cudaStream_t)stream>>>((const uint4*)p, bytes / 16, (uint32_t*)out);
}
