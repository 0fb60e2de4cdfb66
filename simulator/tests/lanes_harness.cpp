#include "simulator/tests/lanes_harness.hpp"

#include <cstring>
#include <sstream>
#include <string>

namespace heddle::simulator::lanes {
namespace {

constexpr unsigned kRows = 16;
constexpr RowOffset kA = 0, kB = 2 * 32, kC = 4 * 32, kD = 6 * 32;
constexpr unsigned kP = 0, kQ = 1, kR = 2, kU = 3, kV = 4;

template <std::size_t kCount>
u64 one_of(std::mt19937_64& random, const u64 (&values)[kCount]) {
  return values[random() % kCount];
}

u64 pair_of_words(const std::vector<u32>& rows, RowOffset offset, unsigned lane) {
  const auto at = static_cast<std::size_t>(offset) + lane;
  return u64{rows[at + 32]} << 32 | rows[at];
}

std::string describe(const Inputs& in) {
  std::ostringstream out;
  out << std::hex << "lane " << std::dec << in.lane << std::hex << " a=" << in.a << " b=" << in.b
      << " c=" << in.c << " p=" << in.p << " q=" << in.q << " r=" << in.r;
  return out.str();
}

}  // namespace

u64 edgy_integer(std::mt19937_64& random) {
  const u64 noise = random();
  switch (random() % 6) {
    case 0:
      return noise % 70;
    case 1:
      return u64{1} << (noise % 32);
    case 2:
      return static_cast<u32>((u64{1} << (noise % 32)) - 1);
    case 3:
      return static_cast<u32>(~(u64{1} << (noise % 32)));
    case 4:
      return static_cast<u32>(0 - noise % 70);
    default:
      return static_cast<u32>(noise);
  }
}

u64 edgy_integer64(std::mt19937_64& random) {
  return edgy_integer(random) | edgy_integer(random) << 32;
}

u64 edgy_float32(std::mt19937_64& random) {
  static constexpr u64 kSpecial[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                     0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x3f800000,
                                     0xbf800000, 0x3f000000, 0x4b800000, 0x3f7fffff, 0x40000000};
  const u64 noise = random();
  const u64 sign = noise >> 32 << 31 & 0x80000000;
  switch (random() % 8) {
    case 0:
      return one_of(random, kSpecial);
    case 1:
      return sign | (noise & 0x7fffff);  // subnormal
    case 2:
      return sign | (noise % 3 + 0x3f800000 - 1);  // about 1
    case 3:
      return sign | ((noise >> 8 & 7) + 124) << 23 | (noise & 0x7ff) << 12;
    case 4:
      return sign | ((noise & 0x3f) + 96) << 23 | (random() & 0x7fffff);
    case 5:
      return sign | (noise & 0xff) << 23 | ((random() % 5 - 2) & 0x7fffff);
    case 6:
      return sign | ((noise & 15) + 127) << 23 | (random() & 0x7fff00);
    default:
      return static_cast<u32>(noise);
  }
}

u64 edgy_float64(std::mt19937_64& random) {
  static constexpr u64 kSpecial[] = {0,
                                     u64{1} << 63,
                                     1,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x7ff0000000000001,
                                     0xffffffffffffffff,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x41dfffffffc00000,
                                     0x41f0000000000000,
                                     0x43e0000000000000,
                                     0x43f0000000000000,
                                     0x47efffffe0000000,
                                     0x3810000000000000};
  const u64 noise = random();
  const u64 sign = noise & u64{1} << 63, fraction = random() & 0xfffffffffffff;
  switch (random() % 7) {
    case 0:
      return one_of(random, kSpecial);
    case 1:
      return sign | fraction;
    case 2:
      return sign | ((noise & 7) + 1020) << 52 | (fraction & 0xffff000000000);
    case 3:
      return sign | ((noise & 0x3f) + 990) << 52 | fraction;
    case 4:
      return sign | ((noise & 0x1ff) + 760) << 52 | (fraction & ~u64{0x1ffffff});
    case 5:
      return sign | ((noise & 0x3f) + 1023) << 52 | fraction;
    default:
      return noise;
  }
}

u64 edgy_half2(std::mt19937_64& random) {
  static constexpr u64 kSpecial[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x7bff,
                                     0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff, 0x3c00};
  const auto half = [&]() -> u64 {
    const u64 noise = random();
    switch (random() % 4) {
      case 0:
        return one_of(random, kSpecial);
      case 1:
        return (noise & 0x8000) | (noise & 0x3ff);
      case 2:
        return (noise & 0x8000) | ((noise >> 20 & 7) + 12) << 10 | (noise & 0x3ff);
      default:
        return noise & 0xffff;
    }
  };
  const u64 high = half();
  return high << 16 | half();
}

LaneCase::LaneCase(isa::Op op, std::initializer_list<Modifier> mods) : rows_(kRows * kWarpSize) {
  instruction_.op = op;
  request_.instruction = &instruction_;
  for (const Modifier& modifier : mods) request_.mod(modifier.mod) = modifier.value;
  op_.a = kA;
  op_.b = kB;
  op_.c = kC;
  op_.d = kD;
  op_.pp = {kP, 0};
  op_.pq = {kQ, 0};
  op_.pr = {kR, 0};
  op_.pu = kU;
  op_.pv = kV;
  op_.instruction = &instruction_;
  warp_.rows = rows_.data();
}

LaneCase& LaneCase::set(isa::Mod mod, u32 value) {
  request_.mod(mod) = value;
  return *this;
}
LaneCase& LaneCase::negate(const char* slots) {
  op_.a_negate = std::strchr(slots, 'a') != nullptr;
  op_.b_negate = std::strchr(slots, 'b') != nullptr;
  op_.c_negate = std::strchr(slots, 'c') != nullptr;
  return *this;
}
LaneCase& LaneCase::absolute(const char* slots) {
  op_.a_absolute = std::strchr(slots, 'a') != nullptr;
  op_.b_absolute = std::strchr(slots, 'b') != nullptr;
  op_.c_absolute = std::strchr(slots, 'c') != nullptr;
  return *this;
}
LaneCase& LaneCase::inputs(Generator generator) {
  generator_ = std::move(generator);
  return *this;
}
LaneCase& LaneCase::rows_written(unsigned rows) {
  rows_written_ = rows;
  return *this;
}
LaneCase& LaneCase::without_predicate_outputs() {
  op_.pu = op_.pv = kDiscardedPredicate;
  return *this;
}
LaneCase& LaneCase::rounds(unsigned count) {
  rounds_ = count;
  return *this;
}

bool LaneCase::selectable() const {
  MicroOp op = op_;
  return variants().front().select(request_, op);
}

void LaneCase::fill(std::mt19937_64& random) {
  for (const RowOffset row : {kA, kB, kC, kD}) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      const u64 value = generator_(random);
      const auto at = static_cast<std::size_t>(row) + i;
      rows_[at] = static_cast<u32>(value);
      rows_[at + 32] = static_cast<u32>(value >> 32);
    }
  }
  for (Mask& mask : warp_.predicates) mask = static_cast<Mask>(random());
  warp_.predicates[kPT] = kFullMask;
}

void LaneCase::run_and_compare(const Variant& variant, Mask on, RowOffset destination,
                               const Reference& reference) {
  const std::vector<u32> before = rows_;
  const auto predicates = warp_.predicates;
  MicroOp op = op_;
  op.d = destination;
  ASSERT_TRUE(variant.select(request_, op)) << "no lane function";
  {
    const FloatEnvironment environment;
    op.lane(warp_, op, on);
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Mask bit = 1u << lane;
    const Inputs in{pair_of_words(before, kA, lane), pair_of_words(before, kB, lane),
                    pair_of_words(before, kC, lane), pair_of_words(before, destination, lane),
                    (predicates[kP] & bit) != 0,     (predicates[kQ] & bit) != 0,
                    (predicates[kR] & bit) != 0,     lane};
    const Outputs want = (on & bit) != 0 ? reference(in) : Outputs{};
    const u64 kept = rows_written_ == 2 ? 0 : ~u64{0xffffffff};
    const u64 expected = want.d ? (*want.d & ~kept) | (in.old & kept) : in.old;
    ASSERT_EQ(pair_of_words(rows_, destination, lane), expected)
        << std::hex << "got " << pair_of_words(rows_, destination, lane) << " want " << expected
        << " in " << variant.name << ", " << describe(in);
    const auto check_flag = [&](unsigned index, const std::optional<bool>& flag) {
      const bool old = (predicates[index] & bit) != 0;
      ASSERT_EQ((warp_.predicates[index] & bit) != 0, flag.value_or(old))
          << "predicate " << (index == kU ? "u" : "v") << " in " << variant.name << ", "
          << describe(in);
    };
    if ((on & bit) == 0 || want.u) check_flag(kU, want.u);
    if ((on & bit) == 0 || want.v) check_flag(kV, want.v);
  }
  rows_ = before;
  warp_.predicates = predicates;
}

void LaneCase::expect(const Reference& reference) {
  std::mt19937_64 random(20261121);
  for (unsigned round = 0; round < rounds_; ++round) {
    fill(random);
    const Mask partial = static_cast<Mask>(random()) | 1u << random() % 32;
    for (const Variant& variant : variants()) {
      if (!variant.supported) continue;
      for (const RowOffset destination : {kD, kA, kB, kC}) {
        for (const Mask on : {kFullMask, partial}) {
          run_and_compare(variant, on, destination, reference);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

void LaneCase::expect_same_in_all_variants() {
  std::mt19937_64 random(4);
  for (unsigned round = 0; round < rounds_; ++round) {
    fill(random);
    const std::vector<u32> before = rows_;
    const auto predicates = warp_.predicates;
    std::optional<std::pair<std::vector<u32>, decltype(warp_.predicates)>> first;
    for (const Variant& variant : variants()) {
      if (!variant.supported) continue;
      MicroOp op = op_;
      ASSERT_TRUE(variant.select(request_, op)) << "no lane function";
      const FloatEnvironment environment;
      op.lane(warp_, op, kFullMask);
      if (!first) {
        first.emplace(rows_, warp_.predicates);
      } else {
        ASSERT_EQ(first->first, rows_) << variant.name;
        ASSERT_EQ(first->second, warp_.predicates) << variant.name;
      }
      rows_ = before;
      warp_.predicates = predicates;
    }
  }
}

}  // namespace heddle::simulator::lanes
