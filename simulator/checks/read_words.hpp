// Words of memory that have only been read: an eighth of what a Cell takes. A word refers to the
// instructions that read it last, whose traces it shares with the other words they read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/checks/trace.hpp"

namespace heddle::simulator::checks {

// A lane's read: the index of its instruction's trace, and the lane. Zero: none.
using ReadRef = std::uint32_t;

struct ReadWord {
  ReadRef read = 0, other_read = 0;  // as those of a Cell
};

// Of a warp: from which index on traces may be its own, as long as they keep their numbers. Earlier
// ones, which most reads meet, are another warp's without a look.
struct Reader {
  std::uint32_t first = 0, generation = 0;
};

class ReadTraces {
 public:
  void clear() {
    traces_.resize(1);
    limit_ = kLeast;
    ++generation_;
  }
  // There are many: those that no word refers to are to be dropped before the next one.
  bool is_full() const { return traces_.size() >= limit_; }
  // No more can be told apart.
  bool is_exhausted() const { return traces_.size() >= kMost; }
  // Of an instruction's lane 0; with_lane makes those of the others.
  ReadRef add(const Trace& trace) {
    traces_.push_back(trace);
    return static_cast<ReadRef>(traces_.size() - 1) << kLaneBits;
  }
  // Of a warp that has not read yet.
  Reader new_reader() const { return {static_cast<std::uint32_t>(traces_.size()), generation_}; }
  static ReadRef with_lane(ReadRef ref, std::uint32_t lane) { return ref | lane; }
  Trace of(ReadRef ref) const {
    Trace trace = traces_[ref >> kLaneBits];
    trace.lane = ref % kWarpSize;
    return trace;
  }
  // As RaceCheck::note_read does.
  void note(ReadWord& word, ReadRef now, WarpId who, const Reader& reader) const {
    const std::uint32_t before = word.read >> kLaneBits;
    const std::uint32_t first = reader.generation == generation_ ? reader.first : 1;
    if (before != 0 && (before < first || traces_[before].who != who)) word.other_read = word.read;
    word.read = now;
  }

  // Keeps what the words refer to. `for_each_word(f)` calls f(ReadWord&) for all there are.
  template <typename F>
  void collect(F&& for_each_word) {
    std::vector<std::uint32_t> moved(traces_.size());
    for_each_word([&](ReadWord& word) {
      moved[word.read >> kLaneBits] = moved[word.other_read >> kLaneBits] = 1;
    });
    std::uint32_t kept = 1;
    for (std::size_t i = 1; i < traces_.size(); ++i) {
      if (moved[i] == 0) continue;
      traces_[kept] = traces_[i];
      moved[i] = kept++;
    }
    moved[0] = 0;
    traces_.resize(kept);
    limit_ = std::clamp<std::size_t>(std::size_t{2} * kept, kLeast, kMost);
    ++generation_;
    const auto follow = [&](ReadRef& ref) {
      ref = moved[ref >> kLaneBits] << kLaneBits | ref % kWarpSize;
    };
    for_each_word([&](ReadWord& word) {
      follow(word.read);
      follow(word.other_read);
    });
  }

 private:
  static constexpr unsigned kLaneBits = 5;
  static constexpr std::size_t kLeast = std::size_t{1} << 20, kMost = std::size_t{1} << 27;

  std::vector<Trace> traces_{Trace{}};  // index 0: of nobody
  std::size_t limit_ = kLeast;
  std::uint32_t generation_ = 1;  // counts how often they were numbered anew
};

}  // namespace heddle::simulator::checks
