#!/bin/sh
# Runs programs of Numba and CuPy on the model: HEDDLE=build/release/cli/heddle scripts/test_python.sh
# Ends with 77 where scripts/setup_python.sh could not fetch these packages.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f build/python/installed.txt ]; then
  echo "skipped: build/python lacks Numba and CuPy; run scripts/setup_python.sh with a network"
  exit 77
fi
: "${HEDDLE:=build/release/cli/heddle}"
export HEDDLE CUPY_CACHE_DIR="$PWD/build/python/kernels"
exec build/python/bin/python -B -m unittest discover -s python/tests/frameworks "$@"
