#!/bin/sh
# measure_all.sh [options] DIR
#
# Everything Heddle knows how to measure, on this machine's GPU, in one call; needs the CUDA Toolkit (13.0 or
# later) and g++, nothing else. Leaves
#
#   DIR/micro/          the microbenchmarks' answers (gpu/kernels/micro/timing)
#   DIR/NAME.ARCH.BUILD.json[.zst], .stdout    every program of the suites: counts and memory
#   DIR/timing/         the same programs, -O3: cycles, stall reasons, hit rates, bytes, each five times
#   DIR/sampled/        the same: stall reasons of every instruction, sampled
#
#   -q           quick: the microbenchmarks and DIR/timing alone (two minutes on an H200; all takes about ten)
#   -a ARCH      as sm_90 (default: what nvidia-smi says)
#
# `heddle calibrate --records DIR/micro` and `heddle validate --records DIR` read what it leaves. Exit status: 0
# all was measured; 1 something was not (named on stderr); 125 nothing could be built.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
quick="" arch=""
usage() { sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; }
while getopts qa:h option; do
  case $option in q) quick=yes ;; a) arch=$OPTARG ;; *) usage ;; esac
done
shift $((OPTIND - 1))
out=${1:-}
[ -n "$out" ] || usage
if [ -z "$arch" ]; then
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1)
  [ -n "$capability" ] || { echo "measure_all.sh: nvidia-smi names no GPU" >&2; exit 125; }
  arch=sm_$(echo "$capability" | tr -d .)
fi
mkdir -p "$out/micro" && out=$(CDPATH= cd -- "$out" && pwd) || exit 125
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
work=$(mktemp -d) || exit 125
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failed=0
say() { echo "measure_all.sh: $*" >&2; failed=1; }

echo "building the microbenchmarks"
micro=$here/kernels/micro/timing
mkdir "$work/micro"
for program in instructions memory cold_memory far_memory refreshes contention control clusters printing copies; do
  "$nvcc" -std=c++17 -O3 -arch="$arch" -o "$work/micro/$program" "$micro/$program.cu" &
done
"$nvcc" -std=c++17 -O3 -arch="$arch" -cudart shared -o "$work/micro/launches" "$micro/launches.cu" &
if [ "$arch" = sm_90 ]; then # its machine words are of this architecture
  "$nvcc" -std=c++20 -O3 -arch=sm_90 -cubin -o "$work/micro/machine_code.cubin" "$micro/machine_code.cu" &
  for program in machine_code products jumps; do
    "$nvcc" -std=c++20 -O3 -arch=sm_90 -o "$work/micro/$program" "$micro/$program.cu" -lcuda &
  done
  for program in warp_groups async_units far_boxes box_requests; do
    "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -o "$work/micro/$program" "$micro/$program.cu" &
  done
fi
wait
"$here/cupti/build.sh" "$work/library" || { echo "measure_all.sh: building failed" >&2; exit 125; }

# micro NAME [ARGUMENT…]: the answers appear in place once they are complete.
micro() {
  name=$1
  shift
  echo "microbenchmarks: $name"
  timeout -k 5 300 "$work/micro/$name" "$@" > "$work/$name.txt" && mv -f "$work/$name.txt" "$out/micro/$name.txt" ||
    say "$name: status $?"
}
micro instructions
micro memory
micro cold_memory
micro far_memory
micro refreshes
micro clusters
micro printing
micro copies
micro contention
micro control "$out/micro"
if [ "$arch" = sm_90 ]; then
  for program in machine_code products jumps; do micro "$program" "$work/micro/machine_code.cubin"; done
  micro warp_groups
  micro async_units
  micro far_boxes
  micro box_requests
fi
"$here/cupti/measure.sh" -m timing -b "$work/library" -o "$out/micro/launches.json" -- "$work/micro/launches" \
  > /dev/null || say "launches: status $?"

# suite MODES DIR [OPTION…]
suite() {
  modes=$1 folder=$2
  shift 2
  for list in suite features timing; do
    echo "$list: $modes"
    "$here/cupti/measure_suite.sh" -s "$here/kernels/$list.toml" -a "$arch" -m "$modes" "$@" "$folder" ||
      say "$list, $modes: not all was measured"
  done
}
suite timing "$out/timing" -b O3
if [ -z "$quick" ]; then
  suite sampling "$out/sampled" -b O3
  suite memory,sass,counters "$out" -r 2
fi
exit $failed
