// Loads and stores.
#include <algorithm>

#include "isa/attributes.hpp"
#include "simulator/execute/access_at_once.hpp"
#include "simulator/execute/cache_policy.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/lanes/scattered.hpp"

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

// Calls f(lane) for each; for all lanes without looking for each.
template <typename F>
void for_lanes(Mask lanes, F&& f) {
  if (lanes == kFullMask)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) f(lane);
  else
    for (const unsigned lane : lanes) f(lane);
}

template <typename T>
void load_narrow(const LanePointers& from, Mask lanes, std::uint32_t* destination) {
  if (from.same == nullptr)
    return for_lanes(lanes,
                     [&](unsigned lane) { load_lane<T>(from.of[lane], destination + lane); });
  std::uint32_t word;
  load_lane<T>(from.same, &word);
  lanes::scattered_functions().fill(destination, word, lanes);
}

// All of them the same words.
void load_same(unsigned words, const std::byte* from, Mask lanes, std::uint32_t* destination) {
  for (unsigned i = 0; i < words; ++i) {
    std::uint32_t word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    lanes::scattered_functions().fill(destination + i * kWarpSize, word, lanes);
  }
}

// All lanes' words, which adjoin in memory.
void load_row(unsigned width, const std::byte* from, std::uint32_t* destination) {
  const lanes::ScatteredFunctions& functions = lanes::scattered_functions();
  if (width == 4)
    functions.copy_row(from, destination);
  else if (width == 8)
    functions.split_pairs(from, destination);
  else
    functions.split_quads(from, destination);
}

void store_row(unsigned width, const std::uint32_t* data, std::byte* to) {
  const lanes::ScatteredFunctions& functions = lanes::scattered_functions();
  if (width == 4)
    functions.copy_row(data, to);
  else if (width == 8)
    functions.join_pairs(data, to);
  else
    functions.join_quads(data, to);
}

void load_lanes(const Step& step, const LanePointers& from, Mask lanes,
                std::uint32_t* destination) {
  if (step.width == 1)
    return step.sign_extend ? load_narrow<std::int8_t>(from, lanes, destination)
                            : load_narrow<std::uint8_t>(from, lanes, destination);
  if (step.width == 2)
    return step.sign_extend ? load_narrow<std::int16_t>(from, lanes, destination)
                            : load_narrow<std::uint16_t>(from, lanes, destination);
  if (from.row != nullptr) return load_row(step.width, from.row, destination);
  if (from.same != nullptr) return load_same(step.width / 4, from.same, lanes, destination);
  const lanes::ScatteredFunctions& functions = lanes::scattered_functions();
  const auto load = step.width == 4   ? functions.load_words
                    : step.width == 8 ? functions.load_pairs
                                      : functions.load_quads;
  load(from.of.data(), lanes, destination);
}

// Adjoining lanes that load from one place get one value, as from the one sector that the GPU
// fetches, whatever the host writes meanwhile: lanes that wait for a flag see it together.
void share_loads(const Step& step, const LanePointers& from, Mask lanes,
                 std::uint32_t* destination) {
  if (from.row != nullptr || from.same != nullptr) return;
  const unsigned words = (step.width + 3) / 4;
  const Mask behind = lanes & lanes << 1;
  for (const unsigned lane : behind) {
    if (from.of[lane] != from.of[lane - 1]) continue;
    for (unsigned i = 0; i < words; ++i)
      destination[i * kWarpSize + lane] = destination[i * kWarpSize + lane - 1];
  }
}

template <unsigned kWords>
void store_words(const std::uint32_t* data, Mask lanes, const LanePointers& to) {
  for_lanes(lanes, [&](unsigned lane) {
    std::array<std::uint32_t, kWords> words;
    for (unsigned i = 0; i < kWords; ++i) words[i] = data[i * kWarpSize + lane];
    std::memcpy(to.of[lane], words.data(), sizeof words);
  });
}

// Where lanes store to the same place, the highest one's value stays. (Which one does is not
// defined by CUDA.)
void store_lanes(const Step& step, const std::uint32_t* data, Mask on, const LanePointers& to) {
  if (to.row != nullptr && step.width >= 4) return store_row(step.width, data, to.row);
  const Mask lanes = to.same != nullptr ? Mask::of(on.last()) : on;
  switch (step.width) {
    case 1:
    case 2:  // little endian: the low bytes
      for (const unsigned lane : lanes) std::memcpy(to.of[lane], data + lane, step.width);
      return;
    case 4:
      return store_words<1>(data, lanes, to);
    case 8:
      return store_words<2>(data, lanes, to);
    default:
      return store_words<4>(data, lanes, to);
  }
}

// Whether weak loads of whole words, at `first` and as far from there as the pattern says, lie in
// one line, but neither in one place nor as a row, which are one piece to those who take notes.
bool are_words_of_line(const Step& step, std::uint64_t first, const AddressPattern& pattern) {
  return step.width == 4 && step.selector == 0 && !pattern.is_row && pattern.spread != 0 &&
         pattern.spread >> kLineShift == 0 && ((first | pattern.spread) & 3) == 0;
}

constexpr unsigned kPrefetchedSpread = 15;  // more than a host's first cache holds

// Any access, by addresses.
template <AddressSpace kSpace, AccessKind kKind>
Flow access_lanes(Core& core, Warp& warp, const Step& step, Mask on) {
  alignas(kCacheLine) Addresses address;
  const AddressPattern of_all = compute_addresses(core, warp, step, address, on);
  const auto access = [&](Window space, Mask lanes, const AddressPattern& pattern) {
    LanePointers pointers;
    const std::byte* line = nullptr;
    if (pattern.is_row && lanes == kFullMask)
      pointers.row = count_plain_row(core, warp, step, kKind, space, address[0]);
    if (pointers.row == nullptr) {
      if (kKind == AccessKind::load && are_words_of_line(step, address[lanes.first()], pattern))
        line = resolve_line(core, *warp.block, space, address[lanes.first()]);
      if (line == nullptr &&
          !resolve_lanes(core, warp, step, space, kKind, address, lanes, pattern, pointers))
        return Flow::stop;
      if (space == Window::global &&
          !claim_lanes(core, warp, step, kKind, address, lanes, pointers))
        return Flow::stop;
      // What lies far apart comes while the access is counted.
      if (kKind == AccessKind::load && line == nullptr && space == Window::global &&
          pattern.spread >> kPrefetchedSpread != 0 && pointers.row == nullptr)
        for (const unsigned lane : lanes) __builtin_prefetch(pointers.of[lane]);
      count_access(core, step, kKind, space, address, lanes, pattern, warp.block);
    }
    if constexpr (kKind == AccessKind::load) {
      if (line != nullptr) {
        lanes::scattered_functions().take_from_line(line, address.data(), lanes,
                                                    destination_row(warp, step.d));
        return Flow::next;
      }
      load_lanes(step, pointers, lanes, destination_row(warp, step.d));
      if (step.selector != 0) {
        share_loads(step, pointers, lanes, destination_row(warp, step.d));
        core.look_at_others();
      }
    } else {
      store_lanes(step, source_row(warp, step.b), lanes, pointers);
      if (space != Window::local) core.polling.change(core.issued);
    }
    return Flow::next;
  };
  return for_each_space<kSpace>(address, on, of_all, access);
}

// `kAtOnce`: it is one of those that access_at_once looks at.
template <AddressSpace kSpace, AccessKind kKind, bool kAtOnce>
Flow execute_access(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if constexpr (kSpace == AddressSpace::global || kSpace == AddressSpace::generic)
    count_policy(core, warp, step);
  if (on.empty()) return Flow::next;
  if constexpr (kAtOnce)
    if (access_at_once<kSpace, kKind>(core, warp, step, on)) return Flow::next;
  return access_lanes<kSpace, kKind>(core, warp, step, on);
}

template <AddressSpace kSpace, bool kAtOnce = false>
constexpr Execute execute_load = execute_access<kSpace, AccessKind::load, kAtOnce>;
template <AddressSpace kSpace, bool kAtOnce = false>
constexpr Execute execute_store = execute_access<kSpace, AccessKind::store, kAtOnce>;

// Accesses of 32 bytes: words 0 to 3 are in adjoining registers, those of D or B, and words 4 to 7
// in others, those of C. The words that the mask, param[0], leaves out have no registers.
constexpr unsigned kWideBytes = 32, kWordsOfHalf = 4;

// Calls f(bytes, row) for each word that the mask names: how far it is from the first, and where
// the lanes have it.
template <typename Row, typename F>
void for_wide_words(std::uint32_t mask, Row* low, Row* high, F&& f) {
  Row* next[2] = {low, high};
  for (unsigned word = 0; word < kWideBytes / 4; ++word) {
    if ((mask >> word & 1) == 0) continue;
    Row*& row = next[word / kWordsOfHalf];
    f(word * 4, row);
    row += kWarpSize;
  }
}

template <AccessKind kKind>
Flow execute_wide(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  count_policy(core, warp, step);
  if (on.empty()) return Flow::next;
  alignas(kCacheLine) Addresses address;
  const AddressPattern pattern = compute_addresses(core, warp, step, address, on);
  LanePointers pointers;
  if (!resolve_lanes(core, warp, step, Window::global, kKind, address, on, pattern, pointers) ||
      !claim_lanes(core, warp, step, kKind, address, on, pointers))
    return Flow::stop;
  count_access(core, step, kKind, Window::global, address, on, pattern, warp.block);
  const auto place = [&](unsigned lane) {
    return pointers.row != nullptr ? pointers.row + lane * kWideBytes : pointers.of[lane];
  };
  if constexpr (kKind == AccessKind::load) {
    for_wide_words(step.param[0], destination_row(warp, step.d), destination_row(warp, step.c),
                   [&](unsigned bytes, std::uint32_t* row) {
                     for (const unsigned lane : on) std::memcpy(row + lane, place(lane) + bytes, 4);
                   });
    if (step.selector != 0) core.look_at_others();
  } else {
    for_wide_words(step.param[0], source_row(warp, step.b), source_row(warp, step.c),
                   [&](unsigned bytes, const std::uint32_t* row) {
                     for (const unsigned lane : on) std::memcpy(place(lane) + bytes, row + lane, 4);
                   });
    core.polling.change(core.issued);
  }
  return Flow::next;
}

constexpr RowOffset kZeros = ~RowOffset{0};

Execute lower_wide(const isa::Instruction& in, Step& step) {
  if (in.pp.index != isa::kPT || in.pp.negated) return nullptr;  // what it does is not known
  const bool loads = in.op == Op::LDG;
  const auto upper = static_cast<unsigned>(in.word.bits(loads ? 64 : 16, 8));
  const auto row =
      static_cast<RowOffset>((upper != isa::kRZ ? upper : unsigned{kDiscardRow}) * kWarpSize);
  step.c = upper == isa::kRZ && !loads ? kZeros : row;
  step.param[0] = in.mod(Mod::word_mask);
  step.width = kWideBytes;
  step.selector = isa::is_strong(in);
  return loads ? execute_wide<AccessKind::load> : execute_wide<AccessKind::store>;
}

bool fill_width(const isa::Instruction& in, Step& step) {
  constexpr std::array<std::uint8_t, 8> kWidths{1, 1, 2, 2, 4, 8, 16, 16};
  // sm_75's LDS has a second set of codes, 8 up, with the same widths (docs/hardware/memory.md).
  const std::uint32_t size = in.mod(Mod::size) & 7;
  step.width = kWidths[size];
  step.sign_extend = size == 1 || size == 3;
  step.selector = isa::is_strong(in);
  return true;
}

// Whether it is a weak access by addresses of a form that access_at_once knows. Where they are in
// no register, those of zeros are read.
bool may_be_at_once(const Step& step, AddressForm::Base base) {
  const AddressForm& form = step.address;
  const bool is_zero = form.base == AddressForm::Base::none && step.a == kZeros;
  return step.selector == 0 && form.shift == 0 && (form.base == base || is_zero);
}
bool is_word_at_once(const Step& step, AddressForm::Base base) {
  return step.width == 4 && may_be_at_once(step, base);
}

}  // namespace

Execute lower_memory(const isa::Instruction& in, Step& step) {
  if (isa::access_bytes(in) == kWideBytes && (in.op == Op::LDG || in.op == Op::STG))
    return lower_wide(in, step);
  fill_width(in, step);
  using Base = AddressForm::Base;
  switch (in.op) {
    case Op::LDG:
      return may_be_at_once(step, Base::pair64) ? execute_load<AddressSpace::global, true>
                                                : execute_load<AddressSpace::global>;
    case Op::LDS:
      return is_word_at_once(step, Base::low32) ? execute_load<AddressSpace::shared, true>
                                                : execute_load<AddressSpace::shared>;
    case Op::LDL:
      return is_word_at_once(step, Base::low32) ? execute_load<AddressSpace::local, true>
                                                : execute_load<AddressSpace::local>;
    case Op::LD:
      return execute_load<AddressSpace::generic>;
    case Op::STG:
      return is_word_at_once(step, Base::pair64) ? execute_store<AddressSpace::global, true>
                                                 : execute_store<AddressSpace::global>;
    case Op::STS:
      return is_word_at_once(step, Base::low32) ? execute_store<AddressSpace::shared, true>
                                                : execute_store<AddressSpace::shared>;
    case Op::STL:
      return is_word_at_once(step, Base::low32) ? execute_store<AddressSpace::local, true>
                                                : execute_store<AddressSpace::local>;
    case Op::ST:
      return execute_store<AddressSpace::generic>;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
