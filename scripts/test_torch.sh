#!/bin/sh
# Runs programs of PyTorch on the model: HEDDLE=build/release/cli/heddle scripts/test_torch.sh
# Requires PyTorch's CUDA 13 wheel from PyPI (about 6 GB with what it needs):
#   python3 -m venv build/torch && build/torch/bin/pip install 'torch>=2.14'
# PYTHON names another Python that has it. Ends with 77 where there is none. Takes half a minute of processor time.
set -eu
cd "$(dirname "$0")/.."
: "${HEDDLE:=build/release/cli/heddle}" "${PYTHON:=build/torch/bin/python}"
if ! "$PYTHON" -c 'import torch, sys; sys.exit(torch.version.cuda is None)' 2>/dev/null; then
  sed -n '3,5s/^# //p' "$0"
  exit 77
fi
programs=python/tests/frameworks
run() { "$HEDDLE" run --quiet -- "$PYTHON" "$@"; }
for network in mlp cnn transformer; do run "$programs/torch_training.py" "$network"; done
run "$programs/torch_operations.py"
