#!/bin/sh
# Makes the capsules beside this from seeds.cu. Needs nvcc.
#   gpu/runtime/fuzz/seeds/make.sh [heddle (build/release/cli/heddle)]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
heddle=${1:-$here/../../../../build/release/cli/heddle}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '$1 == "#define" && NF == 3 { print $2 }' "$here/seeds.cu" | while read -r name; do
  flags=
  [ "$name" != DEVICE_LAUNCHES ] || flags=-rdc=true
  # shellcheck disable=SC2086
  nvcc -std=c++17 -arch=sm_90 -cudart shared $flags "-DSEED=$name" -o "$folder/program" "$here/seeds.cu"
  "$heddle" run --no-progress --capture "$folder/$name" -- "$folder/program" >/dev/null
  mv "$folder/$name"/0000-*.capsule "$here/$(echo "$name" | tr '[:upper:]' '[:lower:]').capsule"
done
