#!/bin/sh
# make_sweep.sh OUT: compiles every instruction of the PTX ISA (gpu/kernels/micro/instruction_probe/make_ptx.py --all)
# for every architecture, optimised and for debugging, has nvdisasm print the code, and writes one instruction of each
# shape to OUT (compressed with zstd, where that is installed), in the lines that make_listing.sh describes. Of one shape
# are an architecture's instructions whose operands differ in numbers alone.
#
# Needs ptxas, nvdisasm and Python 3. ARCHS="75 80" chooses.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
probe=$here/../../gpu/kernels/micro/instruction_probe
out=${1:?usage: make_sweep.sh OUT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Pieces of a hundred kernels, so that all processors have work: WORK/ARCH-NUMBER.ptx
for arch in ${ARCHS:-75 80 86 89 90 100 103 110 120 121}; do
  python3 "$probe/make_ptx.py" "sm_$arch" --all | awk -v name="$work/$arch" '
    /^\.visible/ { if (count++ % 100 == 0) { file = name "-" int(count / 100) ".ptx"; printf "%s", head > file } }
    file == "" { head = head $0 "\n"; next }
    { print > file }'
done
for ptx in "$work"/*.ptx; do
  echo "$ptx -O3"
  echo "$ptx -g"
done > "$work/jobs"
xargs -P "${JOBS:-$(nproc)}" -L 1 sh -ec '
  arch=${1##*/} arch=${arch%%-*} cubin=$1$2.cubin
  ptxas "$2" -arch="sm_$arch" -o "$cubin" "$1" 2> "$cubin.log" || { cat "$cubin.log" >&2; exit 255; }
  nvdisasm -c -hex "$cubin" | awk -v arch="$arch" -f "$0/listing.awk" | sort -u > "$cubin.tsv"
  rm "$cubin"
' "$here" < "$work/jobs"

sort -u "$work"/*.tsv | sort -s -t "$(printf '\t')" -k 1,1 -k 4,4 | awk -F '\t' '
  {
    text = $4
    guard = sub(/^@!?U?P[0-9T]+ /, "", text) ? "@" : ""
    operands = index(text, " ") ? substr(text, index(text, " ")) : ""
    shape = $1 guard substr(text, 1, length(text) - length(operands))
    gsub(/0x[0-9a-f]+|[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?/, "0", operands)
    gsub(/URZ/, "UR0", operands); gsub(/RZ/, "R0", operands); gsub(/PT/, "P0", operands)
    shape = shape operands
    if (!(shape in seen)) { seen[shape] = 1; print }
  }
' > "$work/all.tsv"
if command -v zstd > /dev/null; then zstd -q -f -19 "$work/all.tsv" -o "$out"; else cp "$work/all.tsv" "$out"; fi
