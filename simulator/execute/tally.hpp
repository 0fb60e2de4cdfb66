// What a core has counted, instruction by instruction.
//
// Most instructions execute in stretches: one after the other, by the same threads. A stretch is
// noted at its two ends alone and spread over its instructions when the launch is over, so that
// executing an instruction costs no counting. Room for counts is made where a launch executes: its
// kernel is a small part of most modules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulator/launch/launch_counts.hpp"

namespace heddle::simulator {

class Tally {
 public:
  explicit Tally(std::size_t instructions) : pages_(instructions / kPage + 1) {}

  // To add to. What stretches give is not in it yet.
  InstructionCounts& operator[](std::uint32_t pc) { return page(pc).sums[pc % kPage]; }

  // The instructions from `first` to before `end` were executed once, each by `threads` threads
  // whose guards held but for those that take_off names.
  void add_stretch(std::uint32_t first, std::uint32_t end, unsigned threads) {
    begin_stretch(first, threads);
    Edge& fall = page(end).edges[end % kPage];
    fall.executed -= 1;
    fall.threads -= threads;
  }
  // One of which native code counts the end.
  void begin_stretch(std::uint32_t first, unsigned threads) {
    Edge& rise = page(first).edges[first % kPage];
    rise.executed += 1;
    rise.threads += threads;
  }
  // Sums may be below zero until they are taken, as unsigned numbers are.
  void take_off(std::uint32_t pc, unsigned threads) { (*this)[pc].threads_on -= threads; }

  // For native code (simulator/native): pages by pc / kPage, where threads_on of an instruction is
  // in its page, and room for what a run from `first` to `last` takes off.
  const void* pages() const { return pages_.data(); }
  static std::uint32_t page_of(std::uint32_t pc) { return pc / kPage; }
  static std::uint32_t threads_on_in_page(std::uint32_t pc) {
    return static_cast<std::uint32_t>(offsetof(Page, sums) +
                                      pc % kPage * sizeof(InstructionCounts) +
                                      offsetof(InstructionCounts, threads_on));
  }
  static std::uint32_t edge_in_page(std::uint32_t pc) {
    return static_cast<std::uint32_t>(offsetof(Page, edges) + pc % kPage * sizeof(Edge));
  }
  void make_room(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first / kPage; i <= last / kPage; ++i) page(i * kPage);
  }
  // The same for a region, to before `end`, at which its last stretch may end.
  void make_region_room(std::uint32_t first, std::uint32_t end) {
    make_room(first, end);
    roomy_first_ = first;
    roomy_ = end - first;
  }
  // Whether the last region that room was made for has an instruction.
  bool has_room(std::uint32_t pc) const { return pc - roomy_first_ < roomy_; }

  // Everything; leaves nothing behind.
  LaunchCounts take() {
    std::vector<LaunchCounts::Entry> entries;
    std::size_t count = 0;
    for_each_counted([&](std::uint32_t, const InstructionCounts&, const Edge&) { ++count; });
    entries.reserve(count);
    for_each_counted([&](std::uint32_t pc, const InstructionCounts& sums, const Edge& at) {
      // Put together in its place: what was stored just now cannot be copied at once.
      LaunchCounts::Entry& entry = entries.emplace_back();
      entry.pc = pc;
      entry.counts = sums;
      entry.counts.executed += at.executed;
      entry.counts.threads += at.threads;
      entry.counts.threads_on += at.threads;
    });
    pages_.clear();
    made_.clear();
    roomy_ = 0;
    return LaunchCounts(std::move(entries));
  }

 private:
  static constexpr std::uint32_t kPage = 32;  // instructions
  // How much more often than the instruction before, in stretches.
  struct Edge {
    std::uint64_t executed = 0, threads = 0;
  };
  struct Page {
    std::array<InstructionCounts, kPage> sums{};
    std::array<Edge, kPage> edges{};
  };
  // Calls f(pc, sums, what stretches add to them) for each instruction that was executed.
  template <typename F>
  void for_each_counted(F&& f) {
    Edge at;
    for (std::uint32_t first = 0; first < pages_.size() * kPage; first += kPage) {
      if (pages_[first / kPage] == nullptr && at.executed == 0) continue;
      const Page& counted = page(first);
      for (std::uint32_t i = 0; i < kPage; ++i) {
        at.executed += counted.edges[i].executed;
        at.threads += counted.edges[i].threads;
        const InstructionCounts& sums = counted.sums[i];
        // Of a timed launch another core may have executed what this one counts more of.
        if (sums.executed + at.executed != 0 || sums.extra_executed != 0) f(first + i, sums, at);
      }
    }
  }

  Page& page(std::uint32_t pc) {
    Page*& found = pages_[pc / kPage];
    if (found == nullptr) [[unlikely]]
      found = made_.emplace_back(std::make_unique<Page>()).get();
    return *found;
  }

  std::vector<Page*> pages_;  // one more than the instructions need: edges lie there
  std::vector<std::unique_ptr<Page>> made_;
  std::uint32_t roomy_first_ = 0, roomy_ = 0;
};

}  // namespace heddle::simulator
