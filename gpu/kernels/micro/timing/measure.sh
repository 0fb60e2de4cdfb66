#!/bin/sh
# measure.sh FOLDER [PROGRAM…]
#
# Builds programs of this folder (spinning, one_address, textures and strides, unless others are named) and
# runs them on this machine's GPU. What each prints goes to FOLDER/PROGRAM.txt. Needs the CUDA Toolkit.
#
# NVCC: the compiler (nvcc of the PATH, else of /usr/local/cuda); BIN: where built programs are, or shall be.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
[ $# -gt 0 ] || { sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; }
out=$1
shift
[ $# -gt 0 ] || set -- spinning one_address textures strides
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
bin=${BIN:-$out/bin}
mkdir -p "$out" "$bin" || exit 2
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
failed=0
for program in "$@"; do
  [ -x "$bin/$program" ] || "$nvcc" -std=c++17 -O3 -arch=sm_90 -o "$bin/$program" "$here/$program.cu" &
done
wait
for program in "$@"; do
  { [ -z "$driver" ] || echo "# driver $driver"; timeout 300 "$bin/$program"; } > "$out/$program.txt" ||
    { echo "measure.sh: $program failed" >&2; failed=1; }
done
exit $failed
