// What waits to issue behind what: a sub-core's queues for loads, stores, shuffles, constants and
// special registers, which of them share places, and how a kernel's first instructions pass
// (machine code; the cubin is machine_code.cu's).
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -o queues queues.cu -lcuda
//   ./queues machine_code.cubin
#include "machine_probe.h"

namespace {

using namespace timing;
using namespace timing::sass;

struct Kind {
  const char* name;
  std::function<void(Code&, int)> put;
};

R dst(int i) { return R(16 + 2 * (i % 8)); }

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"ldg",
       [](Code& c, int i) { c.put(ldg(dst(i), 4, 0, Size::k32), {.stall = 1, .write = 0}); }},
      {"stg", [](Code& c, int) { c.put(stg(4, 0, 14, Size::k32), {.stall = 1, .read = 0}); }},
      {"lds",
       [](Code& c, int i) { c.put(lds(dst(i), 6, 0, Size::k32), {.stall = 1, .write = 0}); }},
      {"sts", [](Code& c, int) { c.put(sts(6, 0, 14, Size::k32), {.stall = 1, .read = 0}); }},
      {"shfl", [](Code& c, int i) { c.put(shfl_bfly(dst(i), 14), {.stall = 1, .write = 0}); }},
      {"ldc", [](Code& c, int i) { c.put(ldc(dst(i), RZ, 0, 0x210), {.stall = 1, .write = 0}); }},
      {"ldc64",
       [](Code& c, int i) {
         c.put(ldc(dst(i), RZ, 0, 0x210, Size::k64), {.stall = 1, .write = 0});
       }},
      {"s2r", [](Code& c, int i) { c.put(s2r(dst(i), 0x21), {.stall = 1, .write = 0}); }},
      {"s2r_ctaid", [](Code& c, int i) { c.put(s2r(dst(i), 0x25), {.stall = 1, .write = 0}); }},
      {"s2ur", [](Code& c, int i) { c.put(s2ur(R(6 + i % 8), 0x25), {.stall = 1, .write = 0}); }},
      {"mufu", [](Code& c, int i) { c.put(mufu_ex2(dst(i), 14), {.stall = 1, .write = 0}); }},
  };
  return all;
}

// The mean over the warps until the last of them has issued, and the last warp.
void ask(const std::string& name, const Body& body, int warps) {
  const auto all = machine->run(
      [&](Code& c) {
        c.clock(0);
        body(c);
        c.clock(1, 0, 2).wait(0x3f);
      },
      warps, 4);
  double mean = 0;
  long long first = reading(all, 0, 0), last = 0;
  for (int w = 0; w < warps; ++w) first = std::min(first, reading(all, 32 * w, 0));
  for (int w = 0; w < warps; ++w) {
    mean += double(reading(all, 32 * w, 1) - reading(all, 32 * w, 0)) / warps;
    last = std::max(last, reading(all, 32 * w, 1) - first);
  }
  print(name + ".mean", {mean}, "cycle");
  print(name + ".last", {double(last)}, "cycle");
}

// One kind alone, and `n` of one kind with another one behind.
void pairs() {
  for (const int warps : {1, 4, 8, 16})
    for (const Kind& kind : kinds())
      for (const int n : {1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24})
        ask(
            std::string("alone.") + kind.name + ".n" + std::to_string(n) + ".w" +
                std::to_string(warps),
            [&](Code& c) {
              for (int i = 0; i < n; ++i) kind.put(c, i);
            },
            warps);
  for (const int warps : {1, 4, 8})
    for (const Kind& before : kinds())
      for (const Kind& behind : kinds()) {
        if (before.name == behind.name) continue;
        for (const int n : {2, 4, 6, 8, 12, 16})
          ask(
              std::string("behind.") + before.name + ".n" + std::to_string(n) + "." + behind.name +
                  ".w" + std::to_string(warps),
              [&](Code& c) {
                for (int i = 0; i < n; ++i) before.put(c, i);
                behind.put(c, n);
              },
              warps);
      }
}

// Two kinds by turns.
void turns() {
  for (const int warps : {1, 4, 8, 16})
    for (const Kind& a : kinds())
      for (const Kind& b : kinds()) {
        if (&a >= &b) continue;
        for (const int n : {4, 8, 16})
          ask(
              std::string("turns.") + a.name + "+" + b.name + ".n" + std::to_string(n) + ".w" +
                  std::to_string(warps),
              [&](Code& c) {
                for (int i = 0; i < n; ++i) (i % 2 == 0 ? a : b).put(c, i);
              },
              warps);
      }
}

using Steps = std::vector<std::function<void(Code&)>>;

void ask_steps(const std::string& name, const Steps& steps) {
  for (const int warps : {1, 4, 8, 16, 32})
    for (std::size_t n = 1; n <= steps.size(); ++n)
      ask(
          name + ".n" + std::to_string(n) + ".w" + std::to_string(warps),
          [&](Code& c) {
            for (std::size_t i = 0; i < n; ++i) steps[i](c);
          },
          warps);
}

// The first instructions of an ordinary kernel that adds two arrays, the first `n` of them; and of
// one that reads the number of its block by S2R.
void beginnings() {
  ask_steps("beginning",
            {
                [](Code& c) { c.put(ldc(16, RZ, 0, 0x28), {.stall = 1}); },
                [](Code& c) { c.put(s2r(18, 0x21), {.stall = 1, .write = 0}); },
                [](Code& c) { c.put(s2ur(6, 0x25), {.stall = 6, .write = 0}); },
                [](Code& c) { c.put(ldc(20, RZ, 0, 0), {.stall = 2, .write = 0}); },
                [](Code& c) { c.put(imad(22, 20, 14, 18), {.stall = 5, .wait = 1}); },
                [](Code& c) { c.put(isetp_lt_immediate(3, 22, 0), {.stall = 13}); },
                [](Code& c) { c.put(ldc(24, RZ, 0, 0x210, Size::k64), {.stall = 1, .write = 0}); },
                [](Code& c) { c.put(nop(), {.stall = 2}); },
                [](Code& c) { c.put(ldc(26, RZ, 0, 0x218, Size::k64), {.stall = 2, .write = 1}); },
                [](Code& c) { c.put(ldc(28, RZ, 0, 0x218, Size::k64), {.stall = 1, .write = 2}); },
                [](Code& c) { c.put(imad_wide(30, 14, 14, 24), {.stall = 4, .wait = 1}); },
                [](Code& c) { c.put(ldg(32, 4, 0, Size::k32), {.stall = 2, .write = 3}); },
                [](Code& c) { c.put(imad_wide(34, 14, 14, 26), {.stall = 4, .wait = 2}); },
                [](Code& c) { c.put(ldg(36, 4, 0, Size::k32), {.stall = 2, .write = 3}); },
                [](Code& c) { c.put(imad_wide(38, 14, 14, 28), {.stall = 4, .wait = 4}); },
            });
  ask_steps("beginning_s2r",
            {
                [](Code& c) { c.put(ldc(16, RZ, 0, 0x28), {.stall = 1}); },
                [](Code& c) { c.put(uldc64(4, 0x208), {.stall = 1}); },
                [](Code& c) { c.put(s2r(18, 0x25), {.stall = 4, .write = 0}); },
                [](Code& c) { c.put(ldc(24, RZ, 0, 0x210, Size::k64), {.stall = 1, .write = 1}); },
                [](Code& c) { c.put(s2r(20, 0x21), {.stall = 1, .write = 0}); },
                [](Code& c) { c.put(ldc(26, RZ, 0, 0x218, Size::k64), {.stall = 4, .write = 2}); },
                [](Code& c) { c.put(imad(22, 18, 14, 20), {.stall = 4, .wait = 1}); },
                [](Code& c) { c.put(imad_wide(30, 14, 14, 24), {.stall = 4, .wait = 2}); },
                [](Code& c) { c.put(ldg(32, 4, 0, Size::k32), {.stall = 2, .write = 3}); },
                [](Code& c) { c.put(imad_wide(34, 14, 14, 26), {.stall = 4, .wait = 4}); },
                [](Code& c) { c.put(ldg(36, 4, 0, Size::k32), {.stall = 2, .write = 3}); },
            });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: queues CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("queues");
  const Machine one(argv[1]);
  machine = &one;
  pairs();
  turns();
  beginnings();
}
