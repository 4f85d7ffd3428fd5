#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the decode kernel for the card at hand (nvcc, sm_90a) and prints its table. Needs torch with CUDA.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p build/kernels
flags=(-std=c++20 -O3 -arch=sm_90a -Xcompiler -fPIC -shared)
nvcc "${flags[@]}" -Xcompiler -fvisibility=hidden -o build/kernels/libgenesis_kernels.so kernels/tq_decode.cu
nvcc "${flags[@]}" -o build/kernels/libbare_read.so bench/turboquant/read.cu
python3 bench/turboquant/decode.py
