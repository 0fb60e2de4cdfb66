#!/bin/sh
# Compiles the test kernels; needs nvcc.
set -eu
cd "$(dirname "$0")"
for arch in sm_80 sm_90; do
  nvcc -arch=$arch -lineinfo -cubin -o machine.$arch.cubin machine.cu
done
