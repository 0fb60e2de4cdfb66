#!/bin/sh
# Writes traces/kernels/derived/ anew: the sketches that `heddle simplify` derives from the capsules
# of the seed kernels, of their debug builds and, in derived/O3/, of their release builds.
#   scripts/derive_sketches.sh [heddle (build/release/cli/heddle)]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
heddle=${1:-$here/build/release/cli/heddle}
derived=$here/traces/kernels/derived
mkdir -p "$derived/O3"
for name in simple_divergence reduce_integer_128 reduce_float sum_matrix_2d_32x32 \
  sum_matrix_2d_ragged matmul matmul_ragged nested_loops vector_add print_stride block_40x2; do
  "$heddle" simplify -o "$derived/$name.warp" "$here/validation/capsules/$name.sm_90.G"
  "$heddle" simplify -o "$derived/O3/$name.warp" "$here/validation/capsules/$name.sm_90.O3"
done
