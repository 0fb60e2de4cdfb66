#!/bin/sh
# build.sh DIR [ARCH…]: builds every program here into DIR, once optimised and once for debugging, as
# DIR/<program>.<arch>.O3 and DIR/<program>.<arch>.G. ARCH is sm_90 (the default), sm_75 and so on.
# What a program needs of nvcc besides stands in its folder, in nvcc_flags; `architecture` there names the only one
# that it is for, with what no other has: sm_90a, which is built as sm_90 and left out of the rest. Needs nvcc (in
# PATH, in CUDA_HOME, or in /usr/local/cuda).
#
#   PROGRAMS="matmul calls"   only these
#   BUILDS="O3"               only this build (default: "O3 G")
#   CUDART=static             with the CUDA runtime linked in, nvcc's default (default: shared)
#   JOBS=4                    N at a time (default: the number of processors)
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:?usage: build.sh DIR [ARCH...]}
shift
[ $# -gt 0 ] || set -- sm_90
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
mkdir -p "$out"
if [ -z "${PROGRAMS:-}" ]; then
  PROGRAMS=$(cd "$here" && for folder in */; do
    name=${folder%/}
    [ ! -e "$name/$name.cu" ] || echo "$name"
  done)
fi
for program in $PROGRAMS; do
  for arch in "$@"; do
    case " ${BUILDS:-O3 G} " in *" O3 "*) echo "$program $arch O3 -O3 -lineinfo" ;; esac
    case " ${BUILDS:-O3 G} " in *" G "*) echo "$program $arch G -G" ;; esac
  done
done | xargs -P "${JOBS:-$(nproc)}" -L 1 sh -ec '
  nvcc=$1 here=$2 out=$3 program=$4 arch=$5 build=$6
  shift 6
  # shellcheck disable=SC2046
  [ ! -e "$here/$program/nvcc_flags" ] || set -- "$@" $(cat "$here/$program/nvcc_flags")
  if [ -e "$here/$program/architecture" ]; then
    only=$(cat "$here/$program/architecture")
    [ "${only%a}" = "$arch" ] || exit 0
    set -- "$@" -gencode "arch=compute_${only#sm_},code=$only"
  else
    set -- "$@" -arch="$arch"
  fi
  "$nvcc" -std=c++17 -cudart "${CUDART:-shared}" "$@" -o "$out/$program.$arch.$build" "$here/$program/$program.cu"
' build "$nvcc" "$here" "$out"
