#include "simulator/lanes/accesses_at_once.hpp"

#include "simulator/lanes/distinct.hpp"
#include "simulator/lanes/gathers.hpp"
#include "simulator/lanes/words_of_line.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

using Distinct = ScatteredFunctions::Distinct;

// All ones for lanes of a part that are there.
inline void there_of(Mask lanes, u32 part, Part& there) {
  constexpr Part kBits{1, 2, 4, 8, 16, 32, 64, 128};
  const auto is_there = ((kBits << (kWidth * part)) & lanes.bits()) != Part{};
  there = __builtin_bit_cast(Part, is_there);
}

inline u32 any_of_words(const Part& bits) {
  const u64 any = any_bits(__builtin_bit_cast(Quad, bits));
  return static_cast<u32>(any | any >> 32);
}

// As near_bits.
inline u64 near_bits(const Part (&numbers)[kParts]) {
  constexpr Part kOne{1, 1, 1, 1, 1, 1, 1, 1};
  Part low{}, high{};
  for (const Part& each : numbers) {
    const Part bit = kOne << (each & 31), is_high = -(each >> 5 & 1);
    low |= bit & ~is_high;
    high |= bit & is_high;
  }
  return u64{any_of_words(high)} << 32 | any_of_words(low);
}

// Of places from the beginning of a line on; `spread` is theirs.
Distinct distinct_places(const Part (&places)[kParts], u32 spread_of_all) {
  if (spread_of_all >> kSectorShift == 0) return {1, 1};
  Part numbers[kParts];
  for (u32 i = 0; i < kParts; ++i) numbers[i] = places[i] >> kSectorShift;
  if (spread_of_all >> kSectorShift < kNear) return distinct_of(near_bits(numbers));
  constexpr u32 kOfLine = 1 << (kLineShift - kSectorShift);
  const u32 from = least(numbers) / kOfLine * kOfLine;
  if (most(numbers) - from >= kNear) return distinct_in_order(numbers);
  for (Part& each : numbers) each -= from;
  return distinct_of(near_bits(numbers));
}

// Of lanes that are not there the place is any of the others'.
#if defined(__AVX2__) && !defined(__AVX512F__) && !defined(__clang__)

inline void put_part(u32* row, u32 part, const Part& words, Mask lanes) {
  Part there, before;
  there_of(lanes, part, there);
  __builtin_memcpy(&before, row + kWidth * part, sizeof before);
  const Part after = (words & there) | (before & ~there);
  __builtin_memcpy(row + kWidth * part, &after, sizeof after);
}

template <u32 kWords>
inline void load_places(const std::byte* data, const Part (&places)[kParts], Mask lanes,
                        u32* __restrict rows) {
  const auto pair_at = [&](u32 place) {
    u64 pair;
    __builtin_memcpy(&pair, data + place, sizeof pair);
    return pair;
  };
  for (u32 i = 0; i < kParts; ++i) {
    const Part& at = places[i];
    if constexpr (kWords == 1) {
      using Words = i32 __attribute__((vector_size(32)));
      const auto words = __builtin_ia32_gathersiv8si(Words{}, reinterpret_cast<const int*>(data),
                                                     __builtin_bit_cast(Words, at), ~Words{}, 1);
      put_part(rows, i, __builtin_bit_cast(Part, words), lanes);
    }
    for (u32 word = 0; word + 1 < kWords; word += 2) {
      const Part from = at + word * static_cast<u32>(sizeof(u32));
      const Quad some{pair_at(from[0]), pair_at(from[1]), pair_at(from[2]), pair_at(from[3])};
      const Quad others{pair_at(from[4]), pair_at(from[5]), pair_at(from[6]), pair_at(from[7])};
      const auto one = __builtin_bit_cast(Part, some), two = __builtin_bit_cast(Part, others);
      put_part(rows + word * kWarpSize, i,
               __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14), lanes);
      put_part(rows + (word + 1) * kWarpSize, i,
               __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15), lanes);
    }
  }
}

#elif defined(__AVX512F__)

// Of 16 lanes from lane 16 * half on; those that are not there load nothing.
inline Words words_at(const std::byte* data, const Part (&places)[kParts], u32 half, Mask lanes) {
  Words at;
  __builtin_memcpy(&at, places + 2 * half, sizeof at);
  return __builtin_ia32_gathersiv16si(Words{}, data, at,
                                      static_cast<short>(lanes.bits() >> (16 * half)), 1);
}

// The same of eight, two words.
inline Words pairs_at(const std::byte* data, const Part& places, u8 there) {
  return __builtin_bit_cast(
      Words, __builtin_ia32_gathersiv8di(Places{}, data, __builtin_bit_cast(EightWords, places),
                                         there, 1));
}

template <u32 kWords>
inline void load_places(const std::byte* data, const Part (&places)[kParts], Mask lanes,
                        u32* __restrict rows) {
  u32 value[kWords][kWarpSize];
  for (u32 half = 0; half < 2; ++half) {
    if constexpr (kWords == 1) {
      const Words words = words_at(data, places, half, lanes);
      __builtin_memcpy(value[0] + 16 * half, &words, sizeof words);
    }
    for (u32 word = 0; word + 1 < kWords; word += 2) {
      const std::byte* const from = data + word * sizeof(u32);
      const auto there = static_cast<u16>(lanes.bits() >> (16 * half));
      const Words one = pairs_at(from, places[2 * half], static_cast<u8>(there));
      const Words two = pairs_at(from, places[2 * half + 1], static_cast<u8>(there >> 8));
      const Words even = __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                                 22, 24, 26, 28, 30);
      const Words odd = __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
                                                25, 27, 29, 31);
      __builtin_memcpy(value[word] + 16 * half, &even, sizeof even);
      __builtin_memcpy(value[word + 1] + 16 * half, &odd, sizeof odd);
    }
  }
  for (u32 word = 0; word < kWords; ++word)
    put_lanes(rows + word * kWarpSize, lanes, [&](u32 i) { return value[word][i]; });
}

#else

template <u32 kWords>
inline void load_places(const std::byte* data, const Part (&places)[kParts], Mask lanes,
                        u32* __restrict rows) {
  u32 place[kWarpSize];
  __builtin_memcpy(place, places, sizeof place);
  const std::byte* from[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i) from[i] = data + place[i];
  load<kWords>(from, lanes, rows);
}

#endif

// Where each lane's bytes are in a piece, and in which bits that differs. `high`: null where
// addresses have 32 bits beside the base. False: not all are there, at multiples of that number of
// bytes.
template <u32 kBytes>
inline bool find(const Piece& piece, u64 base, const u32* low, const u32* high, Mask lanes,
                 Part (&places)[kParts], u32& spread_of_all) {
  const u64 by = base - piece.address;
  const u32 by_low = static_cast<u32>(by), by_high = static_cast<u32>(by >> 32);
  if (piece.bytes < kBytes) return false;
  const u32 one = low[lanes.first()] + by_low, last = static_cast<u32>(piece.bytes) - kBytes;
  Part outside{}, differ{};
  for (u32 i = 0; i < kParts; ++i) {
    Part at, upper{}, there;
    __builtin_memcpy(&at, low + kWidth * i, sizeof at);
    if (high != nullptr) __builtin_memcpy(&upper, high + kWidth * i, sizeof upper);
    there_of(lanes, i, there);
    at += by_low;
    upper += by_high - __builtin_bit_cast(Part, at < by_low);
    outside |= (upper | __builtin_bit_cast(Part, at > last)) & there;
    places[i] = (at & there) | (one & ~there);
    differ |= places[i] ^ one;
  }
  spread_of_all = any_of_words(differ);
  return any_of_words(outside) == 0 && ((spread_of_all | one) & (kBytes - 1)) == 0;
}

inline void load_words(const Piece& piece, const Part (&places)[kParts], u32 spread_of_all,
                       Mask lanes, u32* row) {
  constexpr u32 kLine = 1 << kLineShift;
  const u32 line = places[0][0] / kLine * kLine;
  if (spread_of_all < kLine && piece.bytes - line >= kLine)
    take_words(piece.data + line, places, lanes, row);
  else
    load_places<1>(piece.data, places, lanes, row);
}

template <u32 kWords>
Distinct load_of(const Piece& piece, u64 base, const u32* low, const u32* high, Mask lanes,
                 u32* rows) {
  Part places[kParts];
  u32 spread_of_all = 0;
  if (!find<kWords * sizeof(u32)>(piece, base, low, high, lanes, places, spread_of_all))
    return {0, 0};
  if constexpr (kWords == 1)
    load_words(piece, places, spread_of_all, lanes, rows);
  else
    load_places<kWords>(piece.data, places, lanes, rows);
  return distinct_places(places, spread_of_all);
}

#if defined(__AVX512F__)

// By the words that they lie in, all of which are to be there; lanes that are not name any place
// that is. False: not all are.
template <class Value>
inline bool load_parts_of_words(const Piece& piece, const Part (&places)[kParts], u32* word) {
  constexpr u32 kWord = sizeof(u32), kBits = 8 * (kWord - sizeof(Value));
  if (most(places) / kWord * kWord + kWord > piece.bytes) return false;
  Part around[kParts];
  for (u32 i = 0; i < kParts; ++i) around[i] = places[i] / kWord * kWord;
  for (u32 half = 0; half < 2; ++half) {
    const Words words = words_at(piece.data, around, half, kFullMask);
    __builtin_memcpy(word + 16 * half, &words, sizeof words);
  }
  u32 place[kWarpSize];
  __builtin_memcpy(place, places, sizeof place);
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u32 upper = word[i] << (kBits - 8 * (place[i] % kWord));
    if constexpr (static_cast<Value>(-1) < Value{0})
      word[i] = static_cast<u32>(static_cast<i32>(upper) >> kBits);
    else
      word[i] = upper >> kBits;
  }
  return true;
}

#else

template <class Value>
inline bool load_parts_of_words(const Piece&, const Part (&)[kParts], u32*) {
  return false;
}

#endif

// Extended to words by the value's own sign.
template <class Value>
Distinct load_narrow(const Piece& piece, u64 base, const u32* low, const u32* high, Mask lanes,
                     u32* row) {
  Part places[kParts];
  u32 spread_of_all = 0;
  if (!find<sizeof(Value)>(piece, base, low, high, lanes, places, spread_of_all)) return {0, 0};
  u32 word[kWarpSize];
  if (!load_parts_of_words<Value>(piece, places, word)) {
    u32 place[kWarpSize];
    __builtin_memcpy(place, places, sizeof place);
    for (u32 i = 0; i < kWarpSize; ++i) {
      Value value;
      __builtin_memcpy(&value, piece.data + place[i], sizeof value);
      word[i] = static_cast<u32>(value);
    }
  }
  put_lanes(row, lanes, [&](u32 i) { return word[i]; });
  return distinct_places(places, spread_of_all);
}

// The highest of lanes that name one place comes last.
inline void store_words(std::byte* data, const Part (&places)[kParts], Mask lanes, const u32* row) {
  u32 place[kWarpSize];
  __builtin_memcpy(place, places, sizeof place);
  for (u32 left = lanes.bits(); left != 0; left &= left - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(left));
    __builtin_memcpy(data + place[lane], row + lane, sizeof(u32));
  }
}

Distinct store_of(const Piece& piece, u64 base, const u32* low, const u32* high, Mask lanes,
                  const u32* row) {
  Part places[kParts];
  u32 spread_of_all = 0;
  if (!find<sizeof(u32)>(piece, base, low, high, lanes, places, spread_of_all)) return {0, 0};
  store_words(piece.data, places, lanes, row);
  return distinct_places(places, spread_of_all);
}

// Where each lane's word of shared memory is. In how many passes that is served, or 0. Words have
// bits of their own; those of one bank are 32 bits apart.
inline u32 find_shared(const Piece& piece, u64 base, const u32* low, Mask lanes,
                       Part (&places)[kParts], u32& spread_of_all) {
  if (!find<sizeof(u32)>(piece, base, low, nullptr, lanes, places, spread_of_all) ||
      spread_of_all >> 2 >= kNear)
    return 0;
  if (spread_of_all >> kLineShift == 0) return 1;
  Part words[kParts];
  for (u32 i = 0; i < kParts; ++i) words[i] = places[i] >> 2;
  const u64 bits = near_bits(words);
  return (bits >> 32 & bits) != 0 ? 2 : 1;
}

u32 load_shared(const Piece& piece, u64 base, const u32* low, Mask lanes, u32* row) {
  Part places[kParts];
  u32 spread_of_all = 0;
  const u32 passes = find_shared(piece, base, low, lanes, places, spread_of_all);
  if (passes != 0) load_words(piece, places, spread_of_all, lanes, row);
  return passes;
}

u32 store_shared(const Piece& piece, u64 base, const u32* low, Mask lanes, const u32* row) {
  Part places[kParts];
  u32 spread_of_all = 0;
  const u32 passes = find_shared(piece, base, low, lanes, places, spread_of_all);
  if (passes != 0) store_words(piece.data, places, lanes, row);
  return passes;
}

// Where each lane's word is, from the first lane's memory on. In how many sectors they lie, or 0.
inline u32 find_own(const OwnMemory& memory, u32 base, const u32* low, Mask lanes,
                    Part (&places)[kParts]) {
  constexpr Part kOne{1, 1, 1, 1, 1, 1, 1, 1}, kLanes{0, 1, 2, 3, 4, 5, 6, 7};
  const u32 first = lanes.first(), one = low[first] + base;
  constexpr u32 kBytes = sizeof(u32);
  if (memory.bytes < kBytes) return 0;
  const u32 last = memory.bytes - kBytes;
  Part outside{}, differ{};
  u32 parts = 0;  // in which lanes are
  u64 words[kParts];
  for (u32 i = 0; i < kParts; ++i) {
    Part at, there;
    __builtin_memcpy(&at, low + kWidth * i, sizeof at);
    there_of(lanes, i, there);
    at = ((at + base) & there) | (one & ~there);
    const Part from = at - memory.address;
    outside |= __builtin_bit_cast(Part, from > last) | (at & (kBytes - 1));
    differ |= at ^ one;
    const Part lane = ((kLanes + kWidth * i) & there) | (first & ~there);
    places[i] = from + lane * memory.stride;
    const Part word = at >> 2, is_high = -(word >> 5 & 1);
    const Part bit = (kOne << (word & 31)) & there;
    words[i] = u64{any_of_words(bit & is_high)} << 32 | any_of_words(bit & ~is_high);
    parts += words[i] != 0;
  }
  const u32 spread_of_all = any_of_words(differ);
  if (any_of_words(outside) != 0 || spread_of_all >> 2 >= kNear) return 0;
  return spread_of_all == 0 ? parts
                            : ones(words[0]) + ones(words[1]) + ones(words[2]) + ones(words[3]);
}

u32 load_own(const OwnMemory& memory, u32 base, const u32* low, Mask lanes, u32* row) {
  Part places[kParts];
  const u32 sectors = find_own(memory, base, low, lanes, places);
  if (sectors != 0) load_places<1>(memory.data, places, lanes, row);
  return sectors;
}

u32 store_own(const OwnMemory& memory, u32 base, const u32* low, Mask lanes, const u32* row) {
  Part places[kParts];
  const u32 sectors = find_own(memory, base, low, lanes, places);
  if (sectors != 0) store_words(memory.data, places, lanes, row);
  return sectors;
}

}  // namespace

AccessFunctions access_functions() {
  return {load_narrow<u8>, load_narrow<i8>, load_narrow<u16>, load_narrow<i16>,
          load_of<1>,      load_of<2>,      load_of<4>,       store_of,
          load_shared,     store_shared,    load_own,         store_own};
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
