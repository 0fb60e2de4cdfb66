#include "simulator/timing/load_store.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "simulator/timing/host_lines.hpp"
#include "simulator/timing/named_lines.hpp"
#include "simulator/timing/scheduler.hpp"

namespace heddle::simulator::timing {
namespace {

// Local memory lies apart from what programs allocate.
constexpr LineNumber kLocalLines = LineNumber{1} << 56;
constexpr unsigned kWordBytes = 4;
// What an atomic in each round, and a store of parts of sectors, needs room for on the way besides
// its words: additions of one lane's word take 20 bytes, of a line's 32 words 144 (behind.*.n48.w1
// of gpu/kernels/micro/timing/full_ways.cu).
constexpr unsigned kHeaderBytes = 16;
constexpr LineNumber kNothingStored = ~LineNumber{0};

Cycle divided(std::uint64_t amount, std::uint64_t by) { return (amount + by - 1) / by; }

bool loads_l1(const Access& access) {
  return access.kind == AccessKind::load && access.space != Window::shared;
}

template <typename List>
auto all_of(List& list) {
  return std::span(list.data(), list.size());
}

// Which bit of a word stands for the line; others may have the same.
std::uint64_t stored_bit(LineNumber line) {
  constexpr unsigned kFold = 6, kBits = 64;
  return std::uint64_t{1} << (line ^ line >> kFold ^ line >> 2 * kFold) % kBits;
}

bool reads_one_place(const Access& access) {
  if (access.adjoining || access.lanes.empty()) return false;
  const std::uint64_t first = access.address[access.lanes.first()];
  for (const unsigned lane : access.lanes)
    if (access.address[lane] != first) return false;
  return true;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const Constants& constants, std::uint32_t sm)
    : constants_(constants), sm_(sm), pipe_(constants), textures_(constants) {}

void LoadStoreUnit::start(std::uint64_t l1_bytes) {
  l1_.resize(constants_.l1_bytes, constants_.l1_ways, l1_bytes);
  stored_.assign(std::max(1u, constants_.store_merge_lines), {.line = kNothingStored});
  stored_bits_ = 0;
  buffered_.assign(std::max(1u, constants_.store_buffer_lines), 0);
  at_data_.assign(std::max(1u, constants_.lsu_data_entries), 0);
  late_at_data_ = at_data_;
  banks_.start();
  next_buffered_ = next_at_data_ = next_late_ = 0;
  last_sent_.start(constants_.sm_passing_passes, constants_.sm_leaving_passes);
  sent_ = data_free_ = banks_free_ = 0;
  make_room();
}

// Lists begin with room for what most SMs need, as each SM of each launch has its own.
void LoadStoreUnit::make_room() {
  constexpr std::size_t kEntries = 16, kRequests = 32;
  entries_.reserve(kEntries);
  free_entries_.reserve(kEntries);
  served_.reserve(kEntries);
  read_.reserve(kEntries);
  requests_.reserve(kRequests);
  waits_.reserve(kRequests);
  pending_.reserve(kRequests);
  awaited_lines_.reserve(kRequests);
  collected_.reserve(kRequests);
  left_.reserve(kRequests);
}

std::uint32_t LoadStoreUnit::new_entry(const Timed& instruction) {
  if (free_entries_.empty()) {
    free_entries_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t token = free_entries_.back();
  free_entries_.pop_back();
  Entry& entry = entries_[token];
  entry.instruction = &instruction;
  entry.further = entry.looked_up = 0;
  entry.parts.clear();
  entry.pieces.clear();
  return token;
}

// `waiting` is copied here, and not as soon as it is there: its caller has just written it in
// pieces.
Completion LoadStoreUnit::enter(unsigned sub_core, const PipeWork& work,
                                const Outstanding& waiting) {
  entries_[work.token].who = waiting;
  Completion completion;
  if (const auto begin = pipe_.enter(sub_core, work))
    serve(work.token, *begin, completion);
  else
    completion.queued = true;
  return completion;
}

// What brings special registers is slower than the way there, so that they wait for it in the queue
// (issue.s2r.* of gpu/kernels/micro/timing/machine_code.cu).
PipeWork LoadStoreUnit::passing(const Timed& instruction) const {
  const bool special = instruction.interval > 1;
  return {.address_busy = special ? constants_.lsu_special_address_interval
                                  : constants_.lsu_shared_address_interval,
          .shared_busy = 1,
          .own_busy = 1,
          .places = special ? constants_.lsu_special_entries : constants_.lsu_own_entries,
          .common_places = special ? 0 : constants_.lsu_shared_entries,
          .special_busy = special ? Cycle{instruction.interval} : 0};
}

Completion LoadStoreUnit::pass(unsigned sub_core, Cycle now, const Timed& instruction,
                               const Outstanding& waiting) {
  PipeWork work = passing(instruction);
  work.ready = now + constants_.latency_mio_queue;
  work.token = new_entry(instruction);
  return enter(sub_core, work, waiting);
}

// Cycles that tags and data banks are busy with an access, and the way to L2 with atomics and rows
// of whole sectors. What other stores send waits elsewhere (`enter_store_buffer`).
Cycle LoadStoreUnit::passes(const Timed& instruction, const Access& access,
                            std::span<const Piece> pieces, const L1Passes& needed) const {
  if (instruction.tests_phase) return constants_.interval_mbarrier_test;
  if (instruction.is_mbarrier) return constants_.interval_mbarrier;
  if (access.space == Window::shared) {
    // What 16 bytes a lane bring back takes two where all lanes read the same, else four, however
    // few lanes do (measured: shared.load* of gpu/kernels/micro/timing/wide_lanes.cu). LDSM names
    // rows.
    const bool of_lanes = access.kind == AccessKind::load && instruction.bytes == access.width;
    const Cycle returned = of_lanes && !reads_one_place(access) ? kWordBytes : 2 * kWordBytes;
    Cycle passes = std::max({Cycle{1}, Cycle{access.counts.wavefronts}, access.width / returned});
    if (is_atomic(access.kind)) passes = 1 + (passes - 1) * constants_.shared_atomic_pass_cycles;
    return passes;
  }
  if (is_atomic(access.kind)) {
    std::uint64_t flits = 0;
    for (const Piece& piece : pieces) flits += piece.outgoing.flits;
    return std::max({Cycle{1}, needed.tags,
                     divided(flits * kSectorBytes, constants_.sm_write_bytes_per_cycle)});
  }
  // How many sectors that touches does not matter (structures.load* of strides.cu). Lanes that read
  // the same word are given it each (scattered.load*.stride0).
  if (access.kind == AccessKind::load)
    return std::max({Cycle{1}, needed.tags, needed.data + needed.conflicts});
  // Each conflict of a store takes a cycle, and another where it says which bytes of a sector it
  // has (behind.steady.*.gap0.w1 of behind_stores.cu).
  std::uint64_t whole = 0;
  bool partial = false;
  for (const Piece& piece : pieces) {
    partial |= piece.outgoing.partial;
    if (!piece.outgoing.partial) whole += piece.outgoing.flits;
  }
  return std::max({Cycle{1}, needed.tags, needed.data + (partial ? 2 : 1) * needed.conflicts,
                   divided(whole * kSectorBytes, constants_.sm_write_bytes_per_cycle)});
}

// L1 and shared memory are one memory: what L1 loads and stores meets the same banks (measured:
// scattered.load* of gpu/kernels/micro/timing/memory.cu, behind.* of behind_stores.cu).
LoadStoreUnit::L1Passes LoadStoreUnit::l1_passes(const Access& access,
                                                 std::span<const Piece> pieces) const {
  const std::uint64_t tags = access.space == Window::local ? pieces.size() : access.counts.tags;
  L1Passes passes{
      .tags = divided(tags, constants_.l1_tags_per_cycle),
      .data = divided(std::uint64_t{kWarpSize} * access.width, constants_.l1_bytes_per_cycle)};
  // In one line each bank has but one word.
  if (access.space == Window::global && !access.adjoining && !is_atomic(access.kind) &&
      pieces.size() > 1) {
    const Cycle banks =
        count_shared(access.kind, access.width, access.address, access.lanes).wavefronts;
    passes.conflicts = banks - std::min(banks, passes.data);
  }
  return passes;
}

// What a load from L1 waits for beyond a hit, on an idle unit: lines are looked up before banks are
// read, and each conflict takes as long as in shared memory (behind.steady.same.*.w1 of
// gpu/kernels/micro/timing/behind_stores.cu).
Cycle LoadStoreUnit::hit_delay(const L1Passes& passes) const {
  return passes.tags - std::min<Cycle>(passes.tags, 1) +
         passes.conflicts * constants_.shared_conflict_latency;
}

// Passes beyond those that the width needs take a sub-core twice as long as the unit (measured:
// shared.load*.w1 against w16 of gpu/kernels/micro/timing/memory.cu, and scattered.load*). Those of
// wide data that few lanes bring back are no such passes (shared.load128.*.one_sub_core of
// wide_lanes.cu).
Cycle LoadStoreUnit::conflicts(const Access& access, Cycle passes) const {
  if (access.space != Window::shared && access.kind != AccessKind::load) return 0;
  if (access.space == Window::shared && access.kind == AccessKind::load)
    passes = access.counts.wavefronts;
  const Cycle ideal =
      access.space == Window::shared
          ? access.counts.wavefronts_ideal
          : divided(std::uint64_t{access.width} * kWarpSize, constants_.l1_bytes_per_cycle);
  return passes - std::min(passes, ideal);
}

// Lines and sectors of a stretch of memory, all of whose bytes are accessed.
void LoadStoreUnit::split_row(const Access& access, Pieces& pieces) {
  const std::uint64_t end = access.address[0] + std::uint64_t{kWarpSize} * access.width;
  for (std::uint64_t at = access.address[0]; at < end;) {
    Piece& piece = pieces.emplace_back();
    piece.line = at / kLineBytes;
    for (; at < end && at / kLineBytes == piece.line;) {
      const std::uint64_t sector = at / kSectorBytes % kSectorsPerLine;
      const std::uint64_t next = std::min(end, (at / kSectorBytes + 1) * kSectorBytes);
      piece.sectors |= static_cast<SectorMask>(1u << sector);
      piece.bytes[sector] =
          static_cast<std::uint32_t>(((std::uint64_t{1} << (next - at)) - 1) << at % kSectorBytes);
      at = next;
    }
  }
}

// Lines and sectors of the lanes' addresses, in the order in which lanes name them first.
void LoadStoreUnit::split(const Access& access, LineNumber local_line, Pieces& pieces) {
  if (access.adjoining && access.space == Window::global) return split_row(access, pieces);
  NamedLines lines(pieces);
  if (access.space == Window::global) {
    const std::uint64_t bytes = (std::uint64_t{1} << access.width) - 1;
    for (const unsigned lane : access.lanes) {
      const std::uint64_t address = access.address[lane];
      lines.add(address / kLineBytes,
                static_cast<unsigned>(address / kSectorBytes % kSectorsPerLine),
                static_cast<std::uint32_t>(bytes << address % kSectorBytes));
    }
    return;
  }
  // Local: word i of all lanes lies side by side.
  constexpr unsigned kWordsPerSector = kSectorBytes / kWordBytes;
  for (const unsigned lane : access.lanes) {
    const std::uint32_t bytes = 0xfu << lane % kWordsPerSector * kWordBytes;
    const std::uint64_t word = (access.address[lane] & 0xffff'ffff) / kWordBytes;
    for (std::uint64_t i = 0; i < divided(access.width, kWordBytes); ++i)
      lines.add(kLocalLines + local_line + word + i, lane / kWordsPerSector, bytes);
  }
}

namespace {

// For each lane: how many lanes before it name the same address.
std::array<std::uint8_t, kWarpSize> lanes_before(const Access& access) {
  constexpr unsigned kPlaces = 2 * kWarpSize, kFold = 6;
  std::array<std::uint64_t, kPlaces> addresses{};
  std::array<std::uint8_t, kPlaces> counts{};
  std::uint64_t used = 0;
  std::array<std::uint8_t, kWarpSize> before{};
  for (const unsigned lane : access.lanes) {
    const std::uint64_t address = access.address[lane], word = address / access.width;
    auto place = static_cast<unsigned>((word ^ word >> kFold ^ word >> 2 * kFold) % kPlaces);
    while ((used >> place & 1) != 0 && addresses[place] != address) place = (place + 1) % kPlaces;
    if ((used >> place & 1) == 0) {
      used |= std::uint64_t{1} << place;
      addresses[place] = address;
    }
    before[lane] = counts[place]++;
  }
  return before;
}

}  // namespace

// What an atomic does to one line. A round: of each address that lanes name the first that is left.
class LoadStoreUnit::AtomicRounds {
 public:
  void add(unsigned sector, unsigned round, unsigned width) {
    count_ = std::max(count_, round + 1);
    Round& at = rounds_[round];
    at.bytes[sector] = static_cast<std::uint8_t>(at.bytes[sector] + width);
    ++at.lanes;
  }
  void count(const Access& access, unsigned sectors, Outgoing& out) const {
    const bool doubles = out.adds_floats && access.width == sizeof(double);
    const bool swaps = access.kind == AccessKind::compare_and_swap;
    out.whole_passes = out.half_passes = 0;
    out.flits = out.bytes = 0;
    for (const Round& round : std::span(rounds_).first(count_)) {
      for (const unsigned bytes : round.bytes) {
        if (bytes == 0) continue;
        const bool wide = swaps ? round.lanes > 1 : doubles && bytes > access.width;
        ++(wide ? out.wide_passes : bytes == kSectorBytes ? out.whole_passes : out.half_passes);
      }
      out.flits = static_cast<std::uint16_t>(out.flits + (round.lanes == 1 ? 1 : 1 + sectors));
      out.bytes = static_cast<std::uint16_t>(out.bytes + kHeaderBytes + round.lanes * access.width);
    }
  }

 private:
  struct Round {
    std::array<std::uint8_t, kSectorsPerLine> bytes{};  // that it changes, by sector
    std::uint8_t lanes = 0;
  };
  std::array<Round, kWarpSize> rounds_{};
  unsigned count_ = 0;
};

void LoadStoreUnit::find_outgoing(SectorMask sectors, const StoredBytes& stored, Outgoing& out) {
  out = {};
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector)
    if ((sectors >> sector & 1) != 0)
      ++(stored[sector] == ~0u ? out.whole_passes : out.half_passes);
  out.partial = out.half_passes != 0;
  out.flits = static_cast<std::uint16_t>(count_sectors(sectors) + (out.partial ? 1 : 0));
  unsigned bytes = out.partial ? kHeaderBytes : 0;
  for (const std::uint32_t each : stored) bytes += static_cast<unsigned>(std::popcount(each));
  out.bytes = static_cast<std::uint16_t>(bytes);
}

// What stores and atomics send to L2. Measured: scatter.store, scatter.red, share and meet of
// gpu/kernels/micro/timing/contention.cu. A line takes a flit for each sector, and one more that
// says which bytes, where a sector is not whole. Atomics always have that one; lanes at one address
// need another round of them, in L2 another pass over the sector; a round of a single lane fits
// into the first flit (change.red.*.lanes32.stride0 of one_address.cu).
void LoadStoreUnit::count_outgoing(const Access& access, bool adds_floats,
                                   std::span<Piece> pieces) {
  for (Piece& piece : pieces) find_outgoing(piece.sectors, piece.bytes, piece.outgoing);
  if (is_atomic(access.kind)) count_rounds(access, adds_floats, pieces);
}

void LoadStoreUnit::count_rounds(const Access& access, bool adds_floats, std::span<Piece> pieces) {
  const std::array<std::uint8_t, kWarpSize> rounds = lanes_before(access);
  Mask left = access.lanes;
  for (Piece& piece : pieces) {
    AtomicRounds of_line;
    for (const unsigned lane : left) {
      const std::uint64_t address = access.address[lane];
      if (address / kLineBytes != piece.line) continue;
      left ^= Mask::of(lane);
      of_line.add(static_cast<unsigned>(address / kSectorBytes % kSectorsPerLine), rounds[lane],
                  access.width);
    }
    piece.outgoing.adds_floats = adds_floats;
    piece.outgoing.partial = true;
    of_line.count(access, count_sectors(piece.sectors), piece.outgoing);
  }
}

namespace {

// What the ways between two SMs carry of an access to shared memory (measured: scatter and wide of
// gpu/kernels/micro/timing/clusters.cu): sectors of loads; whole sectors of stores, and others by
// 16 bytes; sectors of atomics, as often as lanes meet on a word.
std::uint64_t count_far_pieces(const Access& access) {
  constexpr unsigned kPieceBytes = 16;
  struct Sector {
    std::uint64_t number = 0;
    std::uint32_t bytes = 0;
    std::array<std::uint8_t, kSectorBytes / kWordBytes> lanes{};  // by word
  };
  std::array<Sector, kWarpSize> sectors;
  std::size_t count = 0;
  for (const unsigned lane : access.lanes) {
    const std::uint64_t address = access.address[lane];
    std::size_t i = 0;
    while (i < count && sectors[i].number != address / kSectorBytes) ++i;
    if (i == count) sectors[count++].number = address / kSectorBytes;
    const std::uint64_t first = address % kSectorBytes;
    sectors[i].bytes |=
        static_cast<std::uint32_t>(((std::uint64_t{1} << access.width) - 1) << first);
    ++sectors[i].lanes[first / kWordBytes];
  }
  if (access.kind == AccessKind::load) return count;
  std::uint64_t pieces = 0;
  for (const Sector& sector : std::span(sectors).first(count)) {
    constexpr std::uint32_t kHalf = (1u << kPieceBytes) - 1;
    if (is_atomic(access.kind))
      pieces += *std::ranges::max_element(sector.lanes);
    else if (sector.bytes == ~0u)
      ++pieces;
    else
      pieces += ((sector.bytes & kHalf) != 0) + (sector.bytes > kHalf);
  }
  return pieces;
}

}  // namespace

// Shared memory of another block of the cluster: its rank is in bits 31:24 of a generic address.
void LoadStoreUnit::prepare_other_block(const Access& access, const Origin& origin,
                                        Part& part) const {
  constexpr unsigned kRankShift = 24, kRankMask = 0xff;
  if (origin.cluster == nullptr) return;
  for (const unsigned lane : access.lanes) {
    const std::uint64_t address = access.address[lane];
    const std::uint64_t rank = address >> kRankShift & kRankMask;
    if (address < kSharedWindow || rank == origin.rank || rank >= origin.cluster->ports.size())
      continue;
    const std::uint32_t each = access.kind == AccessKind::load ? constants_.interval_cluster_load
                               : access.kind == AccessKind::store
                                   ? constants_.interval_cluster_store
                                   : constants_.interval_cluster_atomic;
    part.port = origin.cluster->ports[rank];
    part.far_pieces = std::max<std::uint64_t>(1, count_far_pieces(access));
    part.port_time = each * part.far_pieces;
    part.extra += constants_.latency_cluster_extra;
    return;
  }
}

// Cycles that the ways between two SMs keep an access back.
Cycle LoadStoreUnit::access_other_block(const Part& part, Cycle begin) {
  const Cycle leaves =
      begin + to_cluster_.wait(begin, part.port_time * Server::kTicks / Calendar::kHundred);
  Cycle last = leaves;
  for (std::uint64_t i = 0; i < part.far_pieces; ++i) last = part.port->take(leaves);
  const Cycle ideal =
      leaves + (part.far_pieces - 1) * constants_.interval_cluster_target / Calendar::kHundred;
  const Cycle there = leaves + (last - std::min(last, ideal));
  if (there != begin) pipe_.hold_until(there);
  return there - begin;
}

void LoadStoreUnit::prepare(const Timed& instruction, const Access& access, const Origin& origin,
                            Part& part, Pieces& pieces) const {
  // Data beyond 32 bits a thread takes more cycles on the way to the registers.
  const std::uint64_t data = std::uint64_t{kWarpSize} * access.width;
  const Cycle wider =
      data <= kLineBytes ? 0 : (data - kLineBytes) / constants_.return_bytes_per_cycle;
  part.kind = access.kind;
  part.space = access.space;
  part.extra = wider;
  if (instruction.is_mbarrier) {
    part.extra = constants_.latency_mbarrier;
    return;
  }
  if (access.space == Window::shared) {
    part.extra +=
        part.is_atomic() ? constants_.latency_shared_atomic : constants_.latency_shared_load;
    part.extra += Cycle{access.counts.wavefronts -
                        std::min(access.counts.wavefronts, access.counts.wavefronts_ideal)} *
                  constants_.shared_conflict_latency;
    prepare_other_block(access, origin, part);
    return;
  }
  const std::size_t first = pieces.size();
  split(access, origin.local_line, pieces);
  const std::span<Piece> added = all_of(pieces).subspan(first);
  for (const Piece& piece : added) l1_.prefetch(piece.line);
  part.pieces = static_cast<std::uint32_t>(added.size());
  if (access.kind != AccessKind::load) count_outgoing(access, instruction.adds_floats, added);
}

// What a copy brings goes to shared memory beside what the unit does next; past L1 it only asks
// (issued.ldgsts*.w4 of gpu/kernels/micro/timing/products.cu).
void LoadStoreUnit::hurry_copy(const Timed& instruction, Cycle passes, PipeWork& work) const {
  const Cycle needed = instruction.is_past_l1 ? 0 : passes;
  work.shared_busy = work.own_busy = std::max<Cycle>(constants_.lsu_copy_interval, needed);
  work.address_busy = constants_.lsu_copy_address_interval;
  work.places = constants_.lsu_own_entries;
  work.common_places = constants_.lsu_load_entries;
}

// What no lane makes takes the address unit as long as what is made, but for stores, which then do
// not take it longer than loads (stream.*.lanes0 of gpu/kernels/micro/timing/no_lanes.cu).
PipeWork LoadStoreUnit::at_address_unit(const Timed& instruction, bool unmade) const {
  if (instruction.is_store)
    return {.address_busy =
                unmade ? constants_.lsu_address_interval : constants_.lsu_store_address_interval,
            .places = constants_.lsu_store_entries};
  if (unmade && instruction.is_shared)
    return {.address_busy = constants_.lsu_shared_address_interval,
            .places = constants_.lsu_own_entries,
            .common_places = constants_.lsu_shared_entries};
  return {.address_busy = constants_.lsu_address_interval,
          .places = constants_.lsu_own_entries,
          .common_places = constants_.lsu_load_entries};
}

Completion LoadStoreUnit::issue(unsigned sub_core, Cycle now, const Timed& instruction,
                                std::span<const Access> accesses, const Origin& origin,
                                const Outstanding& waiting) {
  PipeWork work = at_address_unit(instruction, accesses.empty());
  work.ready = now + constants_.latency_mio_queue;
  work.token = new_entry(instruction);
  work.is_global = instruction.queue_full == Stall::lg_throttle;
  Entry& entry = entries_[work.token];
  Cycle longest = 0;  // passes of an access
  for (const Access& access : accesses) {
    const std::size_t first = entry.pieces.size();
    prepare(instruction, access, origin, entry.parts.emplace_back(), entry.pieces);
    const std::span<Piece> pieces = all_of(entry.pieces).subspan(first);
    if (access.kind == AccessKind::store && access.space == Window::global)
      for (Piece& piece : pieces) piece.merges = true;
    const L1Passes in_l1 = access.space == Window::shared ? L1Passes{} : l1_passes(access, pieces);
    const Cycle needed = passes(instruction, access, pieces, in_l1);
    work.shared_busy += needed;
    entry.looked_up += loads_l1(access) ? std::max<Cycle>(1, in_l1.tags) : needed;
    longest = std::max(longest, needed);
    if (loads_l1(access))
      entry.parts.back().extra = std::max(entry.parts.back().extra, hit_delay(in_l1));
    work.own_busy += needed + conflicts(access, needed);
    if (access.space == Window::shared) {
      const bool store = access.kind == AccessKind::store;
      work.address_busy =
          store ? constants_.lsu_address_interval : constants_.lsu_shared_address_interval;
      work.places = store ? constants_.lsu_store_entries : constants_.lsu_own_entries;
      work.common_places = store ? 0 : constants_.lsu_shared_entries;
    }
  }
  if (instruction.is_async) hurry_copy(instruction, longest, work);
  entry.further = work.shared_busy == 0 ? 0 : work.shared_busy - 1;
  return enter(sub_core, work, waiting);
}

// A store to sectors of which an earlier one has not left yet is sent with that, if not too many
// other lines were stored to between. What is sent may become whole sectors so (behind.* and
// crowd.* of gpu/kernels/micro/timing/neighbours.cu, stores.* of row_stores.cu).
void LoadStoreUnit::join_stored(Piece& piece) {
  const std::uint64_t bit = stored_bit(piece.line);
  const auto before = (stored_bits_ & bit) == 0
                          ? stored_.end()
                          : std::ranges::find(stored_, piece.line, &Stored::line);
  if (before != stored_.end()) {
    if ((piece.sectors & ~before->sectors) == 0) {
      piece.merged = true;
      piece.outgoing.flits = piece.outgoing.bytes = 0;
      for (unsigned sector = 0; sector < kSectorsPerLine; ++sector)
        before->bytes[sector] |= piece.bytes[sector];
      if (before->batch == batch_)
        find_outgoing(before->sectors, before->bytes, requests_[before->request].outgoing);
      return;
    }
    before->line = kNothingStored;
  }
  piece.stored = &stored_[next_stored_];
  *piece.stored = {.line = piece.line, .sectors = piece.sectors, .bytes = piece.bytes};
  stored_bits_ |= bit;
  if (++next_stored_ != stored_.size()) return;
  next_stored_ = 0;
  stored_bits_ = 0;  // without those of lines that are gone
  for (const Stored& each : stored_) stored_bits_ |= stored_bit(each.line);
}

// When all that a store sends has left for L2 or has a place in the buffer. Lines with parts of
// sectors wait there, a flit leaves in a cycle; what waits for a place keeps back all behind it
// (soon_behind.cu of gpu/kernels/micro/timing). Rows of whole sectors keep the unit busy as they
// leave (issue.stg*.w4 of memory.cu).
Cycle LoadStoreUnit::enter_store_buffer(std::span<Piece> pieces, Cycle begin, Cycle passes) {
  if (begin > stores_end_ + constants_.store_merge_cycles && stored_bits_ != 0) {
    for (Stored& each : stored_) each.line = kNothingStored;
    stored_bits_ = 0;
  }
  Cycle entered = begin;
  for (Piece& piece : pieces) {
    const Outgoing& out = piece.outgoing;
    if (piece.merges) join_stored(piece);
    if (out.flits == 0) continue;
    Cycle& left = buffered_[next_buffered_];  // when the line that had this place has left
    entered = std::max(entered, out.partial ? left : divided(sent_, Server::kTicks));
    sent_ = std::max(sent_, entered * Server::kTicks) +
            out.flits * kSectorBytes * Server::kTicks / constants_.sm_write_bytes_per_cycle;
    if (!out.partial) continue;
    left = divided(sent_, Server::kTicks);
    next_buffered_ = next_buffered_ + 1 == buffered_.size() ? 0 : next_buffered_ + 1;
  }
  stores_end_ = entered + passes;
  return entered;
}

// When an instruction that the unit has begun with is at the data, which all reach in order.
Cycle LoadStoreUnit::reach_data(Cycle begin) {
  const Cycle there = std::max(begin, data_free_);
  await_room(at_data_, next_at_data_, begin, there);
  return there;
}

// An instruction is at the data at `there`; the unit begins with no other before the first of as
// many as there is room for has been.
void LoadStoreUnit::await_room(std::vector<Cycle>& at_data, std::size_t& next, Cycle begin,
                               Cycle there) {
  at_data[next] = there;
  next = next + 1 == at_data.size() ? 0 : next + 1;
  if (at_data[next] > begin) pipe_.hold_until(at_data[next]);
}

// The shared unit begins with an instruction. Latencies count from its issue; it is later than on
// an idle unit by what was in the way, and further passes delay the result too.
void LoadStoreUnit::serve(std::uint32_t token, Cycle begin, Completion& completion) {
  Entry& entry = entries_[token];
  const Timed& instruction = *entry.instruction;
  begin = reach_data(begin);
  const Cycle base = begin - constants_.latency_mio_queue;
  served_at_ = base;
  free_entries_.push_back(token);
  if (entry.parts.empty() && instruction.course != Course::memory) {
    completion.done = base + instruction.latency;
    completion.sources_read = std::min(completion.done, base + constants_.latency_operand_read);
    return;
  }
  const Cycle copied = instruction.is_async ? constants_.latency_copy_extra : 0;
  completion.sources_read = base + (instruction.is_store ? constants_.latency_store_read
                                                         : constants_.latency_operand_read);
  completion.done = base + entry.further;
  // What no lane loads is waited for as long as what comes from shared memory (chain.*.lanes0 of
  // gpu/kernels/micro/timing/no_lanes.cu).
  if (entry.parts.empty() && !instruction.is_store && !instruction.is_async)
    completion.done = base + constants_.latency_shared_load;
  const auto first = static_cast<std::uint32_t>(waits_.size());
  Cycle longest_hit = 0;
  bool loads = false, at_banks = false;
  std::span<const Piece> left = all_of(entry.pieces);
  if (instruction.is_store && !left.empty())
    data_free_ = enter_store_buffer(all_of(entry.pieces), begin, entry.further + 1);
  for (const Part& part : entry.parts) {
    if (part.space == Window::shared) {
      const Cycle late = part.port == nullptr ? 0 : access_other_block(part, begin);
      completion.done = std::max(completion.done, base + part.extra + late);
      at_banks = true;
      continue;
    }
    const Cycle hit =
        base + constants_.latency_l1_hit + std::max(entry.further, part.extra) + copied;
    const bool is_load = part.kind == AccessKind::load && !instruction.is_async;
    access_memory(instruction, part, left.first(part.pieces), base + (is_load ? 0 : entry.further),
                  hit, completion);
    left = left.subspan(part.pieces);
    longest_hit = std::max(longest_hit, hit);
    loads |= is_load;
    at_banks |= is_load;
  }
  const auto count = static_cast<std::uint32_t>(waits_.size()) - first;
  completion.outstanding = count != 0;
  const bool misses = loads && (count != 0 || completion.done > longest_hit);
  if (misses)
    pipe_.leave_at(entry.who.slot / kSlots, begin + entry.looked_up);
  else if (at_banks)
    wait_for_banks(entry, begin, completion);
  const Cycle passes = misses ? entry.further + 1 : 0;
  if (completion.outstanding)
    pending_.push_back({entry.who, completion.done, first, count, passes});
  else if (misses)
    completion.done = bring_data(completion.done, passes);
}

// What L2 brings for a load goes through the banks when it is there, a pass in a cycle, so that no
// pass of the load is over before (batch.from_l2.* against batch.from_l1.* of
// gpu/kernels/micro/timing/l2_crowds.cu). When the last one is.
Cycle LoadStoreUnit::bring_data(Cycle arrival, Cycle passes) {
  const Cycle behind = constants_.latency_l1_hit - constants_.latency_mio_queue;
  return banks_.take(arrival - behind, passes) + behind;
}

// What is there takes the banks that this leaves, one instruction after another. The unit goes on
// meanwhile, as far as there is room between it and the data.
void LoadStoreUnit::wait_for_banks(const Entry& entry, Cycle begin, Completion& completion) {
  const Cycle passes = entry.further + 1;
  const Cycle last = banks_.take(std::max(begin, banks_free_), passes);
  const Cycle late = last + 1 - passes - begin;
  if (late == 0) return;
  completion.done += late;
  banks_free_ = last + 1;
  await_room(late_at_data_, next_late_, begin, begin + late);
}

void LoadStoreUnit::prefetch_unit(Cycle until) const {
  constexpr std::size_t kMostlyUsed = 6 * kHostLine;  // of an entry
  if (!free_entries_.empty()) prefetch_bytes(&entries_[free_entries_.back()], kMostlyUsed);
  banks_.prefetch(until);
  __builtin_prefetch(requests_.data());
  __builtin_prefetch(waits_.data());
  __builtin_prefetch(pending_.data());
  __builtin_prefetch(awaited_lines_.data());
  pipe_.prefetch();
}

// Registers are read when the address unit takes an instruction, however long it stands behind that
// (adds.*.times4 and adds.*.times20 of gpu/kernels/micro/timing/stores.cu: who stores waits for its
// registers little, and for the way out of the SM at its end).
void LoadStoreUnit::read_sources(const MemoryPipe::Taken& addressed) {
  const Entry& entry = entries_[addressed.token];
  if (entry.who.read_scoreboard == kNoScoreboard) return;
  const Cycle read =
      entry.instruction->is_store ? constants_.latency_store_read : constants_.latency_operand_read;
  read_.push_back(entry.who);
  read_.back().done = addressed.begin - constants_.latency_mio_queue + read;
}

std::span<const Served> LoadStoreUnit::advance(Cycle now) {
  served_.clear();
  read_.clear();
  const std::span<const MemoryPipe::Taken> taken = pipe_.advance(now);
  for (const MemoryPipe::Taken& each : pipe_.addressed()) read_sources(each);
  for (const MemoryPipe::Taken& each : taken) {
    Served& served = served_.emplace_back();
    served.who = entries_[each.token].who;
    serve(each.token, each.begin, served.completion);
  }
  return served_;
}

// An SM's requests reach L2 in order: while L2 has not taken what the SM sent before, all of it but
// the last passes, loads of other lines wait too, and other SMs' do not (behind.* of
// gpu/kernels/micro/timing/full_ways.cu).
void LoadStoreUnit::wait_behind_sent(Request& request) const {
  const Cycle before = last_sent_.taken_before(LastSent::Tail::passing);
  if (before <= request.time || request.of_copy) return;
  if (request.kind == Request::Kind::read || request.kind == Request::Kind::prefetch)
    request.done += before - request.time;
  else
    request.done = std::max(request.done, before + constants_.latency_l2_hit / 2);
}

void LoadStoreUnit::LastSent::start(std::uint64_t passing, std::uint64_t leaving) {
  end_ = 0;
  tails_ = {Rest{.most = passing}, Rest{.most = leaving}};
}

void LoadStoreUnit::LastSent::add(Cycle taken, std::uint32_t size) {
  const auto first = [this] { return std::min(tails_[0].first, tails_[1].first); };
  if (end_ - first() == places_) grow();
  ring_[end_++ & (places_ - 1)] = {taken, size};
  for (Rest& rest : tails_)
    for (rest.size += size; rest.size > rest.most; ++rest.first) {
      const Piece& left = ring_[rest.first & (places_ - 1)];
      rest.taken_before = std::max(rest.taken_before, left.taken);
      rest.size -= left.size;
    }
}

void LoadStoreUnit::LastSent::grow() {
  constexpr std::size_t kLeast = 32;
  std::vector<Piece> larger(std::max(kLeast, 2 * places_));
  for (std::size_t i = end_ - places_; i != end_; ++i)
    larger[i & (larger.size() - 1)] = ring_[i & (places_ - 1)];
  ring_ = std::move(larger);
  places_ = ring_.size();
}

// So much may be on the way to L2; then nothing more leaves the SM (measured: pile of
// gpu/kernels/micro/timing/contention.cu).
void LoadStoreUnit::hold_back_stores() {
  left_.assign(requests_.size(), 0);
  for (Request& request : requests_) {
    wait_behind_sent(request);
    if (request.kind == Request::Kind::read || request.kind == Request::Kind::prefetch) continue;
    const Cycle taken = std::max(request.taken, last_sent_.taken_before(LastSent::Tail::passing));
    const Outgoing& out = request.outgoing;
    last_sent_.add(taken, out.passes());
    left_[request.number] = last_sent_.taken_before(LastSent::Tail::leaving);
    outgoing_.push(taken << kSizeBits | out.bytes);
    outgoing_bytes_ += request.outgoing.bytes;
    while (!outgoing_.empty()) {
      const Cycle until = outgoing_.top() >> kSizeBits;
      const std::uint64_t bytes = outgoing_.top() & ((1u << kSizeBits) - 1);
      if (until > request.time && outgoing_bytes_ <= constants_.sm_outgoing_bytes) break;
      if (until > request.time) pipe_.hold_until(until);
      outgoing_.pop();
      outgoing_bytes_ -= bytes;
    }
  }
}

std::span<const Outstanding> LoadStoreUnit::collect() {
  constexpr std::size_t kAhead = 8;
  hold_back_stores();
  for (std::size_t i = 0; i < awaited_lines_.size(); ++i) {
    if (i + kAhead < awaited_lines_.size()) l1_.prefetch_place(awaited_lines_[i + kAhead].place);
    if (L1::Line line = l1_.find_at(awaited_lines_[i].place, awaited_lines_[i].number);
        line && line.extra().done == kNever)
      line.extra().done = requests_[line.extra().request].done;
  }
  collected_.clear();
  for (const Pending& pending : pending_) {
    Outstanding& who = collected_.emplace_back(pending.who);
    Cycle answered = 0;
    for (std::uint32_t i = 0; i < pending.count; ++i) {
      const std::uint32_t request = waits_[pending.first + i];
      answered = std::max(answered, requests_[request].done);
      who.left = std::max(who.left, left_[request]);
    }
    if (who.is_async) answered += constants_.latency_copy_extra;
    if (pending.passes != 0) answered = bring_data(answered, pending.passes);
    who.done = std::max(pending.known, answered);
  }
  awaited_lines_.clear();
  pending_.clear();
  waits_.clear();
  requests_.clear();
  ++batch_;
  return collected_;
}

}  // namespace heddle::simulator::timing
