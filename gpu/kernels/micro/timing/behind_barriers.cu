// What issues behind a block barrier while its warp still waits there: a chain of instructions, and
// then a load from shared memory, behind a BAR at which another warp arrives some hundred cycles
// later. Where the chain issues meanwhile it delays nobody.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -o behind_barriers behind_barriers.cu -lcuda
//   ./behind_barriers machine_code.cubin
#include "machine_probe.h"

#ifndef __CUDA_ARCH__

namespace {

using namespace timing;

constexpr unsigned kEarly = 4;  // the predicate of the warps that do not come late
constexpr int kLate = 40, kEach = 10;

// All warps but the last are at the barrier kLate * kEach cycles before it.
Body chain(Word one, unsigned stall, int count, int warps, bool loads) {
  return [=](Code& c) {
    c.put(isetp_lt_immediate(kEarly, 0, std::uint32_t(32 * (warps - 1))), {.stall = 13});
    c.put(guarded(bra(kLate), kEarly), {.stall = 5});
    for (int i = 0; i < kLate; ++i) c.put(nop(), {.stall = kEach});
    c.clock(0);
    c.put(bar_sync(), {.stall = 6});
    for (int i = 0; i < count; ++i) c.put(one, {.stall = stall});
    if (loads) c.put(lds(20, 10, 0, Size::k32), {.stall = 2, .write = 0});
    c.clock(1, loads ? 1 : 0, 2);
    c.wait(0x3f);
  };
}

// From the last warp's arrival until the first warp has what it loads behind its chain, and until
// the last one has.
void ask(const std::string& name, Word one, unsigned stall, bool loads = true) {
  for (const int warps : {2, 8, 32})
    for (const int count : {0, 1, 2, 4, 8, 16, 32}) {
      std::vector<double> first, last;
      for (int i = 0; i < 3; ++i) {
        const auto all = machine->run(chain(one, stall, count, warps, loads), warps, 4);
        const long long arrived = reading(all, 32 * (warps - 1), 0);
        first.push_back(double(reading(all, 0, 1) - arrived));
        last.push_back(double(reading(all, 32 * (warps - 1), 1) - arrived));
      }
      const std::string end = ".n" + std::to_string(count) + ".w" + std::to_string(warps);
      print("behind." + name + end + ".early", first, "cycle");
      print("behind." + name + end + ".late", last, "cycle");
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: behind_barriers CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("behind_barriers");
  const Machine one(argv[1]);
  machine = &one;
  ask("iadd", iadd_immediate(16, 16, 1), 4);
  ask("imad", imad_immediate(16, 16, 3, RZ), 4);
  ask("ffma", ffma(16, 16, 15, 14), 4);
  ask("nop", nop(), 4);
  ask("clock", iadd_immediate(16, 16, 1), 4, false);
}

#endif
