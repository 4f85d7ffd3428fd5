/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GENESIS_KERNELS_H
#define GENESIS_KERNELS_H
#include <stddef.h>
#include <stdint.h>

/* C ABI of libgenesis_kernels.so: plain integers, device pointers and byte strides. Nothing here allocates, synchronises
 * or reads device memory from the host, so every call may stand inside a CUDA graph. */
#ifdef __cplusplus
extern "C" {
#endif

#define SNDR_KERNELS_ABI 1

typedef enum {
  SNDR_OK = 0,
  SNDR_UNSUPPORTED = 1,  /* a shape, type or card that no kernel here serves */
  SNDR_BAD_ARGUMENT = 2,
  SNDR_CUDA = 3          /* the CUDA runtime refused; sndr_last_error() has its words */
} sndr_status;

typedef struct {
  int32_t abi;          /* SNDR_KERNELS_ABI */
  int32_t q_is_bf16;    /* 1 bf16, 0 fp16; output has the same type */
  int32_t num_reqs, q_len, num_q_heads, num_kv_heads, head_dim, page_size;
  float scale;          /* softmax scale */
  int32_t path;         /* 0 best for the card, 1 the sm_80 path */
  const void* q;        /* [num_reqs * q_len, num_q_heads, head_dim] */
  const void* kv;       /* pages of packed slots */
  void* out;            /* as q */
  void* scratch;        /* sndr_tq_scratch_bytes() */
  const int32_t* block_table; /* [num_reqs, bt_row] page numbers */
  const int32_t* seq_lens;    /* [num_reqs], the q_len new tokens included; 0 = no-op */
  int64_t stride_block, stride_pos, stride_head; /* bytes between pages, tokens, KV heads */
  int64_t q_row, q_head, out_row, out_head;      /* elements */
  int64_t bt_row;                                /* elements */
  void* stream;
} sndr_tq_attention;

size_t sndr_tq_scratch_bytes(int32_t num_reqs, int32_t q_len, int32_t num_q_heads, int32_t head_dim);
sndr_status sndr_tq_decode(const sndr_tq_attention* args);
const char* sndr_last_error(void);
int32_t sndr_kernels_abi(void);

#ifdef __cplusplus
}
#endif
#endif
