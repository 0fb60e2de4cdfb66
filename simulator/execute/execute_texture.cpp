// Texture and surface instructions.
//
// Operands (seen in what ptxas makes of the calls of CUDA C++): A holds a layer's number first,
// then the coordinates; B what is left: with .B the handle first, then what .LL brings. With .SCR,
// of up to sm_89, A holds the first half of all those and B the second. Results fill the pair at
// Rd, then the pair in bits 71:64, component after component as far as the mask in bits 75:72 has
// them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simulator/execute/memory_access.hpp"
#include "simulator/execute/texture_use.hpp"
#include "simulator/memory/memory_journal.hpp"
#include "simulator/memory/texture.hpp"
#include "simulator/memory/texture_sampler.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Op;
using Shape = TextureHeader::Shape;

enum class HandleFrom : std::uint8_t { registers, constant, uniform };

HandleFrom handle_from(const Instruction& in) {
  if (in.word.bits(91, 1) != 0) return HandleFrom::uniform;
  return in.word.bits(9, 3) == 5 ? HandleFrom::constant : HandleFrom::registers;
}

using Row = const std::uint32_t*;

constexpr std::array<std::uint32_t, kWarpSize> kZeros{};

// The register operands of a texture instruction, in order.
class Operands {
 public:
  Operands(const Warp& warp, const Step& step, unsigned in_a)
      : a_(source_row(warp, step.a)),
        b_(source_row(warp, step.b)),
        in_a_(in_a),
        a_is_zero_(step.instruction->a.index == isa::kRZ) {}
  Row next() {
    const unsigned at = next_++;
    if (at >= in_a_) return b_ + (at - in_a_) * kWarpSize;
    return a_is_zero_ ? kZeros.data() : a_ + at * kWarpSize;
  }

 private:
  Row a_, b_;
  unsigned in_a_, next_ = 0;
  bool a_is_zero_;
};

unsigned coordinates_of(Shape shape) {
  switch (shape) {
    case Shape::line:
    case Shape::lines:
    case Shape::buffer:
      return 1;
    case Shape::plane:
    case Shape::planes:
      return 2;
    case Shape::volume:
    case Shape::cube:
    case Shape::cubes:
      break;
  }
  return 3;
}

bool layered(Shape shape) {
  return shape == Shape::lines || shape == Shape::planes || shape == Shape::cubes;
}

std::uint32_t lane_handle(const Core& core, const Warp& warp, const Instruction& in, unsigned lane,
                          std::uint32_t in_register) {
  switch (handle_from(in)) {
    case HandleFrom::constant:
      return static_cast<std::uint32_t>(core.launch.constants.read(
          static_cast<unsigned>(in.word.bits(54, 5)), in.word.bits(40, 14) * 4, 4));
    case HandleFrom::uniform:
      return warp.rows[(kUniformRow + in.word.bits(40, 6)) * kWarpSize + lane];
    case HandleFrom::registers:
      break;
  }
  return in_register;
}

// `rows`: of each component, an element for each lane.
void write_components(Warp& warp, const Step& step, Mask on, const TexelRows& rows) {
  const std::uint64_t second = step.instruction->word.bits(64, 8);
  const std::uint64_t mask = step.instruction->word.bits(72, 4);
  std::uint32_t* pairs[2] = {destination_row(warp, step.d),
                             warp.rows + (second == isa::kRZ ? kDiscardRow : second) * kWarpSize};
  unsigned written = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((mask >> i & 1) == 0) continue;
    std::uint32_t* const row = pairs[written / 2] + (written % 2) * kWarpSize;
    for_each_lane(on, [&](unsigned lane) { row[lane] = rows[i][lane]; });
    ++written;
  }
}

Flow no_such_texture(Core& core, Warp& warp, const Step& step, unsigned lane,
                     std::uint32_t handle) {
  return core.raise(Fault::Kind::illegal_address, warp, step, Mask{1} << lane, handle,
                    fmt::format("no texture or surface has the handle {:#x}", handle));
}

struct TextureOperands {
  Row layer = kZeros.data();
  std::array<Row, 3> at{kZeros.data(), kZeros.data(), kZeros.data()};
  Row level = kZeros.data();                      // a number, or for TLD an integer
  std::array<Row, 3> along_x = at, along_y = at;  // of TXD
  std::array<std::uint32_t, kWarpSize> handle{};

  std::array<float, 3> floats(const std::array<Row, 3>& rows, unsigned lane) const {
    return {std::bit_cast<float>(rows[0][lane]), std::bit_cast<float>(rows[1][lane]),
            std::bit_cast<float>(rows[2][lane])};
  }
};

void read_handles(const Core& core, const Warp& warp, const Instruction& in, Row in_register,
                  std::array<std::uint32_t, kWarpSize>& handles) {
  if (handle_from(in) == HandleFrom::registers)
    std::copy_n(in_register, kWarpSize, handles.begin());
  else if (handle_from(in) == HandleFrom::constant)
    handles.fill(lane_handle(core, warp, in, 0, 0));
  else
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      handles[lane] = lane_handle(core, warp, in, lane, 0);
}

TextureOperands read_operands(const Core& core, const Warp& warp, const Step& step) {
  const Instruction& in = *step.instruction;
  const auto shape = static_cast<Shape>(in.word.bits(61, 3));
  const bool in_register = handle_from(in) == HandleFrom::registers;
  const unsigned coordinates = coordinates_of(shape), before = layered(shape) ? 1 : 0;
  const bool has_level = in.op != Op::TLD4 && in.word.bits(87, 3) == 3;
  const unsigned all = before + coordinates + (in_register ? 1 : 0) + (has_level ? 1 : 0);
  const bool halves = in.word.bits(60, 1) != 0 && in.op != Op::TXD;
  Operands operands(warp, step, halves ? (all + 1) / 2 : before + coordinates);
  TextureOperands read;
  if (before != 0) read.layer = operands.next();
  for (unsigned i = 0; i < coordinates; ++i) read.at[i] = operands.next();
  read_handles(core, warp, in, in_register ? operands.next() : nullptr, read.handle);
  if (has_level) read.level = operands.next();
  if (in.op == Op::TXD)
    for (unsigned i = 0; i < coordinates; ++i) {
      read.along_x[i] = operands.next();
      read.along_y[i] = operands.next();
    }
  return read;
}

// Levels beyond the last one have no texels.
TextureHeader level_to_fetch(const TextureHeader& header, std::uint32_t level) {
  if (header.last_level == 0) return header;
  const std::uint32_t last = header.last_level - std::uint32_t{header.first_level};
  TextureHeader found = mip_level(header, header.first_level + std::min(level, last));
  if (level > last) found.width = 0;
  return found;
}

// Of a timed launch: which texels lanes read, the n-th of each in the n-th access.
class TexelNotes {
 public:
  explicit TexelNotes(Core& core)
      : core_(core),
        wanted_(core.observed && core.cycle != nullptr),
        first_(core.accesses.size()) {}
  bool wanted() const { return wanted_; }
  void begin(unsigned lane) {
    lane_ = lane;
    texels_ = 0;
  }
  void add(std::uint64_t address, std::uint64_t bytes) {
    if (!wanted_) return;
    const std::size_t at = first_ + texels_++;
    if (at == core_.accesses.size()) {
      Access& access = core_.accesses.emplace_back();
      access.space = Window::global;
      access.width = static_cast<std::uint32_t>(bytes);
    }
    core_.accesses[at].lanes |= Mask{1} << lane_;
    core_.accesses[at].address[lane_] = address;
  }

 private:
  Core& core_;
  const bool wanted_;
  const std::size_t first_;
  std::size_t texels_ = 0;
  unsigned lane_ = 0;
};

// One lane's texel; nothing where it lies outside of all memory.
std::optional<TexelBits> texel_of_lane(Core& core, const Instruction& in,
                                       const TextureOperands& operands, const TextureHeader& header,
                                       unsigned lane, TexelNotes& notes) {
  notes.begin(lane);
  const TexelMemory memory = [&core, &notes](std::uint64_t address, std::uint64_t bytes) {
    notes.add(address, bytes);
    return core.resolve(address, bytes);
  };
  const auto& at = operands.at;
  if (in.op == Op::TLD) {
    const auto index = [&](unsigned i) { return static_cast<std::int32_t>(at[i][lane]); };
    return fetch_texel(level_to_fetch(header, operands.level[lane]), {index(0), index(1), index(2)},
                       memory);
  }
  TexelCoordinates where{operands.floats(at, lane), operands.layer[lane] & 0xffff,
                         std::bit_cast<float>(operands.level[lane])};
  if (in.op == Op::TLD4)
    return gather_texels(header, where, static_cast<unsigned>(in.word.bits(87, 2)), memory);
  if (in.op == Op::TXD)
    where.level = level_of_slopes(mip_level(header, header.first_level),
                                  operands.floats(operands.along_x, lane),
                                  operands.floats(operands.along_y, lane));
  return sample_texture(header, where, memory);
}

// All lanes at once, where that can be done.
bool sample_together(Core& core, const Instruction& in, const TextureOperands& operands,
                     const TextureHeader& header, TexelRows& rows) {
  if (in.op == Op::TLD4 || !TextureSampler::can_sample(header)) return false;
  const std::byte* const first =
      core.resolve_allocated(header.address, TextureSampler::bytes(header));
  if (first == nullptr) return false;
  const TextureSampler sampler(header, first);
  if (in.op == Op::TLD)
    sampler.fetch(operands.at, rows);
  else
    sampler.sample(operands.at, operands.layer, rows);
  return true;
}

// For the other host threads all of it is read; false: they write some of it, or it is not all in
// one allocation.
bool claim_texture(Core& core, const TextureHeader& header) {
  if (core.log == nullptr) return true;
  const TextureHeader last = mip_level(header, header.last_level);
  const std::uint64_t bytes = last.address - header.address + TextureSampler::bytes(last);
  if (core.resolve_allocated(header.address, bytes) != nullptr &&
      core.log->read_all(header.address, bytes))
    return true;
  core.stop_for_conflict();
  return false;
}

// The lanes of `on` whose handle is that of the first.
Mask same_handle(const TextureOperands& operands, Mask on) {
  const std::uint32_t handle = operands.handle[static_cast<unsigned>(std::countr_zero(on))];
  Mask same = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    same |= Mask{operands.handle[lane] == handle} << lane;
  return same & on;
}

Flow execute_texture(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const Instruction& in = *step.instruction;
  const TextureOperands operands = read_operands(core, warp, step);
  TexelNotes notes(core);
  TexelRows rows;
  for (Mask left = on; left != 0;) {
    const Mask lanes = same_handle(operands, left);
    left &= ~lanes;
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint32_t handle = operands.handle[first];
    const auto header = find_texture(core.launch.textures, handle);
    if (!header || header->surface) return no_such_texture(core, warp, step, first, handle);
    if (!claim_texture(core, *header)) return Flow::stop;
    if (!notes.wanted() && sample_together(core, in, operands, *header, rows)) {
      write_components(warp, step, lanes, rows);
      continue;
    }
    for (Mask each = lanes; each != 0; each &= each - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(each));
      const auto texel = texel_of_lane(core, in, operands, *header, lane, notes);
      if (!texel)
        return core.raise(Fault::Kind::illegal_address, warp, step, Mask{1} << lane,
                          header->address, "a texture over memory that is not there (any more)");
      for (unsigned i = 0; i < 4; ++i) rows[i][lane] = (*texel)[i];
    }
    write_components(warp, step, lanes, rows);
  }
  warp.set_predicate(step.pu, on,
                     on);  // whether the texels are there: of sparse textures alone not
  return Flow::next;
}

struct SurfaceAccess {
  SurfacePlace place;
  std::byte* data = nullptr;  // null where `place` is outside
};

// Where one lane's access goes; nothing after a fault.
std::optional<SurfaceAccess> locate(Core& core, Warp& warp, const Step& step, unsigned lane) {
  const Instruction& in = *step.instruction;
  const std::uint32_t handle = lane_handle(core, warp, in, lane, source_row(warp, step.c)[lane]);
  const auto header = find_texture(core.launch.textures, handle);
  if (!header || !header->surface) {
    no_such_texture(core, warp, step, lane, handle);
    return std::nullopt;
  }
  constexpr std::array<std::uint8_t, 6> kCoordinates{1, 1, 2, 2, 3, 3};  // 1D, -, 1D_ARRAY, 2D, …
  const auto shape = in.word.bits(61, 3);
  const std::uint32_t* a = source_row(warp, step.a) + lane;
  std::array<std::int32_t, 3> at{};
  if (in.a.index != isa::kRZ)
    for (unsigned i = 0; i < kCoordinates[shape]; ++i)
      at[i] = static_cast<std::int32_t>(a[i * kWarpSize]);
  if (shape == 2) at = {at[0], 0, at[1]};
  const auto boundary = static_cast<SurfaceBoundary>(in.word.bits(59, 2));
  SurfaceAccess access{place_in_surface(*header, at[0], at[1], at[2], step.width, boundary)};
  if (!access.place.outside) access.data = core.resolve(access.place.address, step.width);
  if (access.data != nullptr || (access.place.outside && boundary != SurfaceBoundary::trap))
    return access;
  core.raise(Fault::Kind::illegal_address, warp, step, Mask{1} << lane, header->address,
             fmt::format("outside of the surface: x {} (bytes), y {}, z or layer {}", at[0], at[1],
                         at[2]));
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

void store_surface(const Step& step, const std::uint32_t* row, std::byte* to) {
  std::array<std::uint32_t, 4> words{};
  for (unsigned i = 0; i < (step.width + 3u) / 4; ++i) words[i] = row[i * kWarpSize];
  if (to != nullptr) std::memcpy(to, words.data(), step.width);
}

Flow execute_surface(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  std::array<SurfaceAccess, kWarpSize> accesses;
  TexelNotes notes(core);
  Addresses addresses{};
  Mask inside = 0;
  for (Mask left = on; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const auto access = locate(core, warp, step, lane);
    if (!access) return Flow::stop;
    accesses[lane] = *access;
    addresses[lane] = access->place.address;
    if (access->data == nullptr) continue;
    inside |= Mask{1} << lane;
    notes.begin(lane);
    notes.add(access->place.address, step.width);
  }
  const bool store = step.instruction->op == Op::SUST;
  for (Mask left = core.log != nullptr ? inside : 0; left != 0; left &= left - 1) {
    const std::uint64_t at = addresses[static_cast<unsigned>(std::countr_zero(left))];
    if (!(store ? core.log->write(at, step.width) : core.log->read(at, step.width)))
      return core.stop_for_conflict();
  }
  if (store && core.journal != nullptr) core.journal->before_write(addresses, inside, step.width);
  for_each_lane(on, [&](unsigned lane) {
    if (store)
      store_surface(step, source_row(warp, step.b) + lane, accesses[lane].data);
    else
      load_surface(step, accesses[lane].data, destination_row(warp, step.d) + lane);
  });
  return Flow::next;
}

}  // namespace

std::optional<TextureHeader> texture_in_use(const Core& core, const Warp& warp, const Step& step,
                                            unsigned lane) {
  const Instruction& in = *step.instruction;
  const bool surface = in.op == Op::SULD || in.op == Op::SUST;
  const std::uint32_t handle =
      surface ? lane_handle(core, warp, in, lane, source_row(warp, step.c)[lane])
              : read_operands(core, warp, step).handle[lane];
  return find_texture(core.launch.textures, handle);
}

Execute lower_texture(const Instruction& in, Step& step) {
  switch (in.op) {
    case Op::TEX:
    case Op::TLD:
    case Op::TLD4:
    case Op::TXD: {
      // Not yet: offsets, comparison with a depth, multisampling.
      const bool plain = in.word.bits(76, 1) == 0 && in.word.bits(78, 1) == 0;
      return plain ? execute_texture : nullptr;
    }
    case Op::SULD:
    case Op::SUST: {
      if (in.op == Op::SUST && (in.word.bits(0, 12) & 0x1f) < 0x1d && in.word.bits(72, 1) == 0)
        return nullptr;                              // formatted
      if (in.word.bits(72, 1) == 0) return nullptr;  // by element
      constexpr std::array<std::uint8_t, 8> kBytes{1, 1, 2, 2, 4, 8, 16, 0};
      const auto size = in.word.bits(73, 3);
      step.width = kBytes[size];
      step.sign_extend = size == 1 || size == 3;
      return step.width != 0 ? execute_surface : nullptr;
    }
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
