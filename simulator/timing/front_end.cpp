#include "simulator/timing/front_end.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

FrontEnd::FrontEnd(const Constants& constants, const TimedProgram& program, std::uint32_t entry,
                   GpcCache& gpc, Calendar& way, std::uint32_t sm)
    : constants_(constants),
      gpc_(gpc),
      way_(way),
      sm_(sm),
      sub_cores_(constants.sub_cores),
      constant_places_(program.constant_lines),
      l1_port_(constants.interval_l1_instruction_line * Calendar::kHundred),
      code_lines_(program.code_lines) {
  const std::uint32_t code = constants_.instruction_line_bytes;
  const std::uint32_t data = constants_.constant_line_bytes;
  const auto constant_lines = static_cast<std::uint32_t>(program.constant_lines.size());
  for (SubCore& sub_core : sub_cores_)
    sub_core.lines.start(code_lines_, constants_.l0_instruction_bytes / code);
  l1_.start(code_lines_, constants_.l1_instruction_bytes / code);
  operands_.start(constant_lines, constants_.immediate_constant_bytes / data);
  const std::uint32_t sets = constants_.indexed_constant_bytes / data / constants_.constant_ways;
  uniform_.start(sets, constants_.constant_ways);
  indexed_.start(sets, constants_.constant_ways);
  first_begin_ = entry / program.instructions_per_line;
  if (gpc.keeps_code()) {
    const std::uint32_t end =
        std::min(code_lines_, first_begin_ + constants_.l1_instruction_bytes / code);
    for (std::uint32_t line = first_begin_; line < end; ++line) l1_.insert(line, 0);
  }
  first_end_ = std::min(code_lines_, first_begin_ + constants_.launch_l0_instruction_bytes / code);
}

void FrontEnd::await_gpc() const {
  for (const std::uint32_t sm : gpc_.sms()) {
    if (sm >= sm_) return;
    beside_->await(sm);
  }
}

// Lines come from the GPC's cache one after another, each some cycles after the one before.
void FrontEnd::send(Ahead& ahead, Cycle now) {
  ahead.begins = std::max({now, ahead.ready, way_free_});
  way_free_ = ahead.begins + constants_.interval_l15_instruction_line;
}

// The first of the lines on their way takes its turn at the GPC's cache: what is given up before
// that takes nobody's. When it arrives.
Cycle FrontEnd::deliver_first() {
  const Ahead first = ahead_.front();
  ahead_.pop_front();
  const Cycle leaves = leave(std::max(first.begins, begun_));
  const Cycle there = leaves + constants_.latency_l1_instruction_miss;
  l1_.insert(first.line, there);
  begun_ = leaves + constants_.interval_l15_instruction_line;
  way_free_ = std::max(way_free_, begun_);
  return there;
}

// What the stream has begun to fetch by now.
void FrontEnd::deliver_until(Cycle now) {
  while (!ahead_.empty() && std::max(ahead_.front().begins, begun_) <= now) deliver_first();
}

FrontEnd::Ahead FrontEnd::request(std::uint32_t line, Cycle now) {
  Ahead ahead{line, gpc().code(line, now, from_l2_), 0};
  send(ahead, now);
  return ahead;
}

void FrontEnd::run_ahead(std::uint32_t line, Cycle now) {
  stream_begin_ = line;
  const std::uint32_t end = std::min(code_lines_, line + 1 + constants_.instruction_prefetch_lines);
  for (; stream_end_ < end; ++stream_end_)
    if (l1_.arrival(stream_end_) == kNever) ahead_.push_back(request(stream_end_, now));
}

// When a line is in the SM's cache. Lines before it that the stream has not begun to fetch make
// place for it (measured: jumps over one, two and three lines wait for the stream, those over more
// take no longer).
Cycle FrontEnd::in_l1(std::uint32_t line, Cycle now) {
  deliver_until(now);
  const bool in_stream = line >= stream_begin_ && line < stream_end_;
  if (const Cycle there = l1_.arrival(line); there != kNever) {
    if (in_stream) run_ahead(line, now);
    return there;
  }
  const auto waiting = std::ranges::find(ahead_, line, &Ahead::line);
  way_free_ = begun_;
  if (waiting != ahead_.end()) {
    ahead_.erase(ahead_.begin(), waiting);
    for (Ahead& each : ahead_) send(each, now);
  } else {
    // What L2 has not begun to bring is not asked for any more.
    if (!ahead_.empty()) from_l2_.give_up_after(now + constants_.interval_l2_instruction_line);
    ahead_.clear();
    ahead_.push_back(request(line, now));
    stream_end_ = line + 1;
  }
  const Cycle there = deliver_first();
  run_ahead(line, now);
  return there;
}

// A line that the sub-core does not have.
Cycle FrontEnd::fetch(SubCore& sub_core, std::uint32_t line, Cycle now) {
  const Cycle arrival =
      l1_port_.take(std::max(now, in_l1(line, now))) + constants_.latency_l0_instruction_miss;
  sub_core.lines.insert(line, arrival);
  return arrival;
}

// The first lines come together, to one sub-core after the other.
Cycle FrontEnd::fetch_first(SubCore& sub_core, std::uint32_t line, Cycle now) {
  sub_core.begun = true;
  if (first_arrival_ == kNever) {
    first_arrival_ = in_l1(line, now);
    const Cycle left =
        first_arrival_ - std::min<Cycle>(first_arrival_, constants_.latency_l1_instruction_miss);
    for (std::uint32_t each = first_begin_; each < first_end_; ++each)
      if (l1_.arrival(each) == kNever) {
        leave(left);  // one by one, as others of the GPC notice
        l1_.insert(each, first_arrival_);
      }
    std::erase_if(ahead_, [this](const Ahead& each) { return each.line < first_end_; });
  }
  const Cycle arrival =
      std::max(now, first_arrival_ + sub_cores_begun_++ * constants_.interval_first_fetch) +
      constants_.latency_l0_instruction_miss;
  for (std::uint32_t each = first_begin_; each < first_end_; ++each)
    sub_core.lines.insert(each, arrival);
  return arrival;
}

Cycle FrontEnd::instructions(unsigned index, std::uint32_t line, Cycle now) {
  SubCore& sub_core = sub_cores_[index];
  if (!sub_core.begun && line >= first_begin_ && line < first_end_)
    return fetch_first(sub_core, line, now);
  Cycle arrival = sub_core.lines.arrival(line);
  if (arrival == kNever) arrival = fetch(sub_core, line, now);
  for (std::uint32_t next = line + 1; next < end_of_wanted(sub_core, line); ++next)
    if (sub_core.lines.arrival(next) == kNever) fetch(sub_core, next, now);
  sub_core.last = line;
  return arrival;
}

bool FrontEnd::keeps_code(unsigned index, std::uint32_t line) const {
  const SubCore& sub_core = sub_cores_[index];
  if (!sub_core.begun) return false;
  for (std::uint32_t each = line; each < end_of_wanted(sub_core, line); ++each)
    if (sub_core.lines.arrival(each) == kNever) return false;
  return true;
}

// Two warps of a sub-core that want an operand which is on its way ask for it each by itself, more
// wait with them (measured: prologue.* of gpu/kernels/micro/timing/cold_launches.cu; eight warps on
// each of 132 SMs wait 100 cycles longer than one on each, 32 not longer than eight).
Cycle FrontEnd::fetch_operand(unsigned index, std::uint32_t line, Cycle now) {
  constexpr std::uint32_t kMost = 2;
  SubCore& sub_core = sub_cores_[index];
  if (sub_core.operand != line || sub_core.operand_arrival <= now) sub_core.operand_requests = 0;
  sub_core.operand = line;
  if (sub_core.operand_requests == kMost) return sub_core.operand_arrival;
  ++sub_core.operand_requests;
  deliver_until(now);
  sub_core.operand_arrival = constant(line, now) + constants_.latency_operand_miss;
  return sub_core.operand_arrival;
}

Cycle FrontEnd::operand(unsigned index, std::uint32_t line, Cycle now) {
  const Cycle known = operands_.arrival(line);
  if (known <= now) return known;
  const Cycle there = fetch_operand(index, line, now);
  if (known == kNever) operands_.insert(line, there);
  return there;
}

// Where the line is kept is told by what the instruction names alone, before a register is added:
// an instruction that moves on by lines finds four of them again, and not eight (measured:
// reads.uniform.* of gpu/kernels/micro/timing/uniform_constants.cu).
Cycle FrontEnd::uniform(unsigned index, std::uint32_t line, std::uint32_t named, Cycle now) {
  const Cycle known = uniform_.arrival(named, line);
  if (known <= now) return known;
  const Cycle there = fetch_operand(index, line, now);
  if (known == kNever) uniform_.insert(named, line, there);
  return there;
}

// A line that is missing is awaited before the next one is asked for (measured: misses.* of
// gpu/kernels/micro/timing/constant_misses.cu).
Cycle FrontEnd::indexed(std::span<const std::uint32_t> lines, Cycle now) {
  Cycle there = now;
  for (const std::uint32_t line : lines) {
    const std::uint32_t place = constant_places_[line].number;
    if (const Cycle known = indexed_.arrival(place, line); known != kNever) {
      there = std::max(there, known);
      continue;
    }
    deliver_until(now);
    there = constant(line, there) + constants_.latency_constant_miss;
    indexed_.insert(place, line, there);
  }
  return there;
}

}  // namespace heddle::simulator::timing
