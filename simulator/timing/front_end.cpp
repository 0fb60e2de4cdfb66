#include "simulator/timing/front_end.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

void LineCache::start(std::uint32_t lines, std::uint32_t capacity) {
  arrival_.assign(lines, kNever);
  capacity_ = std::max(1u, capacity);
  order_.clear();
  next_ = 0;
}

void LineCache::insert(std::uint32_t line, Cycle arrival) {
  if (order_.size() < capacity_) {
    order_.push_back(line);
  } else {
    arrival_[order_[next_]] = kNever;
    order_[next_] = line;
    next_ = (next_ + 1) % capacity_;
  }
  arrival_[line] = arrival;
}

void FrontEnd::start(const TimedProgram& program, std::uint32_t entry, bool cold) {
  const std::uint32_t code = constants_.instruction_line_bytes;
  const std::uint32_t data = constants_.constant_line_bytes;
  const auto constant_lines = static_cast<std::uint32_t>(program.constant_lines.size());
  cold_ = cold;
  code_lines_ = program.code_lines;
  sub_cores_.resize(constants_.sub_cores);
  for (SubCore& sub_core : sub_cores_) {
    sub_core.lines.start(code_lines_, constants_.l0_instruction_bytes / code);
    sub_core.stream_begin = sub_core.stream_end = 0;
  }
  l1_.start(code_lines_, constants_.l1_instruction_bytes / code);
  l15_.start(code_lines_, constants_.l15_instruction_bytes / code);
  operands_.start(constant_lines, constants_.immediate_constant_bytes / data);
  indexed_.start(constant_lines, constants_.indexed_constant_bytes / data);
  constants_l15_.start(constant_lines, constants_.l15_instruction_bytes / data);
  l1_port_ = l15_port_ = l2_port_ = Server();
  fetch_ahead_of_launch(program, entry);
}

// The beginning of the code, and the bank with the launch's parameters, are brought near before the
// first warp starts.
void FrontEnd::fetch_ahead_of_launch(const TimedProgram& program, std::uint32_t entry) {
  const std::uint32_t first = entry / program.instructions_per_line;
  const auto end = [&](std::uint32_t bytes) {
    return std::min(code_lines_, first + bytes / constants_.instruction_line_bytes);
  };
  for (std::uint32_t line = first; line < end(constants_.launch_instruction_bytes); ++line)
    l15_.insert(line, 0);
  first_begin_ = first;
  first_end_ = end(constants_.launch_l0_instruction_bytes);
  for (std::uint32_t line = 0; line < program.constant_lines.size(); ++line)
    if (program.constant_lines[line]) constants_l15_.insert(line, 0);
}

// A line that the sub-core does not have.
Cycle FrontEnd::fetch(SubCore& sub_core, std::uint32_t line, Cycle now) {
  const auto served = [](Server& port, Cycle from, std::uint32_t interval) {
    return from + port.wait(from, interval * Server::kTicks);
  };
  Cycle from_l1 = l1_.arrival(line);
  if (from_l1 == kNever) {
    Cycle from_l15 = l15_.arrival(line);
    if (from_l15 == kNever) {
      from_l15 = served(l2_port_, now, constants_.interval_l2_instruction_line) +
                 constants_.latency_l15_instruction_miss +
                 (cold_ ? constants_.latency_dram_extra : 0);
      l15_.insert(line, from_l15);
    }
    from_l1 = served(l15_port_, std::max(now, from_l15), constants_.interval_l15_instruction_line) +
              constants_.latency_l1_instruction_miss;
    l1_.insert(line, from_l1);
  }
  const Cycle arrival =
      served(l1_port_, std::max(now, from_l1), constants_.interval_l1_instruction_line) +
      constants_.latency_l0_instruction_miss;
  sub_core.lines.insert(line, arrival);
  return arrival;
}

void FrontEnd::fetch_first(Cycle now) {
  const Cycle arrival =
      now + constants_.latency_l1_instruction_miss + constants_.latency_l0_instruction_miss;
  for (; first_begin_ < first_end_; ++first_begin_) {
    l1_.insert(first_begin_, arrival);
    for (SubCore& sub_core : sub_cores_) sub_core.lines.insert(first_begin_, arrival);
  }
}

Cycle FrontEnd::instructions(unsigned index, std::uint32_t line, Cycle now) {
  if (line >= first_begin_ && line < first_end_) fetch_first(now);
  SubCore& sub_core = sub_cores_[index];
  Cycle arrival = sub_core.lines.arrival(line);
  const bool in_stream = line >= sub_core.stream_begin && line < sub_core.stream_end;
  if (arrival == kNever) {
    arrival = fetch(sub_core, line, now);
    if (!in_stream) sub_core.stream_end = line + 1;
  } else if (!in_stream) {
    return arrival;
  }
  sub_core.stream_begin = line;
  const std::uint32_t end = std::min(code_lines_, line + 1 + constants_.instruction_prefetch_lines);
  for (; sub_core.stream_end < end; ++sub_core.stream_end)
    if (sub_core.lines.arrival(sub_core.stream_end) == kNever)
      fetch(sub_core, sub_core.stream_end, now);
  return arrival;
}

Cycle FrontEnd::constant(LineCache& cache, std::uint32_t line, Cycle now) {
  Cycle arrival = cache.arrival(line);
  if (arrival != kNever) return arrival;
  Cycle shared = constants_l15_.arrival(line);
  if (shared == kNever) {
    shared = now + constants_.latency_constant_l15_miss;
    constants_l15_.insert(line, shared);
  }
  arrival = std::max(now, shared) + constants_.latency_constant_miss;
  cache.insert(line, arrival);
  return arrival;
}

}  // namespace heddle::simulator::timing
