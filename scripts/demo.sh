#!/bin/sh
# Builds heddle, runs the kernels of the seed documents on the model, and compares every count with
# what an H200 gave. Needs no GPU, no CUDA Toolkit and no NVIDIA tool: without the toolkit the
# launches are replayed from capsules, with it the programs are compiled and run whole.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake --preset release
cmake --build --preset release --target heddle heddle_cudart
heddle=build/release/cli/heddle

if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  suite=$(sed -n 's/^program = "\(.*\)"$/\1/p' gpu/kernels/suite.toml | sort -u)
  PROGRAMS="$suite" gpu/kernels/build.sh build/kernels sm_90
  echo; echo "simpleDivergence, built for debugging, on the model:"; echo
  $heddle run -- build/kernels/simple_divergence.sm_90.G 64
  echo; echo "The suite, model against H200:"; echo
  $heddle validate --programs build/kernels
else
  echo; echo "simpleDivergence, built for debugging, on the model:"; echo
  $heddle run validation/capsules/simple_divergence.sm_90.G
  echo; echo "The suite, model against H200:"; echo
  $heddle validate --capsules
fi
echo; echo "The command is $PWD/$heddle. So that this shell finds it:"
echo "  export PATH=\"$PWD/${heddle%/heddle}:\$PATH\""
