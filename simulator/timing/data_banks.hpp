// The banks of an SM's L1 and shared memory, which one pass of an access takes in a cycle. What L2
// brings comes at a time that is known before, and has these cycles first.
#pragma once

#include <bit>
#include <cstdint>

#include "simulator/timing/big_page_vector.hpp"
#include "simulator/timing/cycle.hpp"

namespace heddle::simulator::timing {

class DataBanks {
 public:
  // Takes the first `passes` cycles that are free from `begin` on. Returns the last of them.
  Cycle take(Cycle begin, Cycle passes) {
    Cycle last = begin;
    for (Cycle word = begin / kBits, from = begin % kBits; passes != 0; ++word, from = 0) {
      std::uint64_t& taken = cycles_of(word).taken;
      for (std::uint64_t free = ~taken >> from << from; free != 0 && passes != 0; --passes) {
        last = word * kBits + static_cast<Cycle>(std::countr_zero(free));
        taken |= free & -free;
        free &= free - 1;
      }
    }
    return last;
  }
  void start() { words_.assign(kWords, {}); }
  // They will be taken soon, mostly shortly before `until`.
  void prefetch(Cycle until) const {
    constexpr Cycle kOfHostLine = 4;
    __builtin_prefetch(&words_[(until / kBits - kOfHostLine) % kWords]);
    __builtin_prefetch(&words_[until / kBits % kWords]);
  }

 private:
  static constexpr Cycle kBits = 64, kWords = 256;
  struct Word {
    Cycle number = 0;  // of those that share an entry the one that was used last
    std::uint64_t taken = 0;
  };
  Word& cycles_of(Cycle number) {
    Word& word = words_[number % kWords];
    if (word.number != number) word = {number, 0};
    return word;
  }

  // Apart from its owner, all of which is prefetched.
  BigPageVector<Word> words_{kWords};
};

}  // namespace heddle::simulator::timing
