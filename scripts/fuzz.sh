#!/bin/sh
# Builds the libFuzzer targets with clang and runs each, seeded with committed files. Prints per
# target the executions and how much of its reader they reached; a find ends with status 1.
#   scripts/fuzz.sh [minutes for each target (1)] [build directory (build/fuzz)] [target ...]
#   scripts/fuzz.sh --seeds target    the files that it starts from
# Corpora grow in HEDDLE_FUZZ_CORPUS, or else in the build directory. JOBS targets run at a time (as
# many as there are processors, unless it is set). COVERAGE=OFF builds and runs faster, and prints none.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
seconds=$(awk -v minutes="${1:-1}" 'BEGIN { print int(minutes * 60) }')
build=${2:-$source/build/fuzz}
jobs=${JOBS:-$(nproc)}
coverage=${COVERAGE:-ON}
corpora=${HEDDLE_FUZZ_CORPUS:-$build/corpus}
cubins=$source/isa/tests/cubins

# target, folder of the target, its longest input, and whose coverage it answers for
table="
cubin         isa/fuzz            65536  isa/cubin.cpp isa/elf.cpp isa/kernel_info.cpp isa/nv_info.cpp isa/spills.cpp isa/line_program.cpp isa/line_table.cpp isa/debug_entries.cpp isa/register_map.cpp isa/variables.cpp
place         isa/fuzz            65536  isa/program.cpp isa/relocation.cpp isa/control_flow.cpp isa/dominators.cpp
executable    isa/fuzz            65536  isa/fat_binary.cpp isa/elf.cpp
fat_binary    isa/fuzz            65536  isa/fat_binary.cpp
symbols       gpu/runtime/fuzz    65536  gpu/runtime/redirect/object_file.cpp
decode        isa/fuzz            64     isa/decoder.cpp isa/printer.cpp
sketch        traces/sketch/fuzz  16384  traces/sketch
gpu_model     simulator/fuzz      32768  simulator/models/gpu_model.cpp
native        simulator/fuzz      65536  simulator/native
accelsim      traces/fuzz         32768  traces/formats/accelsim_reader.cpp traces/formats/accelsim_code.cpp traces/formats/accelsim_control.cpp traces/formats/accelsim_replay.cpp traces/formats/accelsim_launch.cpp
record        cli/fuzz            65536  simulator/record/record.cpp simulator/record/record_json.cpp cli/launch_text.cpp cli/findings_text.cpp validation/compare.cpp
configuration cli/fuzz            4096   cli/configuration.cpp
capsule       gpu/runtime/fuzz    327680 gpu/runtime/capsule.cpp gpu/runtime/capsule_codec.cpp
run           gpu/runtime/fuzz    327680 simulator/execute simulator/launch simulator/memory simulator/warp
timing        gpu/runtime/fuzz    327680 simulator/timing
checks        gpu/runtime/fuzz    327680 simulator/checks
step          gpu/runtime/fuzz    327680 traces/stepper simulator/device/replay.cpp
page          gpu/runtime/fuzz    327680 traces/viewer traces/analysis traces/formats/text_trace.cpp
"
column() { # target, number
  echo "$table" | awk -v target="$1" -v number="$2" '$1 == target {
    if (number < 4) print $number; else for (i = 4; i <= NF; ++i) print $i }'
}

targets=$(echo "$table" | awk 'NF { print $1 }')
if [ $# -gt 2 ]; then
  shift 2
  targets=$*
fi
for target in $targets; do
  [ -n "$(column "$target" 1)" ] || { echo "no target $target" >&2; exit 2; }
done

seeds_of() { # target
  case $1 in
    cubin | place | decode | native) ls "$cubins"/*.cubin ;;
    executable | symbols) ls "$cubins"/*.elf ;;
    fat_binary) ls "$cubins"/*.fatbin ;;
    sketch) find "$source/traces/kernels" "$source/traces/sketch/fuzz/sketches" -name "*.warp" ;;
    gpu_model) ls "$source"/simulator/models/*.toml ;;
    accelsim) ls "$source"/traces/fuzz/seeds/* ;;
    record | configuration) ls "$source/cli/fuzz/$1"s/* ;;
    *) find "$source/validation/capsules" "$source/gpu/runtime/fuzz/seeds" -name "*.capsule" -size -32k ;;
  esac
}

if [ "${1:-}" = --seeds ]; then
  seeds_of "$2"
  exit
fi

fuzz() { # target
  corpus=$corpora/$1
  mkdir -p "$corpus"
  for seed in $(seeds_of "$1"); do cp "$seed" "$corpus/$(echo "${seed#"$source"/}" | tr / _)"; done
  LLVM_PROFILE_FILE=$build/$1.profraw "$build/$(column "$1" 2)/$1_fuzzer" \
    -max_total_time="$seconds" -max_len="$(column "$1" 3)" -rss_limit_mb=4096 -timeout=60 \
    -entropic=0 -print_final_stats=1 -artifact_prefix="$build/$1-" "$corpus" >"$build/$1.log" 2>&1 ||
    { touch "$build/$1.failed"; return; }
  [ "$coverage" = ON ] || return 0
  "$profdata" merge -sparse "$build/$1.profraw" -o "$build/$1.profdata"
  rm "$build/$1.profraw"
}

report() { # target
  if [ -e "$build/$1.failed" ]; then
    tail -40 "$build/$1.log"
    printf '%-14s FOUND SOMETHING: %s\n' "$1" "$build/$1.log"
    return
  fi
  # llvm-cov's own choice of files does not know the relative names that ccache leaves in objects.
  lines=-
  [ "$coverage" != ON ] || lines=$("$cov" export "$build/$(column "$1" 2)/$1_fuzzer" -instr-profile="$build/$1.profdata" -summary-only |
    python3 -c '
import json, sys
files = json.load(sys.stdin)["data"][0]["files"]
count = covered = 0
for name in sys.argv[1:]:
    found = [f["summary"]["lines"] for f in files if "/" + name in "/" + f["filename"]]
    if not found: sys.exit("no file " + name)
    count += sum(f["count"] for f in found)
    covered += sum(f["covered"] for f in found)
print(f"{100 * covered / count:.1f}%")' $(column "$1" 4))
  statistic() { awk -v name="stat::$2:" '$1 == name { print $2 }' "$build/$1.log"; }
  printf '%-14s %12s %9s %8s %10s\n' "$1" "$(statistic "$1" number_of_executed_units)" \
    "$(statistic "$1" slowest_unit_time_sec)" "$(statistic "$1" peak_rss_mb)" "$lines"
}

# Debian names clang's programs by their version.
tool() { command -v "$1-14" || command -v "$1"; }
profdata=$(tool llvm-profdata)
cov=$(tool llvm-cov)
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHEDDLE_FUZZ=ON \
  -DHEDDLE_FUZZ_COVERAGE="$coverage" -DHEDDLE_SANITIZE=address,undefined \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DHEDDLE_BENCHMARKS=OFF -DBUILD_TESTING=OFF \
  -DCMAKE_CXX_COMPILER="$(tool clang++)" >/dev/null
# shellcheck disable=SC2046
cmake --build "$build" --target $(for target in $targets; do echo "${target}_fuzzer"; done)
rm -f "$build"/*.failed

set -- $targets
while [ $# -gt 0 ]; do
  running=0
  while [ $# -gt 0 ] && [ $running -lt "$jobs" ]; do
    fuzz "$1" &
    running=$((running + 1))
    shift
  done
  wait
done
printf '%-14s %12s %9s %8s %10s\n' target executions "longest s" "peak MB" "lines"
for target in $targets; do report "$target"; done
for target in $targets; do [ ! -e "$build/$target.failed" ] || exit 1; done
