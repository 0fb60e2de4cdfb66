// Nanoseconds per warp instruction of single lane functions, full and partial masks, in each
// variant that this processor has.

#include <benchmark/benchmark.h>

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"
#include "simulator/lanes/warpgroup.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Mod;
using isa::Op;

struct Modifier {
  Mod mod;
  std::uint32_t value;
};

class Instruction {
 public:
  Instruction(const Variant& variant, Op op, std::initializer_list<Modifier> mods,
              bool writes_predicate)
      : rows_(16 * kWarpSize) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      rows_[i] = 0x3f800000 + static_cast<std::uint32_t>(i) * 0x01010203;
    instruction_.op = op;
    Request request{&instruction_};
    for (const Modifier& modifier : mods) request.mod(modifier.mod) = modifier.value;
    op_.a = 0;
    op_.b = 2 * kWarpSize;
    op_.c = 4 * kWarpSize;
    op_.d = 6 * kWarpSize;
    if (writes_predicate) op_.pu = 0;
    variant.select(request, op_);
    warp_.predicates[kPT] = kFullMask;
  }

  void run(benchmark::State& state, Mask on) {
    warp_.rows = rows_.data();
    const FloatEnvironment environment;
    for (auto _ : state) {
      op_.lane(warp_, op_, on);
      benchmark::ClobberMemory();
    }
  }

 private:
  isa::Instruction instruction_;
  std::vector<std::uint32_t> rows_;
  WarpState warp_;
  MicroOp op_;
};

void add(const std::string& name, Op op, std::initializer_list<Modifier> mods = {},
         bool writes_predicate = false) {
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    for (const Mask on : {kFullMask, Mask{0x0ff0f00f}}) {
      const std::string full = name + "/" + variant.name + (on == kFullMask ? "/full" : "/partial");
      Instruction instruction(variant, op, mods, writes_predicate);
      benchmark::RegisterBenchmark(
          full.c_str(),
          [instruction, on](benchmark::State& state) mutable { instruction.run(state, on); });
    }
  }
}

// A product of matrices of numbers near one, or of bytes.
class Product {
 public:
  Product(const Variant& variant, Op op, std::uint32_t encoding,
          std::initializer_list<Modifier> mods)
      : rows_(kRowsPerWarp * kWarpSize) {
    std::mt19937_64 random(1);
    for (std::uint32_t& row : rows_)  // halves and floats, of exponents from -4 on
      row = static_cast<std::uint32_t>(random() & 0x8fff8fff) | 0x30003000;
    instruction_.op = op;
    instruction_.arch = isa::Arch::sm_90;
    instruction_.word.lo = encoding;
    Request request{&instruction_};
    for (const Modifier& modifier : mods) request.mod(modifier.mod) = modifier.value;
    op_.a = 0;
    op_.b = 16 * kWarpSize;
    op_.c = 24 * kWarpSize;
    op_.d = 32 * kWarpSize;
    variant.select(request, op_);
  }

  void run(benchmark::State& state) {
    warp_.rows = rows_.data();
    const FloatEnvironment environment;
    for (auto _ : state) {
      op_.lane(warp_, op_, kFullMask);
      benchmark::ClobberMemory();
    }
  }

 private:
  isa::Instruction instruction_;
  std::vector<std::uint32_t> rows_;
  WarpState warp_;
  MicroOp op_;
};

void add_product(const std::string& name, Op op, std::initializer_list<Modifier> mods,
                 std::uint32_t encoding = 0) {
  for (const Variant& variant : variants()) {
    if (!variant.supported) continue;
    Product product(variant, op, encoding, mods);
    benchmark::RegisterBenchmark(
        (name + "/" + variant.name).c_str(),
        [product](benchmark::State& state) mutable { product.run(state); });
  }
}

// A warp's part of a warp-group product of 128 columns, in the widest variant.
void add_group_product(const std::string& name, GroupFunction multiply) {
  benchmark::RegisterBenchmark(name.c_str(), [multiply](benchmark::State& state) {
    std::mt19937_64 random(1);
    const auto fill = [&](auto& rows) {
      for (auto& row : rows)
        for (auto& byte : row) byte = static_cast<std::uint8_t>((random() & 0x8f) | 0x30);
    };
    GroupFactors factors;
    fill(factors.a);
    fill(factors.b);
    for (auto& each : factors.there) each = ~std::uint64_t{0};
    factors.columns = 128;
    GroupSums sums{};
    const FloatEnvironment environment;
    for (auto _ : state) {
      multiply(factors, sums);
      benchmark::DoNotOptimize(sums);
      benchmark::ClobberMemory();
    }
  });
}

void add_products() {
  constexpr std::uint32_t kHmma = 0x23c;
  const auto hmma = [](const std::string& name, std::uint32_t shape, std::uint32_t source,
                       std::uint32_t destination) {
    add_product(name, Op::HMMA,
                {{Mod::mma_shape, shape}, {Mod::mma_src, source}, {Mod::mma_dst, destination}},
                kHmma);
  };
  hmma("HMMA.1688.F32", 0, 0, 1);
  hmma("HMMA.16816.F32", 1, 0, 1);
  hmma("HMMA.16816.F16", 1, 0, 0);
  hmma("HMMA.16816.F32.BF16", 1, 1, 1);
  hmma("HMMA.1688.F32.TF32", 0, 2, 1);
  add_product("IMMA.16832.S8.S8", Op::IMMA,
              {{Mod::mma_shape, 5}, {Mod::mma_src, 1}, {Mod::mma_src_b, 1}});
  add_product("BMMA.168256.AND.POPC", Op::BMMA, {{Mod::mma_shape, 2}, {Mod::mma_op, 1}});
  add_product("DMMA.16816", Op::DMMA, {{Mod::mma_shape, 3}});
  add_product("QMMA.16832.F32.E4M3.E4M3", Op::QMMA, {{Mod::mma_shape, 1}, {Mod::mma_dst, 1}});
  const GroupFunctions& groups = group_functions();
  add_group_product("HGMMA.64x128x16.F32", groups.half);
  add_group_product("HGMMA.64x128x16.F16", groups.half_to_half);
  add_group_product("HGMMA.64x128x16.F32.BF16", groups.bfloat);
  add_group_product("HGMMA.64x128x8.F32.TF32", groups.tf32);
  add_group_product("QGMMA.64x128x32.F32.E4M3.E4M3", groups.eight_bits[1][0][0]);
  add_group_product("IGMMA.64x128x32.S8.S8", groups.bytes[1][1]);
  add_group_product("BGMMA.64x128x256.AND.POPC", groups.bits);
}

void add_all() {
  add("IADD3", Op::IADD3);
  add("IADD3 with carry", Op::IADD3, {}, true);
  add("IMAD", Op::IMAD);
  add("IMAD.WIDE", Op::IMAD_WIDE, {{Mod::is_signed, 1}});
  add("IMAD.HI.U32", Op::IMAD_HI);
  add("LEA", Op::LEA, {{Mod::shift, 2}});
  add("LOP3.AND", Op::LOP3, {{Mod::lut, 0xc0}});
  add("LOP3 with predicate", Op::LOP3, {{Mod::lut, 0xc0}}, true);
  add("SHF.L.U32", Op::SHF, {{Mod::type, 3}});
  add("SHF.R.U64", Op::SHF, {{Mod::type, 1}, {Mod::dir, 1}});
  add("PRMT", Op::PRMT);
  add("ISETP", Op::ISETP, {{Mod::cmp, 1}, {Mod::is_signed, 1}}, true);
  add("SEL", Op::SEL);
  add("MOV", Op::MOV);
  add("POPC", Op::POPC);
  add("FLO", Op::FLO);
  add("FADD", Op::FADD);
  add("FFMA", Op::FFMA);
  add("FFMA.RM", Op::FFMA, {{Mod::rnd, 1}});
  add("FMUL.FTZ", Op::FMUL, {{Mod::fmz, 2}});
  add("FSETP", Op::FSETP, {{Mod::cmp, 1}}, true);
  add("FMNMX", Op::FMNMX);
  add("MUFU.EX2", Op::MUFU, {{Mod::mufu_op, 2}});
  add("MUFU.RCP", Op::MUFU, {{Mod::mufu_op, 4}});
  add("MUFU.RSQ", Op::MUFU, {{Mod::mufu_op, 5}});
  add("MUFU.SIN", Op::MUFU, {{Mod::mufu_op, 1}});
  add("DFMA", Op::DFMA);
  add("DSETP", Op::DSETP, {{Mod::cmp, 1}}, true);
  add("HFMA2", Op::HFMA2);
  add("HFMA2.BF16", Op::HFMA2, {{Mod::bf16, 1}});
  add("F2I.S32.TRUNC", Op::F2I, {{Mod::src_fmt, 2}, {Mod::dst_fmt, 5}, {Mod::rnd, 3}});
  add("I2F.F32.S32", Op::I2F, {{Mod::src_fmt, 5}, {Mod::dst_fmt, 2}});
  add("F2F.F16.F32", Op::F2F, {{Mod::dst_fmt, 17}});
  add("SHFL.BFLY", Op::SHFL, {{Mod::shfl_mode, 3}});
  add("VOTE.ANY", Op::VOTE, {{Mod::vote_op, 1}});
}

}  // namespace
}  // namespace heddle::simulator::lanes

int main(int argc, char** argv) {
  heddle::simulator::lanes::add_all();
  heddle::simulator::lanes::add_products();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
