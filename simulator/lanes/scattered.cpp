#include "simulator/lanes/scattered.hpp"

#include "simulator/lanes/quads.hpp"

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

// The bits that are set.
u32 ones(u64 word) {
  word -= word >> 1 & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<u32>(word * 0x0101010101010101u >> 56);
}

constexpr u32 kNear = 64;  // numbers that a word has a bit for each of

// A bit for each of these numbers, which are below kNear.
u64 near_bits(const Quad (&numbers)[kQuads]) {
  constexpr Quad kOne{1, 1, 1, 1};
  Quad bits{};
  for (const Quad& each : numbers) bits |= kOne << (each & (kNear - 1));
  return any_bits(bits);
}

bool falls(const Part (&numbers)[kParts], const Part (&last)[kParts]) {
  Part fall{};
  for (u32 i = 0; i < kParts; ++i) fall |= __builtin_bit_cast(Part, numbers[i] < last[i]);
  return any_bits(__builtin_bit_cast(Quad, fall)) != 0;
}

// Of numbers in order each is compared with the one before it.
ScatteredFunctions::Distinct distinct_in_order(Part (&numbers)[kParts]) {
  Part last[kParts];
  before(numbers, last);
  if (falls(numbers, last)) {
    sort(numbers);
    before(numbers, last);
  }
  Part sectors{}, lines{};
  const Part none{};
  for (u32 i = 0; i < kParts; ++i) {
    const Part changed = numbers[i] ^ last[i];
    sectors -= __builtin_bit_cast(Part, changed != none);
    lines -= __builtin_bit_cast(Part, (changed >> (kLineShift - kSectorShift)) != none);
  }
  return {1 + sum(sectors), 1 + sum(lines)};
}

// Of bits from the first sector of a line on.
ScatteredFunctions::Distinct distinct_of(u64 sectors) {
  const u64 pairs = sectors | sectors >> 1;
  return {ones(sectors), ones((pairs | pairs >> 2) & 0x1111111111111111u)};
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
  constexpr u32 kWords = 1 << (kLineShift - 2);
  u32 value[kWarpSize];
#if defined(__AVX512F__) && !defined(__clang__)  // an instruction takes words from two vectors
  using Half = u32 __attribute__((vector_size(kWords / 2 * sizeof(u32))));
  Half low, high;
  __builtin_memcpy(&low, line, sizeof low);
  __builtin_memcpy(&high, line + sizeof low, sizeof high);
  for (u32 first = 0; first < kWarpSize; first += kWords / 2) {
    Half which;
    for (u32 i = 0; i < kWords / 2; ++i) which[i] = static_cast<u32>(address[first + i] >> 2);
    const Half taken = __builtin_shuffle(low, high, which);
    __builtin_memcpy(value + first, &taken, sizeof taken);
  }
#else
  for (u32 i = 0; i < kWarpSize; ++i)
    __builtin_memcpy(&value[i], line + (address[i] >> 2) % kWords * sizeof(u32), sizeof(u32));
#endif
  if (lanes == kFullMask)
    for (u32 i = 0; i < kWarpSize; ++i) put<true>(row, i, value[i], lanes);
  else
    for (u32 i = 0; i < kWarpSize; ++i) put<false>(row, i, value[i], lanes);
}

// For each lane of a row that is there.
template <class Value>
inline void put_lanes(u32* row, Mask lanes, Value&& value) {
  if (lanes == kFullMask)
    for (u32 i = 0; i < kWarpSize; ++i) put<true>(row, i, value(i), lanes);
  else
    for (u32 i = 0; i < kWarpSize; ++i) put<false>(row, i, value(i), lanes);
}

#if defined(__AVX512F__)

using Places = long long __attribute__((vector_size(64)));  // of eight lanes
using EightWords = i32 __attribute__((vector_size(32)));
using Words = i32 __attribute__((vector_size(64)));

// Lanes that are not there load nothing, and get zeros.
inline Places load_eight_pairs(const Places& from, u8 there) {
  return __builtin_ia32_gatherdiv8di(Places{}, nullptr, from, there, 1);
}

template <u32 kWords>
void load(const std::byte* const* from, Mask lanes, u32* __restrict rows) {
  u32 value[kWords][kWarpSize];
  for (u32 i = 0; i < kWarpSize; i += 16) {
    Places low, high;
    __builtin_memcpy(&low, from + i, sizeof low);
    __builtin_memcpy(&high, from + i + 8, sizeof high);
    const auto of_low = static_cast<u8>(lanes.bits() >> i);
    const auto of_high = static_cast<u8>(lanes.bits() >> (i + 8));
    if constexpr (kWords == 1) {
      const EightWords one = __builtin_ia32_gatherdiv16si(EightWords{}, nullptr, low, of_low, 1);
      const EightWords two = __builtin_ia32_gatherdiv16si(EightWords{}, nullptr, high, of_high, 1);
      const Words both =
          __builtin_shufflevector(one, two, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      __builtin_memcpy(value[0] + i, &both, sizeof both);
      continue;
    }
    for (u32 word = 0; word + 1 < kWords; word += 2) {
      const auto more = static_cast<long long>(word * sizeof(u32));
      const auto one = __builtin_bit_cast(Words, load_eight_pairs(low + more, of_low));
      const auto two = __builtin_bit_cast(Words, load_eight_pairs(high + more, of_high));
      const Words even = __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                                 22, 24, 26, 28, 30);
      const Words odd = __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                                25, 27, 29, 31);
      __builtin_memcpy(value[word] + i, &even, sizeof even);
      __builtin_memcpy(value[word + 1] + i, &odd, sizeof odd);
    }
  }
  for (u32 word = 0; word < kWords; ++word)
    put_lanes(rows + word * kWarpSize, lanes, [&](u32 i) { return value[word][i]; });
}

#else

template <u32 kWords>
void load(const std::byte* const* from, Mask lanes, u32* __restrict rows) {
  for (u32 i = 0; i < kWarpSize; ++i) {
    if ((lanes.bits() & kLaneBits.bit[i]) == 0) continue;
    u32 words[kWords];
    __builtin_memcpy(words, from[i], sizeof words);
    for (u32 word = 0; word < kWords; ++word) rows[word * kWarpSize + i] = words[word];
  }
}

#endif

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
