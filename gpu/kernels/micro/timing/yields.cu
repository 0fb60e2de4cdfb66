// What YIELD costs, by what the warp's other lanes do meanwhile: nothing, as they are none or have
// ended; they wait at WARPSYNC or at BSYNC; they yield too; and how many warps of a sub-core do so.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -o yields yields.cu -lcuda && ./yields machine_code.cubin
#include "machine_probe.h"

#ifndef __CUDA_ARCH__

namespace {

using namespace timing;

constexpr Control kFive{.stall = 5};
// Lanes 16 to 31.
constexpr unsigned kUpper = 8 + 0;

enum class Others { kNone, kEnded, kAtWarpsync, kAtBsync, kYieldToo, kReady };

// `count` rounds of YIELD and `gap` instructions that compute, between two readings of lane 0.
Body yields(Others others, int count, int gap, bool load) {
  return [=](Code& c) {
    const auto round = [=](Code& to) {
      if (load) to.put(lds(20, 10, 0, Size::k32), {.stall = 2, .write = 0});
      to.put(yield(), kOne);
      for (int i = 0; i < gap; ++i) to.put(ffma(16 + unsigned(i) % 4, 14, 15, 14), {.stall = 4});
      if (load) to.put(nop(), {.stall = 2, .wait = 1});
    };
    Code all;
    for (int i = 0; i < count; ++i) round(all);
    const int length = int(all.size());
    const bool theirs = others == Others::kYieldToo;
    if (others == Others::kEnded) c.put(guarded(sass::exit(), kUpper), kFive);
    if (others == Others::kAtBsync || others == Others::kReady || theirs)
      c.put(bssy(0, length + 4 + (theirs ? length : 0)), {.stall = 10});
    if (others != Others::kNone && others != Others::kEnded)
      c.put(guarded(bra(length + (theirs ? 3 : 2)), kUpper), kFive);
    c.clock(0);
    for (int i = 0; i < count; ++i) round(c);
    c.clock(1, 0, 2);
    if (theirs) {
      c.put(bra(length), kFive);
      for (int i = 0; i < count; ++i) round(c);
    }
    if (others == Others::kAtWarpsync) c.put(warpsync_all(), kFive);
    if (others == Others::kAtBsync || others == Others::kReady || theirs) c.put(bsync(0), kFive);
    c.put(nop(), {.stall = 2});
  };
}

void ask(const std::string& name, Others others, int gap, bool load = false) {
  for (const int warps : {1, 4, 8, 12, 16, 24, 32}) {
    constexpr int kFew = 4, kMany = 20;
    // Lanes that have ended cannot come to the next round.
    const int rounds = others == Others::kEnded ? 1 : 4;
    const auto a = between(yields(others, kFew, gap, load), warps, rounds),
               b = between(yields(others, kMany, gap, load), warps, rounds);
    std::vector<double> each;
    for (std::size_t i = 0; i < a.size(); ++i) each.push_back((b[i] - a[i]) / (kMany - kFew));
    print("yield." + name + ".gap" + std::to_string(gap) + (load ? ".lds" : "") + ".w" +
              std::to_string(warps),
          each, "cycle");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: yields CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("yields");
  const Machine one(argv[1]);
  machine = &one;
  for (const int gap : {0, 4, 16}) {
    ask("none", Others::kNone, gap);
    ask("at_warpsync", Others::kAtWarpsync, gap);
    ask("at_bsync", Others::kAtBsync, gap);
    ask("yield_too", Others::kYieldToo, gap);
  }
  ask("none", Others::kNone, 0, true);
  ask("at_warpsync", Others::kAtWarpsync, 0, true);
  ask("at_bsync", Others::kAtBsync, 0, true);
  ask("ended", Others::kEnded, 0);
  ask("ended", Others::kEnded, 4);
}

#endif
