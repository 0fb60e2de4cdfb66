#include "simulator/execute/memory_access.hpp"

#include "isa/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simulator/execute/cluster.hpp"
#include "simulator/lanes/scattered.hpp"
#include "simulator/memory/copy_counts.hpp"
#include "simulator/memory/local_memory.hpp"
#include "simulator/memory/memory_journal.hpp"
#include "simulator/memory/old_access_counts.hpp"

namespace heddle::simulator {

AddressPattern compute_addresses(const Core& core, const Warp& warp, const Step& step,
                                 Addresses& address, Mask lanes) {
  using Base = AddressForm::Base;
  const AddressForm& form = step.address;
  std::uint64_t base = static_cast<std::uint64_t>(form.offset);
  if (form.uniform != Base::none) {
    const std::uint32_t* row = destination_row(warp, form.uniform_row);
    base += row[0];
    if (form.uniform == Base::pair64) base += std::uint64_t{row[kWarpSize]} << 32;
  }
  const std::uint32_t* low = source_row(warp, step.a);
  switch (form.base) {
    case Base::none:
      break;
    case Base::low32:
      return core.address_functions.from_words(address.data(), base, low, form.shift, step.width,
                                               lanes);
    case Base::pair64:
      return core.address_functions.from_pairs(address.data(), base, low, low + kWarpSize,
                                               step.width, lanes);
  }
  address.fill(base);
  return {.is_row = false, .spread = 0};
}

AddressPattern pattern_of(const Addresses& address, Mask lanes) {
  return {.is_row = false, .spread = lanes::scattered_functions().spread(address.data(), lanes)};
}

Mask lanes_in(Window space, const Addresses& address, Mask lanes) {
  Mask found;
  for (const unsigned lane : lanes) {
    if (window_of(address[lane]) == space) found |= Mask::of(lane);
  }
  return found;
}

namespace {

// Of memory that the program registered and whose pages do not allow the access.
std::string describe_registered(const DeviceMemory& memory, const Allocation& in,
                                std::uint64_t address, std::uint64_t bytes) {
  const auto readable = memory.allowed(in, address, false);
  const char* what = "the program has unmapped this place since it registered it";
  if (readable.bytes != 0 && readable.address + readable.bytes - address >= bytes)
    what = in.read_only ? "it was registered for reading alone (cudaHostRegisterReadOnly)"
                        : "the program has forbidden writing there since it registered it";
  return fmt::format("in {} ({} bytes at {:#x}): {}", in.label, in.bytes, in.address, what);
}

}  // namespace

std::string describe_bad_global(const Core& core, std::uint64_t address, std::uint64_t bytes) {
  const DeviceMemory& memory = *core.launch.memory;
  const Allocation* nearest = memory.nearest(address);
  if (nearest == nullptr) return "nothing is allocated";
  if (nearest->registered && nearest->contains(address, bytes))
    return describe_registered(memory, *nearest, address, bytes);
  if (nearest->contains(address, 1))
    return fmt::format("runs past the end of {} ({} bytes at {:#x})", nearest->label,
                       nearest->bytes, nearest->address);
  const bool after = address > nearest->address;
  const std::uint64_t distance =
      after ? address - (nearest->address + nearest->bytes) : nearest->address - address;
  return fmt::format("{} bytes {} {} ({} bytes at {:#x})", distance,
                     after ? "past the end of" : "before", nearest->label, nearest->bytes,
                     nearest->address);
}

namespace {

bool bad_access(Core& core, const Warp& warp, const Step& step, unsigned lane,
                std::uint64_t address, Window space) {
  const bool misaligned = address % step.width != 0;
  std::string details;
  if (misaligned) {
    details = fmt::format("an access of {} bytes must be aligned to them", step.width);
  } else if (space == Window::shared) {
    details = describe_shared(core);
  } else if (space == Window::local) {
    details = fmt::format("a thread has {} bytes of local memory", core.launch.local_bytes);
  } else {
    details = describe_bad_global(core, address, step.width);
  }
  core.raise(misaligned ? Fault::Kind::misaligned_address : Fault::Kind::illegal_address, warp,
             step, Mask::of(lane), address, std::move(details));
  return false;
}

}  // namespace

namespace {

struct LocalMemory {
  std::byte* first;  // of lane 0
  std::uint64_t bytes, stride;

  std::byte* view(unsigned lane, std::uint64_t address, std::uint64_t width) const {
    const std::uint64_t offset = (address & 0xffff'ffff) - (kLocalEnd - bytes);
    return offset >= bytes || width > bytes - offset ? nullptr : first + lane * stride + offset;
  }
};

LocalMemory local_memory(const Core& core, const Warp& warp) {
  const std::uint64_t stride = local_stride(core.launch.local_bytes);
  std::byte* const first = warp.block->local.bytes().data() + warp.index * kWarpSize * stride;
  return {first, core.launch.local_bytes, stride};
}

}  // namespace

std::byte* local_view(const Core& core, const Warp& warp, unsigned lane, std::uint64_t address,
                      std::uint64_t bytes) {
  return local_memory(core, warp).view(lane, address, bytes);
}

// Bits 31:24 of a generic address are the rank of a block in the cluster; those of a shared address
// are not looked at.
static std::uint64_t shared_offset(std::uint64_t address) { return address & 0xff'ffff; }

bool is_asked_shared(const Core& core, std::uint64_t address, std::uint64_t bytes) {
  return shared_offset(address) + bytes <= core.launch.shared_asked;
}

std::string describe_shared(const Core& core) {
  const GpuModel& model = *core.launch.model;
  if (!isa::traits(model.arch).has_clusters)
    return fmt::format("the block has {} bytes of shared memory", core.launch.shared_asked);
  return fmt::format("the block has {} bytes of shared memory, from {:#x} on",
                     core.launch.shared_asked - model.shared_bytes_reserved,
                     model.shared_bytes_reserved);
}

std::byte* shared_view(const Core& core, Block& block, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = shared_offset(address), rank = address >> 24 & 0xff;
  if (offset + bytes > core.launch.shared_bytes) return nullptr;
  if (address < kSharedWindow || rank == block.rank) return block.shared.data() + offset;
  if (block.cluster == nullptr || rank >= block.cluster->blocks.size()) return nullptr;
  Block* other = block.cluster->blocks[rank];
  return other == nullptr ? nullptr : other->shared.data() + offset;
}

namespace {

// Where all lanes' pieces of memory are one, its first byte; null where it is not all there.
std::byte* resolve_row(Core& core, Warp& warp, const Step& step, Window space,
                       std::uint64_t first) {
  const std::uint64_t width = step.width;
  if ((first & (width - 1)) != 0 || space == Window::local) return nullptr;
  return space == Window::global ? core.resolve_allocated(first, kWarpSize * width)
                                 : shared_view(core, *warp.block, first, kWarpSize * width);
}

// The smallest aligned piece of memory that all lanes' pieces lie in.
struct Around {
  std::uint64_t first, bytes;
};
Around around(std::uint64_t place, std::uint64_t spread, std::uint64_t width) {
  const std::uint64_t bits = spread | (width - 1);
  const std::uint64_t below = bits == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(bits);
  const bool is_everything = below == ~std::uint64_t{0};  // which is nowhere there
  return {place & ~below, is_everything ? below : below + 1};
}

// Where all of what lies around them is the lanes' local memory; false where it is not.
bool resolve_local(const Core& core, const Warp& warp, const Addresses& address,
                   const Around& place, LanePointers& pointers) {
  const LocalMemory memory = local_memory(core, warp);
  std::byte* const first = memory.view(0, place.first, place.bytes);
  if (first == nullptr) return false;
  // Addresses of other lanes are whatever registers gave, and lead out of any memory.
  const std::uint64_t to = reinterpret_cast<std::uintptr_t>(first) - place.first;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    pointers.of[lane] = reinterpret_cast<std::byte*>(to + lane * memory.stride + address[lane]);
  return true;
}

// Where all lanes access the same place, not of local memory; false where it is not there, or
// outside of allocations, where accesses are counted.
bool resolve_same(Core& core, Warp& warp, const Step& step, Window space, std::uint64_t place,
                  LanePointers& pointers) {
  const std::uint64_t width = step.width;
  if ((place & (width - 1)) != 0) return false;
  pointers.same = space == Window::global ? core.resolve_allocated(place, width)
                                          : shared_view(core, *warp.block, place, width);
  if (pointers.same == nullptr) return false;
  pointers.of.fill(pointers.same);
  return true;
}

// As Core::resolve, but for parameters that are to be changed.
std::byte* resolve_global(Core& core, AccessKind kind, std::uint64_t first, std::uint64_t bytes) {
  if (kind != AccessKind::load && is_parameter(first)) return nullptr;
  return core.resolve(first, bytes);
}

// Many lanes at once, where all is well and lies in one piece of memory; else false.
bool resolve_together(Core& core, Block& block, Window space, AccessKind kind,
                      const Addresses& address, Mask lanes, std::uint64_t width,
                      LanePointers& pointers) {
  constexpr int kFew = 6;                          // these go one by one sooner
  constexpr std::uint64_t kFarApart = 1ull << 32;  // not worth a search for an allocation
  if (lanes.count() <= kFew || space == Window::local) return false;
  const auto& functions = lanes::scattered_functions();
  const auto range = functions.range(address.data(), lanes);
  const std::uint64_t bytes = range.highest - range.lowest + width;
  if ((range.bits & (width - 1)) != 0 || range.lowest > range.highest || bytes > kFarApart)
    return false;
  std::byte* first = nullptr;
  if (space == Window::global)
    first = resolve_global(core, kind, range.lowest, bytes);
  else if (range.highest < core.launch.shared_bytes &&
           core.launch.shared_bytes - range.highest >= width)
    first = block.shared.data() + range.lowest;
  if (first == nullptr) return false;
  functions.views(address.data(), range.lowest, first, pointers.of.data());
  return true;
}

// Where all of a piece is known to be there, not of local memory: its first byte.
std::byte* resolve_piece(const Core& core, Block& block, Window space, const Around& place) {
  if (space == Window::global) return core.resolve_known(place.first, place.bytes);
  const bool is_there = place.first < core.launch.shared_bytes &&
                        core.launch.shared_bytes - place.first >= place.bytes;
  return is_there ? block.shared.data() + place.first : nullptr;
}

// As resolve_together where all of what lies around them is there, for which their range is not
// needed.
bool resolve_around(Core& core, Warp& warp, Window space, const Addresses& address,
                    const Around& place, LanePointers& pointers) {
  if (space == Window::local) return resolve_local(core, warp, address, place, pointers);
  std::byte* const first = resolve_piece(core, *warp.block, space, place);
  if (first == nullptr) return false;
  lanes::scattered_functions().views(address.data(), place.first, first, pointers.of.data());
  return true;
}

// `view(lane, address)`: its memory there, or null.
template <typename View>
bool resolve_each(Core& core, Warp& warp, const Step& step, Window space, const Addresses& address,
                  Mask lanes, LanePointers& pointers, View&& view) {
  const std::uint64_t misaligned = step.width - 1u;
  for (const unsigned lane : lanes) {
    const std::uint64_t at = address[lane];
    std::byte* pointer = (at & misaligned) != 0 ? nullptr : view(lane, at);
    if (pointer == nullptr) return bad_access(core, warp, step, lane, at, space);
    pointers.of[lane] = pointer;
  }
  return true;
}

}  // namespace

const std::byte* resolve_line(Core& core, Block& block, Window space, std::uint64_t address) {
  if (space == Window::local) return nullptr;
  constexpr std::uint64_t kLineBytes = 1 << kLineShift;
  const std::uint64_t first = address & ~(kLineBytes - 1);
  // Else other host threads may be writing what lies beside what is asked for.
  if (space == Window::global && core.log != nullptr && !core.reads_freely(first, kLineBytes))
    return nullptr;
  return resolve_piece(core, block, space, {first, kLineBytes});
}

// Where all of it is there, whether or not it may be read or written.
static bool find_lanes(Core& core, Warp& warp, const Step& step, Window space, AccessKind kind,
                       const Addresses& address, Mask lanes, const AddressPattern& pattern,
                       LanePointers& pointers) {
  const std::uint64_t width = step.width;
  if (pattern.is_row && lanes == kFullMask) {
    pointers.row = resolve_row(core, warp, step, space, address[0]);
    if (pointers.row != nullptr) {
      // An observer may let other warps run in between.
      if (space == Window::global && !core.observed)
        core.prefetch.note(core.pc_of(step), pointers.row, kWarpSize * width);
      if (width < 4)
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
          pointers.of[lane] = pointers.row + lane * width;
      return true;
    }
  }
  if (lanes.empty()) return true;
  const std::uint64_t place = address[lanes.first()];
  if (pattern.spread == 0 && space != Window::local &&
      resolve_same(core, warp, step, space, place, pointers))
    return true;
  if (((place | pattern.spread) & (width - 1)) == 0 &&
      resolve_around(core, warp, space, address, around(place, pattern.spread, width), pointers))
    return true;
  if (resolve_together(core, *warp.block, space, kind, address, lanes, width, pointers))
    return true;
  const auto resolve = [&](auto&& view) {
    return resolve_each(core, warp, step, space, address, lanes, pointers, view);
  };
  switch (space) {
    case Window::shared:
      return resolve(
          [&](unsigned, std::uint64_t at) { return shared_view(core, *warp.block, at, width); });
    case Window::local:
      return resolve([width, memory = local_memory(core, warp)](unsigned lane, std::uint64_t at) {
        return memory.view(lane, at, width);
      });
    default:
      return resolve(
          [&](unsigned, std::uint64_t at) { return resolve_global(core, kind, at, width); });
  }
}

bool resolve_lanes(Core& core, Warp& warp, const Step& step, Window space, AccessKind kind,
                   const Addresses& address, Mask lanes, const AddressPattern& pattern,
                   LanePointers& pointers) {
  if (!find_lanes(core, warp, step, space, kind, address, lanes, pattern, pointers)) return false;
  if (kind == AccessKind::load || space != Window::global || !core.guards_writes()) return true;
  for (const unsigned lane : lanes) {
    if (!core.may_write(address[lane], step.width))
      return bad_access(core, warp, step, lane, address[lane], space);
  }
  return true;
}

namespace {

// One access of a lane, or of all lanes whose pieces adjoin.
void look_for_unordered_read(UnorderedReads& reads, const Warp& warp, const Step& step,
                             AccessKind kind, std::uint64_t address, unsigned bytes) {
  const UnorderedReads::Who who{warp.block->linear, warp.block->barriers_completed, warp.index};
  if (kind == AccessKind::load)
    reads.read(address, bytes, who, step.selector != 0);
  else
    reads.write(address, bytes, who, kind == AccessKind::reduction);
}

// `strong`: blocks that use memory so mostly use the same, which the log finds at once.
bool claim(Core& core, AccessKind kind, std::uint64_t address, unsigned bytes, unsigned operation,
           bool strong) {
  AccessLog& log = *core.log;
  const bool reduces = kind == AccessKind::reduction;
  if (!reduces && !strong && core.note(kind, address, bytes)) return true;
  const bool claimed = reduces                    ? log.reduce_apart(address, bytes, operation)
                       : kind == AccessKind::load ? log.read(address, bytes)
                                                  : log.write(address, bytes);
  core.take_notes_of(address);
  return claimed;
}

// Whether these loads, of `bytes` each, are all of memory that needs no notes.
bool may_read_freely(Core& core, const Addresses& address, Mask lanes, unsigned bytes) {
  const auto range = lanes::scattered_functions().range(address.data(), lanes);
  return core.reads_freely(range.lowest, range.highest + bytes - range.lowest);
}

// Claims `bytes` of each lane. What lanes that follow one another have side by side in a line is
// claimed as one, if it is known to be of one allocation.
bool claim_pieces(Core& core, AccessKind kind, const Addresses& address, Mask lanes, unsigned bytes,
                  unsigned operation) {
  std::uint64_t begin = 0;  // of what is to be claimed next, and its length
  unsigned length = 0;
  const auto claim_these = [&] {
    const bool as_one = length <= bytes || core.resolve_known(begin, length) != nullptr;
    const unsigned at_once = as_one ? length : bytes;
    bool claimed = true;
    for (unsigned i = 0; claimed && i < length; i += at_once)
      claimed = claim(core, kind, begin + i, at_once, operation, false);
    return claimed;
  };
  for (const unsigned lane : lanes) {
    const std::uint64_t at = address[lane];
    if (length != 0 && at == begin + length && (begin ^ at) >> kLineShift == 0) {
      length += bytes;
      continue;
    }
    if (!claim_these()) return false;
    begin = at;
    length = bytes;
  }
  return claim_these();
}

}  // namespace

bool claim_lanes(Core& core, const Warp& warp, const Step& step, AccessKind kind,
                 const Addresses& address, Mask lanes, const LanePointers& pointers,
                 unsigned operation, bool noted) {
  UnorderedReads* const reads = core.unordered_reads.get();
  const bool judged = reads != nullptr && !reads->found();
  if (!judged && core.log == nullptr) return true;
  // (Of atomics the selector is the operation.)
  const bool strong =
      kind == AccessKind::atomic || (kind != AccessKind::reduction && step.selector != 0);
  const bool row = pointers.row != nullptr;
  const Mask pieces = row || pointers.same != nullptr ? Mask::of(lanes.first()) : lanes;
  const unsigned bytes = row ? kWarpSize * step.width : step.width;
  if (kind == AccessKind::load && !judged && !strong &&
      may_read_freely(core, address, pieces, bytes))
    return true;
  if (judged)
    for (const unsigned lane : pieces)
      look_for_unordered_read(*reads, warp, step, kind, address[lane], bytes);
  if (core.log == nullptr || noted) return true;
  bool claimed = true;
  // What is overwritten is saved first. It comes all together, not for one lane after the other.
  if (kind == AccessKind::store && pieces.count() > 1)
    for (const unsigned lane : pieces) __builtin_prefetch(pointers.of[lane], 1);
  if (strong)
    for (const unsigned lane : pieces)
      claimed = claimed && core.log->communicate(address[lane]) &&
                claim(core, kind, address[lane], bytes, operation, true);
  else
    claimed = claim_pieces(core, kind, address, pieces, bytes, operation);
  if (!claimed) core.stop_for_conflict();
  return claimed;
}

void count_copy(Core& core, const Step& step, const Addresses& from, const Addresses& to,
                const CopyLanes& lanes) {
  const isa::Instruction& in = *step.instruction;
  const auto is_p0 = [](const isa::Predicate& it) { return it.index == 0 && !it.uniform; };
  const CopyPredicates predicates{is_p0(in.guard), in.guard.negated, is_p0(in.pp), in.pp.negated};
  const CopyPath path =
      (step.data_type & kCopyThroughL1) != 0 ? CopyPath::through_l1 : CopyPath::bypass;
  const bool to_end = (step.data_type & kCopyFills) != 0;
  InstructionCounts& counts = core.counts_of(step);
  const AccessCounts seen =
      count_copy_in_metrics(path, step.width, from, to, lanes, predicates, to_end);
  counts.tags_global += seen.tags;
  counts.sectors_global += seen.sectors;
  counts.sectors_global_ideal += seen.sectors_ideal;
  counts.wavefronts_shared += seen.wavefronts;
  counts.wavefronts_shared_ideal += seen.wavefronts_ideal;
  if (lanes.writing().empty()) return;
  ++counts.shared;
  if (!core.observed) return;
  AccessCounts read = count_copy(path, step.width, from, to, lanes);
  AccessCounts written = read;
  if (path == CopyPath::bypass && lanes.fills()) {  // what is moved, and zeros stored as any value
    const Mask filling = lanes.zeros() | (lanes.writing() & lanes.partial);
    const AccessCounts zeros = count_shared(AccessKind::store, step.width, to, filling);
    written = count_copy(path, step.width, from, to, {lanes.active, lanes.reading(), kFullMask});
    written.wavefronts += zeros.wavefronts;
    written.wavefronts_ideal += zeros.wavefronts_ideal;
  }
  read.wavefronts = read.wavefronts_ideal = 0;
  written.sectors = written.sectors_ideal = written.tags = 0;
  core.accesses.push_back(
      {AccessKind::load, Window::global, step.width, lanes.reading(), from, read, false});
  core.accesses.push_back(
      {AccessKind::store, Window::shared, step.width, lanes.writing(), to, written, false});
}

namespace {

// The lanes whose address lies in the shared memory of another block of the cluster.
Mask lanes_away(const Block* block, const Addresses& address, Mask lanes) {
  if (block == nullptr || block->cluster == nullptr) return Mask();
  Mask away;
  for (const unsigned lane : lanes) {
    const std::uint64_t rank = address[lane] >> 24 & 0xff;
    if (address[lane] >= kSharedWindow && rank != block->rank) away |= Mask::of(lane);
  }
  return away;
}

// Of an access some of whose lanes are away; `own`: the others.
void add_distributed(Core& core, const Step& step, AccessKind kind, const Addresses& address,
                     Mask own) {
  InstructionCounts& counts = core.counts_of(step);
  ++counts.dshared;
  if (own.any()) add_shared(counts, count_shared(kind, step.width, address, own), own.count());
}

}  // namespace

// False: it is to be claimed lane by lane, or conflicts, as claim_lanes will find.
static bool claim_plain_row(Core& core, const Step& step, AccessKind kind, std::uint64_t first) {
  const unsigned bytes = kWarpSize * step.width;
  if (step.selector != 0) return false;  // strong
  return (kind == AccessKind::load && core.reads_freely(first, bytes)) ||
         claim(core, kind, first, bytes, 0, false);
}

std::byte* count_plain_row(Core& core, const Warp& warp, const Step& step, AccessKind kind,
                           Window space, std::uint64_t first) {
  const unsigned width = step.width;
  const std::uint64_t bytes = std::uint64_t{kWarpSize} * width;
  if (width < 4 || (first & (width - 1)) != 0 || core.notes_accesses()) return nullptr;
  if (space == Window::shared) {
    if (width > 4 || first > core.launch.shared_bytes || bytes > core.launch.shared_bytes - first ||
        core.launch.model->access_rules != AccessRules::sectors)
      return nullptr;
    add_shared(core.counts_of(step), {.wavefronts = 1, .wavefronts_ideal = 1}, kWarpSize);
    return warp.block->shared.data() + first;
  }
  if (space != Window::global || (kind != AccessKind::load && core.guards_writes()) ||
      core.launch.model->access_rules != AccessRules::sectors)
    return nullptr;
  std::byte* const row = core.resolve_known(first, bytes);
  if (row == nullptr) return nullptr;
  if (core.log != nullptr && !claim_plain_row(core, step, kind, first)) return nullptr;
  if (core.journal != nullptr && kind != AccessKind::load) core.journal->before_write(first, bytes);
  core.prefetch.note(core.pc_of(step), row, bytes);
  add_global(core.counts_of(step), count_global_row(width, first), kWarpSize, width);
  return row;
}

namespace {

// Where the lanes' pieces are so near that counting them takes no more than a look at the last
// ones.
bool is_counted_soon(const Step& step, AccessKind kind, Window space, std::uint64_t spread) {
  constexpr std::uint64_t kNear = 64;  // sectors, or units of shared memory
  if (space == Window::global) return spread >> kSectorShift < kNear;
  return step.width <= 4 && (spread >> 2 < kNear) && kind <= AccessKind::store;
}

// Of an access by the rules of today's GPUs (AccessRules::sectors) that is not of a row.
AccessCounts count_pattern(Core& core, const Step& step, AccessKind kind, Window space,
                           const Addresses& address, Mask lanes, std::uint64_t spread) {
  const auto count = [&] {
    return space == Window::global ? count_global(kind, step.width, address, lanes, spread)
                                   : count_shared(kind, step.width, address, lanes, spread);
  };
  if (lanes.empty() || is_counted_soon(step, kind, space, spread)) return count();
  // Lines further on have other sectors, units of shared memory further on other banks: as many.
  const std::uint64_t unit =
      space == Window::global ? 1 << kLineShift : std::max<std::uint64_t>(4, step.width);
  return core.pattern_counts.of(core.pc_of(step), space, address, lanes, unit, count);
}

}  // namespace

void count_access(Core& core, const Step& step, AccessKind kind, Window space,
                  const Addresses& address, Mask lanes, const AddressPattern& pattern,
                  const Block* block) {
  InstructionCounts& counts = core.counts_of(step);
  const AccessRules rules = core.launch.model->access_rules;
  const bool is_row = pattern.is_row && lanes == kFullMask;
  const bool row = is_row && rules == AccessRules::sectors;
  const unsigned threads = row ? kWarpSize : lanes.count();
  AccessCounts access;
  switch (space) {
    case Window::global:
      access = row ? count_global_row(step.width, address[0])
               : rules == AccessRules::sectors
                   ? count_pattern(core, step, kind, space, address, lanes, pattern.spread)
                   : count_global_before(rules, kind, step.width, address, lanes);
      add_global(counts, access, threads, step.width);
      break;
    case Window::shared:
      access = row && kind <= AccessKind::store && step.width <= 4
                   ? AccessCounts{.wavefronts = 1, .wavefronts_ideal = 1}
               : has_half_warps(rules)
                   ? count_shared_half_warps(kind, step.width, address, lanes)
                   : count_pattern(core, step, kind, space, address, lanes, pattern.spread);
      if (const Mask away = lanes_away(block, address, lanes); away.any())
        add_distributed(core, step, kind, address, lanes & ~away);
      else
        add_shared(counts, access, threads);
      break;
    case Window::local:
      access = count_local(kind, step.width, address, lanes, pattern.spread);
      ++counts.local;
      counts.sectors_local += access.sectors;
      break;
  }
  if (core.journal != nullptr && space == Window::global && kind != AccessKind::load)
    core.journal->before_write(address, lanes, step.width);
  if (core.observed)
    core.accesses.push_back(
        {kind, space, step.width, lanes, address, access, is_row, pattern.spread});
}

void count_matrix_access(Core& core, const Step& step, AccessKind kind, const Addresses& address,
                         Mask lanes) {
  const AccessCounts access = count_matrix_rows(address, lanes);
  add_shared(core.counts_of(step), access, lanes.count());
  if (core.observed)
    core.accesses.push_back({kind, Window::shared, step.width, lanes, address, access, false});
}

}  // namespace heddle::simulator
