#!/bin/sh
# Compiles the test kernels; needs nvcc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kernels=$here/../../../gpu/kernels
work=/tmp/heddle-kernels # stands in the line tables: the same everywhere
rm -rf "$work"
mkdir -p "$work/micro/patched_code"
cp "$here/machine.cu" "$here/grid_barrier.cu" "$here/long_blocks.cu" \
  "$here/access_patterns.cu" "$here/talking_blocks.cu" "$here/reductions.cu" "$here/surfaces.cu" \
  "$here/blackwell.cu" "$here/tensor_memory.cu" "$work"
cp -r "$kernels/common" "$work"
cp "$kernels/micro/patched_code/patched_code.cu" "$work/micro/patched_code"
find "$work" -type f -exec touch -d @0 {} + # line tables hold times too
cd "$work"
for arch in sm_80 sm_90 sm_100 sm_120; do
  nvcc -arch=$arch -lineinfo -cubin -o "$here/machine.$arch.cubin" machine.cu
done
nvcc -arch=sm_90 -cubin -o "$here/grid_barrier.sm_90.cubin" grid_barrier.cu
nvcc -arch=sm_90 -cubin -o "$here/access_patterns.sm_90.cubin" access_patterns.cu
nvcc -arch=sm_90 -cubin -o "$here/long_blocks.sm_90.cubin" long_blocks.cu
nvcc -arch=sm_90 -cubin -o "$here/talking_blocks.sm_90.cubin" talking_blocks.cu
nvcc -arch=sm_90 -cubin -o "$here/reductions.sm_90.cubin" reductions.cu
nvcc -arch=sm_90 -cubin -o "$here/surfaces.sm_90.cubin" surfaces.cu
for kernels in blackwell tensor_memory; do
  nvcc -std=c++17 -arch=sm_100a -cubin -o "$here/$kernels.sm_100.cubin" $kernels.cu
done
nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o "$here/patched_code.sm_90.cubin" micro/patched_code/patched_code.cu
