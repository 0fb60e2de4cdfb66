#include "traces/sketch/allocator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <limits>

namespace heddle::isa::sketch {
namespace {

constexpr unsigned kFirstRegister = 2;  // R0 is left alone, R1 is the stack pointer
constexpr unsigned kRegisters = 254;
constexpr unsigned kPredicates = 7;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// Lines [head, end).
struct Loop {
  std::size_t head = 0, end = 0;
};

struct Range {
  std::size_t first = kNever, last = 0;
  void cover(std::size_t line) {
    first = std::min(first, line);
    last = std::max(last, line);
  }
};

// The loops of a Code, read off its backward branches: lines [head, end).
class Loops {
 public:
  explicit Loops(const Code& code) {
    std::vector<std::size_t> labels(code.labels + 1, kNever);
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
      const Line& line = code.lines[i];
      if (line.kind == Line::Kind::label)
        labels[line.label] = i;
      else if (line.op == Op::BRA && labels[line.label] != kNever)
        loops_.push_back({labels[line.label], i + 1});
    }
    // Inner ones first; they nest.
    std::ranges::sort(loops_, {}, [](const Loop& loop) { return loop.end - loop.head; });
    parents_.assign(loops_.size(), kNever);
    innermost_.assign(code.lines.size(), kNever);
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      for (std::size_t at = loops_[i].head; at < loops_[i].end;) {
        if (innermost_[at] == kNever) {
          innermost_[at++] = i;
          continue;
        }
        std::size_t inner = innermost_[at];
        while (parents_[inner] != kNever) inner = parents_[inner];
        if (inner == i) {
          ++at;
          continue;
        }
        parents_[inner] = i;
        at = std::max(at + 1, loops_[inner].end);
      }
    }
  }

  // What is alive when a loop begins, and used in it, is alive until it ends.
  void extend(Range& range) const {
    if (range.first == kNever) return;
    for (std::size_t loop = innermost_[range.last]; loop != kNever; loop = parents_[loop])
      if (range.first < loops_[loop].head) range.last = std::max(range.last, loops_[loop].end - 1);
  }

 private:
  std::vector<Loop> loops_;
  std::vector<std::size_t> parents_, innermost_;
};

struct Ranges {
  std::vector<Range> registers, predicates;

  explicit Ranges(const Code& code)
      : registers(code.widths.size()), predicates(code.predicates + 1) {
    for (std::size_t i = 0; i < code.lines.size(); ++i) {
      const Line& line = code.lines[i];
      if (line.kind == Line::Kind::label) continue;
      registers[line.d].cover(i);
      for (const Operand* source : {&line.a, &line.b, &line.c})
        if (source->kind == Source::Kind::reg) registers[source->reg].cover(i);
      predicates[line.pd].cover(i);
      predicates[line.p.index].cover(i);
      predicates[line.guard.index].cover(i);
    }
    const Loops loops(code);
    for (auto* all : {&registers, &predicates})
      for (Range& range : *all) loops.extend(range);
  }
};

// Numbers in the order in which their ranges begin.
std::vector<std::uint32_t> in_order(const std::vector<Range>& ranges) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].first != kNever) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return ranges[i].first; });
  return order;
}

class Scan {
 public:
  Scan(const std::vector<Range>& ranges, unsigned first, unsigned count)
      : ranges_(ranges), count_(count) {
    for (unsigned i = first; i < count; ++i) free_.set(i);
  }

  // The lowest place for number `index` of `width`, or `count` where there is none.
  unsigned place(std::uint32_t index, unsigned width) {
    const Range& range = ranges_[index];
    std::erase_if(active_, [&](const Active& each) {
      if (each.last >= range.first) return false;
      for (unsigned i = 0; i < each.width; ++i) free_.set(each.place + i);
      return true;
    });
    for (unsigned at = 0; at + width <= count_; at += width) {
      if (!free_[at] || !free_[at + width - 1]) continue;
      for (unsigned i = 0; i < width; ++i) free_.reset(at + i);
      active_.push_back({at, width, range.last});
      return at;
    }
    return count_;
  }

 private:
  struct Active {
    unsigned place, width;
    std::size_t last;
  };
  const std::vector<Range>& ranges_;
  unsigned count_;
  std::bitset<256> free_;
  std::vector<Active> active_;
};

}  // namespace

Allocation allocate(const Code& code, std::string_view file) {
  const Ranges ranges(code);
  Allocation result;
  result.registers.assign(code.widths.size(), kRZ);
  result.predicates.assign(code.predicates + 1, kPT);
  result.count = kFirstRegister;

  Scan registers(ranges.registers, kFirstRegister, kRegisters);
  for (const std::uint32_t index : in_order(ranges.registers)) {
    const unsigned place = registers.place(index, code.widths[index]);
    if (place == kRegisters)
      throw SketchError(file, code.lines[ranges.registers[index].first].at,
                        fmt::format("more than the {} registers of a thread are needed here; "
                                    "expected fewer variables alive at the same time",
                                    kRegisters - kFirstRegister));
    result.registers[index] = static_cast<std::uint8_t>(place);
    result.count = std::max(result.count, place + code.widths[index]);
  }
  Scan predicates(ranges.predicates, 0, kPredicates);
  for (const std::uint32_t index : in_order(ranges.predicates)) {
    const unsigned place = predicates.place(index, 1);
    if (place == kPredicates)
      throw SketchError(file, code.lines[ranges.predicates[index].first].at,
                        "more than the 7 predicates of a thread are needed here");
    result.predicates[index] = static_cast<std::uint8_t>(place);
  }
  return result;
}

}  // namespace heddle::isa::sketch
