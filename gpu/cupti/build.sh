#!/bin/sh
# build.sh DIR: builds the measuring library and its two programs into DIR with the CUDA Toolkit of this machine
# (CUDA_HOME, or where nvcc is, or /usr/local/cuda).
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:?usage: build.sh DIR}
if [ -z "${CUDA_HOME:-}" ]; then
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  CUDA_HOME=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  [ -e "$CUDA_HOME/include/cuda.h" ] || CUDA_HOME=/usr/local/cuda  # nvcc was a script somewhere else
fi
for header in cuda.h cupti.h cupti_range_profiler.h; do
  [ -e "$CUDA_HOME/include/$header" ] || [ -e "$CUDA_HOME/extras/CUPTI/include/$header" ] || {
    echo "$CUDA_HOME has no $header: measuring needs the CUDA Toolkit with CUPTI (CUDA_HOME says where it is)" >&2
    exit 1
  }
done
driver=-lcuda
if [ ! -e "$CUDA_HOME/lib64/stubs/libcuda.so" ]; then
  driver=-l:libcuda.so.1
  PATH=$PATH:/sbin ldconfig -p | grep -q 'libcuda\.so\.1' || {
    echo "no libcuda.so.1 is here: measuring needs a GPU with NVIDIA's driver" >&2
    exit 1
  }
fi
mkdir -p "$out"
libraries=""
for dir in "$CUDA_HOME/lib64" "$CUDA_HOME/extras/CUPTI/lib64"; do
  [ -d "$dir" ] && libraries="$libraries -L$dir -Wl,-rpath,$dir"
done
flags="-std=c++20 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-missing-field-initializers"
headers="-I$here/../.. -isystem $CUDA_HOME/include -isystem $CUDA_HOME/extras/CUPTI/include"
cxx=${CXX:-g++}

common="json sha256 cubin allocations fragment"
library="counters launch memory_calls provenance caches snapshot range_profiler mode
  memory_mode launches_mode sass_mode counters_mode sampling_mode
  injection"
rm -f "$out"/*.o "$out/libheddle_cupti.so" "$out/heddle_join"
for name in $common $library join list_metrics; do
  # shellcheck disable=SC2086
  $cxx $flags $headers -c "$here/$name.cpp" -o "$out/$name.o" &
done
wait
objects=""
for name in $common $library; do objects="$objects $out/$name.o"; done
# shellcheck disable=SC2086
$cxx -shared $objects -o "$out/libheddle_cupti.so" $libraries -L"$CUDA_HOME/lib64/stubs" -lcupti "$driver" -pthread
$cxx "$out/join.o" "$out/json.o" -o "$out/heddle_join"
# shellcheck disable=SC2086
$cxx "$out/list_metrics.o" "$out/counters.o" -o "$out/heddle_list_metrics" $libraries -lcupti
