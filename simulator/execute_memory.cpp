// Loads and stores.
#include <algorithm>
#include <bit>

#include "isa/attributes.hpp"
#include "simulator/memory_access.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

// One access width: how many bytes, how many rows.
template <typename T>
void load_lane(const std::byte* from, std::uint32_t* row) {
  T value;
  std::memcpy(&value, from, sizeof value);
  // Narrow loads extend to 32 bits, by T's own signedness.
  *row = static_cast<std::uint32_t>(value);
}

template <unsigned kWords>
void load_words(const std::byte* from, std::uint32_t* row) {
  std::array<std::uint32_t, kWords> words;
  std::memcpy(words.data(), from, sizeof words);
  for (unsigned i = 0; i < kWords; ++i) row[i * kWarpSize] = words[i];
}

void load_into(const Step& step, const std::byte* from, std::uint32_t* row) {
  switch (step.width) {
    case 1:
      return step.sign_extend ? load_lane<std::int8_t>(from, row)
                              : load_lane<std::uint8_t>(from, row);
    case 2:
      return step.sign_extend ? load_lane<std::int16_t>(from, row)
                              : load_lane<std::uint16_t>(from, row);
    case 4:
      return load_words<1>(from, row);
    case 8:
      return load_words<2>(from, row);
    default:
      return load_words<4>(from, row);
  }
}

void store_from(const Step& step, const std::uint32_t* row, std::byte* to) {
  switch (step.width) {
    case 1:
    case 2:
    case 4:
      std::memcpy(to, row, step.width);
      return;  // little endian: the low bytes
    default:
      for (unsigned i = 0; i < step.width / 4u; ++i)
        std::memcpy(to + 4 * i, row + i * kWarpSize, 4);
  }
}

// All lanes active and each one word after the last: the whole row at once.
std::byte* contiguous_words(Core& core, const Step& step, const Addresses& address, Mask lanes) {
  if (lanes != kFullMask || step.width != 4) return nullptr;
  std::uint64_t differences = address[0] & 3;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    differences |= address[lane] - (address[0] + 4 * lane);
  return differences == 0 ? core.resolve(address[0], 4 * kWarpSize) : nullptr;
}

template <AddressSpace kSpace>
Flow execute_load(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  Addresses address;
  compute_addresses(warp, step, address);
  std::uint32_t* destination = destination_row(warp, step.d);
  return for_each_space<kSpace>(address, on, [&](Window space, Mask lanes) {
    if (space == Window::global) {
      if (const std::byte* row = contiguous_words(core, step, address, lanes)) {
        if (!claim_lanes(core, warp, step, AccessKind::load, address, lanes)) return Flow::stop;
        count_access(core, step, AccessKind::load, space, address, lanes);
        std::memcpy(destination, row, 4 * kWarpSize);
        return Flow::next;
      }
    }
    LanePointers pointers;
    if (!resolve_lanes(core, warp, step, space, address, lanes, pointers)) return Flow::stop;
    if (space == Window::global && !claim_lanes(core, warp, step, AccessKind::load, address, lanes))
      return Flow::stop;
    count_access(core, step, AccessKind::load, space, address, lanes);
    for_each_lane(lanes,
                  [&](unsigned lane) { load_into(step, pointers.of[lane], destination + lane); });
    return Flow::next;
  });
}

// Where lanes store to the same place, the highest one's value stays. (Which one does is not
// defined by CUDA.)
template <AddressSpace kSpace>
Flow execute_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on == 0) return Flow::next;
  Addresses address;
  compute_addresses(warp, step, address);
  const std::uint32_t* data = source_row(warp, step.b);
  return for_each_space<kSpace>(address, on, [&](Window space, Mask lanes) {
    if (space == Window::global) {
      if (std::byte* row = contiguous_words(core, step, address, lanes)) {
        if (!claim_lanes(core, warp, step, AccessKind::store, address, lanes)) return Flow::stop;
        count_access(core, step, AccessKind::store, space, address, lanes);
        std::memcpy(row, data, 4 * kWarpSize);
        return Flow::next;
      }
    }
    LanePointers pointers;
    if (!resolve_lanes(core, warp, step, space, address, lanes, pointers)) return Flow::stop;
    if (space == Window::global &&
        !claim_lanes(core, warp, step, AccessKind::store, address, lanes))
      return Flow::stop;
    count_access(core, step, AccessKind::store, space, address, lanes);
    for_each_lane(lanes, [&](unsigned lane) { store_from(step, data + lane, pointers.of[lane]); });
    return Flow::next;
  });
}

bool fill_width(const isa::Instruction& in, Step& step) {
  constexpr std::array<std::uint8_t, 8> kWidths{1, 1, 2, 2, 4, 8, 16, 16};
  // sm_75's LDS has a second set of codes, 8 up, with the same widths (SASS-FACTS 3.5).
  const std::uint32_t size = in.mod(Mod::size) & 7;
  step.width = kWidths[size];
  step.sign_extend = size == 1 || size == 3;
  step.selector = isa::is_strong(in);
  return true;
}

}  // namespace

Execute lower_memory(const isa::Instruction& in, Step& step) {
  fill_width(in, step);
  switch (in.op) {
    case Op::LDG:
      return execute_load<AddressSpace::global>;
    case Op::LDS:
      return execute_load<AddressSpace::shared>;
    case Op::LDL:
      return execute_load<AddressSpace::local>;
    case Op::LD:
      return execute_load<AddressSpace::generic>;
    case Op::STG:
      return execute_store<AddressSpace::global>;
    case Op::STS:
      return execute_store<AddressSpace::shared>;
    case Op::STL:
      return execute_store<AddressSpace::local>;
    case Op::ST:
      return execute_store<AddressSpace::generic>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
