#!/bin/sh
# capture.sh HEDDLE PROGRAMS: writes the launches of the suites' smaller entries anew as capsules to
# validation/capsules. PROGRAMS is a folder made by gpu/kernels/build.sh; the paths of the sources
# it was built from are in the capsules' line tables.
set -eu
heddle=$(realpath "$1")
programs=$(realpath "$2")
cd "$(dirname "$0")/../validation/capsules"

# capture ENTRY PROGRAM [ARGUMENT…]: as in gpu/kernels/suite.toml or features.toml.
capture() {
  entry=$1 program=$2
  shift 2
  for build in $builds; do
    rm -rf "$entry.sm_90.$build"
    "$heddle" run --capture "$entry.sm_90.$build" -- "$programs/$program.sm_90.$build" "$@" \
      >/dev/null 2>&1
  done
}

builds="O3 G"
capture simple_divergence simple_divergence 64
capture reduce_integer_128 reduce_integer 128 65536
capture sum_matrix_2d_32x32 sum_matrix_2d 32 32 256 256
capture sum_matrix_2d_ragged sum_matrix_2d 12 7 250 99
capture matmul matmul 96 80 64
capture matmul_ragged matmul 50 33 41
capture reduce_float reduce_float 512 262144
capture nested_loops nested_loops
capture vector_add vector_add 100000
capture print_stride print_stride
capture block_40x2 block_40x2
capture random_calls random_calls
builds=O3
capture random_branches random_branches
builds=G
capture calls calls 96
