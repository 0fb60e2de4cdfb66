// What warps wait for that only compute: rows of instructions of one unit or of two by turns, with
// several stall counts, by warps of a sub-core. For gpu/cupti/measure.sh (mode timing); stdout is
// the launches' names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o queue_waits.cubin queue_waits.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o issue_waits issue_waits.cu -lcuda
//   gpu/cupti/measure.sh -m timing -o issue_waits.json -- ./issue_waits queue_waits.cubin
//
// `issue.iadd.stall4.t1024`: 64 of them 32 times, in one block of 1,024 threads on each SM.
#include "patched_launches.h"

#ifndef __CUDA_ARCH__

namespace {

constexpr R kZero = 14;
R dst(int i) { return R(16 + 2 * (i % 8)); }

using Make = std::function<Word(int)>;
struct Kind {
  const char* name;
  Make make;
};

const Kind kNop{"nop", [](int) { return nop(); }};
const Kind kIadd{"iadd", [](int i) { return iadd3(dst(i), 4, 6, 8); }};
const Kind kFfma{"ffma", [](int i) { return ffma(dst(i), 4, 6, 8); }};
const Kind kImad{"imad", [](int i) { return imad(dst(i), 4, 6, 8); }};
const Kind kWide{"wide", [](int i) { return imad_wide(dst(i), 4, 6, 8); }};
const Kind kMov{"mov", [](int i) { return mov(dst(i), 4); }};
const Kind kFadd{"fadd", [](int i) { return fadd(dst(i), 4, 6); }};
const Kind kIsetp{"isetp", [](int i) { return isetp_ne(1 + unsigned(i % 2), 4, 6); }};
const Kind kHfma{"hfma", [](int i) { return hfma2(dst(i), 4, 6, 8); }};
const Kind kTwo{"iadd+ffma", [](int i) { return (i % 2 == 0 ? kIadd : kFfma).make(i); }};
const Kind kThree{"iadd+imad", [](int i) { return (i % 2 == 0 ? kIadd : kImad).make(i); }};
const Kind kMixed{"iadd+iadd+ffma", [](int i) { return (i % 3 != 2 ? kIadd : kFfma).make(i); }};

void loop(Launcher& launch, const Kind& kind, unsigned stall) {
  const auto code = [&](Code& c) {
    c.put(mov_immediate(kZero, 0), {.stall = 6});
    for (R r = 4; r < 10; ++r) c.put(mov_immediate(r, 0), {.stall = 6});
    c.put(mov_immediate(10, 32), {.stall = 6});
    const std::size_t again = c.size();
    for (int i = 0; i < 64; ++i) c.put(kind.make(i), {.stall = stall});
    c.put(iadd_immediate(10, 10, 0xffffffff), {.stall = 6});
    c.put(isetp_ne(3, 10, RZ), {.stall = 13});
    c.put(guarded(bra(static_cast<int>(again) - static_cast<int>(c.size()) - 1), 3), {.stall = 5});
  };
  launch.in("with_shared", std::string("issue.") + kind.name + ".stall" + std::to_string(stall),
            code,
            {launch.everywhere(128), launch.everywhere(256), launch.everywhere(512),
             launch.everywhere(1024)});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: issue_waits CUBIN [WORD]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  Launcher launch(argv[1], argc > 2 ? argv[2] : "");
  for (const unsigned stall : {1u, 2u, 4u, 6u})
    for (const Kind& kind :
         {kNop, kIadd, kFfma, kImad, kWide, kMov, kFadd, kIsetp, kHfma, kTwo, kThree, kMixed})
      loop(launch, kind, stall);
}

#endif
