// Surface instructions: loads, stores and reductions.
//
// Operands (seen in what ptxas makes of the calls of CUDA C++): A holds the coordinates, a layer's
// number last; B what is stored or combined; C the handle, where no constant or uniform register
// has it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "isa/attributes.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/execute/texture_operands.hpp"
#include "simulator/memory/atomic_operations.hpp"
#include "simulator/memory/memory_journal.hpp"
#include "simulator/memory/texel_formats.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Mod;
using isa::Op;
using Params = decltype(Step::param);

// What a surface instruction's modifiers say, in Step::param.
struct SurfaceForm {
  std::uint32_t handle_at = 0;
  HandlePlace::In handle_in{};
  isa::MemoryAccess::Kind kind{};
  SurfaceBoundary boundary{};
  std::uint8_t coordinates = 0;  // in A; 0: A is RZ
  bool is_array_of_lines = false;
  bool by_element = false;      // x counts elements, not bytes
  std::uint8_t components = 0;  // that a formatted store converts
  AtomicOp op{};                // of a reduction
  AtomicType type{};
  bool sign_of_format = false;  // a reduction's element is signed where the surface's is
  std::array<std::uint8_t, 2> unused{};

  HandlePlace handle() const { return {handle_in, handle_at}; }
};
static_assert(sizeof(SurfaceForm) == sizeof(Params));

struct SurfaceAccess {
  SurfacePlace place;
  std::byte* data = nullptr;  // null where `place` is outside
  TextureHeader header;
  std::uint32_t bytes = 0;
};

bool is_aligned(const SurfaceAccess& access) {
  return (access.place.address | reinterpret_cast<std::uintptr_t>(access.data)) % access.bytes == 0;
}

// The lanes' handles, where they are in a register: the second source of a load, else the third.
const std::uint32_t* handles_in_register(const Warp& warp, const Step& step,
                                         const SurfaceForm& form) {
  return source_row(warp, form.kind == isa::MemoryAccess::Kind::load ? step.b : step.c);
}

// Where one lane's access goes; nothing after a fault.
std::optional<SurfaceAccess> locate(Core& core, Warp& warp, const Step& step,
                                    const SurfaceForm& form, unsigned lane) {
  const std::uint32_t handle =
      lane_handle(core, warp, form.handle(), lane, handles_in_register(warp, step, form)[lane]);
  const auto header = find_texture(core.launch.textures, handle);
  if (!header || !header->surface) {
    no_such_texture(core, warp, step, lane, handle);
    return std::nullopt;
  }
  const std::uint32_t* a = source_row(warp, step.a) + lane;
  std::array<std::int32_t, 3> at{};
  for (unsigned i = 0; i < form.coordinates; ++i)
    at[i] = static_cast<std::int32_t>(a[i * kWarpSize]);
  if (form.is_array_of_lines) at = {at[0], 0, at[1]};
  const std::uint32_t texel = header->texel_bytes();
  const std::uint32_t bytes = form.components != 0 ? texel : step.width;
  const std::int64_t x = form.by_element ? std::int64_t{at[0]} * texel : std::int64_t{at[0]};
  SurfaceAccess access{place_in_surface(*header, x, at[1], at[2], bytes, form.boundary), nullptr,
                       *header, bytes};
  const bool may_be =
      form.kind == isa::MemoryAccess::Kind::load || core.may_write(access.place.address, bytes);
  if (!access.place.outside && may_be) access.data = core.resolve(access.place.address, bytes);
  // A surface of a capsule can lie anywhere: what is reduced has to be aligned on the host.
  const bool is_reduction = form.kind == isa::MemoryAccess::Kind::reduction;
  if (is_misaligned_in_surface(*header, x, at[1], at[2], bytes, form.boundary) ||
      (is_reduction && !is_aligned(access))) {
    core.raise(Fault::Kind::misaligned_address, warp, step, Mask::of(lane), access.place.address,
               fmt::format("{} bytes of the surface at x {} (bytes)", bytes, x));
    return std::nullopt;
  }
  if (access.data != nullptr || (access.place.outside && form.boundary != SurfaceBoundary::trap))
    return access;
  core.raise(Fault::Kind::illegal_address, warp, step, Mask::of(lane), header->address,
             fmt::format("outside of the surface: x {}{}, y {}, z or layer {}", at[0],
                         form.by_element ? "" : " (bytes)", at[1], at[2]));
  return std::nullopt;
}

// What surface instructions move: up to four registers of a lane and the bytes they stand for.
void load_surface(const Step& step, const std::byte* from, std::uint32_t* row) {
  std::array<std::uint32_t, 4> words{};
  if (from != nullptr) std::memcpy(words.data(), from, step.width);
  if (step.sign_extend) {
    const unsigned shift = 32 - 8u * step.width;
    words[0] = static_cast<std::uint32_t>(static_cast<std::int32_t>(words[0] << shift) >> shift);
  }
  for (unsigned i = 0; i < (step.width + 3u) / 4; ++i) row[i * kWarpSize] = words[i];
}

// Components that the surface lacks are left out; those that the instruction lacks are 0.
void store_surface(const SurfaceForm& form, const Step& step, const std::uint32_t* row,
                   const SurfaceAccess& access) {
  if (access.data == nullptr) return;
  const unsigned count = form.components != 0 ? form.components : (step.width + 3u) / 4;
  std::array<std::uint32_t, 4> words{};
  for (unsigned i = 0; i < count; ++i) words[i] = row[i * kWarpSize];
  if (form.components == 0)
    std::memcpy(access.data, words.data(), step.width);
  else
    for (unsigned i = 0; i < access.header.channels; ++i)
      store_channel(access.header, words[i], i, access.data);
}

AtomicType signed_as(const TextureHeader& header, AtomicType type) {
  if (header.format != TextureHeader::Format::signed_integer) return type;
  return is_wide(type) ? AtomicType::s64 : AtomicType::s32;
}

void reduce_surface(const SurfaceForm& form, const Step& step, const std::uint32_t* row,
                    const SurfaceAccess& access) {
  if (access.data == nullptr) return;
  const AtomicType type = form.sign_of_format ? signed_as(access.header, form.type) : form.type;
  if (step.width == 8)
    update<std::uint64_t>(access.data, [&](std::uint64_t old) {
      return combine64(form.op, type, old, row[0] | std::uint64_t{row[kWarpSize]} << 32);
    });
  else
    update<std::uint32_t>(access.data,
                          [&](std::uint32_t old) { return combine32(form.op, type, old, row[0]); });
}

// For the other host threads. A reduction is a read and a write to them.
bool claim_surface(Core& core, const SurfaceForm& form,
                   const std::array<SurfaceAccess, kWarpSize>& accesses, Mask inside) {
  using Kind = isa::MemoryAccess::Kind;
  for (const unsigned lane : core.log != nullptr ? inside : Mask()) {
    const std::uint64_t at = accesses[lane].place.address;
    const std::uint32_t bytes = accesses[lane].bytes;
    if ((form.kind == Kind::store || core.log->read(at, bytes)) &&
        (form.kind == Kind::load || core.log->write(at, bytes)))
      continue;
    core.stop_for_conflict();
    return false;
  }
  return true;
}

Flow execute_surface(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  using Kind = isa::MemoryAccess::Kind;
  const auto form = std::bit_cast<SurfaceForm>(step.param);
  std::array<SurfaceAccess, kWarpSize> accesses;
  TexelNotes notes(core);
  Addresses addresses{};
  Mask inside;
  std::uint32_t widest = 0;
  for (const unsigned lane : on) {
    const auto access = locate(core, warp, step, form, lane);
    if (!access) return Flow::stop;
    accesses[lane] = *access;
    addresses[lane] = access->place.address;
    if (access->data == nullptr) continue;
    inside |= Mask::of(lane);
    widest = std::max(widest, access->bytes);
    notes.begin(lane);
    notes.add(access->place.address, access->bytes);
  }
  if (!claim_surface(core, form, accesses, inside)) return Flow::stop;
  if (form.kind != Kind::load && core.journal != nullptr)
    core.journal->before_write(addresses, inside, widest);
  for (const unsigned lane : on) {
    const SurfaceAccess& access = accesses[lane];
    if (form.kind == Kind::load)
      load_surface(step, access.data, destination_row(warp, step.d) + lane);
    else if (form.kind == Kind::store)
      store_surface(form, step, source_row(warp, step.b) + lane, access);
    else
      reduce_surface(form, step, source_row(warp, step.b) + lane, access);
  }
  return Flow::next;
}

constexpr std::uint32_t kSd32 = 6;  // .SD32; .SD64 follows

// Of SURED: the element that it combines. Of .SD32 and .SD64 the surface's format says whether it
// is signed.
std::optional<AtomicType> reduced_type(std::uint32_t type) {
  constexpr std::array<std::optional<AtomicType>, 8> kTypes{
      AtomicType::u32, AtomicType::s32, AtomicType::u64, std::nullopt,
      std::nullopt,    AtomicType::s64, AtomicType::u32, AtomicType::u64};
  return kTypes[type & 7];
}

// What moves: Step's width and sign; false where that is not known.
bool fill_element(const Instruction& in, SurfaceForm& form, Step& step) {
  constexpr std::array<std::uint8_t, 8> kBytes{1, 1, 2, 2, 4, 8, 16, 0};
  if (in.mod(Mod::components) != 0) {  // a formatted store: 1, 2 or 4 of them
    form.components = static_cast<std::uint8_t>(std::popcount(in.mod(Mod::components)));
    step.width = static_cast<std::uint8_t>(4 * form.components);
    return true;
  }
  if (form.kind == isa::MemoryAccess::Kind::reduction) {
    const std::uint32_t code = in.mod(Mod::type);
    const auto type = reduced_type(code);
    form.op = static_cast<AtomicOp>(in.mod(Mod::atom_op));
    if (!type || !has_operation(form.op, *type)) return false;
    form.type = *type;
    form.sign_of_format = code >= kSd32;
    step.width = is_wide(*type) ? 8 : 4;
    return true;
  }
  const std::uint32_t size = in.mod(Mod::size);
  step.sign_extend = size == 1 || size == 3;
  step.width = kBytes[size & 7];
  return step.width != 0;
}

}  // namespace

Execute lower_surface(const Instruction& in, Step& step) {
  if (in.op != Op::SULD && in.op != Op::SUST && in.op != Op::SURED) return nullptr;
  constexpr std::array<std::uint8_t, 8> kCoordinates{1, 1, 2, 2, 3, 3, 0, 0};  // 1D, -, 1D_ARRAY, …
  constexpr std::uint32_t kLines = 2;
  const std::uint32_t shape = in.mod(Mod::dimension);
  const auto place = handle_place(in);
  SurfaceForm form;
  form.handle_in = place.in;
  form.handle_at = place.at;
  form.kind = isa::memory_access(in).kind;
  form.is_array_of_lines = shape == kLines;
  form.by_element = in.mod(Mod::byte_address) == 0;
  form.coordinates = in.a.index == isa::kRZ ? 0 : kCoordinates[shape & 7];
  form.boundary = static_cast<SurfaceBoundary>(in.mod(Mod::outside));
  if (!fill_element(in, form, step)) return nullptr;
  step.param = std::bit_cast<Params>(form);
  return execute_surface;
}

std::optional<TextureHeader> surface_in_use(const Core& core, const Warp& warp, const Step& step,
                                            unsigned lane) {
  if (step.execute != execute_surface) return std::nullopt;
  const auto form = std::bit_cast<SurfaceForm>(step.param);
  return find_texture(
      core.launch.textures,
      lane_handle(core, warp, form.handle(), lane, handles_in_register(warp, step, form)[lane]));
}

}  // namespace heddle::simulator
