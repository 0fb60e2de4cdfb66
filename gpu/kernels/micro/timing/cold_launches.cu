// Launches of machine code with empty caches, one probe each, to be measured by
// gpu/cupti/measure.sh (mode timing): what fetching code and constants, the first and the last
// instruction and fences cost a launch. The kernels below are compiled only to have room; their
// code is replaced by a probe's.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o cold_launches.cubin cold_launches.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o cold_launches cold_launches.cu -lcuda
//   gpu/cupti/measure.sh -m timing -o cold_launches.json -- ./cold_launches cold_launches.cubin
//
// One line on stdout for each launch: its name. `.b132.t256` at its end: 132 blocks of 256 threads.
// `./cold_launches cold_launches.cubin WORD`: those only whose name contains the word.
#include "patched_launches.h"

// Kernels of one to three lines, to have some that begin in different places.
#define PLACE(n)                                                                                \
  extern "C" __global__ void place_##n(float* data) {                                           \
    float r = data[0];                                                                          \
    for (int i = 0; i < 8 * (n % 3); ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(r)); \
    data[0] = r;                                                                                \
  }
#define PLACES(n) \
  PLACE(n##0) PLACE(n##1) PLACE(n##2) PLACE(n##3) PLACE(n##4) PLACE(n##5) PLACE(n##6) PLACE(n##7)
PLACES(1);
PLACES(2);
PLACES(3);
PLACES(4);

#ifndef __CUDA_ARCH__

namespace {

// What a launch of one instruction costs, and straight code of several lengths: lines arrive
// while those before execute.
void straight_code(Launcher& launch) {
  const auto code = [](int lines, unsigned stall = 1) {
    return [=](Code& c) { nops(c, kLine * lines - 1, stall); };
  };
  launch("nothing", [](Code&) {},
         {kOneWarp, kWarpOfEach, kFull, launch.everywhere(32), launch.everywhere(1024)});
  launch(
      "nothing.in_long", [](Code&) {}, {kOneWarp}, true);
  for (const int lines : {1, 2, 3, 4, 5, 6, 8, 12})
    launch("straight.lines" + std::to_string(lines), code(lines), {kOneWarp});
  for (const int lines : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 640, 1024})
    launch("straight.in_long.lines" + std::to_string(lines), code(lines), {kOneWarp}, true);
  for (const int lines : {2, 8, 32, 128, 512})
    launch("straight.in_long.lines" + std::to_string(lines), code(lines),
           {launch.everywhere(32), kWarpOfEach}, true);
  for (const int lines : {2, 8, 32, 128})
    launch("straight.in_long.lines" + std::to_string(lines), code(lines),
           {kFull, launch.everywhere(1024)}, true);
  for (const int lines : {8, 32, 128})
    launch("slow.in_long.lines" + std::to_string(lines), code(lines, 4), {kOneWarp}, true);
  for (const int lines : {4, 8, 12})
    launch("very_slow.lines" + std::to_string(lines), code(lines, kLongStalls),
           {kOneWarp, launch.everywhere(32)}, true);
}

// Where a kernel's code lies: how soon its first line is there.
void places(Launcher& launch) {
  for (int ten = 1; ten <= 4; ++ten)
    for (int one = 0; one < 8; ++one)
      launch.in_place(10 * ten + one, {kOneWarp, {16, 32}, launch.everywhere(32)});
}

// Blocks that live long enough for all to have started: when the n-th block of an SM begins.
void dispatch(Launcher& launch) {
  const auto live = [](Code& c) {
    for (int i = 0; i < 8; ++i) delay(c);
  };
  launch("dispatch", live, {kOneWarp, kFull, {16, 32}, {16, 1024}});
  for (const int per_sm : {1, 2, 4, 8, 16, 32})
    launch("dispatch", live, {launch.everywhere(32, per_sm)});
  for (const int per_sm : {1, 2, 4, 8}) launch("dispatch", live, {launch.everywhere(256, per_sm)});
  for (const int per_sm : {1, 2}) launch("dispatch", live, {launch.everywhere(1024, per_sm)});
  // Blocks that take the places of others.
  launch("dispatch", live, {launch.everywhere(256, 16), launch.everywhere(1024, 4)});
  launch("nothing", [](Code&) {}, {launch.everywhere(256, 32), launch.everywhere(1024, 8)});
}

// What compilers begin a kernel with.
void prologues(Launcher& launch) {
  const Shape all = launch.everywhere(32), eight = launch.everywhere(256),
              full = launch.everywhere(1024);
  const auto two_operands = [](Code& c) {
    c.put(mov_constant(16, 0, 0), {.stall = 5});
    c.put(mov_constant(16, 0, 0x208), {.stall = 5});
  };
  const auto loads = [](Code& c) {
    c.put(ldc(1, RZ, 0, 0x28), {.stall = 8});
    c.put(s2r(5, 0x25), {.stall = 1, .write = 0});
    c.put(ldc(2, RZ, 0, 0x210, Size::k64), {.stall = 1, .write = 2});
  };
  launch("prologue.two_operands", two_operands, {kOneWarp, {64, 32}, all, eight});
  launch("prologue.loads",
         [&](Code& c) {
           loads(c);
           c.wait(7);
         },
         {kOneWarp, kFull, all, eight, full});
  launch("prologue.loads_operand",
         [&](Code& c) {
           loads(c);
           c.put(uldc(4, 0), {.stall = 5});
           c.wait(7);
         },
         {kOneWarp, kFull, all, eight, full});
  launch("prologue.all",
         [&](Code& c) {
           loads(c);
           c.put(uldc(4, 0), {.stall = 1});
           c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
           c.put(imad(5, 5, 0, 0), {.stall = 4, .wait = 1});
           c.put(uldc64(4, 0x208), {.stall = 5});
           c.put(imad_wide_immediate(2, 5, 4, 2), {.stall = 5, .wait = 4});
         },
         {kOneWarp, {1, 256}, kFull, {64, 32}, {64, 256}, {64, 1024}, all, eight, full});
  launch("prologue.six_loads",
         [](Code& c) {
           for (int i = 0; i < 6; ++i)
             c.put(ldc(16 + i, RZ, 0, 0x210 - 64 * (i % 3)), {.stall = 1, .write = 1});
           c.wait(2);
         },
         {kOneWarp, {1, 256}, kFull, full});
}

// Jumps over lines, and one jump after a while: how far ahead code is fetched.
void jumps(Launcher& launch) {
  const auto jump = [](Code& c, int lines) {
    c.put(bra(kLine * lines - 1), {.stall = 5});
    nops(c, kLine * lines - 1);
  };
  for (const int lines : {1, 2, 3, 4, 6, 8, 16, 32, 64})
    launch(
        "jumps.in_long.lines" + std::to_string(lines),
        [=](Code& c) {
          for (int i = 0; i < 16; ++i) jump(c, lines);
        },
        {kOneWarp}, true);
  for (const int lines : {1, 4, 16})
    launch(
        "jumps.in_long.lines" + std::to_string(lines),
        [=](Code& c) {
          for (int i = 0; i < 16; ++i) jump(c, lines);
        },
        {launch.everywhere(32)}, true);
  for (const int lines : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 480, 600})
    launch(
        "late_jump.in_long.lines" + std::to_string(lines),
        [=](Code& c) {
          for (int i = 0; i < 4; ++i) {
            delay(c);
            nops(c, i < 3 ? 1 : 0);
          }
          jump(c, lines);
        },
        {kOneWarp}, true);
}

// Constants of the launch's bank, `apart` bytes apart, read by operands, LDC or ULDC.
void constants(Launcher& launch) {
  const auto operands = [](int count, bool late) {
    return [=](Code& c) {
      if (late) delay(c), delay(c);
      for (int i = 0; i < count; ++i) c.put(mov_constant(16, 0, 0x210 - 64 * i), {.stall = 5});
    };
  };
  const auto loads = [](int count, bool late) {
    return [=](Code& c) {
      if (late) delay(c), delay(c);
      for (int i = 0; i < count; ++i)
        c.put(ldc(16, RZ, 0, 0x210 - 64 * i), {.stall = 2, .write = 0}).wait(1);
    };
  };
  const auto uniform = [](int count, bool late) {
    return [=](Code& c) {
      if (late) delay(c), delay(c);
      for (int i = 0; i < count; ++i) c.put(uldc(8, 0x210 - 64 * i), {.stall = 5});
    };
  };
  const Shape all = launch.everywhere(32), full = launch.everywhere(1024);
  launch("constant.operand.lines1", operands(1, false), {kOneWarp, all, full});
  launch("constant.operand.lines2", operands(2, false), {kOneWarp});
  launch("constant.operand.lines4", operands(4, false), {kOneWarp});
  launch("constant.operand.late.lines1", operands(1, true), {kOneWarp, all});
  launch("constant.operand.late.lines4", operands(4, true), {kOneWarp});
  launch("constant.ldc.lines1", loads(1, false), {kOneWarp, {1, 256}, kFull, all, full});
  launch("constant.ldc.lines4", loads(4, false), {kOneWarp});
  launch("constant.ldc.late.lines1", loads(1, true), {kOneWarp, all});
  launch("constant.uldc.lines1", uniform(1, false), {kOneWarp, all, full});
  launch("constant.uldc.late.lines1", uniform(1, true), {kOneWarp});
  launch("constant.operand_ldc",
         [&](Code& c) {
           operands(1, false)(c);
           loads(1, false)(c);
         },
         {kOneWarp});
  launch("constant.ldc_operand",
         [&](Code& c) {
           loads(1, false)(c);
           operands(1, false)(c);
         },
         {kOneWarp});
  launch("constant.uldc_operand",
         [&](Code& c) {
           uniform(1, false)(c);
           operands(1, false)(c);
         },
         {kOneWarp});
  launch("constant.s2r", [](Code& c) { c.put(s2r(0, 0x21), {.stall = 2, .write = 0}).wait(1); },
         {kOneWarp, kFull});
  launch("constant.s2r_ldc",
         [](Code& c) {
           c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
           c.put(ldc(16, RZ, 0, 0x210), {.stall = 2, .write = 1}).wait(3);
         },
         {kOneWarp, kFull});
}

// What keeps a warp from ending: loads of constants, stores, loads.
void ends(Launcher& launch) {
  const auto stores = [](Code& c, int count) {
    for (int i = 0; i < count; ++i) c.put(stg(2, 4096 * i, 0, Size::k32), {.stall = 4});
  };
  launch("end.ldc", [](Code& c) { c.put(ldc(16, RZ, 0, 0x210), {.stall = 2, .write = 0}); },
         {kOneWarp});
  launch("end.ldc.late",
         [](Code& c) {
           delay(c), delay(c);
           c.put(ldc(16, RZ, 0, 0x210), {.stall = 2, .write = 0});
         },
         {kOneWarp});
  launch("end.s2r", [](Code& c) { c.put(s2r(0, 0x21), {.stall = 2, .write = 0}); }, {kOneWarp});
  for (const int count : {0, 1, 2, 4, 8})
    launch("end.stg" + std::to_string(count),
           [&](Code& c) {
             address(c);
             stores(c, count);
           },
           {kOneWarp, kFull});
  launch("end.ldg",
         [](Code& c) {
           address(c);
           c.put(ldg(16, 2, 0, Size::k32), {.stall = 4, .write = 0});
         },
         {kOneWarp});
  for (const int count : {0, 1, 4}) {
    const auto fenced = [&](const char* name, const std::function<void(Code&)>& fence,
                            std::initializer_list<Shape> shapes) {
      launch(
          std::string("fence.") + name + ".stores" + std::to_string(count),
          [&](Code& c) {
            address(c);
            stores(c, count);
            fence(c);
          },
          shapes);
    };
    fenced("cta", [](Code& c) { c.put(membar_cta(), {.stall = 6}); }, {kOneWarp});
    fenced("gpu", [](Code& c) { c.put(membar_gpu(), {.stall = 6}); }, {kOneWarp});
    fenced("sys", [](Code& c) { c.put(membar_sys(), {.stall = 6}); }, {kOneWarp});
    fenced("vc", [](Code& c) { c.put(membar_vc(), {.stall = 6}); },
           {kOneWarp, {1, 256}, launch.everywhere(256)});
    const auto errors = [](Code& c) {
      c.put(errbar(), {.stall = 0, .yield = true});
      c.put(cgaerrbar(), {.stall = 15});
    };
    fenced("vc_errbar",
           [&](Code& c) {
             c.put(membar_vc(), {.stall = 0, .yield = true});
             errors(c);
           },
           {kOneWarp, launch.everywhere(256)});
    fenced("gpu_errbar_cctl",
           [&](Code& c) {
             c.put(membar_gpu(), {.stall = 6, .yield = true});
             errors(c);
             c.put(cctl_ivall(), {.stall = 4, .yield = true});
           },
           {kOneWarp, launch.everywhere(256)});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: cold_launches CUBIN [WORD]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  Launcher launch(argv[1], argc > 2 ? argv[2] : "");
  straight_code(launch);
  places(launch);
  dispatch(launch);
  prologues(launch);
  jumps(launch);
  constants(launch);
  ends(launch);
}

#endif
