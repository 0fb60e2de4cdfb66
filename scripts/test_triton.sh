#!/bin/sh
# Runs kernels of Triton on the model: HEDDLE=build/release/cli/heddle scripts/test_triton.sh
# Requires PyTorch's CUDA 13 wheel from PyPI, which brings Triton (about 6 GB with what it needs), and a C compiler:
#   python3 -m venv build/torch && build/torch/bin/pip install 'torch>=2.14'
# PYTHON names another Python that has it. Ends with 77 where there is none. Takes half a minute of processor time.
set -eu
cd "$(dirname "$0")/.."
: "${HEDDLE:=build/release/cli/heddle}" "${PYTHON:=build/torch/bin/python}"
if ! "$PYTHON" -c 'import torch, triton, sys; sys.exit(torch.version.cuda is None)' 2>/dev/null; then
  sed -n '3,5s/^# //p' "$0"
  exit 77
fi
export TORCHINDUCTOR_DETERMINISTIC=1  # torch.compile times kernels by thousands of launches else
for gpu in a100 h200; do
  echo "$gpu"
  "$HEDDLE" run --quiet --gpu "$gpu" -- "$PYTHON" python/tests/frameworks/triton_kernels.py "$@"
done
