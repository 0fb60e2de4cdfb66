#include "simulator/timing/front_end.hpp"

#include <algorithm>

#include "simulator/timing/scheduler.hpp"

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
  l1_.start(constants_.l1_instruction_bytes / code / constants_.l1_instruction_ways,
            constants_.l1_instruction_ways);
  operands_.start(constant_lines, constants_.immediate_constant_bytes / data);
  const std::uint32_t sets = constants_.indexed_constant_bytes / data / constants_.constant_ways;
  uniform_.start(sets, constants_.constant_ways);
  indexed_.start(sets, constants_.constant_ways);
  first_begin_ = entry / program.instructions_per_line;
  if (gpc.keeps_code()) {
    const std::uint32_t end =
        std::min(code_lines_, first_begin_ + constants_.l1_instruction_bytes / code);
    for (std::uint32_t line = first_begin_; line < end; ++line) l1_.insert(line, line, 0);
  }
  first_end_ = std::min(code_lines_, first_begin_ + constants_.launch_l0_instruction_bytes / code);
}

void FrontEnd::await_gpc() const {
  for (const std::uint32_t sm : gpc_.sms()) {
    if (sm >= sm_) return;
    beside_->await(sm);
  }
}

// Each warp has its own: two of an SM at different places of a loop that its cache cannot hold run
// as fast as one (measured: loop.kib64.w2.* of gpu/kernels/micro/timing/big_loops.cu).
FrontEnd::Stream& FrontEnd::stream_of(std::uint32_t warp) {
  constexpr std::size_t kMost = 8;  // that were measured
  auto found = std::ranges::find(streams_, warp, &Stream::warp);
  if (found == streams_.end() && streams_.size() < kMost) {
    streams_.emplace_back();
    found = streams_.end() - 1;
  } else if (found == streams_.end()) {
    found = std::ranges::min_element(streams_, {}, &Stream::used);
  }
  return *found;
}

// A stream's lines come from the GPC's cache one after another, each some cycles after the one
// before.
void FrontEnd::send(Stream& stream, Ahead& ahead, Cycle now) const {
  ahead.begins = std::max({now, ahead.ready, stream.way_free});
  stream.way_free = ahead.begins + constants_.interval_l15_instruction_line;
}

// The first of the lines on their way takes its turn at the GPC's cache: what is given up before
// that takes nobody's. When it arrives.
Cycle FrontEnd::deliver_first(Stream& stream) {
  const Ahead first = stream.ahead.front();
  stream.ahead.pop_front();
  const Cycle leaves = leave(std::max(first.begins, stream.begun));
  const Cycle there = leaves + constants_.latency_l1_instruction_miss;
  if (l1_.find(first.line, first.line) == kNever) l1_.insert(first.line, first.line, there);
  stream.begun = leaves + constants_.interval_l15_instruction_line;
  stream.way_free = std::max(stream.way_free, stream.begun);
  return there;
}

// What the streams have begun to fetch by now.
void FrontEnd::deliver_until(Cycle now) {
  for (Stream& stream : streams_)
    while (!stream.ahead.empty() && std::max(stream.ahead.front().begins, stream.begun) <= now)
      deliver_first(stream);
}

FrontEnd::Ahead FrontEnd::request(Stream& stream, std::uint32_t line, Cycle now) {
  Ahead ahead{line, gpc().code(line, now, stream.from_l2), 0};
  send(stream, ahead, now);
  return ahead;
}

void FrontEnd::run_ahead(Stream& stream, std::uint32_t line, Cycle now) {
  stream.used = ++requests_;
  stream.begin = line;
  const std::uint32_t end = std::min(code_lines_, line + 1 + constants_.instruction_prefetch_lines);
  for (; stream.end < end; ++stream.end)
    if (l1_.find(stream.end, stream.end) == kNever)
      stream.ahead.push_back(request(stream, stream.end, now));
}

// When a line is in the SM's cache. Lines before it that its stream has not begun to fetch make
// place for it (measured: jumps over one, two and three lines wait for the stream, those over more
// take no longer).
Cycle FrontEnd::in_l1(std::uint32_t warp, std::uint32_t line, Cycle now) {
  deliver_until(now);
  if (const Cycle there = l1_.arrival(line, line); there != kNever) {
    for (Stream& stream : streams_)
      if (stream.contains(line)) run_ahead(stream, line, now);
    return there;
  }
  const auto brings = [line](const Stream& stream) {
    return std::ranges::find(stream.ahead, line, &Ahead::line) != stream.ahead.end();
  };
  const auto found = std::ranges::find_if(streams_, brings);
  const bool waiting = found != streams_.end();
  Stream& stream = waiting ? *found : stream_of(warp);
  stream.warp = warp;
  stream.way_free = stream.begun;
  if (waiting) {
    stream.ahead.erase(stream.ahead.begin(), std::ranges::find(stream.ahead, line, &Ahead::line));
    for (Ahead& each : stream.ahead) send(stream, each, now);
  } else {
    // What L2 has not begun to bring is not asked for any more.
    if (!stream.ahead.empty())
      stream.from_l2.give_up_after(now + constants_.interval_l2_instruction_line);
    stream.ahead.clear();
    stream.ahead.push_back(request(stream, line, now));
    stream.end = line + 1;
  }
  const Cycle there = deliver_first(stream);
  run_ahead(stream, line, now);
  return there;
}

// A line that the sub-core does not have.
Cycle FrontEnd::fetch(SubCore& sub_core, std::uint32_t warp, std::uint32_t line, Cycle now) {
  const Cycle arrival =
      l1_port_.take(std::max(now, in_l1(warp, line, now))) + constants_.latency_l0_instruction_miss;
  sub_core.lines.insert(line, arrival);
  return arrival;
}

// The first lines come together, and go in each sub-core to one warp after the other of those that
// wait for them: of 32 warps none finds another one issuing, and in the mean they wait for 7 cycles
// less at their end than one alone (`nothing` of gpu/kernels/micro/timing/launches.cu).
Cycle FrontEnd::fetch_first(SubCore& sub_core, std::uint32_t warp, std::uint32_t line, Cycle now) {
  if (first_arrival_ == kNever) {
    first_arrival_ = in_l1(warp, line, now);
    const Cycle left =
        first_arrival_ - std::min<Cycle>(first_arrival_, constants_.latency_l1_instruction_miss);
    for (std::uint32_t each = first_begin_; each < first_end_; ++each)
      if (l1_.find(each, each) == kNever) {
        leave(left);  // one by one, as others of the GPC notice
        l1_.insert(each, each, first_arrival_);
      }
    for (Stream& stream : streams_)
      std::erase_if(stream.ahead, [this](const Ahead& each) { return each.line < first_end_; });
  }
  const Cycle there = first_arrival_ + constants_.latency_l0_instruction_miss;
  if (!sub_core.begun)
    for (std::uint32_t each = first_begin_; each < first_end_; ++each)
      sub_core.lines.insert(each, std::max(there, now + constants_.latency_l0_instruction_miss));
  sub_core.begun = true;
  return std::max(sub_core.lines.arrival(line),
                  there + sub_core.first_warps++ * constants_.interval_first_fetch);
}

Cycle FrontEnd::instructions(unsigned index, unsigned slot, std::uint32_t line, Cycle now) {
  SubCore& sub_core = sub_cores_[index];
  const std::uint32_t warp = index * kSlots + slot;
  if (line >= first_begin_ && line < first_end_ &&
      (!sub_core.begun || sub_core.lines.is_on_its_way(line, now)))
    return fetch_first(sub_core, warp, line, now);
  Cycle arrival = sub_core.lines.arrival(line);
  if (arrival == kNever) arrival = fetch(sub_core, warp, line, now);
  for (std::uint32_t next = line + 1; next < end_of_wanted(sub_core, line); ++next)
    if (sub_core.lines.arrival(next) == kNever) fetch(sub_core, warp, next, now);
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
// each of 132 SMs wait 100 cycles longer than one on each, 32 not longer than eight). It comes to
// the SM once: eight warps of one SM wait no longer than one (measured: store.*.b1.* of
// gpu/kernels/micro/timing/short_launches.cu).
Cycle FrontEnd::fetch_operand(unsigned index, std::uint32_t line, bool on_its_way, Cycle now) {
  constexpr std::uint32_t kMost = 2;
  SubCore& sub_core = sub_cores_[index];
  if (sub_core.operand != line || sub_core.operand_arrival <= now) sub_core.operand_requests = 0;
  sub_core.operand = line;
  if (sub_core.operand_requests == kMost) return sub_core.operand_arrival;
  ++sub_core.operand_requests;
  deliver_until(now);
  const Cycle leaves = on_its_way ? gpc().constant(line, now) : constant(line, now);
  sub_core.operand_arrival = leaves + constants_.latency_operand_miss;
  return sub_core.operand_arrival;
}

Cycle FrontEnd::operand(unsigned index, std::uint32_t line, Cycle now) {
  const Cycle known = operands_.arrival(line);
  if (known <= now) return known;
  const Cycle there = fetch_operand(index, line, known != kNever, now);
  if (known == kNever) operands_.insert(line, there);
  return there;
}

// Where the line is kept is told by what the instruction names alone, before a register is added:
// an instruction that moves on by lines finds four of them again, and not eight (measured:
// reads.uniform.* of gpu/kernels/micro/timing/uniform_constants.cu).
Cycle FrontEnd::uniform(unsigned index, std::uint32_t line, std::uint32_t named, Cycle now) {
  const Cycle known = uniform_.arrival(named, line);
  if (known <= now) return known;
  const Cycle there = fetch_operand(index, line, known != kNever, now);
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
