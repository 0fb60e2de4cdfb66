// What programs of machine code share: the code around a probe's body, and questions that many ask:
// cycles for each of many instructions, latencies, when the n-th issues. The cubin whose code is
// replaced is that of machine_code.cu.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "patched_cubin.h"
#include "probe.h"

namespace timing {

using namespace sass;

// The kernel has 62 registers by the compiler's count, which holds two more than the code may use:
// a probe that wrote R60 and R61 ended in an illegal instruction.
static_assert(kFirstReading + 2 * kReadings <= 60);

// What a body may use: R16–R39 to change; R14 zero, R15 1.0f, R1 lane, R6 lane * 4, R10 lane * 16
// (shared addresses), R12:R13 the data (the same for all), R4:R5 the data + lane * 4, R8:R9 + lane
// * 16, P0 lane < 16, P1 no lane, P2 all, P5 lane 0, UR4 the descriptor, UR6–UR15 to change.
inline void prologue(Code& c) {
  c.put(s2r(0, 0x21), {.stall = 2, .write = 0});
  c.put(uldc64(4, 0x208), {.stall = 12});
  c.put(ldc(2, RZ, 0, 0x210, Size::k64), {.stall = 2, .write = 1});
  c.put(ldc(12, RZ, 0, 0x218, Size::k64), {.stall = 2, .write = 2});
  c.put(ldc(7, RZ, 0, 0x220), {.stall = 2, .write = 3});
  c.put(and_immediate(1, 0, 31), {.stall = 8, .wait = 0xf});
  c.put(imad_immediate(6, 1, 4, RZ), {.stall = 6});
  c.put(imad_immediate(10, 1, 16, RZ), {.stall = 6});
  c.put(imad_wide_immediate(2, 0, 8 * kReadings, 2), {.stall = 6});
  c.put(imad_wide_immediate(4, 1, 4, 12), {.stall = 6});
  c.put(imad_wide_immediate(8, 1, 16, 12), {.stall = 6});
  c.put(mov_immediate(14, 0), {.stall = 6});
  c.put(mov_immediate(15, 0x3f800000), {.stall = 6});
  for (R r = 16; r < 58; ++r) c.put(mov_immediate(r, 0), {.stall = 2});
  c.put(isetp_lt_immediate(0, 1, 16), {.stall = 13});
  c.put(isetp_lt_immediate(1, 1, 0), {.stall = 13});
  c.put(isetp_lt_immediate(2, 1, 64), {.stall = 13});
  c.put(isetp_lt_immediate(5, 1, 1), {.stall = 13});
}

inline Code whole(const std::function<void(Code&)>& body) {
  Code c;
  prologue(c);
  const std::size_t loop = c.size();
  c.put(bar_sync(), {.stall = 6});
  c.repeat(4, [&](int) { c.put(nop(), {.stall = 4}); });
  body(c);
  c.put(nop(), {.stall = 6, .wait = 0x3f});
  c.put(iadd_immediate(7, 7, 0xffffffff), {.stall = 6});
  c.put(isetp_ne(3, 7, RZ), {.stall = 13});
  c.put(guarded(bra(static_cast<int>(loop) - static_cast<int>(c.size()) - 1), 3), {.stall = 5});
  for (unsigned k = 0; k < kReadings; ++k)
    c.put(stg(2, 8 * k, kFirstReading + 2 * k, Size::k64), {.stall = 4});
  c.put(sass::exit(), {.stall = 5});
  c.put(bra(-1), {.stall = 5});
  return c;
}

class Machine {
 public:
  explicit Machine(const char* path) : cubin_(path, "machine_code") {}

  // Readings of every thread: [thread * kReadings + k].
  std::vector<long long> run(const std::function<void(Code&)>& body, int warps, int rounds,
                             int blocks = 1) const {
    const Code code = whole(body);
    CUmodule module = nullptr;
    const CUfunction function = cubin_.load(code, module);
    long long* out = out_.data();
    float* data = data_.data();
    void* arguments[] = {&out, &data, &rounds};
    DRIVER(
        cuLaunchKernel(function, blocks, 1, 1, 32 * warps, 1, 1, 0, nullptr, arguments, nullptr));
    DRIVER(cuCtxSynchronize());
    std::vector<long long> all = out_.read();
    DRIVER(cuModuleUnload(module));
    return all;
  }

 private:
  PatchedCubin cubin_;
  Buffer<long long> out_{1024 * kReadings};
  Buffer<float> data_{1 << 22};
};

inline const Machine* machine = nullptr;
using Body = std::function<void(Code&)>;

inline long long reading(const std::vector<long long>& all, int thread, int k) {
  return all[thread * kReadings + k];
}

// Mean over the warps of the cycles between reading 0 and reading 1.
inline std::vector<double> between(const Body& body, int warps, int rounds = 4, int samples = 3) {
  std::vector<double> out;
  for (int i = 0; i < samples; ++i) {
    const auto all = machine->run(body, warps, rounds);
    double mean = 0;
    for (int w = 0; w < warps; ++w)
      mean += double(reading(all, 32 * w, 1) - reading(all, 32 * w, 0)) / warps;
    out.push_back(mean);
  }
  return out;
}

// Cycles for each of the n instructions: the difference of a long and a short run of them.
inline void slope(const std::string& name, const std::function<void(Code&, int)>& one,
                  std::initializer_list<int> warps = {1}, int few = 16, int many = 64) {
  for (const int w : warps) {
    const auto body = [&](int n) {
      return [&, n](Code& c) {
        c.clock(0);
        for (int i = 0; i < n; ++i) one(c, i);
        c.clock(1, 0x3f, 2);
      };
    };
    const auto a = between(body(few), w), b = between(body(many), w);
    std::vector<double> out;
    for (std::size_t i = 0; i < a.size(); ++i) out.push_back((b[i] - a[i]) / (many - few));
    print("slope." + name + ".w" + std::to_string(w), out, "cycle");
  }
}

// One instruction that sets counter 0 (write) or 1 (read), and the clock as soon as that is zero;
// what reading the clock costs by itself is taken off.
inline void latency(const std::string& name, Word word, bool write = true, bool read = true,
                    const Body& before = {}) {
  const auto run = [&](Control control, unsigned wait) {
    return between(
        [&](Code& c) {
          if (before) before(c);
          c.clock(0);
          c.put(word, control);
          c.clock(1, wait, 2);
          c.wait(0x3f);
        },
        1);
  };
  const double empty =
      between([&](Code& c) { c.clock(0).put(nop(), {.stall = 2}).clock(1, 0, 2); }, 1)[0] - 2;
  const auto less = [&](std::vector<double> v) {
    for (double& x : v) x -= empty;
    return v;
  };
  if (write) print("latency." + name, less(run({.stall = 2, .write = 0}, 1)), "cycle");
  if (read)
    print("sources_read." + name, less(run({.stall = 2, .write = write ? 0u : 7u, .read = 1}, 2)),
          "cycle");
}

inline void issue(const std::string& name, const std::function<void(Code&, int)>& one) {
  for (const int warps : {1, 2, 3, 4, 8, 16})
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24}) {
      const Body body = [&](Code& c) {
        c.clock(0);
        for (int i = 0; i < n; ++i) one(c, i);
        c.clock(1, 0, 2).wait(0x3f);
      };
      print("issue." + name + ".n" + std::to_string(n) + ".w" + std::to_string(warps),
            between(body, warps, 4, 1), "cycle");
    }
}

// All readings of some threads, in one line each: NAME.thread<T>.reading<K>, relative to reading 0
// of thread 0.
inline void readings(const std::string& name, const Body& body, int warps,
                     std::initializer_list<int> threads, unsigned count, int rounds = 4) {
  const auto all = machine->run(body, warps, rounds);
  for (const int t : threads)
    for (unsigned k = 0; k < count; ++k)
      print("readings." + name + ".thread" + std::to_string(t) + ".reading" + std::to_string(k),
            {double(reading(all, t, static_cast<int>(k)) - reading(all, threads.begin()[0], 0))},
            "cycle");
}

inline constexpr Control kOne{.stall = 1};

}  // namespace timing
