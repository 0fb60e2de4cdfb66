// Kernels of one line of code, side by side in a module of 64 KiB, to be measured by
// gpu/cupti/measure.sh (mode timing): when the code of each is there, by its place in the module.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o code_places code_places.cu
//   gpu/cupti/measure.sh -m timing -o code_places.json -- ./code_places
//   nvcc -DSHIFTED …                      the same kernels, a line later
//
// One line on stdout for each launch: its name. `line3`: the kernel's name, which a linker puts
// anywhere; its place is that of its section.
#include <utility>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kLines = 512, kAtOnce = 64;

template <int number>
__global__ void line() {}

// Of three lines, and linked before the others, which then begin a line later.
template <int number>
__global__ void shift(float* data, int none) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < none) data[i] = float(number);
}

std::vector<const void*> kernels;

template <int number>
void note() {
  kernels.push_back(reinterpret_cast<const void*>(line<number>));
#ifdef SHIFTED
  if constexpr (number == kLines - 1)
    if (number == 0) shift<number><<<1, 32>>>(nullptr, 0);
#endif
}

template <int first, int... numbers>
void note_some(std::integer_sequence<int, numbers...>) {
  (note<first + numbers>(), ...);
}

template <int... parts>
void note_all(std::integer_sequence<int, parts...>) {
  (note_some<parts * kAtOnce>(std::make_integer_sequence<int, kAtOnce>()), ...);
}

}  // namespace

int main(int argc, char** argv) {
  CUDA(cudaFree(nullptr));
  void* data = nullptr;
  if (argc > 1) CUDA(cudaMalloc(&data, std::strtoull(argv[1], nullptr, 10)));
  note_all(std::make_integer_sequence<int, kLines / kAtOnce>());
  for (int i = kLines - 1; i >= 0; --i) {  // the first in the module first
    CUDA(cudaLaunchKernel(kernels[i], dim3(1), dim3(32), nullptr, 0, nullptr));
    finish();
    std::printf("line%d\n", i);
  }
}
