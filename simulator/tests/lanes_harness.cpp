#include "simulator/tests/lanes_harness.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>

namespace heddle::simulator::lanes {
namespace {

constexpr unsigned kRows = 16;
constexpr RowOffset kA = 0, kB = 2 * 32, kC = 4 * 32, kD = 6 * 32;
constexpr unsigned kP = 0, kQ = 1, kR = 2, kU = 3, kV = 4;

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

LaneCase::LaneCase(isa::Op op, std::initializer_list<Modifier> mods) : rows_(kRows * kWarpSize) {
  instruction_.op = op;
  request_.instruction = &instruction_;
  for (const Modifier& modifier : mods) request_.mod(modifier.mod) = modifier.value;
  op_.a = kA;
  op_.b = kB;
  op_.c = kC;
  op_.d = kD;
  op_.pp = {kP, {}};
  op_.pq = {kQ, {}};
  op_.pr = {kR, {}};
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
LaneCase& LaneCase::zero(const char* slots) {
  zero_ = slots;
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
  for (const char slot : zero_) {
    const auto row = static_cast<std::size_t>(slot == 'a' ? kA : slot == 'b' ? kB : kC);
    std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(row), 2 * kWarpSize, 0);
  }
  for (Mask& mask : warp_.predicates) mask = Mask(static_cast<u32>(random()));
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
    const Inputs in{pair_of_words(before, kA, lane), pair_of_words(before, kB, lane),
                    pair_of_words(before, kC, lane), pair_of_words(before, destination, lane),
                    predicates[kP].has(lane),        predicates[kQ].has(lane),
                    predicates[kR].has(lane),        lane};
    const Outputs want = on.has(lane) ? reference(in) : Outputs{};
    const u64 kept = rows_written_ == 2 ? 0 : ~u64{0xffffffff};
    const u64 expected = want.d ? (*want.d & ~kept) | (in.old & kept) : in.old;
    ASSERT_EQ(pair_of_words(rows_, destination, lane), expected)
        << std::hex << "got " << pair_of_words(rows_, destination, lane) << " want " << expected
        << " in " << variant.name << ", " << describe(in);
    const auto check_flag = [&](unsigned index, const std::optional<bool>& flag) {
      const bool old = predicates[index].has(lane);
      ASSERT_EQ(warp_.predicates[index].has(lane), flag.value_or(old))
          << "predicate " << (index == kU ? "u" : "v") << " in " << variant.name << ", "
          << describe(in);
    };
    if (!on.has(lane) || want.u) check_flag(kU, want.u);
    if (!on.has(lane) || want.v) check_flag(kV, want.v);
  }
  rows_ = before;
  warp_.predicates = predicates;
}

void LaneCase::expect(const Reference& reference) {
  std::mt19937_64 random(20261121);
  for (unsigned round = 0; round < rounds_; ++round) {
    fill(random);
    const Mask partial = Mask(static_cast<u32>(random())) | Mask::of(random() % 32);
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
