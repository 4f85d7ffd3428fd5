# SPDX-License-Identifier: Apache-2.0
"""k8v4 decode on the card at hand: error against fp32 on the dequantised cache, then times beside a bare read of the same bytes
(CUDA-graph replay, combine included, pools rotated beyond L2, random pages of 16). Run by bench/turboquant/run.sh."""
import ctypes, torch, sys, math
torch.manual_seed(0)
lib = ctypes.CDLL("build/kernels/libgenesis_kernels.so"); rd = ctypes.CDLL("build/kernels/libbare_read.so")
i32, i64, f, vp = ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
class A(ctypes.Structure):
    _fields_ = [("abi", i32), ("q_is_bf16", i32), ("num_reqs", i32), ("q_len", i32), ("num_q_heads", i32), ("num_kv_heads", i32), ("head_dim", i32), ("page_size", i32), ("scale", f), ("path", i32),
      ("q", vp), ("kv", vp), ("out", vp), ("scratch", vp), ("block_table", vp), ("seq_lens", vp),
      ("stride_block", i64), ("stride_pos", i64), ("stride_head", i64), ("q_row", i64), ("q_head", i64), ("out_row", i64), ("out_head", i64), ("bt_row", i64), ("stream", vp)]
lib.sndr_tq_scratch_bytes.restype = ctypes.c_size_t; lib.sndr_last_error.restype = ctypes.c_char_p
D, S = 256, 388
def pool(nb, bs, hk, new):  # random slots
    n = nb * bs * hk
    k = (torch.randn(n, D, device="cuda") * 1.5).to(torch.float8_e4m3fn).view(torch.uint8)
    v = torch.randint(0, 256, (n, D // 2), device="cuda", dtype=torch.uint8)
    sz = torch.stack([torch.rand(n, device="cuda") * 0.3 + 0.01, -torch.rand(n, device="cuda") * 2], 1).half().view(torch.uint8).view(n, 4)
    x = torch.cat([k, v, sz], 1)
    return x.view(nb, hk, bs, S).contiguous() if new else x.view(nb, bs, hk, S).contiguous()
def decode_slots(x):
    k = x[..., :D].contiguous().view(torch.float8_e4m3fn).float()
    v = x[..., D:D + D // 2]; lo = (v & 15).float(); hi = (v >> 4).float()
    n = torch.stack([lo, hi], -1).flatten(-2)
    sz = x[..., 384:388].contiguous().view(torch.float16).float()
    return k, n * sz[..., :1] + sz[..., 1:]
def make(B, hq, hk, q, bs, new, maxlen, lens, kv=None, dt=torch.bfloat16):
    pages = (maxlen + bs - 1) // bs
    kv = pool(B * pages, bs, hk, new) if kv is None else kv
    bt = torch.randperm(B * pages, device="cuda").int().view(B, pages)
    Q = torch.randn(B * q, hq, D, device="cuda").to(dt); O = torch.zeros_like(Q)
    L = torch.tensor(lens, device="cuda", dtype=torch.int32)
    sc = torch.empty(lib.sndr_tq_scratch_bytes(B, q, hq, D), dtype=torch.uint8, device="cuda")
    a = A(1, int(dt == torch.bfloat16), B, q, hq, hk, D, bs, D ** -0.5, 0, Q.data_ptr(), kv.data_ptr(), O.data_ptr(), sc.data_ptr(), bt.data_ptr(), L.data_ptr(),
          kv.stride(0), kv.stride(2 if new else 1), kv.stride(1 if new else 2), Q.stride(0), Q.stride(1), O.stride(0), O.stride(1), bt.stride(0), 0)
    return a, dict(kv=kv, bt=bt, Q=Q, O=O, L=L, sc=sc, new=new, q=q, hk=hk, hq=hq, bs=bs)
def call(a):
    a.stream = torch.cuda.current_stream().cuda_stream
    r = lib.sndr_tq_decode(ctypes.byref(a))
    if r: raise SystemExit(f"status {r} {lib.sndr_last_error()}")
def ref(d):
    out = torch.zeros_like(d["Q"], dtype=torch.float32)
    G = d["hq"] // d["hk"]; q = d["q"]
    for b, L in enumerate(d["L"].tolist()):
        if L == 0: continue
        pages = d["bt"][b, :(L + d["bs"] - 1) // d["bs"]].long()
        x = d["kv"][pages]
        x = x.transpose(0, 1).reshape(d["hk"], -1, S) if d["new"] else x.permute(2, 0, 1, 3).reshape(d["hk"], -1, S)
        k, v = decode_slots(x[:, :L])
        Q = d["Q"][b * q:(b + 1) * q].float()
        for h in range(d["hk"]):
            s = torch.einsum("qgd,kd->qgk", Q[:, h * G:(h + 1) * G], k[h]) * D ** -0.5
            pos = torch.arange(L, device="cuda"); lim = L - q + 1 + torch.arange(q, device="cuda")
            s = s.masked_fill(pos[None, None] >= lim[:, None, None], float("-inf"))
            out[b * q:(b + 1) * q, h * G:(h + 1) * G] = torch.einsum("qgk,kd->qgd", s.softmax(-1), v[h])
    return out
torch.backends.cuda.matmul.allow_tf32 = False
for (B, hq, hk, q, bs, new, lens) in [(1, 24, 4, 1, 16, 1, [1]), (3, 24, 4, 1, 16, 1, [17, 0, 1000]), (2, 16, 2, 1, 64, 0, [5000, 33]), (4, 24, 4, 1, 128, 0, [15, 257, 4097, 70000]), (4, 16, 2, 2, 16, 1, [16, 255, 256, 9000]),
     (3, 24, 4, 2, 16, 0, [2, 255, 30000]), (1, 24, 4, 1, 16, 1, [262144]), (33, 24, 4, 1, 16, 1, [100 + 17 * i for i in range(33)]), (2, 8, 1, 1, 16, 1, [20000, 5])]:
    a, d = make(B, hq, hk, q, bs, new, max(lens), lens)
    call(a); torch.cuda.synchronize(); r = ref(d); e = (d["O"].float() - r).abs().max().item(); m = r.abs().max().item()
    o1 = d["O"].clone(); call(a); torch.cuda.synchronize()
    print(f"B{B} {hq}/{hk} q{q} bs{bs} new{new} lens{lens[:4]}: err {e:.5f} max {m:.3f} ulps {e / (m * 2**-8):.2f} same {torch.equal(o1, d['O'])}", flush=True)
    del a, d, r
def timeit(fn, n=20):
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        for f_ in fn: f_()
        g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(g, stream=s):
            for _ in range(max(1, 60 // len(fn))):
                for f_ in fn: f_()
        k = max(1, 60 // len(fn)) * len(fn)
        ts = []
        for _ in range(n):
            e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            e0.record(); g.replay(); e1.record(); e1.synchronize(); ts.append(e0.elapsed_time(e1) * 1e3 / k)
    return sorted(ts)[len(ts) // 2]
for (name, hq, hk, path) in [("27B", 24, 4, 0), ("35B", 16, 2, 0)]:
    for (B, L) in [(1, 8192), (1, 32768), (1, 131072), (4, 32768), (1, 262144), (8, 32768), (32, 8192)]:
        for new in (1, 0):
            for q in (1, 2)[:1 if not new or path else 2]:
                by = B * L * hk * S; npool = max(2, min(6, int(400e6 // by) + 1))
                xs = [make(B, hq, hk, q, 16, new, L, [L] * B) for _ in range(npool)]
                for a, _ in xs: a.path = path
                t = timeit([lambda a=a: call(a) for a, _ in xs])
                o = torch.zeros(4, device="cuda")
                r = timeit([lambda d=d: rd.bare_read(vp(d["kv"].data_ptr()), ctypes.c_size_t(by), vp(o.data_ptr()), vp(torch.cuda.current_stream().cuda_stream)) for _, d in xs])
                print(f"{name} path{path} B{B} L{L} q{q} new{new} {by/1e6:.1f} MB: ours {t:.1f} us read {r:.1f} ratio {t/r:.2f} {by/t/1e6:.2f} TB/s", flush=True)
                del xs; torch.cuda.empty_cache()
