#!/bin/sh
# Compiles the test kernels; needs nvcc.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/heddle-kernels # stands in the line tables: the same everywhere
rm -rf "$work"
mkdir "$work"
cp "$here/machine.cu" "$work"
cd "$work"
for arch in sm_80 sm_90; do
  nvcc -arch=$arch -lineinfo -cubin -o "$here/machine.$arch.cubin" machine.cu
done
