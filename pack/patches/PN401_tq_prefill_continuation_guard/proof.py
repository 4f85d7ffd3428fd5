# SPDX-License-Identifier: Apache-2.0
"""A request with a cached prefix must attend to it, also beside a longer first prompt in the same batch.

The real _prefill_attention runs on the CPU; the attention kernels that it calls are replaced by plain torch ones
that read keys and values from an uncompressed cache, so the only question is which of them it calls with what.
"""

import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Cannot, Proof

proof = Proof()

FILE = "v1/attention/backends/turboquant_attn.py"

# requests as (new tokens, whole length); is the fast path right for them
BATCHES = [
    ([(6, 6)], True),
    ([(6, 6), (4, 4)], True),
    ([(6, 6), (2, 5)], False),
    ([(2, 5), (6, 6)], False),
    ([(6, 6), (0, 0)], True),  # a padding row
    ([(6, 6), (0, 9)], True),
    ([(6, 6), (3, 6), (1, 2)], False),
]


def engine():
    module = proof.load("vllm.v1.attention.backends.turboquant_attn")
    import torch

    heads, size, most = 2, 4, 16
    scale = 0.5
    cpu = torch.Generator().manual_seed(1)

    def attend(q, k, v):
        """q continues k and v: its last row sees all of them."""
        shift = k.shape[0] - q.shape[0]
        scores = torch.einsum("qhd,khd->hqk", q, k) * scale
        later = torch.arange(k.shape[0])[None, :] > torch.arange(q.shape[0])[:, None] + shift
        weights = scores.masked_fill(later[None], float("-inf")).softmax(-1)
        return torch.einsum("hqk,khd->qhd", weights, v)

    problems = []
    for requests, fast in BATCHES:
        for mirrors in (True, False):
            keys = torch.randn(len(requests), most, heads, size, generator=cpu)
            values = torch.randn(len(requests), most, heads, size, generator=cpu)
            starts = [0]
            for new, _ in requests:
                starts.append(starts[-1] + new)
            rows = [(number, at) for number, (new, length) in enumerate(requests) for at in range(length - new, length)]
            query = torch.randn(starts[-1], heads, size, generator=cpu)
            key = torch.stack([keys[number, at] for number, at in rows])
            value = torch.stack([values[number, at] for number, at in rows])
            expected = torch.zeros_like(query)
            for number, (new, length) in enumerate(requests):
                if new:
                    part = slice(starts[number], starts[number + 1])
                    expected[part] = attend(query[part], keys[number, :length], values[number, :length])
            calls = []

            def flash(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k):
                calls.append(len(cu_seqlens_q) - 1)
                out = torch.zeros_like(q)
                at_q, at_k = cu_seqlens_q.tolist(), cu_seqlens_k.tolist()
                for a, b, c, d in zip(at_q, at_q[1:], at_k, at_k[1:]):
                    if b > a:
                        out[a:b] = attend(q[a:b], k[c:d], v[c:d])
                return out

            def decode(query, block_table, seq_lens, **_):
                out = torch.zeros_like(query)
                for row in range(query.shape[0]):
                    number, length = int(block_table[row, 0]), int(seq_lens[row])
                    out[row] = attend(query[row : row + 1], keys[number, :length], values[number, :length])[0]
                return out

            impl = object.__new__(module.TurboQuantAttentionImpl)
            impl._flash_attn_varlen = flash
            impl._soa_store = False
            impl.scale = scale
            impl.tq_config = types.SimpleNamespace(
                key_mse_bits=0, key_packed_size=0, effective_value_quant_bits=4, key_fp8=True, norm_correction=False
            )
            module._HAS_FLASH_ATTN = True
            module.triton_turboquant_decode_attention = decode
            where = torch.tensor(starts, dtype=torch.int32)
            lengths = torch.tensor([length for _, length in requests], dtype=torch.int32)
            meta = module.TurboQuantMetadata(
                seq_lens=lengths,
                slot_mapping=torch.zeros(starts[-1], dtype=torch.int64),
                block_table=torch.arange(len(requests))[:, None],
                query_start_loc=where,
                num_actual_tokens=starts[-1],
                max_query_len=max(new for new, _ in requests),
                max_seq_len=max(length for new, length in requests if new),
                is_prefill=True,
                query_start_loc_cpu=where if mirrors else None,
                seq_lens_cpu=lengths if mirrors else None,
            )
            found = impl._prefill_attention(query, key, value, None, meta, None, None)
            worst = (found - expected).abs().max().item()
            if worst > 1e-4:
                problems.append(
                    f"requests (new, whole) {requests}: outputs are off by {worst:.2f}, the cached prefix is ignored"
                )
                break
            if mirrors and fast and calls != [len(requests)]:
                problems.append(f"requests {requests} could take the fast path and don't")
    return problems[:2]


class Slow(Exception):
    pass


class Numbers(list):
    """As much of a CPU tensor as is needed here."""

    @property
    def shape(self):
        return (len(self),)

    def tolist(self):
        return list(self)


def function():
    if proof.file(FILE) is None:
        raise Cannot("this vLLM has no TurboQuant")

    def slow(*_, **__):
        raise Slow

    space = {
        "_HAS_FLASH_ATTN": True,
        "torch": types.SimpleNamespace(zeros=slow),
        "TurboQuantMetadata": None,
    }
    proof.take(FILE, ["TurboQuantAttentionImpl(_prefill_attention)"], space)
    impl = space["TurboQuantAttentionImpl"]()
    impl._flash_attn_varlen = lambda **_: "fast"
    tensor = types.SimpleNamespace(shape=(6, 2, 4), device=None, dtype=None)
    problems = []
    for requests, fast in BATCHES:
        starts = Numbers([0])
        for new, _ in requests:
            starts.append(starts[-1] + new)
        lengths = Numbers(length for _, length in requests)
        for mirrors in (True, False):
            meta = types.SimpleNamespace(
                query_start_loc=starts,
                max_query_len=max(new for new, _ in requests),
                max_seq_len=max(length for new, length in requests if new),
                query_start_loc_cpu=starts if mirrors else None,
                seq_lens_cpu=lengths if mirrors else None,
            )
            try:
                impl._prefill_attention(tensor, tensor, tensor, None, meta, None, None)
                taken = True
            except Slow:
                taken = False
            if taken and not fast:
                problems.append(f"requests (new, whole) {requests} take the path that ignores cached prefixes")
                break
            if mirrors and fast and not taken:
                problems.append(f"requests {requests} could take the fast path and don't")
    return problems[:2]


proof.run(engine=engine, function=function)
