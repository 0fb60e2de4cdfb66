#!/bin/sh
# Installs what building and testing need on Debian 12 (and its kin), where it is not there yet.
# scripts/setup.sh --build leaves out what only tests need.
set -eu
packages="g++ cmake ninja-build ccache
  libboost-dev libboost-program-options-dev nlohmann-json3-dev libfmt-dev libtomlplusplus-dev
  libzstd-dev liblz4-dev zlib1g-dev nettle-dev libncurses-dev libxbyak-dev
  git pkg-config dpkg-dev file"
[ "${1-}" = --build ] || packages="$packages clang-format-14 clang-tidy-14
  openmpi-bin libopenmpi-dev libboost-mpi-dev
  python3-venv libopenblas0-pthread liblapacke libfftw3-double3 libfftw3-single3
  libgtest-dev libgmock-dev libbenchmark-dev libvterm-dev strace
  clang-14 libclang-rt-14-dev llvm-14
  chromium"
# The viewer of traces/viewer is made with Node.js, of whatever version from 18 on is there.
command -v node >/dev/null || packages="$packages nodejs"
command -v npm >/dev/null || packages="$packages npm"

missing=""
for package in $packages; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$state" = "install ok installed" ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  sudo=""
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  echo "installing:$missing" >&2
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# What the viewer is built and tested with, in the versions of its package-lock.json. The build
# itself fetches nothing.
cd "$(dirname "$0")"
[ "${1-}" = --build ] || ./setup_python.sh
[ "${1-}" = --build ] || ./setup_schemas.sh
cd ../traces/viewer
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  echo "fetching the viewer's packages" >&2
  if npm ci --no-audit --no-fund --loglevel=error >&2; then
    cp package-lock.json node_modules/.installed-lock
  else
    echo "they could not be fetched: this build will lack heddle step --html" >&2
  fi
fi
