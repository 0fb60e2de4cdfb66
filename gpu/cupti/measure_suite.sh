#!/bin/sh
# measure_suite.sh [options] DIR
#
# Builds the suite's programs for this machine's GPU, optimised and for debugging, measures every entry, and
# leaves DIR/NAME.ARCH.BUILD.json (compressed, .zst, where zstd is installed) and
# DIR/NAME.ARCH.BUILD.stdout. One entry that fails does not stop the others.
#
#   -s SUITE     default: gpu/kernels/suite.toml
#   -a ARCH      default: sm_90
#   -m MODES     as of measure.sh (default: memory,sass,counters)
#   -r N         measure memory and SASS metrics N times (default 1)
#   -j N         runs of programs at a time, the counters' excepted (default: the number of processors)
#   -t SECONDS   for each run of a program (default 60)
#   -n PATTERNS  only entries whose name matches one of these shell patterns (default: all)
#   -b BUILD     only this build, O3 or G (default: each entry's)
#
# Exit status: 0 every entry was measured; 1 some were not (named on stderr); 125 nothing could be built.
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
kernels=$here/../kernels
suite=$kernels/suite.toml arch=sm_90 modes=memory,sass,counters repeats=1 jobs=$(nproc) limit=60 patterns="*" only=""
usage() { sed -n '2,/^set/p' "$0" | sed -e '/^set/d' -e 's/^# \{0,1\}//' >&2; exit 2; }
while getopts s:a:m:r:j:t:n:b:h option; do
  case $option in
    s) suite=$OPTARG ;; a) arch=$OPTARG ;; m) modes=$OPTARG ;;
    r) repeats=$OPTARG ;; j) jobs=$OPTARG ;; t) limit=$OPTARG ;; n) patterns=$OPTARG ;; b) only=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
out=${1:-}
[ -n "$out" ] || usage
mkdir -p "$out" && out=$(CDPATH= cd -- "$out" && pwd) || exit 125
work=$(mktemp -d) || exit 125
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The suite as lines "NAME PROGRAM BUILD ARGUMENTS…": one key a line, strings without blanks in them.
entries() {
  awk '
    function value(text) { sub(/^[^=]*= */, "", text); sub(/ *#.*$/, "", text); gsub(/[][",]/, " ", text); return text }
    function flush_entry(   list, count, i) {
      if (name == "") return
      count = split(builds == "" ? all_builds : builds, list, " ")
      for (i = 1; i <= count; ++i) print name, program, list[i], arguments
      name = program = arguments = builds = ""
    }
    /^\[\[/ { flush_entry(); inside = 1; entry = /^\[\[entry\]\]/ }
    inside && !entry { next }
    /^name *=/ { name = value($0); gsub(/ /, "", name) }
    /^program *=/ { program = value($0); gsub(/ /, "", program) }
    /^arguments *=/ { arguments = value($0) }
    /^builds *=/ { if (inside) builds = value($0); else all_builds = value($0) }
    END { flush_entry() }' "$suite"
}
chosen() { # chosen NAME
  set -f
  for pattern in $patterns; do
    # shellcheck disable=SC2254
    case $1 in $pattern) return 0 ;; esac
  done
  return 1
}
entries | awk -v only="$only" 'only == "" || $3 == only' | while read -r name rest; do
  if chosen "$name"; then echo "$name $rest"; fi
done > "$work/entries"
[ -s "$work/entries" ] || { echo "measure_suite.sh: no entry of $suite matches $patterns" >&2; exit 125; }
PROGRAMS=$(cut -d " " -f 2 "$work/entries" | sort -u)
BUILDS=${only:-O3 G}
export PROGRAMS BUILDS
"$here/build.sh" "$work/library" && "$kernels/build.sh" "$work/programs" "$arch" ||
  { echo "measure_suite.sh: building failed" >&2; exit 125; }

# measure MODES JOBS NAME PROGRAM BUILD [ARGUMENT…]
measure() (
  modes=$1 at_once=$2 name=$3.$arch.$5 program=./$4.$arch.$5
  # Of a process whose kernels launch kernels the first launch is not measured by instruction when code is loaded late.
  [ ! -e "$kernels/$4/nvcc_flags" ] || export CUDA_MODULE_LOADING=EAGER
  shift 5
  cd "$work/programs" && "$here/measure.sh" -m "$modes" -r "$repeats" -j "$at_once" -t "$limit" -b "$work/library" \
    -w "$work/runs/$name" -o "$out/$name.json" -- "$program" "$@" > /dev/null 2> "$work/log.$name"
)

# What does not depend on time first, several programs side by side; then the rest, one at a time.
case ,$modes, in *,sass,*) timeless=memory,sass ;; *) timeless=memory ;; esac
running=0
while read -r name program build arguments; do
  # shellcheck disable=SC2086
  measure $timeless 4 "$name" "$program" "$build" $arguments < /dev/null &
  running=$((running + 1))
  [ $((running % ((jobs + 3) / 4))) -ne 0 ] || wait
done < "$work/entries"
wait

failed=0
while read -r name program build arguments; do
  # shellcheck disable=SC2086
  measure "$modes" 1 "$name" "$program" "$build" $arguments < /dev/null
  status=$?
  record=$out/$name.$arch.$build.json
  if [ "$status" -ne 0 ]; then
    failed=1
    echo "$name.$arch.$build: status $status" >&2
    sed 's/^/  /' "$work/log.$name.$arch.$build" >&2
  fi
  mv -f "$record.stdout" "$out/$name.$arch.$build.stdout"
  if [ -s "$record" ] && command -v zstd > /dev/null; then zstd -q -19 --rm -f "$record"; fi
done < "$work/entries"
exit "$failed"
