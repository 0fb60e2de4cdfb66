// Special registers, constant loads and code addresses.
#include <algorithm>
#include <array>
#include <cstring>

#include "simulator/execute/machine.hpp"
#include "simulator/lanes/scattered.hpp"
#include "simulator/memory/address_space.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

// Special register numbers (docs/hardware/control-flow.md).
enum : std::uint8_t {
  kLaneId = 0,
  kVirtualId = 3,
  kTid = 32,
  kTidX = 33,
  kTidY = 34,
  kTidZ = 35,
  kCtaIdX = 37,
  kCtaIdY = 38,
  kCtaIdZ = 39,
  kLocalWindowHigh = 46,
  kSharedWindowHigh = 47,
  kSharedBytes = 50,
  kStackLimit = 55,
  kLaneMaskEq = 56,
  kLaneMaskLt = 57,
  kLaneMaskLe = 58,
  kLaneMaskGt = 59,
  kLaneMaskGe = 60,
  kVirtualSmId = 67,
  kClockLow = 80,
  kClockHigh = 81,
  kGlobalTimerLow = 82,
  kGlobalTimerHigh = 83,
  kCgaCtaId = 136,
  kCgaSize = 138,
  kZero = 255,
};

struct ThreadIndex {
  std::uint32_t x, y, z;
};

ThreadIndex thread_index(const Dim3& block, std::uint32_t linear) {
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

// Untimed, a clock counts what this core has issued: it grows, and is the same in every run.
std::uint64_t clock(const Core& core) { return core.cycle != nullptr ? *core.cycle : core.issued; }

std::uint64_t nanoseconds(const Core& core) {
  if (core.cycle == nullptr) return core.issued;
  constexpr std::uint64_t kKiloPerNano = 1'000'000;
  const std::uint64_t khz = core.launch.model->clock_khz;
  return *core.cycle / khz * kKiloPerNano + *core.cycle % khz * kKiloPerNano / khz;
}

using LaneValues = std::array<std::uint32_t, kWarpSize>;

// A register that says what a lane is in its warp or its block; false: it is another.
bool lane_values(const Core& core, const Warp& warp, std::uint8_t number, LaneValues& values) {
  const auto of_lane = [&](auto&& value) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) values[lane] = value(lane);
    return true;
  };
  const auto of_thread = [&](auto&& value) {
    const Dim3& shape = core.launch.request->block;
    ThreadIndex thread = thread_index(shape, warp.index * kWarpSize);
    if (thread.x + kWarpSize <= shape.x)
      return of_lane([&](unsigned lane) { return value({thread.x + lane, thread.y, thread.z}); });
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      values[lane] = value(thread);
      if (++thread.x < shape.x) continue;
      thread.x = 0;
      if (++thread.y < shape.y) continue;
      thread.y = 0;
      ++thread.z;
    }
    return true;
  };
  switch (number) {
    case kLaneId:
      return of_lane([](unsigned lane) { return lane; });
    case kTid:
      return of_thread([](ThreadIndex at) { return at.x | at.y << 16 | at.z << 26; });
    case kTidX:
      return of_thread([](ThreadIndex at) { return at.x; });
    case kTidY:
      return of_thread([](ThreadIndex at) { return at.y; });
    case kTidZ:
      return of_thread([](ThreadIndex at) { return at.z; });
    case kLaneMaskEq:
      return of_lane([](unsigned lane) { return Mask::of(lane).bits(); });
    case kLaneMaskLt:
      return of_lane([](unsigned lane) { return Mask::below(lane).bits(); });
    case kLaneMaskLe:
      return of_lane([](unsigned lane) { return Mask::below(lane + 1).bits(); });
    case kLaneMaskGt:
      return of_lane([](unsigned lane) { return (~Mask::below(lane + 1)).bits(); });
    case kLaneMaskGe:
      return of_lane([](unsigned lane) { return (~Mask::below(lane)).bits(); });
    default:
      return false;
  }
}

// Whether a warp's threads lie side by side: most of all blocks have one dimension.
bool adjoin_in_x(const Core& core, const Warp& warp) {
  const std::uint32_t width = core.launch.request->block.x;
  return warp.index * kWarpSize % width + kWarpSize <= width;
}

// What all lanes of a warp find in a register; nothing for one that is not modelled. (Returned by a
// call, the two halves of the result would be stored one by one and loaded as one.)
[[gnu::always_inline]] inline std::optional<std::uint32_t> warp_value(const Core& core,
                                                                      const Warp& warp,
                                                                      std::uint8_t number) {
  switch (number) {
    case kVirtualId:
      return warp.index << 8;
    case kCtaIdX:
      return warp.block->index.x;
    case kCtaIdY:
      return warp.block->index.y;
    case kCtaIdZ:
      return warp.block->index.z;
    case kLocalWindowHigh:
      return static_cast<std::uint32_t>(kLocalWindow >> 32);
    case kSharedWindowHigh:
      return static_cast<std::uint32_t>(kSharedWindow >> 32);
    // Debug builds trap when the stack pointer is below this (read off their listings).
    case kStackLimit:
      return kLocalEnd - core.launch.local_bytes;
    case kVirtualSmId:
      return warp.block->sm;
    case kClockLow:
      return static_cast<std::uint32_t>(clock(core));
    case kClockHigh:
      return static_cast<std::uint32_t>(clock(core) >> 32);
    case kGlobalTimerLow:
      return static_cast<std::uint32_t>(nanoseconds(core));
    case kGlobalTimerHigh:
      return static_cast<std::uint32_t>(nanoseconds(core) >> 32);
    case kCgaCtaId:
      return warp.block->rank;
    // Which of a launch's cluster shapes the block is in, as an index into records of constant bank
    // 0: there is one shape.
    case kCgaSize:
      return 0;
    case kSharedBytes:
      return core.launch.shared_bytes;
    case kZero:
      return 0;
    default:
      return std::nullopt;
  }
}

// `lanes` of a row become one value.
void put(std::uint32_t* row, Mask lanes, std::uint32_t value) {
  lanes::scattered_functions().fill(row, value, lanes);
}

template <bool kUniform>
Flow read_special(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  std::uint32_t* destination = destination_row(warp, step.d);
  const Mask lanes = kUniform ? kFullMask : on;
  std::uint32_t high = 0;
  if (!kUniform && step.selector == kTidX && adjoin_in_x(core, warp)) {
    const std::uint32_t first = warp.index * kWarpSize % core.launch.request->block.x;
    lanes::scattered_functions().count_up(destination, first, lanes);
  } else if (LaneValues values; lane_values(core, warp, step.selector, values)) {
    if constexpr (kUniform)
      put(destination, lanes, values[on.first()]);
    else
      lanes::scattered_functions().copy_lanes(values.data(), destination, lanes);
  } else {
    const auto value = warp_value(core, warp, step.selector);
    if (!value)
      return core.raise(Fault::Kind::unsupported_instruction, warp, step, on, 0,
                        "this special register is not modelled");
    put(destination, lanes, *value);
    if (step.selector == kClockLow || step.selector == kGlobalTimerLow)
      high = *warp_value(core, warp, static_cast<std::uint8_t>(step.selector + 1));
  }
  if (step.width == 8) put(destination + kWarpSize, lanes, high);
  return Flow::next;
}

struct Constant {
  std::uint32_t low, high;
};

Constant constant_at(const Core& core, const Step& step, std::uint32_t index) {
  const isa::Source& constant = step.instruction->b;
  // A bank has 64 KiB: the instruction's offset of 16 bits reaches its upper half as a negative
  // one.
  const unsigned bytes = std::min<unsigned>(step.width, sizeof(std::uint64_t));
  std::uint64_t value =
      core.launch.constants.read(constant.index, (constant.value + index) & 0xffff, bytes);
  if (step.sign_extend && step.width < 4) {
    const unsigned unused = 32 - 8u * step.width;
    const auto narrow = static_cast<std::uint32_t>(value) << unused;
    value = static_cast<std::uint32_t>(static_cast<std::int32_t>(narrow) >> unused);
  }
  return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

// LDC adds a register to the offset, and in the indexed modes another bank may come from its
// upper half: only the plain mode is compiled code's.
Flow load_constant(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  std::uint32_t* destination = destination_row(warp, step.d);
  const std::uint32_t* index = source_row(warp, step.a);
  std::uint32_t last_index = index[on.first()];
  Constant value = constant_at(core, step, last_index);
  if (std::all_of(index, index + kWarpSize, [&](std::uint32_t at) { return at == last_index; })) {
    put(destination, on, value.low);
    if (step.width == 8) put(destination + kWarpSize, on, value.high);
    return Flow::next;
  }
  for (const unsigned lane : on) {
    if (index[lane] != last_index) {
      last_index = index[lane];
      value = constant_at(core, step, last_index);
    }
    destination[lane] = value.low;
    if (step.width == 8) destination[kWarpSize + lane] = value.high;
  }
  return Flow::next;
}

// ULDC: the index is a uniform register, the same in all lanes of its row.
Flow load_uniform_constant(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  std::uint32_t* destination = destination_row(warp, step.d);
  const Constant value = constant_at(core, step, source_row(warp, step.a)[0]);
  put(destination, kFullMask, value.low);
  if (step.width >= 8) put(destination + kWarpSize, kFullMask, value.high);
  if (step.width == 16) {
    const Constant rest = constant_at(core, step, source_row(warp, step.a)[0] + 8);
    put(destination + 2 * kWarpSize, kFullMask, rest.low);
    put(destination + 3 * kWarpSize, kFullMask, rest.high);
  }
  return Flow::next;
}

// LEPC: the address of the instruction itself up to sm_89, a displacement from the next one on
// sm_90 (docs/hardware/control-flow.md).
Flow load_code_address(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  std::uint64_t address = code_address_of_index(core.pc_of(step));
  if (isa::traits(step.instruction->arch).lepc_adds_displacement)
    address += 16 + static_cast<std::uint64_t>(step.instruction->offset);
  std::uint32_t* destination = destination_row(warp, step.d);
  for (const unsigned lane : on) {
    destination[lane] = static_cast<std::uint32_t>(address);
    destination[kWarpSize + lane] = static_cast<std::uint32_t>(address >> 32);
  }
  return Flow::next;
}

// RPCMOV: half of Rpc, a pair of registers apart from the others, from and to another register.
template <bool kToRpc>
Flow move_return_address(Core&, Warp& warp, const Step& step, Mask, Mask on) {
  std::uint32_t* half = warp.rows + (kReturnRow + step.selector) * kWarpSize;
  const std::uint32_t* source = kToRpc ? source_row(warp, step.b) : half;
  std::uint32_t* destination = kToRpc ? half : destination_row(warp, step.d);
  for (const unsigned lane : on) destination[lane] = source[lane];
  return Flow::next;
}

}  // namespace

std::uint64_t ConstantBanks::read(unsigned bank, std::uint64_t offset, unsigned bytes) const {
  if (bank >= banks.size()) return 0;
  std::uint64_t value = 0;
  if (offset <= banks[bank].size() && bytes <= banks[bank].size() - offset) {
    std::memcpy(&value, banks[bank].data() + offset, bytes);
    return value;
  }
  for (unsigned i = 0; i < bytes; ++i)
    if (offset + i < banks[bank].size())
      value |= std::uint64_t{std::to_integer<std::uint8_t>(banks[bank][offset + i])} << 8 * i;
  return value;
}

Execute lower_special(const isa::Instruction& in, Step& step) {
  switch (in.op) {
    case Op::S2R:
    case Op::CS2R:
    case Op::CS2UR:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::special_reg));
      step.width = in.op != Op::S2R && in.mod(Mod::width) != 0 ? 8 : 4;
      return in.op == Op::CS2UR ? read_special<true> : read_special<false>;
    case Op::S2UR:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::special_reg));
      return read_special<true>;
    case Op::LDC:
    case Op::ULDC:
    case Op::LDCU: {
      constexpr std::array<std::uint8_t, 7> kWidths{1, 1, 2, 2, 4, 8, 16};
      const std::uint32_t size = in.mod(Mod::size);
      if (size >= kWidths.size() || in.mod(Mod::ldc_mode) != 0) return nullptr;
      if (in.b.kind != isa::Source::Kind::constant) return nullptr;
      step.width = kWidths[size];
      step.sign_extend = size == 1 || size == 3;
      return in.op == Op::LDC ? load_constant : load_uniform_constant;
    }
    case Op::LEPC:
      return load_code_address;
    case Op::RPCMOV:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::high_half));
      return in.b.kind == isa::Source::Kind::none ? move_return_address<false>
                                                  : move_return_address<true>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
