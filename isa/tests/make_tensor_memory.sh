#!/bin/sh
# make_tensor_memory.sh OUT: as make_sweep.sh, of every form of tcgen05 and of what sm_100a, sm_103a and sm_110a have for
# it (gpu/kernels/micro/tensor_memory_probe/make_ptx.py): the words of products, moves, allocation and barriers of tensor
# memory, and of the copy engine, to OUT (compressed with zstd).
#
# Needs ptxas, nvdisasm, Python 3 and zstd. A form that an architecture lacks is refused by ptxas, and left out.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
probe=$here/../../gpu/kernels/micro/tensor_memory_probe
out=${1:?usage: make_tensor_memory.sh OUT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for arch in ${ARCHS:-100 103 110}; do
  mkdir "$work/$arch"
  python3 "$probe/make_ptx.py" "sm_${arch}a" "$work/$arch"
  find "$work/$arch" -name '*.ptx' | xargs -P "${JOBS:-$(nproc)}" -n 1 sh -c '
    ptxas -arch="sm_$1a" -o "$2.cubin" "$2" 2> /dev/null || exit 0
    nvdisasm -c -hex "$2.cubin" | awk -v arch="$1" -f "$0/listing.awk" > "$2.tsv"
    rm "$2.cubin"
  ' "$here" "$arch"
done
find "$work" -name '*.tsv' -exec cat {} + |
  grep -E 'UTC|LDTM|STTM|UVIRTCOUNT|UTMA|UBLK|FENCE|UGETNEXTWORKID|UMEMSETS|SYNCS|USETMAXREG' | sort -u > "$work/all.tsv"
zstd -q -f -19 "$work/all.tsv" -o "$out"
