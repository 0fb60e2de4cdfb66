// Probes in machine code: what the compiler cannot be made to write. The kernel below is compiled
// only to have a cubin with enough registers, shared memory and room; its code is replaced by a
// probe's.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -o machine_code machine_code.cu -lcuda
//   ./machine_code machine_code.cubin
//
// Every thread keeps up to nine readings of the clock and stores them at the end. All warps of
// the block meet at a barrier, then run the probe's body; this a few times, the last time is what
// counts (so the instruction caches are warm), unless the probe asks for the first.
#include "machine_probe.h"

constexpr int kRoom = 12288;  // instructions

extern "C" __global__ void __launch_bounds__(1024, 1)
    machine_code(long long* out, float* data, int rounds) {
  __shared__ float room[8192];
  float r[54];
  for (int i = 0; i < 54; ++i) r[i] = data[i * 32 + threadIdx.x];
  room[threadIdx.x] = r[0];
  __syncthreads();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < kRoom; ++i)
      asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(r[i % 54]) : "f"(r[(i + 1) % 54]));
  __syncthreads();
  float all = room[threadIdx.x ^ 1];
  for (int i = 0; i < 54; ++i) all += r[i];
  out[threadIdx.x] = static_cast<long long>(all);
}

#ifndef __CUDA_ARCH__

namespace {

using namespace timing;
using namespace timing::sass;

void clocks() {
  readings(
      "clock_every",
      [](Code& c) {
        for (unsigned k = 0; k < 8; ++k) c.clock(k);
      },
      1, {0}, 8);
  slope("nop", [](Code& c, int) { c.put(nop(), kOne); }, {1, 4, 8, 16});
  slope("cs2r", [](Code& c, int i) { c.put(cs2r_clock(16 + i % 8 * 2), kOne); }, {1, 4, 8});
}

// Independent instructions one cycle apart: how long the unit is busy with one.
void units() {
  const auto plain = [](const char* name, std::function<Word(R)> word) {
    slope(name, [word](Code& c, int i) { c.put(word(16 + 2 * (i % 8)), kOne); }, {1, 4, 8, 16});
  };
  plain("iadd3", [](R d) { return iadd3(d, 14, 1, 6); });
  plain("viadd", [](R d) { return viadd(d, 14, 5); });
  plain("lop3", [](R d) { return lop3(d, 14, 1, 6); });
  plain("shf", [](R d) { return shf(d, 14, 1, 6); });
  plain("prmt", [](R d) { return prmt(d, 14, 1, 6); });
  plain("sel", [](R d) { return sel(d, 14, 1, 2); });
  plain("mov", [](R d) { return mov(d, 14); });
  plain("mov_immediate", [](R d) { return mov_immediate(d, 7); });
  plain("isetp", [](R) { return isetp_ne(4, 14, 1); });
  plain("imad", [](R d) { return imad(d, 14, 1, 6); });
  plain("imad_wide", [](R d) { return imad_wide(d, 14, 1, 12); });
  plain("imad_hi", [](R d) { return imad_hi(d, 14, 1, 12); });
  plain("fadd", [](R d) { return fadd(d, 14, 1); });
  plain("fmul", [](R d) { return fmul(d, 14, 1); });
  plain("ffma", [](R d) { return ffma(d, 14, 1, 6); });
  plain("hadd2", [](R d) { return hadd2(d, 14, 1); });
  plain("hfma2", [](R d) { return hfma2(d, 14, 1, 6); });
  plain("hfma2_mma", [](R d) { return hfma2_mma(d, 14, 1, 6); });
  plain("dfma", [](R d) { return dfma(d, 12, 4, 8); });
  plain("vote", [](R d) { return vote_any(d); });
  plain("uiadd3", [](R) { return uiadd3(8, 9, 1); });
  plain("umov", [](R) { return umov(8, 9); });
  plain("uldc", [](R) { return uldc(8, 0x218); });
  plain("r2ur", [](R) { return r2ur(8, 14); });
  const auto pair = [](const char* name, std::function<Word(R)> a, std::function<Word(R)> b) {
    slope(
        name,
        [a, b](Code& c, int i) { c.put(i % 2 ? b(16 + 2 * (i % 8)) : a(16 + 2 * (i % 8)), kOne); },
        {1, 4, 8, 16});
  };
  const auto fma = [](R d) { return ffma(d, 14, 1, 6); };
  const auto alu = [](R d) { return lop3(d, 14, 1, 6); };
  const auto mad = [](R d) { return imad(d, 14, 1, 6); };
  pair("ffma|lop3", fma, alu);
  pair("ffma|imad", fma, mad);
  pair("lop3|imad", alu, mad);
  pair("ffma|hfma2", fma, [](R d) { return hfma2(d, 14, 1, 6); });
  pair("ffma|dfma", fma, [](R d) { return dfma(d, 12, 4, 8); });
  pair("imad|imad_wide", mad, [](R d) { return imad_wide(d, 14, 1, 12); });
  pair("ffma|uiadd3", fma, [](R) { return uiadd3(8, 9, 1); });
}

// Whether an instruction keeps others from issuing in the cycles in which its unit or a register
// bank is busy: each followed by one that needs neither.
void held_issue() {
  using One = std::function<Word(R)>;
  const struct {
    const char* name;
    One word;
  } cases[] = {
      {"nop", [](R) { return nop(); }},
      {"lop3.free", [](R d) { return lop3(d, 14, 1, 14); }},
      {"lop3.two", [](R d) { return lop3(d, 14, 1, 6); }},
      {"lop3.three", [](R d) { return lop3(d, 14, 6, 10); }},
      {"shf.free", [](R d) { return shf(d, 14, 1, 14); }},
      {"isetp.free", [](R) { return isetp_ne(4, 14, 1); }},
      {"ffma.free", [](R d) { return ffma(d, 14, 1, 14); }},
      {"ffma.two", [](R d) { return ffma(d, 14, 1, 6); }},
      {"ffma.three", [](R d) { return ffma(d, 14, 6, 10); }},
      {"imad.free", [](R d) { return imad(d, 14, 1, 14); }},
      {"imad_wide.free", [](R d) { return imad_wide(d, 14, 1, RZ); }},
      {"hfma2.free", [](R d) { return hfma2(d, 14, 1, 14); }},
      {"dfma", [](R d) { return dfma(d, 12, 4, 8); }},
      {"uiadd3", [](R) { return uiadd3(8, 9, 1); }},
      {"vote", [](R d) { return vote_any(d); }},
  };
  const auto place = [](int i) { return static_cast<R>(16 + 2 * (i / 2 % 8)); };
  for (const auto& each : cases) {
    slope(std::string("held.") + each.name + "|nop",
          [&](Code& c, int i) { c.put(i % 2 ? nop() : each.word(place(i)), kOne); }, {1, 4, 8, 16});
    slope(std::string("held.") + each.name + "|ffma",
          [&](Code& c, int i) {
            c.put(i % 2 ? ffma(place(i) + 1, 14, 1, 14) : each.word(place(i)), kOne);
          },
          {1, 8, 16});
    slope(std::string("held.") + each.name + "|imad",
          [&](Code& c, int i) {
            c.put(i % 2 ? imad(place(i) + 1, 14, 1, 14) : each.word(place(i)), kOne);
          },
          {1, 8, 16});
    slope(std::string("held.") + each.name + "|lop3",
          [&](Code& c, int i) {
            c.put(i % 2 ? lop3(place(i) + 1, 14, 1, 14) : each.word(place(i)), kOne);
          },
          {1, 8, 16});
  }
}

void registers() {
  struct Case {
    const char* name;
    R a, b, c;
    unsigned reuse;
  } cases[] = {{"a0b1c0", 14, 1, 6, 0},
               {"a0b0c0", 14, 6, 10, 0},
               {"a1b1c1", 15, 1, 7, 0},
               {"a0b0c1", 14, 6, 1, 0},
               {"a0b0c0.reuse_a", 14, 6, 10, 1},
               {"a0b0c0.reuse_ab", 14, 6, 10, 3},
               {"a0b0c0.reuse_abc", 14, 6, 10, 7},
               {"same", 14, 14, 14, 0},
               {"a0b4c8", 12, 8, 4, 0},
               {"a0b2c1", 12, 10, 1, 0},
               {"zero", 255, 255, 14, 0}};
  for (const Case& k : cases)
    slope(std::string("banks.ffma.") + k.name,
          [k](Code& c, int i) {
            c.put(ffma(16 + i % 8, k.a, k.b, k.c), {.stall = 1, .reuse = k.reuse});
          },
          {1, 4, 8, 16});
  slope("banks.fadd.a0b0", [](Code& c, int i) { c.put(fadd(16 + i % 8, 14, 6), kOne); },
        {1, 8, 16});
  slope("banks.fadd.a0b1", [](Code& c, int i) { c.put(fadd(16 + i % 8, 14, 1), kOne); },
        {1, 8, 16});
  slope("banks.iadd3.a0b0c0", [](Code& c, int i) { c.put(iadd3(16 + i % 8, 14, 6, 10), kOne); },
        {1, 8, 16});
  slope("banks.iadd3.a0b1c0", [](Code& c, int i) { c.put(iadd3(16 + i % 8, 14, 1, 10), kOne); },
        {1, 8, 16});
}

void latencies() {
  latency("s2r_laneid", s2r(16, 0), true, false);
  latency("s2r_tid", s2r(16, 0x21), true, false);
  latency("s2r_ctaid", s2r(16, 0x25), true, false);
  latency("s2ur_tid", s2ur(8, 0x21), true, false);
  latency("redux", redux_sum(8, 14), true, false);
  latency("match", match_any(16, 14), true, false);
  latency("mufu", mufu_ex2(16, 14));
  latency("popc", popc(16, 14));
  latency("f2i", f2i(16, 14));
  latency("i2f_f64", i2f_f64(16, 14));
  latency("shfl", shfl_bfly(16, 14));
  latency("ldc_immediate", ldc(16, RZ, 0, 0x210));
  latency("ldc_register", ldc(16, 14, 0, 0x210));
  latency("lds32", lds(16, 6, 0, Size::k32));
  latency("lds64", lds(16, 10, 0, Size::k64));
  latency("lds128", lds(16, 10, 0, Size::k128));
  latency("lds32_broadcast", lds(16, 14, 0, Size::k32));
  latency("sts32", sts(6, 0, 14, Size::k32), false);
  latency("sts128", sts(10, 0, 16, Size::k128), false);
  latency("atoms_add", atoms_add(16, 6, 14));
  latency("atoms_add_one_word", atoms_add(16, 14, 14));
  const Body warm = [](Code& c) {
    c.put(ldg(16, 8, 0, Size::k128), {.stall = 2, .write = 0}).wait(1);
  };
  latency("ldg32", ldg(16, 4, 0, Size::k32), true, true, warm);
  latency("ldg64", ldg(16, 8, 0, Size::k64), true, true, warm);
  latency("ldg128", ldg(16, 8, 0, Size::k128), true, true, warm);
  latency("ldg32_one_word", ldg(16, 12, 0, Size::k32), true, true, warm);
  latency("stg32", stg(4, 0, 14, Size::k32), false);
  latency("stg64", stg(8, 0, 14, Size::k64), false);
  latency("stg128", stg(8, 0, 16, Size::k128), false);
  const auto wait_for = [](const char* name, Word word, unsigned stall) {
    slope(
        name, [word, stall](Code& c, int) { c.put(word, {.stall = stall}); }, {1}, 2, 6);
  };
  wait_for("membar_cta", membar_cta(), 5);
  wait_for("membar_gpu", membar_gpu(), 5);
  for (const unsigned stall : {0u, 1u, 2u, 4u, 8u, 11u, 13u, 15u})
    for (const bool yield : {false, true})
      slope("nop.stall" + std::to_string(stall) + (yield ? ".yield" : ""),
            [=](Code& c, int) { c.put(nop(), {.stall = stall, .yield = yield}); });
  slope("store_to_load.shared", [](Code& c, int) {
    c.put(sts(6, 0, 14, Size::k32), {.stall = 2})
        .put(lds(14, 6, 0, Size::k32), {.stall = 2, .write = 0})
        .put(nop(), {.stall = 1, .wait = 1});
  });
}

void memory_issue() {
  const auto dst = [](int i, int width) { return static_cast<R>(16 + (i * width) % 24); };
  issue("ldg32", [=](Code& c, int i) {
    c.put(ldg(dst(i, 1), 4, 512 * (i % 8), Size::k32), {.stall = 1, .write = 0});
  });
  issue("ldg128", [=](Code& c, int i) {
    c.put(ldg(dst(i, 4), 8, 512 * (i % 8), Size::k128), {.stall = 1, .write = 0});
  });
  issue("lds32",
        [=](Code& c, int i) { c.put(lds(dst(i, 1), 6, 0, Size::k32), {.stall = 1, .write = 0}); });
  issue("lds128", [=](Code& c, int i) {
    c.put(lds(dst(i, 4), 10, 0, Size::k128), {.stall = 1, .write = 0});
  });
  issue("sts32", [=](Code& c, int) { c.put(sts(6, 0, 14, Size::k32), {.stall = 1, .read = 0}); });
  issue("stg32", [=](Code& c, int) { c.put(stg(4, 0, 14, Size::k32), {.stall = 1, .read = 0}); });
  issue("shfl", [=](Code& c, int i) { c.put(shfl_bfly(dst(i, 1), 14), {.stall = 1, .write = 0}); });
  issue("mufu", [=](Code& c, int i) { c.put(mufu_ex2(dst(i, 1), 14), {.stall = 1, .write = 0}); });
  issue("s2r", [=](Code& c, int i) { c.put(s2r(dst(i, 1), 0x21), {.stall = 1, .write = 0}); });
  issue("ldc",
        [=](Code& c, int i) { c.put(ldc(dst(i, 1), RZ, 0, 0x210), {.stall = 1, .write = 0}); });
  issue("popc", [=](Code& c, int i) { c.put(popc(dst(i, 1), 14), {.stall = 1, .write = 0}); });
  issue("ffma", [=](Code& c, int i) { c.put(ffma(dst(i, 1), 14, 1, 6), kOne); });
  issue("lop3", [=](Code& c, int i) { c.put(lop3(dst(i, 1), 14, 1, 6), kOne); });
}

void branches() {
  const Control five{.stall = 5};
  slope(
      "bra.next", [=](Code& c, int) { c.put(bra(0), five); }, {1, 4, 8, 16}, 4, 12);
  slope(
      "bra.next.stall1", [=](Code& c, int) { c.put(bra(0), kOne); }, {1}, 4, 12);
  for (const int skip : {1, 3, 7, 15, 31})
    slope(
        "bra.skip" + std::to_string(skip),
        [=](Code& c, int) {
          c.put(bra(skip), five);
          for (int k = 0; k < skip; ++k) c.put(nop());
        },
        {1, 4, 8}, 4, 12);
  slope(
      "bra.not_taken", [=](Code& c, int) { c.put(guarded(bra(1), 1), five); }, {1, 4, 8}, 4, 12);
  slope(
      "bra.not_taken.stall1", [=](Code& c, int) { c.put(guarded(bra(1), 1), kOne); }, {1}, 4, 12);
  slope(
      "bssy", [=](Code& c, int) { c.put(bssy(0, 1), kOne); }, {1, 4}, 4, 12);
  slope(
      "bssy+bsync", [=](Code& c, int) { c.put(bssy(0, 1), {.stall = 5}).put(bsync(0), five); },
      {1, 4, 8}, 4, 12);
  slope(
      "warpsync_all", [=](Code& c, int) { c.put(warpsync_all(), five); }, {1, 4}, 4, 12);
  // if (lane < 16) { right } else { left }, four instructions each, and a reading in every place:
  // 0 before the branch, 1 the side that falls through, 2 its end, 3 the side that jumped, 4 its
  // end, 5 together again. Both orders of the guard.
  for (const unsigned guard : {0u, 8u}) {
    const Body split = [=](Code& c) {
      c.put(bssy(0, 20), {.stall = 10});
      c.clock(0);
      c.put(guarded(bra(9), guard), five);  // to the right side
      c.clock(1);
      c.repeat(4, [&](int i) { c.put(ffma(16 + i, 14, 1, 6), {.stall = 4}); });
      c.clock(2);
      c.put(bra(8), five);  // to BSYNC
      c.put(nop()).put(nop());
      c.clock(3);
      c.repeat(4, [&](int i) { c.put(ffma(16 + i, 14, 1, 6), {.stall = 4}); });
      c.clock(4);
      c.put(nop()).put(nop());
      c.put(bsync(0), five);
      c.clock(5, 0, 2);
    };
    readings(guard == 0 ? "split.low_jumps" : "split.high_jumps", split, 1, {0, 31}, 6);
  }
  // Sides that end with their own BSYNC.
  const Body own = [=](Code& c) {
    c.put(bssy(0, 16), {.stall = 10});
    c.clock(0);
    c.put(guarded(bra(7), 0), five);
    c.clock(1);
    c.repeat(4, [&](int i) { c.put(ffma(16 + i, 14, 1, 6), {.stall = 4}); });
    c.clock(2);
    c.put(bsync(0), five);
    c.clock(3);
    c.repeat(4, [&](int i) { c.put(ffma(16 + i, 14, 1, 6), {.stall = 4}); });
    c.clock(4);
    c.put(bsync(0), five);
    c.put(nop());
    c.clock(5, 0, 2);
  };
  readings("split.two_bsyncs", own, 1, {0, 31}, 6);
  // WARPSYNC.ALL puts a split warp together.
  const Body warpsync = [=](Code& c) {
    c.clock(0);
    c.put(guarded(bra(3), 0), five);
    c.clock(1);
    c.put(bra(3), five);
    c.put(nop());
    c.clock(2);
    c.put(nop());
    c.put(nop());
    c.put(warpsync_all(), five);
    c.clock(3, 0, 2);
  };
  readings("split.warpsync", warpsync, 1, {0, 31}, 4);
}

// Returns, barriers that are saved and restored, and who reads the halves of a wide product, so and
// that many cycles after it issued.
void calls_and_products() {
  const Control five{.stall = 5};
  slope(
      "mov+ret",
      [=](Code& c, int) {
        c.put(mov_immediate(20, std::uint32_t(c.size() + 2) * 16), {.stall = 6});
        c.put(ret(20, int(c.size())), five);
      },
      {1, 4, 8}, 4, 12);
  slope(
      "mov+brx",
      [=](Code& c, int) {
        c.put(mov_immediate(20, std::uint32_t(c.size() + 2) * 16), {.stall = 6});
        c.put(brx(20, int(c.size())), five);
      },
      {1, 4, 8}, 4, 12);
  slope(
      "mov+call_indirect",
      [=](Code& c, int) {
        c.put(mov_immediate(20, std::uint32_t(c.size() + 2) * 16), {.stall = 6});
        c.put(call_indirect(20, int(c.size())), five);
      },
      {1, 4, 8}, 4, 12);
  slope(
      "call", [=](Code& c, int) { c.put(call(0), five); }, {1, 4, 8}, 4, 12);
  // Behind one another as in a call and its return: how much of the time a jump back waits for.
  slope(
      "mov+call+ret",
      [=](Code& c, int) {
        c.put(mov_immediate(20, std::uint32_t(c.size() + 4) * 16), {.stall = 6});
        c.put(call(1), five);
        c.put(nop());
        c.put(ret(20, int(c.size())), five);
      },
      {1, 4, 8}, 4, 12);
  slope(
      "bssy+bmov.clear+bmov+bsync",
      [=](Code& c, int) {
        c.put(bssy(0, 5), {.stall = 5});
        c.put(bmov_clear(18, 0), {.stall = 5, .write = 0});
        c.put(nop(), {.stall = 1, .wait = 1});
        c.put(bmov(0, 18), {.stall = 5, .read = 0});
        c.put(nop(), {.stall = 1, .wait = 1});
        c.put(bsync(0), five);
      },
      {1, 4, 8}, 4, 12);
  slope(
      "bmov.clear+bmov",
      [=](Code& c, int) {
        c.put(bmov_clear(18, 0), {.stall = 5, .write = 0});
        c.put(nop(), {.stall = 1, .wait = 1});
        c.put(bmov(0, 18), {.stall = 5, .read = 0});
        c.put(nop(), {.stall = 1, .wait = 1});
      },
      {1, 4}, 4, 12);
  const struct {
    const char* name;
    Word product;
    R half;
  } products[] = {{"imad_wide.lower", imad_wide(16, 14, 1, RZ), 16},
                  {"imad_wide.upper", imad_wide(16, 14, 1, RZ), 17},
                  {"imad_hi", imad_hi(17, 14, 1, RZ), 17},
                  {"imad", imad(17, 14, 1, RZ), 17}};
  for (const auto& product : products)
    for (const unsigned stall : {2u, 4u, 5u, 6u, 7u, 8u, 9u, 10u}) {
      const std::string after = std::string(product.name) + ".stall" + std::to_string(stall);
      slope(
          "product." + after + "+shf",
          [=](Code& c, int) {
            c.put(product.product, {.stall = std::uint8_t(stall)});
            c.put(shf(20, product.half, 14, RZ), {.stall = 10});
          },
          {1}, 4, 12);
      slope(
          "product." + after + "+imad",
          [=](Code& c, int) {
            c.put(product.product, {.stall = std::uint8_t(stall)});
            c.put(imad(20, product.half, 14, RZ), {.stall = 10});
          },
          {1}, 4, 12);
      slope(
          "product.shf5+" + after + "+shf",
          [=](Code& c, int) {
            c.put(shf(14, 14, 6, RZ), {.stall = 5});
            c.put(product.product, {.stall = std::uint8_t(stall)});
            c.put(shf(20, product.half, 14, RZ), {.stall = 10});
          },
          {1}, 4, 12);
    }
}

// Branches of the first warp of each sub-core, while `others` more warps of it do something else:
// nothing, arithmetic, the same branches, or waiting for memory.
void branches_beside_others() {
  const Control five{.stall = 5};
  using One = std::function<void(Code&)>;
  const auto ask = [](const std::string& name, const One& one, const Body& beside, int others) {
    constexpr int kSubCores = 4, kFew = 4, kMany = 12, kSamples = 3;
    const auto cycles = [&](int n) {
      const auto measured = [&](Code& c) {
        c.clock(0);
        for (int i = 0; i < n; ++i) one(c);
        c.clock(1, 0x3f, 2);
      };
      const Body body = [&](Code& c) {
        Code first, rest;
        beside(rest);
        measured(first);
        c.put(s2r(38, 0x21), {.stall = 2, .write = 0});
        c.put(isetp_lt_immediate(4, 38, 32 * kSubCores), {.stall = 13, .wait = 1});
        c.put(guarded(bra(int(rest.size()) + 1), 4), {.stall = 5});
        beside(c);
        c.put(bra(int(first.size())), {.stall = 5});
        measured(c);
      };
      std::vector<double> samples;
      for (int i = 0; i < kSamples; ++i) {
        const auto all = machine->run(body, kSubCores * (1 + others), 4);
        double mean = 0;
        for (int w = 0; w < kSubCores; ++w)
          mean += double(reading(all, 32 * w, 1) - reading(all, 32 * w, 0)) / kSubCores;
        samples.push_back(mean);
      }
      return samples;
    };
    const auto few = cycles(kFew), many = cycles(kMany);
    std::vector<double> out;
    for (std::size_t i = 0; i < few.size(); ++i) out.push_back((many[i] - few[i]) / (kMany - kFew));
    print(name + ".others" + std::to_string(others), out, "cycle");
  };
  const One taken = [=](Code& c) { c.put(bra(0), five); };
  const One far = [=](Code& c) {
    c.put(bra(31), five);
    for (int k = 0; k < 31; ++k) c.put(nop());
  };
  const One met = [=](Code& c) { c.put(bssy(0, 1), {.stall = 5}).put(bsync(0), five); };
  // Both sides end with their own BSYNC: BSSY, the branch that splits, two BSYNC.
  const One split = [=](Code& c) {
    c.put(bssy(0, 5), {.stall = 5});
    c.put(guarded(bra(2), 0), five);
    c.put(nop(), {.stall = 4});
    c.put(bsync(0), five);
    c.put(nop(), {.stall = 4});
    c.put(bsync(0), five);
  };
  const One arithmetic = [](Code& c) { c.put(ffma(16, 14, 1, 6), {.stall = 4}); };
  const struct {
    const char* name;
    Body body;
  } beside[] = {
      {"nothing", [](Code&) {}},
      {"ffma4",
       [](Code& c) { c.repeat(150, [&](int) { c.put(ffma(16, 14, 1, 6), {.stall = 4}); }); }},
      {"ffma1",
       [](Code& c) {
         c.repeat(500, [&](int i) { c.put(ffma(16 + i % 8, 14, 1, 6), {.stall = 1}); });
       }},
      {"nop11", [](Code& c) { c.repeat(50, [&](int) { c.put(nop(), {.stall = 11}); }); }},
      {"bra", [=](Code& c) { c.repeat(50, [&](int) { c.put(bra(0), five); }); }},
      {"ldg",
       [](Code& c) {
         c.repeat(20, [&](int) {
           c.put(ldg(16, 4, 0, Size::k32), {.stall = 2, .write = 0});
           c.put(nop(), {.stall = 2, .wait = 1});
         });
       }},
  };
  for (const auto& other : beside)
    for (const int others : {1, 3}) {
      const auto name = [&](const char* what) {
        return std::string("beside.") + other.name + "." + what;
      };
      ask(name("bra"), taken, other.body, others);
      ask(name("bra_far"), far, other.body, others);
      ask(name("bssy+bsync"), met, other.body, others);
      ask(name("split"), split, other.body, others);
      ask(name("ffma4"), arithmetic, other.body, others);
    }
}

// Code that no cache holds: readings every eight instructions (one line of 128 bytes) and every 32.
void cold_code() {
  for (const int gap : {7, 15, 31, 63, 127})
    for (const int warps : {1, 4})
      readings(
          "cold.every" + std::to_string(gap + 1),
          [=](Code& c) {
            for (unsigned k = 0; k < kReadings; ++k) {
              c.clock(k);
              c.repeat(gap, [&](int i) { c.put(ffma(16 + i % 8, 14, 1, 6), kOne); });
            }
          },
          warps, {0}, kReadings, 1);
  readings(
      "warm.every8",
      [=](Code& c) {
        for (unsigned k = 0; k < kReadings; ++k) {
          c.clock(k);
          c.repeat(7, [&](int i) { c.put(ffma(16 + i % 8, 14, 1, 6), kOne); });
        }
      },
      1, {0}, kReadings, 4);
  // Jumps to lines that no cache holds, 4 KiB apart (32 lines): the latency of one line.
  for (const int lines : {1, 2, 4, 8, 16, 32, 64})
    for (const int rounds : {1, 4})
      readings(
          "jumps." + std::to_string(lines) + (rounds == 1 ? ".cold" : ".warm"),
          [=](Code& c) {
            while (c.size() % 8 != 6) c.put(nop());
            for (unsigned k = 0; k < kReadings; ++k) {
              c.clock(k);
              c.put(bra(8 * lines - 2), {.stall = 5});
              c.repeat(8 * lines - 2, [&](int) { c.put(nop()); });
            }
          },
          1, {0}, kReadings, rounds);
}

// Constants that no cache holds: operands and LDC, the first time and again.
void constants() {
  for (const int rounds : {1, 4}) {
    const std::string when = rounds == 1 ? ".first" : ".again";
    readings(
        "constant.operand" + when,
        [](Code& c) {
          for (unsigned k = 0; k < kReadings; ++k) {
            c.clock(k);
            c.put(mov_constant(16, 0, 0x210 + 0), {.stall = 5});
          }
        },
        1, {0}, kReadings, rounds);
    readings(
        "constant.operand_lines" + when,
        [](Code& c) {
          for (unsigned k = 0; k < kReadings; ++k) {
            c.clock(k);
            c.put(mov_constant(16, 0, 64 * k), {.stall = 5});
          }
        },
        1, {0}, 9, rounds);
    readings(
        "constant.ldc_lines" + when,
        [](Code& c) {
          for (unsigned k = 0; k < kReadings; ++k) {
            c.clock(k, 1);
            c.put(ldc(16, RZ, 0, 64 * k), {.stall = 2, .write = 0});
          }
          c.wait(1);
        },
        1, {0}, 9, rounds);
  }
}

// Who issues when several warps of a sub-core can: readings between runs of eight instructions.
void order() {
  for (const int warps : {8, 12, 16})
    readings(
        "order." + std::to_string(warps),
        [](Code& c) {
          for (unsigned k = 0; k < kReadings; ++k) {
            c.clock(k);
            c.repeat(8, [&](int i) { c.put(ffma(16 + i, 14, 1, 6), kOne); });
          }
        },
        warps,
        warps == 8    ? std::initializer_list<int>{0, 128}
        : warps == 12 ? std::initializer_list<int>{0, 128, 256}
                      : std::initializer_list<int>{0, 128, 256, 384},
        kReadings);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: machine_code CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("machine_code");
  const Machine one(argv[1]);
  machine = &one;
  clocks();
  latencies();
  branches();
  branches_beside_others();
  calls_and_products();
  units();
  held_issue();
  registers();
  cold_code();
  constants();
  order();
  memory_issue();
}

#endif
