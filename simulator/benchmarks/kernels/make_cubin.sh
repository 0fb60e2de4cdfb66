#!/bin/sh
# Compiles the benchmark's kernels; needs nvcc.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90 -cubin -o kernels.sm_90.cubin kernels.cu
nvcc -arch=sm_90 -cubin -o filtered.sm_90.cubin filtered.cu
