// The first cycles of launches with empty caches, in eight places of memory each, to be measured by
// gpu/cupti/measure.sh (mode timing): when the first instruction, the lines behind it and the
// first constants are there, by how many warps start on how many SMs. The kernels below are
// compiled only to have room; their code is replaced by a probe's.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o cold_starts.cubin cold_starts.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o cold_starts cold_starts.cu -lcuda
//   gpu/cupti/measure.sh -m timing -o cold_starts.json -- ./cold_starts cold_starts.cubin
//
// One line on stdout for each launch: its name. `.b132.t256` at its end: 132 blocks of 256 threads.
// `./cold_starts cold_starts.cubin WORD`: those only whose name contains the word.
#include "patched_launches.h"

// Kernels of some lines more and more, so that they begin in different places.
#define START(n) \
  extern "C" __global__ void start_##n(float* data) { take_room<160 + 24 * n>(data); }
START(0)
START(1)
START(2)
START(3)
START(4)
START(5)
START(6)
START(7)

#ifndef __CUDA_ARCH__

namespace {

constexpr int kPlaces = 8;

void ask(Launcher& launch, const std::string& what, const std::function<void(Code&)>& body,
         std::initializer_list<Shape> shapes) {
  for (int place = 0; place < kPlaces; ++place)
    launch.in("start_" + std::to_string(place), what + ".place" + std::to_string(place), body,
              shapes);
}

void code(Launcher& launch) {
  const Shape all = launch.everywhere(32), eight = launch.everywhere(256),
              full = launch.everywhere(1024);
  ask(launch, "nothing", [](Code&) {}, {kOneWarp, all, eight, full});
  for (const int lines : {2, 4, 8})
    ask(launch, "straight.lines" + std::to_string(lines),
        [=](Code& c) { nops(c, kLine * lines - 1); }, {kOneWarp, all, eight});
  ask(launch, "slow.lines8", [](Code& c) { nops(c, kLine * 8 - 1, 4); }, {all, eight});
}

void constants(Launcher& launch) {
  const Shape all = launch.everywhere(32), eight = launch.everywhere(256),
              full = launch.everywhere(1024);
  const auto operand = [](Code& c) { c.put(mov_constant(16, 0, 0x210), {.stall = 5}); };
  const auto load = [](Code& c) { c.put(ldc(16, RZ, 0, 0x210), {.stall = 2, .write = 0}).wait(1); };
  const auto late = [](const auto& body) {
    return [=](Code& c) {
      for (int i = 0; i < 4; ++i) delay(c);
      body(c);
    };
  };
  ask(launch, "operand", operand, {kOneWarp, all, eight});
  ask(launch, "late.operand", late(operand), {all, eight});
  ask(launch, "ldc", load, {all, eight});
  ask(launch, "late.ldc", late(load), {eight});
  ask(launch, "both",
      [&](Code& c) {
        c.put(ldc(1, RZ, 0, 0x28), {.stall = 8});
        c.put(s2r(5, 0x25), {.stall = 1, .write = 0});
        c.put(ldc(2, RZ, 0, 0x210, Size::k64), {.stall = 1, .write = 2});
        c.put(uldc(4, 0), {.stall = 1});
        c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
        c.put(imad(5, 5, 0, 0), {.stall = 4, .wait = 1});
        c.put(uldc64(4, 0x208), {.stall = 5});
        c.put(imad_wide_immediate(2, 5, 4, 2), {.stall = 5, .wait = 4});
      },
      {kOneWarp, all, eight, full});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: cold_starts CUBIN [WORD]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  Launcher launch(argv[1], argc > 2 ? argv[2] : "");
  code(launch);
  constants(launch);
}

#endif
