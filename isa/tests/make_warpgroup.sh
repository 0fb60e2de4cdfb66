#!/bin/sh
# make_warpgroup.sh OUT: as make_sweep.sh, of every form of wgmma and of what sm_90a has besides
# (gpu/kernels/micro/warpgroup_probe/make_ptx.py, isa/tests/corpus/warpgroup.cu): the words of warp-group products,
# WARPGROUP, USETMAXREG and the copies of tensors, to OUT (compressed with zstd).
#
# Needs nvcc, ptxas, nvdisasm, Python 3 and zstd.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
probe=$here/../../gpu/kernels/micro
out=${1:?usage: make_warpgroup.sh OUT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for part in 0 1 2 3 4 5 6 7; do
  python3 "$probe/warpgroup_probe/make_ptx.py" --part $part > "$work/$part.ptx"
  ptxas -arch=sm_90a -o "$work/$part.cubin" "$work/$part.ptx"
done
nvcc -std=c++20 -w -arch=sm_90a -cubin -o "$work/corpus.cubin" "$here/corpus/sm_90a/warpgroup.cu"
nvcc -std=c++20 -arch=sm_90a -cubin -o "$work/tensor.cubin" "$probe/tensor_probe/tensor_kernels.cu"
for cubin in "$work"/*.cubin; do
  nvdisasm -c -hex "$cubin" | awk -v arch=90 -f "$here/listing.awk" |
    grep -E '[HIQB]GMMA|WARPGROUP|USETMAXREG|UTMA|FENCE|SYNCS|S2UR'
done | sort -u > "$work/all.tsv"
zstd -q -f -19 "$work/all.tsv" -o "$out"
