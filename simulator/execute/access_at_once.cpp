#include "simulator/execute/access_at_once.hpp"

#include <algorithm>

#include "simulator/lanes/accesses_at_once.hpp"
#include "simulator/memory/local_memory.hpp"

namespace heddle::simulator {
namespace {

// Of an access by registers: what is added to them.
std::uint64_t base_of(const Warp& warp, const AddressForm& form) {
  auto base = static_cast<std::uint64_t>(form.offset);
  if (form.uniform == AddressForm::Base::none) return base;
  const std::uint32_t* const row = destination_row(warp, form.uniform_row);
  base += row[0];
  if (form.uniform == AddressForm::Base::pair64) base += std::uint64_t{row[kWarpSize]} << 32;
  return base;
}

lanes::AccessFunctions::Load load_of(const Step& step) {
  const lanes::AccessFunctions& functions = lanes::access_functions();
  switch (step.width) {
    case 1:
      return step.sign_extend ? functions.load_signed_bytes : functions.load_bytes;
    case 2:
      return step.sign_extend ? functions.load_signed_halves : functions.load_halves;
    case 4:
      return functions.load_words;
    default:
      return step.width == 8 ? functions.load_pairs : functions.load_quads;
  }
}

// Whether lanes' pieces may be a row.
bool may_adjoin(const Step& step, const std::uint32_t* low, Mask on) {
  return on == kFullMask && low[1] - low[0] == step.width;
}

// Of lanes that access an allocation whose uses are noted: notes where. False: some are elsewhere.
template <AccessKind kKind>
bool note_each(Core& core, const Core::Known& in, const Step& step, std::uint64_t base,
               const std::uint32_t* low, const std::uint32_t* high, Mask on) {
  const WordNotes notes = in.notes;  // which what is noted does not change
  const std::uint64_t width = step.width, start = in.start;
  if (notes.uses == nullptr || in.bytes < width) return false;
  const std::uint64_t last = in.bytes - width;
  constexpr WordNotes::Ready kNeeded =
      kKind == AccessKind::store ? WordNotes::kForWrites : WordNotes::kForReads;
  for (const unsigned lane : on) {
    const std::uint64_t at = base + (std::uint64_t{high[lane]} << 32 | low[lane]);
    const std::uint64_t offset = at - start;
    if (offset > last || (at & (width - 1)) != 0) return false;
    if (width <= 4 ? notes.note_word(offset, kNeeded) : notes.note(offset, width, kNeeded))
      continue;
    const bool told = kKind == AccessKind::store ? core.log->write(at, step.width)
                                                 : core.log->read(at, step.width);
    if (!told) return false;  // as claim_lanes will find
  }
  return true;
}

// Lanes that access one allocation. False: they are others, or may adjoin.
template <AccessKind kKind>
bool access_within(Core& core, const Warp& warp, const Step& step, Mask on) {
  const std::uint32_t* const low = source_row(warp, step.a);
  const std::uint32_t* const high = low + kWarpSize;
  constexpr bool kStores = kKind == AccessKind::store;
  if (may_adjoin(step, low, on) || core.notes_accesses() ||
      core.launch.model->access_rules != AccessRules::sectors ||
      (kStores && (core.journal != nullptr || core.guards_writes())))
    return false;
  const std::uint64_t base = base_of(warp, step.address);
  const unsigned first = on.first();
  const std::uint64_t at = base + (std::uint64_t{high[first]} << 32 | low[first]);
  const auto in = std::ranges::find_if(
      core.known, [&](const auto& each) { return each.contains(at, step.width); });
  if (in == core.known.end() || in->start >> kLineShift << kLineShift != in->start ||
      in->bytes > lanes::Piece::kMostBytes ||
      (core.log != nullptr && (kStores || !core.reads_freely(at, step.width)) &&
       !note_each<kKind>(core, *in, step, base, low, high, on)))
    return false;
  const lanes::Piece piece{in->data, in->start, in->bytes};
  lanes::ScatteredFunctions::Distinct distinct;
  if constexpr (kStores)
    distinct =
        lanes::access_functions().store_words(piece, base, low, high, on, source_row(warp, step.b));
  else
    distinct = load_of(step)(piece, base, low, high, on, destination_row(warp, step.d));
  if (distinct.sectors == 0) return false;
  constexpr unsigned kSectorBytes = 1 << kSectorShift;
  const unsigned threads = on.count();
  const unsigned fewest = (threads * step.width + kSectorBytes - 1) / kSectorBytes;
  add_global(core.counts_of(step),
             {.sectors = distinct.sectors,
              .sectors_ideal = std::min(distinct.sectors, fewest),
              .tags = distinct.lines},
             threads, step.width);
  if constexpr (kStores) core.polling.change(core.issued);
  return true;
}

// Words of shared memory. False: some are elsewhere, far apart, or may adjoin.
template <AccessKind kKind>
bool access_shared(Core& core, const Warp& warp, const Step& step, Mask on) {
  const std::uint32_t* const low = source_row(warp, step.a);
  if (may_adjoin(step, low, on) || core.observed ||
      core.launch.model->access_rules != AccessRules::sectors)
    return false;
  const lanes::Piece piece{warp.block->shared.data(), 0, core.launch.shared_bytes};
  const std::uint64_t base = base_of(warp, step.address);
  const lanes::AccessFunctions& functions = lanes::access_functions();
  std::uint32_t passes = 0;
  if constexpr (kKind == AccessKind::load)
    passes = functions.load_shared(piece, base, low, on, destination_row(warp, step.d));
  else
    passes = functions.store_shared(piece, base, low, on, source_row(warp, step.b));
  if (passes == 0) return false;
  add_shared(core.counts_of(step), {.wavefronts = passes, .wavefronts_ideal = 1}, on.count());
  if constexpr (kKind == AccessKind::store) core.polling.change(core.issued);
  return true;
}

// Words of lanes' local memory. False: some are elsewhere, or far apart.
template <AccessKind kKind>
bool access_own(Core& core, const Warp& warp, const Step& step, Mask on) {
  if (core.observed) return false;
  const auto base = static_cast<std::uint32_t>(base_of(warp, step.address));
  const std::uint32_t* const low = source_row(warp, step.a);
  const std::uint32_t bytes = core.launch.local_bytes;
  const std::uint64_t first = kLocalEnd - bytes;
  const lanes::OwnMemory memory{local_view(core, warp, 0, first, bytes),
                                static_cast<std::uint32_t>(first), bytes,
                                static_cast<std::uint32_t>(local_stride(bytes))};
  const lanes::AccessFunctions& functions = lanes::access_functions();
  std::uint32_t sectors = 0;
  if constexpr (kKind == AccessKind::load)
    sectors = functions.load_own(memory, base, low, on, destination_row(warp, step.d));
  else
    sectors = functions.store_own(memory, base, low, on, source_row(warp, step.b));
  if (sectors == 0) return false;
  InstructionCounts& counts = core.counts_of(step);
  ++counts.local;
  counts.sectors_local += sectors;
  return true;
}

}  // namespace

template <AddressSpace kSpace, AccessKind kKind>
bool access_at_once(Core& core, const Warp& warp, const Step& step, Mask on) {
  if constexpr (kSpace == AddressSpace::local) return access_own<kKind>(core, warp, step, on);
  if constexpr (kSpace == AddressSpace::shared) return access_shared<kKind>(core, warp, step, on);
  return access_within<kKind>(core, warp, step, on);
}

template bool access_at_once<AddressSpace::global, AccessKind::load>(Core&, const Warp&,
                                                                     const Step&, Mask);
template bool access_at_once<AddressSpace::global, AccessKind::store>(Core&, const Warp&,
                                                                      const Step&, Mask);
template bool access_at_once<AddressSpace::shared, AccessKind::load>(Core&, const Warp&,
                                                                     const Step&, Mask);
template bool access_at_once<AddressSpace::shared, AccessKind::store>(Core&, const Warp&,
                                                                      const Step&, Mask);
template bool access_at_once<AddressSpace::local, AccessKind::load>(Core&, const Warp&, const Step&,
                                                                    Mask);
template bool access_at_once<AddressSpace::local, AccessKind::store>(Core&, const Warp&,
                                                                     const Step&, Mask);

}  // namespace heddle::simulator
