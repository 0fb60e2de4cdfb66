#!/bin/sh
# Compiles the kernels of the checks' tests; needs nvcc. Line tables name the folder of the
# compilation, so that is one that everybody has.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=/tmp/heddle-planted
mkdir -p "$folder"
cp "$here/planted.cu" "$folder"
(cd "$folder" && nvcc -arch=sm_90 -lineinfo -cubin -o planted.sm_90.cubin planted.cu)
cp "$folder/planted.sm_90.cubin" "$here"
cp -r "$here/planted_90a.cu" "$here/../../../../gpu/kernels/common" "$folder"
(cd "$folder" && nvcc -std=c++17 -Icommon -gencode arch=compute_90a,code=sm_90a -lineinfo -cubin -o planted.sm_90a.cubin planted_90a.cu)
cp "$folder/planted.sm_90a.cubin" "$here"
mkdir -p "$folder/races"
cp "$here/../../../../gpu/kernels/races/races.cu" "$folder/races"
find "$folder" -type f -exec touch -d @0 {} + # line tables hold times too
(cd "$folder/races" && nvcc -std=c++17 -arch=sm_90 -lineinfo -cubin -o races.sm_90.cubin races.cu)
(cd "$folder/races" && nvcc -std=c++17 -arch=sm_90 -G -cubin -o races_g.sm_90.cubin races.cu)
cp "$folder/races/"*.cubin "$here"
rm -r "$folder"
