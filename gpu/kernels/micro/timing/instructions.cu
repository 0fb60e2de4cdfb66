// Latency and issue interval of each class of instructions.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o instructions instructions.cu && ./instructions
//
// latency.NAME: cycles from one instruction to the next that needs its result, one warp, in
// straight code: the difference of a stretch of 96 and one of 32, so what reading the clock costs
// cancels. interval.NAME.wN: cycles between two issues of one sub-core when it has N warps with
// eight independent chains each: the difference of a long and a short loop of 128. A name with + in
// it is a chain of several instructions; its value is for all of them. With | the compiler takes
// the two by turns; the value is for one.
#include "probe.h"

namespace {

using namespace timing;

constexpr int kShort = 32, kLong = 96, kBody = 128, kRepeats = 9;

// Chains of one 32-bit register. %0 the chain, %1 and %2 registers that do not change.
#define OP32(NAME, LABEL, TEXT)                                              \
  struct NAME {                                                              \
    static constexpr const char* label = LABEL;                              \
    unsigned x;                                                              \
    __device__ void start(unsigned seed) { x = seed; }                       \
    __device__ void step(unsigned y, unsigned z) {                           \
      asm volatile("{ .reg .pred p; .reg .b32 a, b; .reg .b64 d; " TEXT " }" \
                   : "+r"(x)                                                 \
                   : "r"(y), "r"(z)                                          \
                   : "memory");                                              \
    }                                                                        \
    __device__ unsigned end() const { return x; }                            \
  };
// Chains of one 64-bit register.
#define OP64(NAME, LABEL, TEXT)                                                      \
  struct NAME {                                                                      \
    static constexpr const char* label = LABEL;                                      \
    unsigned long long x;                                                            \
    __device__ void start(unsigned seed) { x = seed * 0x3ff0000100000001ull; }       \
    __device__ void step(unsigned y, unsigned z) {                                   \
      const unsigned long long w = (static_cast<unsigned long long>(z) << 32) | y;   \
      asm volatile("{ .reg .f32 f; .reg .b32 a, b; " TEXT " }"                       \
                   : "+l"(x)                                                         \
                   : "r"(y), "r"(z), "l"(w));                                        \
    }                                                                                \
    __device__ unsigned end() const { return static_cast<unsigned>(x ^ (x >> 32)); } \
  };

OP32(Iadd3, "iadd3", "add.u32 a, %0, %1; add.u32 %0, a, %2;")
OP32(Lop3, "lop3", "lop3.b32 %0, %0, %1, %2, 0x96;")
OP32(Shf, "shf", "shf.l.wrap.b32 %0, %0, %1, %2;")
OP32(Prmt, "prmt", "prmt.b32 %0, %0, %1, %2;")
OP32(Vimnmx, "imnmx+imnmx", "min.s32 a, %0, %1; max.s32 %0, a, %2;")
OP32(Fmnmx, "fmnmx", "min.f32 %0, %0, %1;")
OP32(Isetp, "isetp+sel", "setp.lt.u32 p, %0, %1; selp.b32 %0, %1, %2, p;")
OP32(Fsetp, "fsetp+sel", "setp.lt.f32 p, %0, %1; selp.b32 %0, %1, %2, p;")
OP32(Guard, "isetp+guarded_lop3", "setp.lt.u32 p, %0, %1; @p lop3.b32 %0, %0, %1, %2, 0x96;")
OP32(Imad, "imad", "mad.lo.u32 %0, %0, %1, %2;")
OP32(ImadHi, "imad_hi", "mad.hi.u32 %0, %0, %1, %2;")
OP32(Idp, "idp", "dp4a.u32.u32 %0, %0, %1, %2;")
OP32(Fadd, "fadd", "add.rn.f32 %0, %0, %1;")
OP32(Fmul, "fmul", "mul.rn.f32 %0, %0, %1;")
OP32(Ffma, "ffma", "fma.rn.f32 %0, %0, %1, %2;")
OP32(Hadd2, "hadd2|hfma2_mma", "add.rn.f16x2 %0, %0, %1;")
OP32(Hfma2, "hfma2|hfma2_mma", "fma.rn.f16x2 %0, %0, %1, %2;")
OP32(Hfma2Bf, "hfma2_bf16|hfma2_mma_bf16", "fma.rn.bf16x2 %0, %0, %1, %2;")
OP32(LopImad, "lop3+imad", "lop3.b32 %0, %0, %1, %2, 0x96; mad.lo.u32 %0, %0, %1, %2;")
OP32(MufuEx2, "mufu_ex2", "ex2.approx.ftz.f32 %0, %0;")
OP32(MufuRcp, "mufu_rcp+lop3", "rcp.approx.ftz.f32 a, %0; lop3.b32 %0, a, %1, %2, 0x96;")
OP32(MufuRsq, "mufu_rsq", "rsqrt.approx.ftz.f32 %0, %0;")
OP32(MufuLg2, "mufu_lg2", "lg2.approx.ftz.f32 %0, %0;")
OP32(MufuSin, "mufu_sin+fmul", "sin.approx.ftz.f32 %0, %0;")
OP32(MufuTanh, "mufu_tanh", "tanh.approx.f32 %0, %0;")
OP32(I2f, "i2f", "cvt.rn.f32.s32 %0, %0;")
OP32(F2i, "f2i", "cvt.rni.s32.f32 %0, %0;")
OP32(Frnd, "frnd", "cvt.rmi.f32.f32 %0, %0;")
OP32(Popc, "popc", "popc.b32 %0, %0;")
OP32(Flo, "flo", "bfind.u32 %0, %0;")
OP32(Brev, "brev", "brev.b32 %0, %0;")
OP32(ShflIdx, "shfl_idx", "shfl.sync.idx.b32 %0, %0, %1, 0x1f, -1;")
OP32(ShflBfly, "shfl_bfly", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, -1;")
OP32(Vote, "isetp+vote", "setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;")
OP32(Match, "match_any", "match.any.sync.b32 %0, %0, -1;")
OP32(ReduxAdd, "redux_add+mov", "redux.sync.add.u32 %0, %0, -1;")
OP32(ReduxMin, "redux_min+mov", "redux.sync.min.u32 %0, %0, -1;")
OP64(Dadd, "dadd", "add.rn.f64 %0, %0, %3;")
OP64(Dmul, "dmul", "mul.rn.f64 %0, %0, %3;")
OP64(Dfma, "dfma", "fma.rn.f64 %0, %0, %3, %3;")
OP64(ImadWide, "imad_wide", "mov.b64 {a, b}, %0; mad.wide.u32 %0, a, %1, %0;")
OP64(Add64, "iadd3+iadd3_x", "add.u64 %0, %0, %3;")
OP64(F64ToF32, "f2f_f32_f64+f2f_f64_f32", "cvt.rn.f32.f64 f, %0; cvt.f64.f32 %0, f;")
OP64(I2fF64, "i2f_f64_s32", "mov.b64 {a, b}, %0; cvt.rn.f64.s32 %0, a;")
OP64(F2iF64, "f2i_s32_f64", "cvt.rzi.s32.f64 a, %0; mov.b64 %0, {a, %1};")
OP64(MufuRcp64, "mufu_rcp64h", "rcp.approx.ftz.f64 %0, %0;")

#define MMA(NAME, LABEL, VALUE, TEXT, ...)                                         \
  struct NAME {                                                                    \
    static constexpr const char* label = LABEL;                                    \
    VALUE c[4];                                                                    \
    __device__ void start(unsigned seed) {                                         \
      for (VALUE & v : c) v = static_cast<VALUE>(seed);                            \
    }                                                                              \
    __device__ void step(unsigned y, unsigned z) {                                 \
      asm volatile(TEXT:__VA_ARGS__ : "r"(y), "r"(z));                             \
    }                                                                              \
    __device__ unsigned end() const { return static_cast<unsigned>(c[0] + c[1]); } \
  };
#define FOUR_F "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
#define FOUR_R "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
MMA(Hmma16816F32, "hmma_16816_f32", float,
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%4,%5}, "
    "{%0,%1,%2,%3};",
    FOUR_F)
MMA(Hmma1688F32, "hmma_1688_f32", float,
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%4}, {%0,%1,%2,%3};",
    FOUR_F)
MMA(Hmma16816F16, "hmma_16816_f16", unsigned,
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%4,%5,%4,%5}, {%4,%5}, {%0,%1};",
    FOUR_R)
MMA(Hmma1688Tf32, "hmma_1688_tf32", float,
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%4,%5}, "
    "{%0,%1,%2,%3};",
    FOUR_F)
MMA(Imma16832, "imma_16832_s8", unsigned,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%4,%5}, "
    "{%0,%1,%2,%3};",
    FOUR_R)
struct Dmma884 {
  static constexpr const char* label = "dmma_884";
  double c[2];
  __device__ void start(unsigned seed) { c[0] = c[1] = seed; }
  __device__ void step(unsigned y, unsigned z) {
    const double a = __hiloint2double(static_cast<int>(y), static_cast<int>(z));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a));
  }
  __device__ unsigned end() const { return static_cast<unsigned>(c[0] + c[1]); }
};

// times[0], times[1]: cycles of the short and of the long stretch, the third time round.
template <class Op>
__global__ void chain(long long* times, unsigned seed, unsigned* sink) {
  Op op;
  op.start(seed + threadIdx.x);
  const unsigned y = seed * 3 + threadIdx.x, z = seed * 5 + threadIdx.x;
  long long t0 = 0, t1 = 0, t2 = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    t0 = clock_now();
#pragma unroll
    for (int i = 0; i < kShort; ++i) op.step(y, z);
    t1 = clock_now();
#pragma unroll
    for (int i = 0; i < kLong; ++i) op.step(y, z);
    t2 = clock_now();
  }
  times[0] = t1 - t0, times[1] = t2 - t1;
  *sink = op.end();
}

// Every warp's first and last cycle: times[2 * warp], times[2 * warp + 1].
template <class Op>
__global__ void stream(long long* times, unsigned seed, int rounds, unsigned* sink) {
  constexpr int kChains = 8;
  Op op[kChains];
  for (int c = 0; c < kChains; ++c) op[c].start(seed + threadIdx.x + c);
  const unsigned y = seed * 3 + threadIdx.x, z = seed * 5 + threadIdx.x;
  __syncthreads();
  const long long begin = clock_now();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kBody / kChains; ++i) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) op[c].step(y, z);
    }
  }
  const long long end = clock_now();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  unsigned all = 0;
  for (int c = 0; c < kChains; ++c) all ^= op[c].end();
  sink[threadIdx.x] = all;
}

template <class Op>
double span(const Buffer<long long>& times, const Buffer<unsigned>& sink, int warps, int rounds) {
  stream<Op><<<1, 32 * warps>>>(times.data(), 1, rounds, sink.data());
  finish();
  const std::vector<long long> t = times.read();
  long long first = t[0], last = t[1];
  for (int w = 1; w < warps; ++w)
    first = std::min(first, t[2 * w]), last = std::max(last, t[2 * w + 1]);
  return double(last - first);
}

template <class Op>
void probe() {
  const Buffer<long long> times(64);
  const Buffer<unsigned> sink(1024);
  std::vector<double> latency;
  for (int i = 0; i < kRepeats; ++i) {
    chain<Op><<<1, 32>>>(times.data(), 1, sink.data());
    finish();
    const std::vector<long long> t = times.read();
    latency.push_back((double(t[1]) - double(t[0])) / (kLong - kShort));
  }
  print(std::string("latency.") + Op::label, latency, "cycle");
  for (const int warps : {4, 8, 16, 32}) {
    std::vector<double> interval;
    for (int i = 0; i < 5; ++i) {
      const double few = span<Op>(times, sink, warps, 8), many = span<Op>(times, sink, warps, 24);
      interval.push_back((many - few) / (16.0 * kBody * warps / 4));
    }
    print(std::string("interval.") + Op::label + ".w" + std::to_string(warps / 4), interval,
          "cycle");
  }
}

template <class... Ops>
void probe_all() {
  (probe<Ops>(), ...);
}

}  // namespace

int main() {
  print_header("instructions");
  probe_all<Iadd3, Lop3, Shf, Prmt, Vimnmx, Fmnmx, Isetp, Fsetp, Guard, Imad, ImadHi, Idp, Fadd,
            Fmul, Ffma, Hadd2, Hfma2, Hfma2Bf, LopImad>();
  probe_all<MufuEx2, MufuRcp, MufuRsq, MufuLg2, MufuSin, MufuTanh, I2f, F2i, Frnd, Popc, Flo, Brev,
            ShflIdx, ShflBfly, Vote, Match, ReduxAdd, ReduxMin>();
  probe_all<Dadd, Dmul, Dfma, ImadWide, Add64, F64ToF32, I2fF64, F2iF64, MufuRcp64>();
  probe_all<Hmma16816F32, Hmma1688F32, Hmma16816F16, Hmma1688Tf32, Imma16832, Dmma884>();
}
