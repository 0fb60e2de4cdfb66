#!/bin/sh
# Installs from PyPI what the tests of Numba and CuPy need (python/tests/frameworks), into
# build/python. Without these packages the tests are skipped.
set -eu
cd "$(dirname "$0")/.."
folder=build/python
wanted=python/tests/frameworks/requirements.txt
cmp -s "$wanted" "$folder/installed.txt" && exit 0
echo "fetching Numba and CuPy" >&2
if python3 -m venv "$folder" >&2 &&
  timeout 900 "$folder/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 2 \
    --requirement "$wanted" >&2; then
  cp "$wanted" "$folder/installed.txt"
else
  echo "they could not be fetched: the tests of Numba and CuPy will be skipped" >&2
fi
