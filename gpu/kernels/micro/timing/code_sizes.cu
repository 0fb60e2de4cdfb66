// The first cycles of kernels of an ordinary program, by how much code there is behind what they
// execute, to be measured by gpu/cupti/measure.sh (mode timing): when the first instruction and the
// first constant are there. cold_starts.cu asks the same about patched kernels of little code.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o code_sizes code_sizes.cu
//   gpu/cupti/measure.sh -m timing -o code_sizes.json -- ./code_sizes
//
// One line on stdout for each launch: its name. `.b132.t256` at its end: 132 blocks of 256 threads.
// `./code_sizes WORD`: those only whose name contains the word.
#include <utility>

#include "probe.h"

namespace {

using namespace timing;

// What a kernel waits for before it ends: nothing (there is no more code then), the first constant
// at once, or some 700 cycles later.
enum class Wants { nothing, constant, late_constant };

// Kernels that differ in `place` alone lie elsewhere in memory.
template <Wants wants, int lines, int place>
__global__ void start(float* data, int none) {
  constexpr int kLine = 8;  // instructions
  if constexpr (wants == Wants::nothing) return;
  if constexpr (wants == Wants::late_constant) {
    float r = 1;
#pragma unroll 1
    for (int i = 0; i < 32; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(r));
    if (r == 0) return;
  }
  if (none == 0) return;
  float r = data[threadIdx.x];
#pragma unroll
  for (int i = 0; i < kLine * lines + place; ++i)
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(r));
  data[threadIdx.x] = r;
}

constexpr int kPlaces = 4;
std::string only;

template <Wants wants, int lines, int place>
void ask(const char* what, float* data) {
  for (const auto& [blocks, threads] : {std::pair{1, 32}, {132, 32}, {132, 256}}) {
    const std::string name = std::string(what) + ".lines" + std::to_string(lines) + ".place" +
                             std::to_string(place) + ".b" + std::to_string(blocks) + ".t" +
                             std::to_string(threads);
    if (name.find(only) == std::string::npos) continue;
    start<wants, lines, place><<<blocks, threads>>>(data, 0);
    finish();
    std::printf("%s\n", name.c_str());
  }
}

template <Wants wants, int lines, int... places>
void ask_places(const char* what, float* data, std::integer_sequence<int, places...>) {
  (ask<wants, lines, places>(what, data), ...);
}

template <int lines>
void ask_all(float* data) {
  constexpr auto kAll = std::make_integer_sequence<int, kPlaces>();
  ask_places<Wants::nothing, lines>("nothing", data, kAll);
  ask_places<Wants::constant, lines>("constant", data, kAll);
  ask_places<Wants::late_constant, lines>("late", data, kAll);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) only = argv[1];
  const Buffer<float> data(1024);
  ask_all<1>(data.data());
  ask_all<8>(data.data());
  ask_all<16>(data.data());
  ask_all<32>(data.data());
  ask_all<64>(data.data());
  ask_all<128>(data.data());
  ask_all<256>(data.data());
  ask_all<512>(data.data());
  ask_all<1024>(data.data());
}
