// What neighbours do to one another: warps of an SM that each execute code of their own, and stores
// right behind one another. Launches of machine code with empty caches, for gpu/cupti/measure.sh
// (mode timing), as cold_launches.cu.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o neighbours.cubin neighbours.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o neighbours neighbours.cu -lcuda
//   gpu/cupti/measure.sh -m timing -o neighbours.json -- ./neighbours neighbours.cubin
#include "patched_launches.h"

#ifndef __CUDA_ARCH__

namespace {

// Four warps, each `lines` lines of its own, straight or jumping over `over` lines each time; they
// begin 256 lines from one another.
void apart(Launcher& launch) {
  constexpr int kApart = 2048;
  const auto code = [=](int lines, int over) {
    return [=](Code& c) {
      c.put(s2r(0, 0x21), {.stall = 2, .write = 0}).wait(1);
      for (unsigned i = 0; i < 3; ++i) c.put(isetp_lt_immediate(i, 0, 32 * (i + 1)), {.stall = 13});
      // Each warp takes the first jump whose guard holds for it; the last one takes none.
      const int begin = int(c.size()) + 3;
      for (unsigned i = 0; i < 3; ++i)
        c.put(guarded(bra(begin + kApart * int(i + 1) - int(c.size()) - 1), i), {.stall = 5});
      for (int warp = 0; warp < 4; ++warp) {
        while (int(c.size()) < begin + kApart * warp) c.put(nop());
        if (over == 0) nops(c, kLine * lines);
        for (int i = 0; over != 0 && i < lines; ++i) {
          c.put(bra(kLine * over - 1), {.stall = 5});
          nops(c, kLine * over - 1);
        }
        c.put(sass::exit(), {.stall = 5});
      }
    };
  };
  const std::initializer_list<Shape> shapes{kOneWarp, kWarpOfEach, launch.everywhere(32),
                                            launch.everywhere(128)};
  for (const int lines : {8, 32, 128})
    launch("apart.straight.lines" + std::to_string(lines), code(lines, 0), shapes, true);
  for (const int over : {1, 2, 4, 8})
    launch("apart.jumps.lines" + std::to_string(over), code(16, over), shapes, true);
}

// Each thread stores `words` words that lie side by side, `gap` cycles from one issue to the next;
// threads lie `spread` bytes apart. What is between two stores: nothing, a store or a load of other
// lines.
void behind(Launcher& launch) {
  enum class Between { kNothing, kStore, kLoad };
  constexpr int kElsewhere = 2 << 20;
  const auto stores = [=](int words, int step, int spread, int gap, Size size,
                          Between between = Between::kNothing) {
    return [=](Code& c) {
      c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
      c.put(s2r(1, 0x25), {.stall = 2, .write = 0});
      c.put(uldc64(4, 0x208), {.stall = 12});
      c.put(ldc(2, RZ, 0, 0x210, Size::k64), {.stall = 2, .write = 1});
      c.put(imad_immediate(0, 1, 1024, 0), {.stall = 6, .wait = 1});
      c.put(imad_wide_immediate(2, 0, std::uint32_t(spread), 2), {.stall = 6, .wait = 2});
      delay(c);  // all warps of the block have come so far
      for (int i = 0; i < words; ++i) {
        c.put(stg(2, unsigned(step * i), 20, size), {.stall = unsigned(std::min(gap, 15))});
        for (int left = gap - 15; left > 0; left -= 15)
          c.put(nop(), {.stall = unsigned(std::min(left, 15))});
        if (i + 1 == words) break;
        const auto elsewhere = unsigned(kElsewhere * (i + 1));
        if (between == Between::kStore) c.put(stg(2, elsewhere, 20, size), {.stall = 2});
        if (between == Between::kLoad) c.put(ldg(16, 2, elsewhere, size), {.stall = 2, .write = 3});
      }
    };
  };
  const std::initializer_list<Shape> shapes{kOneWarp, kFull, launch.everywhere(1024)};
  const auto ask = [&](const std::string& what, const std::function<void(Code&)>& code) {
    launch("behind." + what, code, shapes);
  };
  ask("one", stores(1, 4, 12, 2, Size::k32));
  ask("two", stores(2, 4, 12, 2, Size::k32));
  for (const int gap : {1, 2, 4, 8, 15, 30, 60})
    ask("three.gap" + std::to_string(gap), stores(3, 4, 12, gap, Size::k32));
  ask("four", stores(4, 4, 16, 2, Size::k32));
  ask("eight", stores(8, 4, 32, 2, Size::k32));
  ask("sixteen", stores(16, 4, 64, 2, Size::k32));
  ask("far", stores(3, 4, 64, 2, Size::k32));
  ask("lines", stores(3, 128, 4, 2, Size::k32));
  for (const int gap : {2, 15})
    ask("same.gap" + std::to_string(gap), stores(3, 0, 4, gap, Size::k32));
  ask("wide.three", stores(3, 8, 24, 2, Size::k64));
  ask("wide.same", stores(3, 0, 8, 2, Size::k64));
  ask("store_between", stores(3, 4, 12, 2, Size::k32, Between::kStore));
  ask("load_between", stores(3, 4, 12, 2, Size::k32, Between::kLoad));
  // By how many warps there are.
  const auto crowd = [&](const std::string& what, const std::function<void(Code&)>& code) {
    launch("crowd." + what, code, {{1, 64}, {1, 128}, {1, 256}, {1, 512}});
  };
  crowd("two", stores(2, 4, 12, 2, Size::k32));
  for (const int gap : {2, 8, 15})
    crowd("three.gap" + std::to_string(gap), stores(3, 4, 12, gap, Size::k32));
  crowd("four", stores(4, 4, 16, 2, Size::k32));
  crowd("eight", stores(8, 4, 32, 2, Size::k32));
  crowd("far", stores(3, 4, 64, 2, Size::k32));
  crowd("wide.three", stores(3, 8, 24, 2, Size::k64));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: neighbours CUBIN [WORD]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  Launcher launch(argv[1], argc > 2 ? argv[2] : "");
  apart(launch);
  behind(launch);
}

#endif
