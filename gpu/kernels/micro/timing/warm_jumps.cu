// What keeps a warp while it jumps or another group of its lanes goes on: loops whose code is in
// the sub-cores' caches, for gpu/cupti/measure.sh (mode timing), as cold_launches.cu.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -cubin -o warm_jumps.cubin warm_jumps.cu
//   nvcc -std=c++20 -O3 -arch=sm_90 -cudart shared -o warm_jumps warm_jumps.cu -lcuda
//   gpu/cupti/measure.sh -m timing -o warm_jumps.json -- ./warm_jumps warm_jumps.cubin
#include "patched_launches.h"

#ifndef __CUDA_ARCH__

namespace {

constexpr Control kJump{.stall = 5};
constexpr int kRounds = 100;

// The body a hundred times; R5 counts, P3 tells. R1: the lane.
void rounds(Code& c, const std::function<void(Code&)>& body) {
  c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
  c.put(and_immediate(1, 0, 31), {.stall = 8, .wait = 1});
  c.put(mov_immediate(5, kRounds), {.stall = 6});
  while (c.size() % kLine != 0) c.put(nop());
  const int begin = static_cast<int>(c.size());
  body(c);
  c.put(iadd_immediate(5, 5, 0xffffffff), {.stall = 6});
  c.put(isetp_ne(3, 5, RZ), {.stall = 13});
  c.put(guarded(bra(begin - static_cast<int>(c.size()) - 1), 3), kJump);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: warm_jumps CUBIN [PART-OF-NAME]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  Launcher launch(argv[1], argc > 2 ? argv[2] : "");
  const std::initializer_list<Shape> shapes{{1, 32}, {1, 256}, {1, 512}};
  for (const int jumps : {0, 8})
    launch(
        "loop.jumps" + std::to_string(jumps),
        [=](Code& c) {
          rounds(c, [=](Code& in) { in.repeat(jumps, [&](int) { in.put(bra(0), kJump); }); });
        },
        shapes);
  for (const int jumps : {4, 8})
    launch(
        "loop.far_jumps" + std::to_string(jumps),
        [=](Code& c) {
          rounds(c, [=](Code& in) {
            in.repeat(jumps, [&](int) {
              in.put(bra(2 * kLine - 1), kJump);
              nops(in, 2 * kLine - 1);
            });
          });
        },
        shapes, true);
  // Groups of lanes with a side each, that end with a BSYNC of their own or jump to a common one.
  for (const int groups : {1, 2, 4, 8})
    for (const bool common : {false, true})
      launch(
          "loop.groups" + std::to_string(groups) + (common ? ".common" : ".own"),
          [=](Code& c) {
            rounds(c, [=](Code& in) {
              const int begin = static_cast<int>(in.size()), side = 4;
              const int sides = begin + 1 + 2 * (groups - 1), end = sides + groups * side;
              in.put(bssy(0, end + (common ? 1 : 0) - begin - 1), {.stall = 10});
              for (int group = 1; group < groups; ++group) {
                in.put(isetp_lt_immediate(4, 1, std::uint32_t(32 / groups * group)), {.stall = 13});
                in.put(guarded(bra(sides + group * side - int(in.size()) - 1), 4), kJump);
              }
              for (int group = 0; group < groups; ++group) {
                nops(in, side - 1, 4);
                in.put(common ? bra(end - int(in.size()) - 1) : bsync(0), kJump);
              }
              if (common) in.put(bsync(0), kJump);
            });
          },
          shapes, true);
}

#endif
