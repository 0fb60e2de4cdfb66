#!/bin/sh
# make_listing.sh OUT: compiles isa/tests/corpus and gpu/kernels for every architecture, optimised and
# for debugging, has nvdisasm print the code, and writes every distinct instruction to OUT (compressed
# with zstd), one a line, tab between:
#
#   architectures   address   word   text
#
# The word is 32 hexadecimal digits, bits 127 to 0, with bits 121:105 (stall count, scoreboards)
# cleared: nvdisasm prints nothing of them. Labels in the text are replaced by their addresses; the
# address is that of the instruction where its text depends on it, 0 elsewhere. A symbol that only
# relocation can resolve is written `(*), and nvdisasm's list of a BRX's targets, which is not in the
# instruction, is left out.
#
# A source that does not build for an architecture is left out there, and said so.
#
# Needs nvcc, nvdisasm and zstd. ARCHS="75 80" chooses.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH= cd -- "$here/../.." && pwd)
out=${1:?usage: make_listing.sh OUT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One line per cubin: architecture, flags, source.
for arch in ${ARCHS:-75 80 86 89 90 100 103 110 120 121}; do
  for mode in -O3 -G; do
    for source in "$here"/corpus/*.cu "$root"/gpu/kernels/*/*.cu; do
      [ -e "$source" ] || continue
      case $source in
        */separate.cu) echo "$arch $mode $source -rdc=true" ;;
        *) echo "$arch $mode $source" ;;
      esac
    done
  done
done > "$work/jobs"

xargs -P "${JOBS:-$(nproc)}" -L 1 sh -ec '
  work=$1 arch=$2 mode=$3 source=$4
  shift 4
  name=$(basename "$source" .cu)
  cubin=$work/$name$mode.$arch.cubin
  if ! nvcc -w -std=c++17 -arch="sm_$arch" "$mode" "$@" -cubin -o "$cubin" "$source" 2> "$cubin.log"; then
    echo "left out: $source does not build for sm_$arch" >&2
    exit 0
  fi
  nvdisasm -c -hex "$cubin" > "$cubin.txt"
  rm "$cubin"
' compile "$work" < "$work/jobs"

for listing in "$work"/*.cubin.txt; do
  arch=${listing%.cubin.txt}
  awk -v arch="${arch##*.}" -f "$here/listing.awk" "$listing"
done | sort -u | awk -F '\t' '
  {
    key = $2 "\t" $3 "\t" $4
    if (!(key in archs)) order[count++] = key
    archs[key] = archs[key] (archs[key] == "" ? "" : ",") $1
  }
  END { for (i = 0; i < count; ++i) print archs[order[i]] "\t" order[i] }
' | sort -t "$(printf '\t')" -k 3,3 -k 2,2 > "$work/all.tsv"
zstd -q -f -19 "$work/all.tsv" -o "$out"
