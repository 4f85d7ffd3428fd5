// SPDX-License-Identifier: Apache-2.0
// Decode over a k8v4 cache, read once.
//
// A slot (one token, one KV head) is 388 bytes: 256 e4m3 key bytes, 128 bytes of value nibbles (even dimension low), half scale, half
// minimum. The card is idle unless ~25 KB a multiprocessor are in flight, and a slot leaves ~80 warp instructions, so: every warp owns
// one KV head and a ring of 16-token stages filled by cp.async, all query rows of the head share each byte, keys and nibbles go
// from shared memory straight into mma fragments (no transpose, no bank conflict: 97 words a slot is odd, and the mma's k order is
// ours to choose), and the value's affine part is applied to the scores: sum p (c s + z) = sum (p s) c + sum p z.
//
// Work is the sequence of 16-token tiles of all requests, cut evenly over a persistent grid by lengths that only the device reads.
// A request that falls into one block is finished there; the others leave partial sums in scratch and a second kernel adds them in a fixed
// order, so results are the same bits from run to run.
#include <cuda_runtime.h>

#include <cstdio>
#include <type_traits>

#include "genesis_kernels.h"
#include "ptx.cuh"

namespace sndr {
namespace {

constexpr int kMostBlocks = 160;  // of the grid: a combine thread holds its share of them in registers
constexpr int kDim = 256, kSlot = 388, kWords = kSlot / 4, kTile = 16;

/// How a tile lies in shared memory. `packed`: 16 slots end to end (97 words a slot, odd). `spread`: each slot in 25 aligned 16-byte pieces of
/// its own (100 words, four times an odd number), because where heads share a token run a slot begins at any multiple of 4 bytes.
/// Either way the words that a warp reads at once lie on 32 different banks, given these orders of tokens and words:
struct Packed {
  static constexpr int kStride = kSlot;
  __device__ static int token(int r) { return (r & 8) + ((r & 7) >> 1) + 4 * (r & 1); }  // score row r is this token of the tile
  __device__ static int key_word(int t, int k) { return 32 * (k >> 3) + 8 * t + (k & 7); }
  __device__ static int value_word(int g, int i) { return 4 * g + i; }
};
struct Spread {
  static constexpr int kStride = 400;
  __device__ static int token(int r) { return r; }
  __device__ static int key_word(int t, int k) { return t + 4 * k; }
  __device__ static int value_word(int g, int i) { return g + 8 * i; }
};

struct Work {
  const int32_t* lens;
  int n;
  __device__ int tiles(int b) const { return (max(lens[b], 0) + kTile - 1) / kTile; }
  /// Total tiles, by one warp.
  __device__ int total() const {
    int sum = 0;
    for (int b = threadIdx.x & 31; b < n; b += 32) sum += tiles(b);
    return __reduce_add_sync(~0u, sum);
  }
};

/// No block without a tile, so that every partial sum between a request's first and last block is written.
__device__ __forceinline__ int used_blocks(int total, int blocks) { return max(min(total, blocks), 1); }
__device__ __forceinline__ int begin_of(int block, int total, int blocks) { return static_cast<int>(static_cast<int64_t>(total) * block / blocks); }

/// Page numbers are read one tile ahead: a table look-up in front of every copy would stall the warp for its whole latency.
struct Paging {
  int tiles;       // of a page
  uint32_t magic;  // 2^32 / tiles, rounded up: exact for tile numbers below 2^16 * 2^16 / tiles
  __device__ int index(int tile) const { return tiles == 1 ? tile : static_cast<int>(__umulhi(static_cast<uint32_t>(tile), magic)); }
};
__device__ __forceinline__ int page_of(const Paging& paging, const int32_t* table, int tile, int last) {
  return tile < last ? __ldg(table + paging.index(tile)) : 0;
}

template <class Layout>
__device__ __forceinline__ void load_tile(const sndr_tq_attention& a, const Paging& paging, uint32_t stage, int page, int tile, int head, int lane) {
  const int token = (tile - paging.index(tile) * paging.tiles) * kTile;
  const char* src = static_cast<const char*>(a.kv) + page * a.stride_block + head * a.stride_head + token * a.stride_pos;
  if constexpr (std::is_same_v<Layout, Packed>) {
    constexpr int kPieces = kTile * kSlot / 16, kRest = kPieces % 32;
#pragma unroll
    for (int i = 0; i < kPieces / 32; ++i) cp_async16(stage + (i * 32 + lane) * 16, src + (i * 32 + lane) * 16);
    if (lane < kRest) cp_async16(stage + (kPieces - kRest + lane) * 16, src + (kPieces - kRest + lane) * 16);
  } else {
    constexpr int kPieces = 25;
#pragma unroll
    for (int i = 0; i < (kTile * kPieces + 31) / 32; ++i) {
      const int at = i * 32 + lane, t = at / kPieces, piece = at - t * kPieces;
      const char* slot = src + t * a.stride_pos;
      slot -= reinterpret_cast<uintptr_t>(slot) & 15;
      if (i < kTile * kPieces / 32 || at < kTile * kPieces) cp_async16(stage + at * 16, slot + piece * 16);
    }
  }
}

template <int NT>
struct State {
  float o[16][NT][4];
  float m[NT][2], l[NT][2], z[NT][2];
  uint32_t ref;  // bits of s_ref, 0 before the first scale that isn't 0
};

/// One 16-token tile of one KV head: scores, online softmax, values.
///
/// Codes enter the second product as half subnormals (n * 2^-24, or n * 2^-20 where they stand four bits up), exact and free; the
/// probabilities carry the rest of the scale: p * s / s_ref * 2^7, where s_ref is a power of two at or above every value scale seen.
template <int NT, bool kHardware, class Layout>
__device__ __forceinline__ void tile_step(State<NT>& s, const uint32_t (&q)[NT][16][2], uint32_t stage, uint32_t shift, int token0, const int (&limit)[NT][2],
                                          float scale, bool edge, int lane) {
  const int g = lane >> 2, t = lane & 3;
  // `shift`: where a slot begins in its first piece, by token parity (low half even, high half odd).
  auto slot = [&](int r) { const int k = Layout::token(r); return stage + k * Layout::kStride + (std::is_same_v<Layout, Packed> ? 0u : k & 1 ? shift >> 16 : shift & 0xffffu); };
  const uint32_t row = slot(g), row8 = slot(g + 8);
  float c[NT][4];
#pragma unroll
  for (int n = 0; n < NT; ++n) c[n][0] = c[n][1] = c[n][2] = c[n][3] = 0.f;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const uint32_t at = Layout::key_word(t, k) * 4;
    uint32_t a[4];
    e4m3x4<kHardware>(lds32(row + at), a[0], a[2]);
    e4m3x4<kHardware>(lds32(row8 + at), a[1], a[3]);
#pragma unroll
    for (int n = 0; n < NT; ++n) mma_f16(c[n], a, q[n][k][0], q[n][k][1]);
  }
  const uint32_t sz0 = lds32(row + 384), sz1 = lds32(row8 + 384);
  const float2 f0 = __half22float2(*reinterpret_cast<const __half2*>(&sz0)), f1 = __half22float2(*reinterpret_cast<const __half2*>(&sz1));
  const int tok = token0 + Layout::token(g);
  // Scales are not negative, so their bits order as integers do. Next power of two: exponent + 1.
  const uint32_t top = __reduce_max_sync(~0u, __float_as_uint(fmaxf(f0.x, f1.x)));
  if (top > s.ref) {
    const uint32_t ref = (top & 0x7f800000u) + 0x00800000u;
    const float r = s.ref == 0 ? 0.f : __uint_as_float(s.ref) / __uint_as_float(ref);
#pragma unroll
    for (int n = 0; n < NT; ++n)
#pragma unroll
      for (int i = 0; i < 16; ++i) s.o[i][n][0] *= r, s.o[i][n][1] *= r, s.o[i][n][2] *= r, s.o[i][n][3] *= r;
    s.ref = ref;
  }
  const float down = s.ref == 0 ? 0.f : 128.f / __uint_as_float(s.ref), s0 = f0.x * down, s1 = f1.x * down;
  uint32_t p[NT][2];
#pragma unroll
  for (int n = 0; n < NT; ++n) {
    float x0 = c[n][0] * scale, x1 = c[n][1] * scale, x2 = c[n][2] * scale, x3 = c[n][3] * scale;
    if (edge) {
      if (tok >= limit[n][0]) x0 = -INFINITY;
      if (tok >= limit[n][1]) x1 = -INFINITY;
      if (tok + 8 >= limit[n][0]) x2 = -INFINITY;
      if (tok + 8 >= limit[n][1]) x3 = -INFINITY;
    }
    float m0 = fmaxf(x0, x2), m1 = fmaxf(x1, x3);
    // The maximum only has to be near: it moves when a score tops it by 2^8, so rescaling is rare.
    const bool rise = m0 > s.m[n][0] + 8.f || m1 > s.m[n][1] + 8.f;
    if (__any_sync(~0u, rise)) {
#pragma unroll
      for (int d = 4; d < 32; d *= 2) {
        m0 = fmaxf(m0, __shfl_xor_sync(~0u, m0, d));
        m1 = fmaxf(m1, __shfl_xor_sync(~0u, m1, d));
      }
      m0 = fmaxf(m0, s.m[n][0]);
      m1 = fmaxf(m1, s.m[n][1]);
      const float r0 = exp2_approx(s.m[n][0] - m0), r1 = exp2_approx(s.m[n][1] - m1);
      s.m[n][0] = m0, s.m[n][1] = m1;
      s.l[n][0] *= r0, s.l[n][1] *= r1, s.z[n][0] *= r0, s.z[n][1] *= r1;
#pragma unroll
      for (int i = 0; i < 16; ++i) s.o[i][n][0] *= r0, s.o[i][n][1] *= r1, s.o[i][n][2] *= r0, s.o[i][n][3] *= r1;
    }
    x0 = exp2_approx(x0 - s.m[n][0]), x1 = exp2_approx(x1 - s.m[n][1]), x2 = exp2_approx(x2 - s.m[n][0]), x3 = exp2_approx(x3 - s.m[n][1]);
    s.l[n][0] += x0 + x2, s.l[n][1] += x1 + x3;
    s.z[n][0] += x0 * f0.y + x2 * f1.y, s.z[n][1] += x1 * f0.y + x3 * f1.y;
    p[n][0] = movmatrix(pack_f16(x0 * s0, x1 * s0));
    p[n][1] = movmatrix(pack_f16(x2 * s1, x3 * s1));
  }
  const uint32_t v0 = slot(2 * t) + 256, v1 = slot(2 * t + 1) + 256, v2 = slot(2 * t + 8) + 256, v3 = slot(2 * t + 9) + 256;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = Layout::value_word(g, i) * 4;
    const uint32_t w0 = lds32(v0 + at), w1 = lds32(v1 + at), w2 = lds32(v2 + at), w3 = lds32(v3 + at);
    const uint32_t low0 = __byte_perm(w0, w1, 0x5410), high0 = __byte_perm(w0, w1, 0x7632);
    const uint32_t low1 = __byte_perm(w2, w3, 0x5410), high1 = __byte_perm(w2, w3, 0x7632);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int down8 = j / 2 * 8;
      const uint32_t mask = j % 2 ? 0x00f000f0u : 0x000f000fu;
      const uint32_t a[4] = {low0 >> down8 & mask, high0 >> down8 & mask, low1 >> down8 & mask, high1 >> down8 & mask};
#pragma unroll
      for (int n = 0; n < NT; ++n) mma_f16(s.o[i * 4 + j][n], a, p[n][0], p[n][1]);
    }
  }
}

template <typename T> __device__ float to_float(T x);
template <> __device__ float to_float(__half x) { return __half2float(x); }
template <> __device__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T>
__device__ __forceinline__ uint32_t as_half2(uint32_t pair) {
  if constexpr (std::is_same_v<T, __half>) return pair;
  const __half2 h = __float22half2_rn(__bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair)));
  return *reinterpret_cast<const uint32_t*>(&h);
}
template <typename T> __device__ T from_float(float x);
template <> __device__ __half from_float(float x) { return __float2half_rn(x); }
template <> __device__ __nv_bfloat16 from_float(float x) { return __float2bfloat16_rn(x); }

/// Which dimension stands at place p of a partial sum.
template <class Layout>
__device__ __forceinline__ int dimension_at(int p) {
  return 8 * Layout::value_word(p & 7, p >> 5 & 3) + (p >> 3 & 3) + (p >> 7) * 4;
}

/// Partial sums of one (block + request) slot: [rows][kDim] sums, then [rows] maxima, then [rows] denominators.
__device__ __forceinline__ size_t partial_floats(int rows) { return static_cast<size_t>(rows) * (kDim + 2); }

template <typename T, int NT, int kWarps, int kStages, class Layout, bool kHardware>
__global__ void __launch_bounds__(kWarps * 32, 1) decode(const sndr_tq_attention a, const Paging paging) {
  constexpr int kStage = kTile * Layout::kStride;
  extern __shared__ __align__(128) unsigned char memory[];
  let_next_start();
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
  const int hk = a.num_kv_heads, groups = kWarps / hk, head = warp % hk, group = warp / hk;
  const int heads = a.num_q_heads / hk, rows = heads * a.q_len;  // of one KV head: row = token * heads + query head
  const uint32_t ring = shared_address(memory) + warp * kStages * kStage;
  const uint32_t begins = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a.kv) + head * a.stride_head);
  const uint32_t shift = (begins & 15) | ((begins + static_cast<uint32_t>(a.stride_pos)) & 15) << 16;
  const Work work{a.seq_lens, a.num_reqs};
  const int total = work.total(), blocks = used_blocks(total, gridDim.x);
  if (blockIdx.x >= blocks) return;
  const int begin = begin_of(blockIdx.x, total, blocks), end = begin_of(blockIdx.x + 1, total, blocks);
  const float scale = a.scale * (kHardware ? 1.f : 256.f) * 1.4426950408889634f;
  int base = 0;  // first tile of request b
  for (int b = 0; b < a.num_reqs && base < end; ++b) {
    const int n = work.tiles(b);
    const int first = max(begin - base, 0), last = min(end - base, n);
    base += n;
    if (first >= last) continue;
    const int length = a.seq_lens[b];
    // The ring: stage i holds tile first + group + i * groups.
    const int32_t* table = a.block_table + b * a.bt_row;
    int next = first + group, page = page_of(paging, table, next, last);
#pragma unroll
    for (int i = 0; i < kStages - 1; ++i) {
      const int following = page_of(paging, table, next + groups, last);
      if (next < last) load_tile<Layout>(a, paging, ring + i * kStage, page, next, head, lane);
      cp_commit();
      next += groups, page = following;
    }
    // Queries as B fragments, 4 dimensions a load; rows past the end are zero.
    uint32_t q[NT][16][2];
    int limit[NT][2];
#pragma unroll
    for (int nt = 0; nt < NT; ++nt) {
      const int r = nt * 8 + g;
      const T* src = static_cast<const T*>(a.q) + (static_cast<int64_t>(b) * a.q_len + r / heads) * a.q_row + (head * heads + r % heads) * a.q_head;
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        uint2 x = make_uint2(0, 0);
        if (r < rows) x = *reinterpret_cast<const uint2*>(src + 4 * Layout::key_word(t, k));
        q[nt][k][0] = as_half2<T>(x.x), q[nt][k][1] = as_half2<T>(x.y);
      }
#pragma unroll
      for (int e = 0; e < 2; ++e) limit[nt][e] = length - a.q_len + 1 + min((nt * 8 + 2 * t + e) / heads, a.q_len - 1);
    }
    State<NT> s;
    s.ref = 0;
#pragma unroll
    for (int nt = 0; nt < NT; ++nt) {
#pragma unroll
      for (int i = 0; i < 16; ++i) s.o[i][nt][0] = s.o[i][nt][1] = s.o[i][nt][2] = s.o[i][nt][3] = 0.f;
      s.m[nt][0] = s.m[nt][1] = -1e30f;
      s.l[nt][0] = s.l[nt][1] = s.z[nt][0] = s.z[nt][1] = 0.f;
    }
    int stage = 0;
      for (int tile = first + group; tile < last; tile += groups) {
        cp_wait<kStages - 2>();
        __syncwarp();
        const int fill = stage == 0 ? kStages - 1 : stage - 1;
        const int following = page_of(paging, table, next + groups, last);
        if (next < last) load_tile<Layout>(a, paging, ring + fill * kStage, page, next, head, lane);
        cp_commit();
        next += groups, page = following;
        tile_step<NT, kHardware, Layout>(s, q, ring + stage * kStage, shift, tile * kTile, limit, scale, (tile + 1) * kTile > length - a.q_len + 1, lane);
        stage = stage == kStages - 1 ? 0 : stage + 1;
      }
    cp_wait<0>();
    // Merge the groups of each head through shared memory.
    __syncthreads();
    float* merge = reinterpret_cast<float*>(memory) + static_cast<size_t>(warp) * NT * 8 * (kDim + 2 + 2);
#pragma unroll
    for (int nt = 0; nt < NT; ++nt)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float l = s.l[nt][e], z = s.z[nt][e];
#pragma unroll
        for (int d = 4; d < 32; d *= 2) l += __shfl_xor_sync(~0u, l, d), z += __shfl_xor_sync(~0u, z, d);
        float* out = merge + (nt * 8 + 2 * t + e) * (kDim + 4);
        const float up = __uint_as_float(s.ref) * 131072.f;  // 2^24 / 2^7
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          out[i * 8 + g] = s.o[i][nt][e] * (i % 2 ? up / 16 : up) + z;  // in the order of dimension_at: no two lanes on one bank
          out[i * 8 + g + kDim / 2] = s.o[i][nt][e + 2] * (i % 2 ? up / 16 : up) + z;
        }
        if (g == 0) out[kDim] = s.m[nt][e], out[kDim + 1] = l;
      }
    __syncthreads();
    const bool whole = first == 0 && last == n;
    float* partial = static_cast<float*>(a.scratch) + (blockIdx.x + b) * partial_floats(rows * hk);
    for (int i = threadIdx.x; i < rows * hk * (kDim / 4); i += kWarps * 32) {
      const int d = i % (kDim / 4) * 4, r = i / (kDim / 4) % rows, h = i / (kDim / 4) / rows;
      const float* src = reinterpret_cast<const float*>(memory) + static_cast<size_t>(h) * NT * 8 * (kDim + 4) + r * (kDim + 4);
      const size_t step = static_cast<size_t>(hk) * NT * 8 * (kDim + 4);
      float m = -1e30f, l = 0.f, o[4] = {0.f, 0.f, 0.f, 0.f};
      for (int k = 0; k < groups; ++k) m = fmaxf(m, src[k * step + kDim]);
      for (int k = 0; k < groups; ++k) {
        const float w = exp2_approx(src[k * step + kDim] - m);
        l += w * src[k * step + kDim + 1];
        const float4 x = *reinterpret_cast<const float4*>(src + k * step + d);
        o[0] += w * x.x, o[1] += w * x.y, o[2] += w * x.z, o[3] += w * x.w;
      }
      if (whole) {
        T* out = static_cast<T*>(a.out) + (static_cast<int64_t>(b) * a.q_len + r / heads) * a.out_row + (h * heads + r % heads) * a.out_head;
#pragma unroll
        for (int e = 0; e < 4; ++e) out[dimension_at<Layout>(d + e)] = from_float<T>(o[e] / l);
      } else {
        const int row = h * rows + r;
        *reinterpret_cast<float4*>(partial + static_cast<size_t>(row) * kDim + d) = make_float4(o[0], o[1], o[2], o[3]);
        if (d == 0) {
          partial[static_cast<size_t>(rows) * hk * kDim + row] = m;
          partial[static_cast<size_t>(rows) * hk * (kDim + 1) + row] = l;
        }
      }
    }
    __syncthreads();
  }
}

/// Adds the partial sums of a request that several blocks shared. Grid (rows of all heads * kPieces, requests): each block one piece of the
/// dimensions; kWays threads share a column's partial sums, kMost of them each at once.
template <typename T, class Layout, int kPieces, int kWays, int kMost>
__global__ void __launch_bounds__(kDim / 4 / kPieces * kWays) combine(const sndr_tq_attention a, int blocks) {
  constexpr int kColumns = kDim / 4 / kPieces, kThreads = kColumns * kWays;
  const Work work{a.seq_lens, a.num_reqs};
  const int b = blockIdx.y, row = blockIdx.x / kPieces, lane = threadIdx.x & 31;
  const int hk = a.num_kv_heads, heads = a.num_q_heads / hk, rows = heads * a.q_len, h = row / rows, r = row % rows;
  const int total = work.total(), n = work.tiles(b);
  blocks = used_blocks(total, blocks);
  int base = 0;
  for (int i = lane; i < b; i += 32) base += work.tiles(i);
  base = __reduce_add_sync(~0u, base);
  if (n == 0 || total == 0) return;
  // The block that holds tile x: the last one whose begin is at most x.
  auto block_of = [&](int x) {
    int k = static_cast<int>(static_cast<int64_t>(x) * blocks / total);
    while (k + 1 < blocks && begin_of(k + 1, total, blocks) <= x) ++k;
    while (k > 0 && begin_of(k, total, blocks) > x) --k;
    return k;
  };
  const int from = block_of(base), to = block_of(base + n - 1);
  if (from == to) return;
  const size_t size = partial_floats(rows * hk);
  const int count = to - from + 1;  // at most 256
  const float* first = static_cast<const float*>(a.scratch) + (from + b) * size;
  const size_t at_m = static_cast<size_t>(rows) * hk * kDim + row, at_l = at_m + static_cast<size_t>(rows) * hk;
  __shared__ float weight[kMostBlocks], best[kThreads / 32], sums[kThreads / 32], part[kWays][kColumns * 4];
  wait_for_previous();
  // The first loads go out before the weights are known: each is a trip to memory.
  const int column = threadIdx.x % kColumns * 4, way = threadIdx.x / kColumns;
  const float* mine = first + static_cast<size_t>(row) * kDim + blockIdx.x % kPieces * kColumns * 4 + column;
  float4 x[kMost];
#pragma unroll
  for (int k = 0; k < kMost; ++k)
    if (way + k * kWays < count) x[k] = *reinterpret_cast<const float4*>(mine + (way + k * kWays) * size);
  float m = -1e30f;
  for (int i = threadIdx.x; i < count; i += kThreads) m = fmaxf(m, weight[i] = first[i * size + at_m]);
#pragma unroll
  for (int k = 16; k > 0; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
  if (lane == 0) best[threadIdx.x / 32] = m;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kThreads / 32; ++i) m = fmaxf(m, best[i]);
  float l = 0.f;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const float w = exp2_approx(weight[i] - m);
    weight[i] = w;
    l += w * first[i * size + at_l];
  }
#pragma unroll
  for (int k = 16; k > 0; k /= 2) l += __shfl_xor_sync(~0u, l, k);
  if (lane == 0) sums[threadIdx.x / 32] = l;
  __syncthreads();
  float4 o = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int base = way; base < count; base += kMost * kWays) {
    if (base != way)
#pragma unroll
      for (int k = 0; k < kMost; ++k)
        if (base + k * kWays < count) x[k] = *reinterpret_cast<const float4*>(mine + (base + k * kWays) * size);
#pragma unroll
    for (int k = 0; k < kMost; ++k)
      if (base + k * kWays < count) {
        const float w = weight[base + k * kWays];
        o.x += w * x[k].x, o.y += w * x[k].y, o.z += w * x[k].z, o.w += w * x[k].w;
      }
  }
  *reinterpret_cast<float4*>(&part[way][column]) = o;
  __syncthreads();
  l = 0.f;
#pragma unroll
  for (int i = 0; i < kThreads / 32; ++i) l += sums[i];
  for (int i = threadIdx.x; i < kColumns * 4; i += kThreads) {
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < kWays; ++k) sum += part[k][i];
    const int dim = blockIdx.x % kPieces * kColumns * 4 + i;
    static_cast<T*>(a.out)[(static_cast<int64_t>(b) * a.q_len + r / heads) * a.out_row + (h * heads + r % heads) * a.out_head + dimension_at<Layout>(dim)] = from_float<T>(sum / l);
  }
}

thread_local char last_error[256];

int multiprocessors() {
  int device = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count < kMostBlocks ? count : kMostBlocks;
}

template <typename T, int NT, int kWarps, int kStages, class Layout, bool kHardware>
sndr_status launch(const sndr_tq_attention& a) {
  constexpr int kStage = kTile * Layout::kStride, kMerge = kWarps * NT * 8 * (kDim + 4) * 4;
  constexpr int kBytes = kWarps * kStages * kStage > kMerge ? kWarps * kStages * kStage : kMerge;
  auto* kernel = decode<T, NT, kWarps, kStages, Layout, kHardware>;
  static const cudaError_t ready = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (ready != cudaSuccess) { snprintf(last_error, sizeof last_error, "%s", cudaGetErrorString(ready)); return SNDR_CUDA; }
  static const int blocks = multiprocessors();
  auto stream = static_cast<cudaStream_t>(a.stream);
  const int tiles = a.page_size / kTile;
  kernel<<<blocks, kWarps * 32, kBytes, stream>>>(a, Paging{tiles, static_cast<uint32_t>((0x100000000ull + tiles - 1) / tiles)});
  const int rows = a.num_q_heads * a.q_len;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.stream = stream, config.attrs = &early, config.numAttrs = 1;
  // Few requests: many partial sums each, and idle multiprocessors to share them. Many: a handful each, and enough blocks.
  if (a.num_reqs <= 4) {
    config.gridDim = dim3(rows, a.num_reqs), config.blockDim = 64 * 8;
    cudaLaunchKernelEx(&config, combine<T, Layout, 1, 8, 20>, a, blocks);
  } else {
    config.gridDim = dim3(rows, a.num_reqs), config.blockDim = 64 * 2;
    cudaLaunchKernelEx(&config, combine<T, Layout, 1, 2, 8>, a, blocks);
  }
  const cudaError_t error = cudaPeekAtLastError();
  if (error != cudaSuccess) { snprintf(last_error, sizeof last_error, "%s", cudaGetErrorString(error)); return SNDR_CUDA; }
  return SNDR_OK;
}

template <typename T>
sndr_status by_rows(const sndr_tq_attention& a) {
  const int rows = a.num_q_heads / a.num_kv_heads * a.q_len;
  // Packed needs 16-byte beginnings of every tile; Spread 4-byte ones of every slot, and pages that are whole pieces.
  const bool packed = a.stride_pos == kSlot && a.stride_head % 16 == 0 && a.stride_block % 16 == 0 && reinterpret_cast<uintptr_t>(a.kv) % 16 == 0;
  const bool hardware = a.path != 1;
  if (rows <= 8 && hardware) return packed ? launch<T, 1, 12, 3, Packed, true>(a) : launch<T, 1, 12, 3, Spread, true>(a);
  if (rows <= 8) return packed ? launch<T, 1, 12, 3, Packed, false>(a) : launch<T, 1, 12, 3, Spread, false>(a);
  if (rows <= 16) return packed ? launch<T, 2, 8, 4, Packed, true>(a) : launch<T, 2, 8, 4, Spread, true>(a);
  return SNDR_UNSUPPORTED;
}

}  // namespace
}  // namespace sndr

extern "C" __attribute__((visibility("default"))) size_t sndr_tq_scratch_bytes(int32_t num_reqs, int32_t q_len, int32_t num_q_heads, int32_t head_dim) {
  return (sndr::kMostBlocks + static_cast<size_t>(num_reqs)) * q_len * num_q_heads * (head_dim + 2ull) * 4;
}
extern "C" __attribute__((visibility("default"))) sndr_status sndr_tq_decode(const sndr_tq_attention* args) {
  if (!args || args->abi != SNDR_KERNELS_ABI || args->head_dim != sndr::kDim || args->page_size % sndr::kTile) return SNDR_BAD_ARGUMENT;
  return args->q_is_bf16 ? sndr::by_rows<__nv_bfloat16>(*args) : sndr::by_rows<__half>(*args);
}
extern "C" __attribute__((visibility("default"))) const char* sndr_last_error(void) { return sndr::last_error; }
extern "C" __attribute__((visibility("default"))) int32_t sndr_kernels_abi(void) { return SNDR_KERNELS_ABI; }
