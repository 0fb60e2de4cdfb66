#!/bin/sh
# measure_script_test.sh MEASURE: measure.sh says so, and fails, when the program leaves nothing in a
# mode that it was asked for, as where another process holds the GPU's counters. A shell script
# stands for the program and for what joins its runs.
set -u
measure=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/build"
: > "$work/build/libheddle_cupti.so"
printf '#!/bin/sh\necho {} > "$1"\n' > "$work/build/heddle_join"
printf '#!/bin/sh\n[ "$HEDDLE_MEASURE_MODE" = "$1" ] || echo launch > "$HEDDLE_MEASURE_OUT"\n' > "$work/program"
chmod +x "$work/build/heddle_join" "$work/program"

# check WANTED-STATUS WANTED-MESSAGE SILENT-MODE
check() {
  sh "$measure" -b "$work/build" -m sass,timing -o "$work/record" -- "$work/program" "$3" 2> "$work/said"
  status=$?
  [ "$status" -eq "$1" ] && [ "$(cat "$work/said")" = "$2" ] && return
  echo "silent in $3: status $status, said: $(cat "$work/said")" >&2
  exit 1
}
check 0 "" none
check 1 "measure.sh: nothing was measured in mode timing" timing
