#!/bin/sh
# Builds the release preset and runs all tests. Needs no GPU, no CUDA Toolkit and no NVIDIA tool.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake --preset release
cmake --build --preset release
ctest --preset release --parallel "$(nproc)"
