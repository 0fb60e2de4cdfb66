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
# Needs nvcc, nvdisasm and zstd. ARCHS="75 80 86 89 90" chooses.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH= cd -- "$here/../.." && pwd)
out=${1:?usage: make_listing.sh OUT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One line per cubin: architecture, flags, source.
for arch in ${ARCHS:-75 80 86 89 90}; do
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
  awk -v arch="${arch##*.}" '
    function nibble(c) { return index("0123456789abcdef", c) - 1 }
    function without_control(high) {  # clears bits 57:41 of the high half
      return substr(high, 1, 1) substr("048c", int(nibble(substr(high, 2, 1)) / 4) + 1, 1) "000" \
             (nibble(substr(high, 6, 1)) % 2) substr(high, 7)
    }
    function flush(   i, text, name, before, after, shown) {
      for (i = 0; i < count; ++i) {
        text = texts[i]
        shown = 0
        sub(/ *\(\*".*"\*\)/, "", text)
        sub(/32@(lo|hi)\(.*\)/, "`(*)", text)
        if (match(text, /`\(.*\)/)) {
          before = substr(text, 1, RSTART - 1)
          name = substr(text, RSTART + 2, RLENGTH - 3)
          after = substr(text, RSTART + RLENGTH)
          if (name in labels) {
            text = before sprintf("0x%x", labels[name]) after
            shown = addresses[i]
          } else {
            text = before "`(*)" after
          }
        }
        print arch "\t" sprintf("0x%x", shown) "\t" words[i] "\t" text
      }
      count = 0
      delete_all()
    }
    function delete_all(   key) { for (key in labels) delete labels[key]; pending = 0 }
    function number(hex,   i, value) {
      value = 0
      for (i = 1; i <= length(hex); ++i) value = value * 16 + nibble(substr(hex, i, 1))
      return value
    }
    /^\t\.section/ { flush(); next }
    /^[^ \t].*:$/ { names[pending++] = substr($0, 1, length($0) - 1); next }
    match($0, /^ +\/\*[0-9a-f]+\*\/ /) {
      address = $1
      gsub(/[^0-9a-f]/, "", address)
      address = number(address)
      while (pending > 0) labels[names[--pending]] = address
      line = substr($0, RLENGTH + 1)
      low = substr(line, length(line) - 18, 16)
      line = substr(line, 1, length(line) - 25)
      sub(/ *; *$/, "", line)
      sub(/^ */, "", line)
      next
    }
    match($0, /^ +\/\* 0x[0-9a-f]+ \*\/$/) {
      high = substr($0, length($0) - 18, 16)
      texts[count] = line
      addresses[count] = address
      words[count++] = without_control(high) low
    }
    END { flush() }
  ' "$listing"
done | sort -u | awk -F '\t' '
  {
    key = $2 "\t" $3 "\t" $4
    if (!(key in archs)) order[count++] = key
    archs[key] = archs[key] (archs[key] == "" ? "" : ",") $1
  }
  END { for (i = 0; i < count; ++i) print archs[order[i]] "\t" order[i] }
' | sort -t "$(printf '\t')" -k 3,3 -k 2,2 > "$work/all.tsv"
zstd -q -f -19 "$work/all.tsv" -o "$out"
