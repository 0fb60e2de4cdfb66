#!/bin/sh
# Builds the libFuzzer targets with clang and runs each, seeded with the test files, then prints how
# much of the code they read with was run.
#   scripts/fuzz.sh [seconds for each target (60)] [build directory] [target ...]
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-60}
build=${2:-$source/build/fuzz}
targets="cubin decode executable fat_binary place sketch capsule symbols"
if [ $# -gt 2 ]; then
  shift 2
  targets=$*
fi
files=$source/isa/tests/cubins

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHEDDLE_FUZZ=ON \
  -DBUILD_TESTING=OFF -DCMAKE_CXX_COMPILER=clang++ >/dev/null

seeds_of() { # target
  case $1 in
    cubin | place) ls "$files"/*.cubin ;;
    executable | symbols) ls "$files"/*.elf ;;
    fat_binary) ls "$files"/*.fatbin ;;
    decode) ls "$files"/*.cubin ;;
    capsule) find "$source/validation/capsules" -name "*.capsule" -size -16k ;;
    sketch) find "$source/traces/kernels" "$source/traces/sketch/fuzz/sketches" -name "*.warp" ;;
  esac
}

folder_of() { # target
  case $1 in
    capsule | symbols) echo gpu/runtime ;;
    sketch) echo traces/sketch ;;
    *) echo isa ;;
  esac
}

# The files of its folder whose coverage a target answers for.
sources_of() { # target
  case $1 in
    cubin) echo cubin.cpp elf.cpp kernel_info.cpp nv_info.cpp spills.cpp line_program.cpp \
      line_table.cpp ;;
    place) echo program.cpp relocation.cpp control_flow.cpp dominators.cpp ;;
    executable) echo fat_binary.cpp elf.cpp ;;
    fat_binary) echo fat_binary.cpp ;;
    decode) echo decoder.cpp printer.cpp ;;
    sketch) echo . ;;
    capsule) echo capsule.cpp capsule_codec.cpp ;;
    symbols) echo redirect/object_file.cpp ;;
  esac
}

for target in $targets; do
  folder=$(folder_of "$target")
  cmake --build "$build" --target ${target}_fuzzer
  corpus=$build/corpus/$target
  mkdir -p "$corpus"
  for seed in $(seeds_of "$target"); do cp "$seed" "$corpus/$(echo "$seed" | tr / _)"; done
  echo "== $target: $seconds s"
  LLVM_PROFILE_FILE=$build/$target.profraw "$build/$folder/fuzz/${target}_fuzzer" \
    -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 \
    -artifact_prefix="$build/$target-" "$corpus" 2>"$build/$target.log" ||
    { tail -40 "$build/$target.log"; exit 1; }
  grep -E "stat::(number_of_executed_units|peak_rss_mb|slowest_unit_time_sec)" "$build/$target.log"
  llvm-profdata merge -sparse "$build/$target.profraw" -o "$build/$target.profdata"
  report_on=""
  for file in $(sources_of "$target"); do report_on="$report_on $source/$folder/$file"; done
  # shellcheck disable=SC2086
  llvm-cov report "$build/$folder/fuzz/${target}_fuzzer" -instr-profile="$build/$target.profdata" \
    -show-region-summary=false -show-branch-summary=false $report_on
done
