#!/bin/bash
# tidy.sh [FOLDER…]: clang-tidy's checks (.clang-tidy) over the sources of rooms; by default those
# that everything stands on. It builds nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
rooms=("$@")
[ $# -gt 0 ] || rooms=(isa simulator/warp)
cmake -S . -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++-14 -DBUILD_TESTING=OFF \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DHEDDLE_BATCHES=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
for room in "${rooms[@]}"; do
  git ls-files -z "$room/*.cpp" | grep -zvE '/(tests|fuzz|benchmarks)/'
done | xargs -0 -r -n 1 -P "$(nproc)" clang-tidy-14 -p build/tidy --quiet
