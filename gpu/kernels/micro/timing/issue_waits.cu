// What warps wait for that only compute: rows of instructions of one unit or of two by turns, with
// several stall counts, by warps of a sub-core. For gpu/cupti/measure.sh (mode timing); stdout is
// the launches' names.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o queue_waits.cubin queue_waits.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o issue_waits issue_waits.cu -lcuda
//   gpu/cupti/measure.sh -m timing -o issue_waits.json -- ./issue_waits queue_waits.cubin
//
// `issue.iadd.stall4.b132.t1024`: 64 of them 32 times, in one block of 1,024 threads on each SM;
// they read registers of one bank. `apart.*`: registers of both, none of them twice.
#include "patched_launches.h"

#ifndef __CUDA_ARCH__

namespace {

constexpr R kZero = 14;
R dst(int i) { return R(16 + 2 * (i % 8)); }

// Three registers that are read.
struct Read {
  R a, b, c;
};
constexpr Read kOneBank{4, 6, 8}, kApart{4, 5, RZ};

using Make = std::function<Word(int, const Read&)>;
struct Kind {
  const char* name;
  Make make;
};

const Kind kNop{"nop", [](int, const Read&) { return nop(); }};
const Kind kIadd{"iadd", [](int i, const Read& r) { return iadd3(dst(i), r.a, r.b, r.c); }};
const Kind kFfma{"ffma", [](int i, const Read& r) { return ffma(dst(i), r.a, r.b, r.c); }};
const Kind kImad{"imad", [](int i, const Read& r) { return imad(dst(i), r.a, r.b, r.c); }};
const Kind kWide{"wide", [](int i, const Read& r) { return imad_wide(dst(i), r.a, r.b, r.c); }};
const Kind kMov{"mov", [](int i, const Read& r) { return mov(dst(i), r.a); }};
const Kind kFadd{"fadd", [](int i, const Read& r) { return fadd(dst(i), r.a, r.b); }};
const Kind kIsetp{"isetp",
                  [](int i, const Read& r) { return isetp_ne(1 + unsigned(i % 2), r.a, r.b); }};
const Kind kHfma{"hfma", [](int i, const Read& r) { return hfma2(dst(i), r.a, r.b, r.c); }};
const Kind kTwo{"iadd+ffma",
                [](int i, const Read& r) { return (i % 2 == 0 ? kIadd : kFfma).make(i, r); }};
const Kind kThree{"iadd+imad",
                  [](int i, const Read& r) { return (i % 2 == 0 ? kIadd : kImad).make(i, r); }};
const Kind kMixed{"iadd+iadd+ffma",
                  [](int i, const Read& r) { return (i % 3 != 2 ? kIadd : kFfma).make(i, r); }};

void loop(Launcher& launch, const char* what, const Kind& kind, unsigned stall, const Read& read) {
  const auto code = [&](Code& c) {
    c.put(mov_immediate(kZero, 0), {.stall = 6});
    for (R r = 4; r < 10; ++r) c.put(mov_immediate(r, 0), {.stall = 6});
    c.put(mov_immediate(10, 32), {.stall = 6});
    const std::size_t again = c.size();
    for (int i = 0; i < 64; ++i) c.put(kind.make(i, read), {.stall = stall});
    c.put(iadd_immediate(10, 10, 0xffffffff), {.stall = 6});
    c.put(isetp_ne(3, 10, RZ), {.stall = 13});
    c.put(guarded(bra(static_cast<int>(again) - static_cast<int>(c.size()) - 1), 3), {.stall = 5});
  };
  launch.in("with_shared", std::string(what) + "." + kind.name + ".stall" + std::to_string(stall),
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
  const std::vector<Kind> kinds{kNop,  kIadd,  kFfma, kImad, kWide,  kMov,
                                kFadd, kIsetp, kHfma, kTwo,  kThree, kMixed};
  for (const unsigned stall : {1u, 2u, 4u, 6u})
    for (const Kind& kind : kinds) loop(launch, "issue", kind, stall, kOneBank);
  for (const unsigned stall : {2u, 4u})
    for (const Kind& kind : kinds) loop(launch, "apart", kind, stall, kApart);
}

#endif
