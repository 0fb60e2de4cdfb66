// How warps of a sub-core share the fetch of instructions, in machine code: each warp reads the
// clock between jumps, or between rows of instructions behind them, while others do likewise. First
// two warps with code of their own, one of them some cycles later; then up to eight with the same.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++20 -O3 -arch=sm_90 -o fetch_turns fetch_turns.cu -lcuda
//   ./fetch_turns machine_code.cubin
//
// One line for each warp: its name, and its readings, less the first one of the first warp.
#include "machine_probe.h"

namespace {

using namespace timing;
using namespace timing::sass;

constexpr int kLine = 8;  // instructions
constexpr int kSubCores = 4;
constexpr Control kJump{.stall = 5};

void fill_to_line(Code& c) {
  while (c.size() % kLine != 0) c.put(nop());
}

// One step: what lies between two readings.
struct Step {
  const char* name;
  Body body;
};

void row(Code& c, int count, unsigned stall) {
  c.repeat(count, [&](int) { c.put(nop(), {.stall = stall}); });
}
// A jump over that number of instructions, and a row behind it.
Body jump(int over, int count = 0, unsigned stall = 1) {
  return [=](Code& c) {
    c.put(bra(over), kJump);
    row(c, over, 1);
    row(c, count, stall);
  };
}
Body straight(int count, unsigned stall) {
  return [=](Code& c) { row(c, count, stall); };
}

void steps(Code& c, const Step& step, int count) {
  c.clock(0);
  for (int i = 1; i <= count; ++i) {
    step.body(c);
    c.clock(static_cast<unsigned>(i));
  }
}

void tell(const std::string& name, const std::vector<long long>& all, int warps, int every,
          const std::vector<int>& counts) {
  for (int w = 0; w < warps; ++w) {
    std::printf("%s.warp%d", name.c_str(), w);
    for (int k = 0; k <= counts[w % counts.size()]; ++k)
      std::printf("\t%lld", reading(all, 32 * every * w, k) - reading(all, 0, 0));
    std::printf("\n");
  }
  std::fflush(stdout);
}

// Behind it R38 is the number of the warp in its sub-core, times 128. Other sub-cores' warps skip
// that number of instructions, if the sub-core is to be alone.
void of_first_sub_core(Code& c, const Body& body, bool alone) {
  Code inner;
  body(inner);
  c.put(s2r(38, 0x21), {.stall = 2, .write = 0});
  c.put(and_immediate(39, 38, 0x60), {.stall = 8, .wait = 1});
  c.put(isetp_ne(4, 39, RZ), {.stall = 13});
  if (!alone) c.put(isetp_lt_immediate(4, 1, 0), {.stall = 13});
  fill_to_line(c);
  row(c, kLine - 1, 4);
  c.put(guarded(bra(static_cast<int>(inner.size())), 4), kJump);
  body(c);
}

void together() {
  static const Step kSteps[] = {
      {"jump", jump(0)},
      {"jump+1", jump(0, 1)},
      {"jump+2", jump(0, 2)},
      {"jump+3", jump(0, 3)},
      {"jump+4", jump(0, 4)},
      {"jump+8", jump(0, 8)},
      {"jump+4x2", jump(0, 4, 2)},
      {"jump+4x4", jump(0, 4, 4)},
      {"jump_line", jump(kLine - 1)},
      {"jump_lines", jump(2 * kLine - 1)},
      {"straight8x1", straight(8, 1)},
      {"straight8x2", straight(8, 2)},
      {"straight8x4", straight(8, 4)},
      {"straight4x1", straight(4, 1)},
      {"bssy+bsync", [](Code& c) { c.put(bssy(0, 1), {.stall = 5}).put(bsync(0), kJump); }},
      {"not_taken", [](Code& c) { c.put(guarded(bra(0), 1), kJump); }},
  };
  constexpr int kSteps8 = 8;
  for (const Step& step : kSteps)
    for (const bool alone : {true, false})
      for (const int warps : {1, 2, 3, 4, 6, 8}) {
        if (!alone && warps != 2 && warps != 4 && warps != 8) continue;
        const auto all = machine->run(
            [&](Code& c) {
              of_first_sub_core(
                  c, [&](Code& in) { steps(in, step, kSteps8); }, alone);
            },
            kSubCores * warps, 4);
        tell(std::string("together.") + step.name + (alone ? ".alone" : ".all") + ".n" +
                 std::to_string(warps),
             all, warps, kSubCores, {kSteps8});
      }
}

// The second warp has code of its own. The first one, or the second, begins some cycles later.
void pairs() {
  static const Step kOther[] = {
      {"jump", jump(0)},
      {"jump+4", jump(0, 4)},
      {"jump+1", jump(0, 1)},
      {"straight8x1", straight(8, 1)},
      {"straight4x2", straight(4, 2)},
      {"straight4x4", straight(4, 4)},
      {"straight2x8", straight(2, 8)},
  };
  static const Step kFirst[] = {
      {"jump", jump(0)}, {"jump+4", jump(0, 4)}, {"straight4x2", straight(4, 2)}};
  for (const Step& mine : kFirst)
    for (const Step& other : kOther)
      for (const int count : {1, 8})
        for (int delay = -13; delay <= 13; ++delay) {
          if (count == 8 && delay % 3 != 0) continue;
          const auto of = [&](const Step& step, int late) {
            return [&step, late, count](Code& c) {
              c.put(nop(), {.stall = 4u + static_cast<unsigned>(late / 2)});
              c.put(nop(), {.stall = 4u + static_cast<unsigned>(late - late / 2)});
              steps(c, step, count);
              row(c, 6, 11);
              fill_to_line(c);
            };
          };
          const auto body = [&](Code& c) {
            Code second;
            of(other, std::max(0, -delay))(second);
            c.put(isetp_lt_immediate(6, 38, 128), {.stall = 13});
            row(c, 3, 4);
            fill_to_line(c);
            row(c, kLine - 1, 4);
            c.put(guarded(bra(static_cast<int>(second.size()) + kLine), 6), kJump);
            of(other, std::max(0, -delay))(c);
            Code first;
            of(mine, std::max(0, delay))(first);
            c.put(bra(static_cast<int>(first.size()) + kLine - 1), kJump);
            row(c, kLine - 1, 1);
            of(mine, std::max(0, delay))(c);
          };
          const auto all =
              machine->run([&](Code& c) { of_first_sub_core(c, body, true); }, 2 * kSubCores, 4);
          tell(std::string("pair.") + mine.name + ".beside." + other.name + ".steps" +
                   std::to_string(count) + ".delay" + std::to_string(delay),
               all, 2, kSubCores, {count});
        }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fetch_turns CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("fetch_turns");
  const Machine one(argv[1]);
  machine = &one;
  together();
  pairs();
}
