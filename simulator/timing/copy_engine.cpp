#include "simulator/timing/copy_engine.hpp"

#include <algorithm>

#include "simulator/timing/load_store.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kHundred = 100;

}  // namespace

// What it touches of global memory, in order. Each piece is part of one line, and of one row.
std::vector<CopyEngine::LinePart> CopyEngine::lines_of(std::span<const Access> accesses, bool loads,
                                                       std::uint32_t row_bytes) {
  std::vector<LinePart> lines;
  std::uint64_t expected = 0, in_row = 0;
  for (const Access& access : accesses) {
    if (access.space != Window::global || (access.kind == AccessKind::load) != loads ||
        access.lanes.empty())
      continue;
    const std::uint64_t address = access.address[access.lanes.first()];
    const LineNumber line = address / kLineBytes;
    in_row = address == expected ? in_row + access.width : 0;
    if (row_bytes != 0 && in_row == row_bytes) in_row = 0;
    expected = address + access.width;
    if (lines.empty() || lines.back().line != line || in_row == 0) lines.push_back({line, 0});
    lines.back().sectors |= static_cast<SectorMask>(1u << address / kSectorBytes % kSectorsPerLine);
  }
  return lines;
}

namespace {

constexpr SectorMask kLine = (1u << kSectorsPerLine) - 1;

// What L2 brings of a line beside `sectors`, by the promotion of a tensor's map (promoted.* of
// gpu/kernels/micro/timing/far_boxes.cu).
SectorMask promoted(SectorMask sectors, unsigned promotion) {
  constexpr unsigned kPair = 0b11, kOtherPair = kPair << 2;
  if (promotion >= 2) return kLine;
  if (promotion == 0) return sectors;
  return static_cast<SectorMask>(sectors | ((sectors & kPair) != 0 ? kPair : 0) |
                                 ((sectors & kOtherPair) != 0 ? kOtherPair : 0));
}

}  // namespace

Cycle CopyEngine::enqueue(Copy copy, Cycle ready, const Timed& instruction) {
  if (instruction.names_map && !knows_maps_) ready += constants_.latency_first_map;
  knows_maps_ |= instruction.names_map;
  copy.next = std::max(ready, free_);
  free_ = copy.next + (copy.lines.size() * copy.interval + kHundred - 1) / kHundred;
  if (copy.lines.empty()) return free_;
  ++taken_;
  if (copies_.empty()) front_ = taken_ - 1;
  copies_.push_back(std::move(copy));
  return free_;
}

Cycle CopyEngine::add(Cycle now, const Timed& instruction, std::span<const Access> accesses,
                      const Box& box, std::vector<Receiver> receivers) {
  const bool loads = !receivers.empty();
  unfenced_ = true;
  Copy copy;
  copy.kind = loads              ? Request::Kind::read
              : instruction.adds ? Request::Kind::atomic
                                 : Request::Kind::write;
  copy.lines = lines_of(accesses, loads, box.row_bytes);
  if (loads) copy.lines.resize(copy.lines.size() / receivers.size());  // are read once for all
  copy.interval = loads                                ? constants_.interval_box_request
                  : copy.kind == Request::Kind::atomic ? constants_.interval_added_line
                                                       : constants_.interval_stored_line;
  if (!loads) return enqueue(std::move(copy), now + constants_.latency_bulk_store, instruction);
  for (LinePart& part : copy.lines) part.brings = promoted(part.sectors, box.promotion);
  copy.brings_neighbours = box.promotion > 2;
  const Cycle extra =
      constants_.latency_box + (receivers.size() > 1 ? constants_.latency_box_cluster : 0);
  const std::size_t lines = copy.lines.size();
  const std::uint64_t number = taken_;
  enqueue(std::move(copy), now, instruction);
  if (lines == 0) {  // all of it lies outside the tensor
    for (const Receiver& each : receivers) each.arrivals->add(free_ + extra, each.update);
    return free_;
  }
  ++loads_taken_;
  loads_.push_back({number, lines, extra, std::move(receivers)});
  return free_;
}

void CopyEngine::prefetch(Cycle now, const Timed& instruction, std::span<const MemoryRun> memory) {
  Copy copy;
  copy.kind = Request::Kind::prefetch;
  copy.interval = constants_.interval_box_request;
  for (const MemoryRun& run : memory)
    for (std::uint64_t at = run.address / kSectorBytes;
         run.bytes != 0 && at <= (run.address + run.bytes - 1) / kSectorBytes; ++at) {
      const LineNumber line = at / kSectorsPerLine;
      if (copy.lines.empty() || copy.lines.back().line != line) copy.lines.push_back({line, 0, 0});
      copy.lines.back().sectors |= static_cast<SectorMask>(1u << at % kSectorsPerLine);
    }
  enqueue(std::move(copy), now, instruction);
}

Cycle CopyEngine::fence(Cycle now) {
  if (unfenced_) fenced_until_ = now + constants_.latency_membar_copies;
  unfenced_ = false;
  return fenced_until_ - std::min(now, fenced_until_);
}

// Of the `count` lines asked for last; of those that adjoin the copy has the neighbours itself.
void CopyEngine::ask_for_neighbours(const Copy& copy, std::size_t count, LoadStoreUnit& memory) {
  for (std::size_t i = copy.asked; i < copy.asked + count; ++i) {
    const LineNumber other = copy.lines[i].line ^ 1;
    const bool is_there = (i > 0 && copy.lines[i - 1].line == other) ||
                          (i + 1 < copy.lines.size() && copy.lines[i + 1].line == other);
    if (!is_there) memory.ask(Request::Kind::prefetch, other, kLine, 0, copy.next);
  }
}

// Some lines at a time, so that requests are nearly in order of their time.
void CopyEngine::advance(Cycle now, LoadStoreUnit& memory) {
  constexpr std::size_t kAtOnce = 16;
  while (!copies_.empty() && copies_.front().next <= now) {
    Copy& copy = copies_.front();
    const std::size_t count = std::min(kAtOnce, copy.lines.size() - copy.asked);
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const LinePart& part = copy.lines[copy.asked + i];
      const std::uint32_t number =
          memory.ask(copy.kind, part.line, part.sectors, part.brings, copy.next);
      if (i == 0) first = number;
      copy.hundredths += copy.interval;
      copy.next += copy.hundredths / kHundred;
      copy.hundredths %= kHundred;
    }
    if (copy.brings_neighbours) ask_for_neighbours(copy, count, memory);
    copy.asked += count;
    if (copy.kind == Request::Kind::read && count != 0)
      asked_.push_back({first, static_cast<std::uint32_t>(count), front_});
    if (copy.asked != copy.lines.size()) continue;
    copies_.pop_front();
    ++front_;
  }
}

// Of lines that come at once, each takes its time. One that comes late holds none back that were
// asked for after it (missing.* of gpu/kernels/micro/timing/box_requests.cu).
Cycle CopyEngine::receive(Cycle time) { return incoming_.take(time); }

// A line passes those asked for before it, but no more than 63 (behind.*.all.nothing of
// gpu/kernels/micro/timing/box_requests.cu).
Cycle CopyEngine::pass(Cycle time) {
  Cycle& earliest = passed_[lines_passed_++ % passed_.size()];
  earliest = std::max(earliest, time);
  return earliest;
}

void CopyEngine::receive_lines(std::span<const Request> requests, Load& load, Cycle now) {
  for (const Request& request : requests) {
    const Cycle passed = pass(request.done);
    for (Receiver& each : load.receivers)
      each.latest = std::max(each.latest, each.engine->receive(passed));
  }
  load.lines -= requests.size();
  if (load.lines != 0) return;
  for (const Receiver& each : load.receivers) {
    const Cycle told = std::max(now, each.latest - constants_.latency_l2_hit + load.extra);
    each.arrivals->add(told, each.update);
    last_told_ = std::max(last_told_, told);
  }
}

void CopyEngine::collect(std::span<const Request> requests, Cycle now) {
  for (const Asked& asked : asked_) {
    const auto load = std::ranges::find(loads_, asked.load, &Load::number);
    receive_lines(requests.subspan(asked.first, asked.count), *load, now);
  }
  asked_.clear();
  while (!loads_.empty() && loads_.front().lines == 0) loads_.pop_front();
}

}  // namespace heddle::simulator::timing
