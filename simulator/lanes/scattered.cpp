#include "simulator/lanes/scattered.hpp"

#include "simulator/lanes/distinct.hpp"
#include "simulator/lanes/gathers.hpp"
#include "simulator/lanes/words_of_line.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Numbers whose differences need more than 32 bits: each beside those before it.
ScatteredFunctions::Distinct distinct_far(const u64* address, Mask lanes) {
  const auto count = [&](u32 shift) {
    u32 different = 0;
    for (u32 i = 0; i < kWarpSize; ++i) {
      u32 seen = !lanes.has(i);
      for (u32 j = 0; j < i; ++j)
        seen |= u32{address[j] >> shift == address[i] >> shift} & lanes.bits() >> j;
      different += 1 - (seen & 1);
    }
    return different;
  };
  return {count(kSectorShift), count(kLineShift)};
}

u64 of_first(const u64* address, Mask lanes) { return address[lanes.first()]; }

// All ones for a lane that is there.
u64 there(Mask lanes, u32 lane) { return u64{0} - u64{(lanes.bits() & kLaneBits.bit[lane]) != 0}; }

u64 spread(const u64* address, Mask lanes) {
  const u64 one = of_first(address, lanes);
  u64 differences = 0;
  for (u32 i = 0; i < kWarpSize; ++i) differences |= (address[i] ^ one) & there(lanes, i);
  return differences;
}

// The numbers of pieces of 1 << `shift` bytes; where lanes are not there, the first one's.
inline void pieces(const u64* address, Mask lanes, u32 shift, Quad (&numbers)[kQuads]) {
  load(address, numbers);
  put_elsewhere(lanes, of_first(address, lanes), numbers);
  for (Quad& each : numbers) each >>= shift;
}

// All lanes' numbers of pieces; a bit for each, from a multiple of kNear on.
u64 near_pieces(const u64* address, Mask lanes, u32 shift) {
  Quad numbers[kQuads];
  pieces(address, lanes, shift, numbers);
  return near_bits(numbers);
}

void near_by_eights(const u64* address, Mask lanes, u32 shift, u64* bits) {
  constexpr Quad kOne{1, 1, 1, 1}, kBits{1, 2, 4, 8};
  for (u32 i = 0; i < kQuads; i += 2) {
    Quad of_eight{};
    for (u32 j = i; j < i + 2; ++j) {
      Quad number;
      __builtin_memcpy(&number, address + 4 * j, sizeof number);
      const Quad bit = kOne << (number >> shift & (kNear - 1));
      const Quad off = __builtin_bit_cast(Quad, ((kBits << (4 * j)) & lanes.bits()) == Quad{});
      of_eight |= bit & ~off;
    }
    bits[i / 2] = any_bits(of_eight);
  }
}

bool lie_as(const u64* address, const u64* before, Mask lanes) {
  const u64 by = of_first(address, lanes) - of_first(before, lanes);
  u64 differences = 0;
  for (u32 i = 0; i < kWarpSize; ++i)
    differences |= ((address[i] - before[i]) ^ by) & there(lanes, i);
  return differences == 0;
}

// Lanes that are not there stand with the first one.
ScatteredFunctions::Distinct distinct(const u64* address, Mask lanes, u64 spread_of_all) {
  if (spread_of_all >> kSectorShift < kNear)
    return distinct_of(near_pieces(address, lanes, kSectorShift));
  constexpr u32 kOfLine = 1 << (kLineShift - kSectorShift);
  const u64 one = of_first(address, lanes);
  const u64 base = (one >> kLineShift << (kLineShift - kSectorShift)) - (u64{1} << 31);
  Quad sector[kQuads];
  load(address, sector);
  put_elsewhere(lanes, one, sector);
  Quad far{};
  for (Quad& each : sector) {
    each = (each >> kSectorShift) - base;
    far |= each >> 32;
  }
  if (any_bits(far) != 0) return distinct_far(address, lanes);
  Part numbers[kParts];
  low_halves(sector, numbers);
  const u32 from = least(numbers) / kOfLine * kOfLine;
  if (most(numbers) - from >= kNear) return distinct_in_order(numbers);
  for (Quad& each : sector) each -= from;
  return distinct_of(near_bits(sector));
}

// Of an address nothing above 32 bits tells a unit of shared memory from another.
ScatteredFunctions::Banks banks(const u64* address, Mask lanes, u32 shift, u64 spread_of_all) {
  if (spread_of_all >> kLineShift == 0) return {0, 1, 1};
  if (spread_of_all >> shift < kNear) return {near_pieces(address, lanes, shift), 0, 0};
  Quad unit[kQuads];
  load(address, unit);
  put_elsewhere(lanes, of_first(address, lanes), unit);
  for (Quad& each : unit) each = (each & 0xffffffff) >> shift;
  Part keys[kParts], last[kParts], bank[kParts];
  low_halves(unit, keys);
  const u32 lowest = least(keys), highest = most(keys);
  const u32 bits = kLineShift - shift;  // of a bank's number
  if ((highest - lowest) >> bits == 0) return {0, 1, 1};
  if (const u32 from = lowest >> bits << bits; highest - from < kNear) {
    for (Quad& each : unit) each -= from;
    return {near_bits(unit), 0, 0};
  }
  // Sorted by bank, and in it by number.
  for (Part& key : keys) key = key << (32 - bits) | key >> bits;
  sort(keys);
  before(keys, last);
  for (u32 i = 0; i < kParts; ++i) {
    last[i] ^= keys[i];
    bank[i] = last[i] >> (32 - bits);
  }
  return {0, nonzero(last) | 1, nonzero(bank) | 1};
}

ScatteredFunctions::Range range(const u64* address, Mask lanes) {
  const u64 one = of_first(address, lanes);
  i64 lowest = static_cast<i64>(one), highest = lowest;
  u64 bits = 0;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u64 on = there(lanes, i), at = (address[i] & on) | (one & ~on);
    bits |= at;
    lowest = static_cast<i64>(at) < lowest ? static_cast<i64>(at) : lowest;
    highest = static_cast<i64>(at) > highest ? static_cast<i64>(at) : highest;
  }
  return {static_cast<u64>(lowest), static_cast<u64>(highest), bits};
}

void views(const u64* address, u64 lowest, std::byte* first, std::byte** view) {
  const u64 to = reinterpret_cast<u64>(first) - lowest;
  for (u32 i = 0; i < kWarpSize; ++i) view[i] = reinterpret_cast<std::byte*>(address[i] + to);
}

void take_from_line(const std::byte* line, const u64* address, Mask lanes, u32* __restrict row) {
  Quad from[kQuads];
  Part places[kParts];
  load(address, from);
  low_halves(from, places);
  take_words(line, places, lanes, row);
}

void fill(u32* row, u32 value, Mask lanes) {
  put_lanes(row, lanes, [=](u32) { return value; });
}

void count_up(u32* row, u32 first, Mask lanes) {
  put_lanes(row, lanes, [=](u32 i) { return first + i; });
}

void copy_lanes(const u32* from, u32* row, Mask lanes) {
  u32 words[kWarpSize];
  __builtin_memcpy(words, from, sizeof words);
  put_lanes(row, lanes, [&](u32 i) { return words[i]; });
}

void copy_row(const void* from, void* to) {
  constexpr u32 kBytes = kWarpSize * sizeof(u32);
  std::byte words[kBytes];
  __builtin_memcpy(words, from, kBytes);
  __builtin_memcpy(to, words, kBytes);
}

template <u32 kWords>
void split(const std::byte* from, u32* __restrict rows) {
  u32 words[kWarpSize * kWords];
  __builtin_memcpy(words, from, sizeof words);
  for (u32 i = 0; i < kWarpSize; ++i)
    for (u32 word = 0; word < kWords; ++word) rows[word * kWarpSize + i] = words[i * kWords + word];
}

template <u32 kWords>
void join(const u32* __restrict rows, std::byte* to) {
  u32 words[kWarpSize * kWords];
  for (u32 i = 0; i < kWarpSize; ++i)
    for (u32 word = 0; word < kWords; ++word) words[i * kWords + word] = rows[word * kWarpSize + i];
  __builtin_memcpy(to, words, sizeof words);
}

}  // namespace

ScatteredFunctions scattered_functions() {
  return {distinct,       banks,    near_by_eights, lie_as,  spread, range,    views,
          take_from_line, load<1>,  load<2>,        load<4>, fill,   count_up, copy_lanes,
          copy_row,       split<2>, split<4>,       join<2>, join<4>};
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
