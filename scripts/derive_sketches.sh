#!/bin/sh
# Writes traces/kernels/derived/ anew: the sketches that `heddle simplify` derives from the debug
# builds' capsules of the seed kernels.
#   scripts/derive_sketches.sh [heddle (build/release/cli/heddle)]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
heddle=${1:-$here/build/release/cli/heddle}
for name in simple_divergence reduce_integer_128 sum_matrix_2d_32x32 sum_matrix_2d_ragged matmul \
  matmul_ragged; do
  "$heddle" simplify -o "$here/traces/kernels/derived/$name.warp" \
    "$here/validation/capsules/$name.sm_90.G"
done
