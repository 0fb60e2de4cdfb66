#!/bin/sh
# make_cubins.sh FOLDER: the probe's kernels as cubins for sm_90; needs the CUDA Toolkit and Python 3.
# make_cubins.sh FOLDER ARCH: all of them in one, as FOLDER/ARCH.cubin.
set -eu
here=$(dirname "$0")
mkdir -p "$1"
if [ $# -eq 2 ]; then
  python3 "$here/make_ptx.py" "$2" > "$1/probe.ptx"
  ptxas -arch="$2" -o "$1/$2.cubin" "$1/probe.ptx"
  rm -f "$1/probe.ptx"
  exit
fi
part=0
while python3 "$here/make_ptx.py" sm_90 --part $part > "$1/probe.ptx" && [ -s "$1/probe.ptx" ]; do
  ptxas -arch=sm_90 -o "$1/probe_$(printf %02d $part).cubin" "$1/probe.ptx" 2> "$1/ptxas.log" || { cat "$1/ptxas.log"; exit 1; }
  part=$((part + 1))
done
rm -f "$1/probe.ptx" "$1/ptxas.log"
python3 "$here/make_uniform.py" "$1"
