// Where a run is to stop: an instruction or a source line, and what must hold there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/launch/observer.hpp"
#include "traces/analysis/listing.hpp"

namespace heddle::traces {

using simulator::Mask;

// An instruction ("04e0", "helper+0040") or a line (":17", "reduce.cu:17").
class CodePlace {
 public:
  explicit CodePlace(std::string_view text);  // throws std::invalid_argument
  bool matches(const Listing::Line& line, const std::string& kernel) const;
  bool is_line() const { return line_ != 0; }

 private:
  std::string function_;  // base name; empty: the kernel
  std::uint64_t offset_ = 0;
  std::string file_;  // the end of its path; empty: any
  std::uint32_t line_ = 0;
};

// "PLACE", or "PLACE if TERM and TERM …", where a term is
//   lane 3, lanes 0-7        one of these lanes executes it
//   warp 1, block 2
//   R5 == 0x20, P0 != 0 …    == != < <= > >= (without signs) in one lane that executes it
// All terms about lanes must hold in the same lane.
class Breakpoint {
 public:
  explicit Breakpoint(const std::string& text);  // throws std::invalid_argument
  const std::string& text() const { return text_; }
  const CodePlace& place() const { return place_; }
  // Before `next` executes.
  bool holds(const simulator::WarpView& warp, const simulator::Issue& next,
             const Listing::Line& line, const std::string& kernel) const;

 private:
  struct Comparison {
    bool predicate = false;
    unsigned index = 0;  // row, or index in WarpState::predicates
    std::string sign;
    std::uint32_t value = 0;
  };
  void read_term(const std::vector<std::string>& words);
  static Comparison read_comparison(const std::vector<std::string>& words);

  std::string text_;
  CodePlace place_;
  Mask lanes_ = simulator::kFullMask;
  std::optional<std::uint64_t> warp_, block_;
  std::vector<Comparison> comparisons_;
};

}  // namespace heddle::traces
