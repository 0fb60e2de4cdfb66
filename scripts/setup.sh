#!/bin/sh
# Installs what building and testing need on Debian 12 (and its kin), where it is not there yet.
set -eu
packages="g++ cmake ninja-build ccache clang-format-14
  libboost-program-options-dev nlohmann-json3-dev libfmt-dev libtomlplusplus-dev
  libzstd-dev liblz4-dev nettle-dev
  libgtest-dev libgmock-dev libbenchmark-dev"

missing=""
for package in $packages; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$state" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "installing:$missing" >&2
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
