#!/bin/sh
# Compiles the sources in isa/tests/cubins to the files the tests read, and prints what ptxas -v
# says about them. Needs the CUDA Toolkit (13.0 was used; another compiler gives other numbers) and
# binutils.
set -eu
results=$(cd "$(dirname "$0")/cubins" && pwd)
work=/tmp/heddle-cubins # stands in the line tables: the same everywhere
rm -rf "$work"
mkdir "$work"
cp "$results"/*.cu "$work"
cd "$work"

compile() { # output, then options and the source
  output=$1
  shift
  echo "== $output"
  nvcc -cubin -o "$output" "$@" -Xptxas -v 2>&1 | grep -E "properties|Used|spill" || true
}

for sm in 75 90; do
  compile program.sm_$sm.cubin -arch=sm_$sm program.cu
  compile debug.sm_$sm.cubin -arch=sm_$sm -G debug.cu
  compile variables.sm_$sm.cubin -arch=sm_$sm -G variables.cu
  compile lines.sm_$sm.cubin -arch=sm_$sm -lineinfo lines.cu
  compile large.sm_$sm.cubin -arch=sm_$sm large.cu
  compile spills.sm_$sm.cubin -arch=sm_$sm -maxrregcount 24 spills.cu
  for mode in "" -G; do
    for part in linked_main linked_functions; do
      compile $part$mode.sm_$sm.o -arch=sm_$sm -rdc=true $mode $part.cu
    done
    nvlink -v -arch=sm_$sm linked_main$mode.sm_$sm.o linked_functions$mode.sm_$sm.o \
      -o linked$mode.sm_$sm.cubin
  done
done
compile relocatable.sm_90.cubin -arch=sm_90 -rdc=true linked_main.cu

# Fat binaries: two architectures and PTX, stored plain, and packed by Zstandard or LZ4.
two="-gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=[sm_90,compute_90]"
for mode in none size speed; do
  nvcc $two --compress-mode=$mode -fatbin -o $mode.fatbin tiny.cu
done

# The fat binary sections of real executables and shared objects, without the host code around.
echo "int main() { return 0; }" >main.cu
device_sections() { # output, then options and sources
  output=$1
  shift
  nvcc -cudart shared -o whole "$@"
  objcopy -j .nv_fatbin -j __nv_relfatbin -j .nvFatBinSegment whole "$output"
}
device_sections executable.elf $two tiny.cu main.cu
device_sections executable-G.elf -arch=sm_90 -G tiny.cu main.cu
device_sections executable-rdc.elf $two -rdc=true linked_main.cu linked_functions.cu main.cu
device_sections shared_object.elf -arch=sm_75 -shared -Xcompiler -fPIC tiny.cu

chmod -x ./*.elf
cp ./*.cubin ./*.fatbin ./*.elf "$results"
