#!/bin/sh
# measure.sh -o RECORD [options] -- PROGRAM [ARGUMENT…]
#
# Runs the unmodified program on this machine's GPU under the measuring library, several times, and writes one
# record of all its launches: once for the memory digests, once for each launch's SASS metrics, once for the
# hardware counters. The program must launch the same kernels every time. Its output is shown once.
#
#   -o FILE      the record; what the program printed goes to FILE.stdout
#   -m MODES     comma-separated, of memory, sass, counters (these three are the default), timing
#                (cycles, stall reasons, hit rates and bytes, five times each launch) and sampling (stall
#                reasons of every instruction, sampled)
#   -r N         measure the memory and the SASS metrics N times; launches that differ say so (default 1)
#   -c N         only the first N launches (default: all)
#   -j N         runs of the program at a time, the counters' excepted (default 4)
#   -t SECONDS   for each run of the program (default 120)
#   -b DIR       where the built library is, or shall be built (default: a temporary folder)
#   -w DIR       keep what the runs measured in DIR; what is there is not measured again
#
# Exit status: the program's own when it failed; 1 the record is incomplete; 125 measuring failed.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
record="" modes=memory,sass,counters repeats=1 jobs=4 limit=120 build="" work=""
usage() { sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; }
while getopts o:m:r:c:j:t:b:w:h option; do
  case $option in
    o) record=$OPTARG ;; m) modes=$OPTARG ;; r) repeats=$OPTARG ;; j) jobs=$OPTARG ;; t) limit=$OPTARG ;;
    c) export HEDDLE_MEASURE_FIRST="$OPTARG" ;; b) build=$OPTARG ;; w) work=$OPTARG ;; *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -n "$record" ] && [ $# -gt 0 ] || usage

scratch=$(mktemp -d) || exit 125
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
[ -n "$work" ] || work=$scratch
mkdir -p "$work" || exit 125
[ -n "$build" ] || build=$scratch/build
if [ ! -e "$build/libheddle_cupti.so" ]; then
  "$here/build.sh" "$build" >&2 || { echo "measure.sh: the measuring library could not be built" >&2; exit 125; }
fi
if [ -z "${HEDDLE_MEASURE_TOOLCHAIN:-}" ]; then
  version=$( (nvcc --version || /usr/local/cuda/bin/nvcc --version) 2>/dev/null | sed -n 's/.*, V\([0-9.]*\)$/CUDA \1/p')
  [ -n "$version" ] && export HEDDLE_MEASURE_TOOLCHAIN="$version"
fi
export CUDA_INJECTION64_PATH="$build/libheddle_cupti.so"

# run MODE NAME PROGRAM…: one run, unless it was made already; its fragment is $work/NAME, its output
# $work/NAME.stdout and .stderr. The status is the program's.
run() {
  mode=$1 name=$2
  shift 2
  [ ! -s "$work/$name.status" ] || return "$(cat "$work/$name.status")"
  rm -f "$work/$name"
  HEDDLE_MEASURE_MODE=$mode HEDDLE_MEASURE_OUT=$work/$name timeout -k 5 "$limit" "$@" \
    > "$work/$name.stdout" 2> "$work/$name.stderr"
  echo $? > "$work/$name.status"
  return "$(cat "$work/$name.status")"
}
# What a run other than the first said on stderr counts where it ended otherwise than the first.
show_failure() { # show_failure NAME STATUS
  [ "$2" -eq "$(cat "$work/$first.1.status")" ] || sed "s/^/$1: /" "$work/$1.stderr" >&2
}

# The first run says how many launches there are, and the digests where they are asked for.
first=launches
case ,$modes, in *,memory,*) first=memory ;; esac
run $first $first.1 "$@"
status=$?
cat "$work/$first.1.stdout"
cat "$work/$first.1.stderr" >&2
cp "$work/$first.1.stdout" "$record.stdout" || exit 125
[ -s "$work/$first.1" ] || { echo "measure.sh: nothing was measured" >&2; exit 125; }
launches=$(grep -c '^launch' "$work/$first.1")

# One line a run that may go beside others: mode, fragment, launch.
list_runs() {
  number=1
  while [ "$number" -le "$repeats" ]; do
    case ,$modes, in *,memory,*) [ "$number" -gt 1 ] && echo "memory memory.$number none" ;; esac
    case ,$modes, in *,sass,*)
      launch=0
      while [ "$launch" -lt "$launches" ]; do
        echo "sass sass.$number.$launch $launch"
        launch=$((launch + 1))
      done ;;
    esac
    number=$((number + 1))
  done
}
list_runs > "$scratch/list"
running=0
while read -r mode name launch; do
  (
    [ "$launch" = none ] || export HEDDLE_MEASURE_ONLY="$launch"
    run "$mode" "$name" "$@"
    show_failure "$name" $?
    rm -f "$work/$name.stdout"
  ) < /dev/null &
  running=$((running + 1))
  [ $((running % jobs)) -ne 0 ] || wait
done < "$scratch/list"
wait
missing=0
run_alone() { # run_alone MODE PROGRAM…: counters belong to one process of the GPU at a time
  mode=$1
  shift
  run "$mode" "$mode.1" "$@"
  show_failure "$mode.1" $?
  [ ! -s "$work/$mode.1" ] || return
  sed "s/^/$mode.1: /" "$work/$mode.1.stderr" >&2
  echo "measure.sh: nothing was measured in mode $mode" >&2
  missing=1
}
for mode in counters timing sampling; do
  case ,$modes, in *,$mode,*) [ "$launches" -eq 0 ] || run_alone $mode "$@" ;; esac
done

set --
while read -r _ name _; do [ ! -s "$work/$name" ] || set -- "$@" "$work/$name"; done < "$scratch/list"
for mode in counters timing sampling; do
  [ ! -s "$work/$mode.1" ] || set -- "$@" "$work/$mode.1"
done
"$build/heddle_join" "$record" "$work/$first.1" "$@"
joined=$?
[ "$status" -eq 0 ] || exit "$status"
[ "$joined" -ne 2 ] || exit 125
[ "$joined" -ne 0 ] || exit "$missing"
exit "$joined"
