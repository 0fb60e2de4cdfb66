#!/bin/sh
# scripts/test_reproducible.sh FOLDER: builds the Debian package of this commit twice and compares the
# two byte for byte. The builds differ in folder, umask, locale and time zone, and the second one
# compiles everything, past ccache. FOLDER keeps both. Needs what scripts/setup.sh --build installs.
set -eu
[ $# -eq 1 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
[ ! -e "$folder" ] || { echo "$folder exists already" >&2; exit 2; }
mkdir -p "$folder"

package() {  # package FOLDER: prints where the package is
  mkdir -p "$(dirname "$1")"
  git clone -q . "$1"
  cp -R traces/viewer/node_modules "$1/traces/viewer"
  (
    cd "$1"
    cmake --preset release -DBUILD_TESTING=OFF -DHEDDLE_BENCHMARKS=OFF
    cmake --build --preset release
    cd build/release && cpack
  ) >"$1.log" 2>&1 || { tail -20 "$1.log" >&2; exit 1; }
  echo "$1"/build/release/heddle_*.deb
}
first=$(package "$folder/first")
second=$(umask 077; export TZ=Asia/Tokyo LC_ALL=C CCACHE_DISABLE=1; package "$folder/second/one level down")
sha256sum "$first" "$second"
cmp "$first" "$second"
