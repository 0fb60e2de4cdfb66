// Who accessed words of memory that stand for themselves, or whole lines: a few bytes, which refer
// to the instructions that did so last. Their traces are shared by all that they accessed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/checks/trace.hpp"

namespace heddle::simulator::checks {

// An access: the index of its instruction's trace, and the lane that a word was of, or the piece of
// the instruction that a line was. Zero: none.
using TraceRef = std::uint32_t;

// Of a word; of a byte, where accesses to less than words came; or of a line.
struct ReadPart {
  TraceRef read = 0, other_read = 0;  // as those of a Cell
};
struct WrittenPart {
  TraceRef write = 0;
  std::uint32_t value = 0;  // what was there after the write
};

// By a whole line's lanes: word w was the first one's plus (w >> shift).
struct LineTrace : Trace {
  std::uint8_t shift = 0;
  std::uint32_t lane_of(std::uint32_t word) const { return lane + (word >> shift); }
  bool same_lanes(const LineTrace& other) const {
    return lane == other.lane && shift == other.shift;
  }
  Trace of(std::uint32_t word) const {
    Trace trace = *this;
    trace.lane = lane_of(word) % kWarpSize;
    return trace;
  }
};

// Of a warp: from which index on traces may be its own, as long as they keep their numbers. Earlier
// ones, which most reads meet, are another warp's without a look.
struct Reader {
  std::uint32_t first = 0, generation = 0;
};

class WordTraces {
 public:
  void clear() {
    traces_.resize(1);
    limit_ = kLeast;
    ++generation_;
  }
  // There are many: those that nothing refers to are to be dropped before the next one.
  bool is_full() const { return traces_.size() >= limit_; }
  // No more can be told apart.
  bool is_exhausted() const { return traces_.size() >= kMost; }
  // Of no lane; with_lane and with_line make those of lanes and lines.
  TraceRef add(const Trace& trace) {
    traces_.push_back(trace);
    return static_cast<TraceRef>(traces_.size() - 1) << kLaneBits;
  }
  static TraceRef instruction_of(TraceRef ref) { return ref / kWarpSize * kWarpSize; }
  static TraceRef with_lane(TraceRef ref, std::uint32_t lane) { return ref | lane; }
  // Of the i-th of the lines that an instruction reads or writes; `lines`: a power of two below 16.
  static TraceRef with_line(TraceRef ref, std::uint32_t lines, std::uint32_t i) {
    return ref | (lines + i);
  }
  Trace of(TraceRef ref) const {
    Trace trace = traces_[ref >> kLaneBits];
    trace.lane = ref % kWarpSize;
    return trace;
  }
  LineTrace of_line(TraceRef ref) const {
    LineTrace line{traces_[ref >> kLaneBits]};
    const std::uint32_t piece = ref % kWarpSize;
    if (piece == 0) return line;
    line.shift = static_cast<std::uint8_t>(std::bit_width(piece) - 1);
    line.lane = (piece - (1u << line.shift)) * (kWarpSize >> line.shift) % kWarpSize;
    return line;
  }
  // Of a warp that has not read yet.
  Reader new_reader() const { return {static_cast<std::uint32_t>(traces_.size()), generation_}; }
  // As RaceCheck::note_read does.
  void note(ReadPart& part, TraceRef now, WarpId who, const Reader& reader) const {
    const std::uint32_t before = part.read >> kLaneBits;
    const std::uint32_t first = reader.generation == generation_ ? reader.first : 1;
    if (before != 0 && (before < first || traces_[before].who != who)) part.other_read = part.read;
    part.read = now;
  }

  // Keeps what is referred to. `for_each_ref(f)` calls f(TraceRef&) for all references.
  template <typename F>
  void collect(F&& for_each_ref) {
    std::vector<std::uint32_t> moved(traces_.size());
    std::size_t refs = 0;
    for_each_ref([&](TraceRef& ref) {
      moved[ref >> kLaneBits] = 1;
      ++refs;
    });
    std::uint32_t kept = 1;
    for (std::size_t i = 1; i < traces_.size(); ++i) {
      if (moved[i] == 0) continue;
      traces_[kept] = traces_[i];
      moved[i] = kept++;
    }
    moved[0] = 0;
    traces_.resize(kept);
    // To look at all of them again must not cost more than what is noted until then.
    limit_ = std::clamp<std::size_t>(std::max(std::size_t{2} * kept, refs / 2), kLeast, kMost);
    ++generation_;
    for_each_ref(
        [&](TraceRef& ref) { ref = moved[ref >> kLaneBits] << kLaneBits | ref % kWarpSize; });
  }

 private:
  static constexpr unsigned kLaneBits = 5;
  static constexpr std::size_t kLeast = std::size_t{1} << 12, kMost = std::size_t{1} << 27;

  std::vector<Trace> traces_{Trace{}};  // index 0: of nobody
  std::size_t limit_ = kLeast;
  std::uint32_t generation_ = 1;  // counts how often they were numbered anew
};

}  // namespace heddle::simulator::checks
