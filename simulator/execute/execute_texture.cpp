// Texture instructions.
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
#include "simulator/execute/texture_operands.hpp"
#include "simulator/execute/texture_use.hpp"
#include "simulator/memory/texture.hpp"
#include "simulator/memory/texture_sampler.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Mod;
using isa::Op;
using Shape = TextureHeader::Shape;
using Params = decltype(Step::param);

// What a texture instruction's modifiers say, in Step::param.
struct TextureForm {
  enum class Kind : std::uint8_t { sample, fetch, gather, sample_by_slopes };
  std::uint32_t handle_at = 0;
  RowOffset second = 0;  // of the second pair of results
  Shape shape{};
  Kind kind = Kind::sample;
  HandlePlace::In handle_in{};
  std::uint8_t component = 0;   // that is gathered
  std::uint8_t components = 0;  // of the result, as a mask
  std::uint8_t in_a = 0;        // registers at A; the others are at B
  bool has_level = false, a_is_zero = false;

  HandlePlace handle() const { return {handle_in, handle_at}; }
};
static_assert(sizeof(TextureForm) == sizeof(Params));

using Row = const std::uint32_t*;

constexpr std::array<std::uint32_t, kWarpSize> kZeros{};

// The register operands of a texture instruction, in order.
class Operands {
 public:
  Operands(const Warp& warp, const Step& step, const TextureForm& form)
      : a_(source_row(warp, step.a)),
        b_(source_row(warp, step.b)),
        in_a_(form.in_a),
        a_is_zero_(form.a_is_zero) {}
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

// `rows`: of each component, an element for each lane.
void write_components(Warp& warp, const Step& step, const TextureForm& form, Mask on,
                      const TexelRows& rows) {
  std::uint32_t* const pairs[2] = {destination_row(warp, step.d),
                                   destination_row(warp, form.second)};
  unsigned written = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if ((form.components >> i & 1) == 0) continue;
    std::uint32_t* const row = pairs[written / 2] + (written % 2) * kWarpSize;
    if (on == kFullMask)
      std::copy_n(rows[i].begin(), kWarpSize, row);
    else
      for (const unsigned lane : on) row[lane] = rows[i][lane];
    ++written;
  }
}

struct TextureOperands {
  Row layer = kZeros.data();
  std::array<Row, 3> at{kZeros.data(), kZeros.data(), kZeros.data()};
  Row level = kZeros.data();                      // a number, or for TLD an integer
  std::array<Row, 3> along_x = at, along_y = at;  // of TXD
  Row handles = nullptr;                          // each lane's, in a register; null: it is
  std::uint32_t handle = 0;                       // of all lanes

  std::uint32_t handle_of(unsigned lane) const {
    return handles != nullptr ? handles[lane] : handle;
  }

  std::array<float, 3> floats(const std::array<Row, 3>& rows, unsigned lane) const {
    return {std::bit_cast<float>(rows[0][lane]), std::bit_cast<float>(rows[1][lane]),
            std::bit_cast<float>(rows[2][lane])};
  }
};

TextureOperands read_operands(const Core& core, const Warp& warp, const Step& step,
                              const TextureForm& form) {
  const unsigned coordinates = coordinates_of(form.shape);
  Operands operands(warp, step, form);
  TextureOperands read;
  if (layered(form.shape)) read.layer = operands.next();
  for (unsigned i = 0; i < coordinates; ++i) read.at[i] = operands.next();
  if (form.handle_in == HandlePlace::In::registers)
    read.handles = operands.next();
  else
    read.handle = lane_handle(core, warp, form.handle(), 0, 0);
  if (form.has_level) read.level = operands.next();
  if (form.kind == TextureForm::Kind::sample_by_slopes)
    for (unsigned i = 0; i < coordinates; ++i) {
      read.along_x[i] = operands.next();
      read.along_y[i] = operands.next();
    }
  return read;
}

// Width, height and depth as TXQ gives them (docs/experiments/textures.md): layers stand where the
// next coordinate would; what there is not, and levels there are not, are 0. The fourth component
// is not of a level: the number of levels (docs/experiments/instruction-probe.md).
std::array<std::uint32_t, 3> size_of_level(const TextureHeader& header, std::uint32_t level) {
  if (level > header.last_level - std::uint32_t{header.first_level}) return {};
  const TextureHeader found = mip_level(header, header.first_level + level);
  const auto width = static_cast<std::uint32_t>(found.width);
  switch (found.shape) {
    case Shape::line:
      return {width, header.surface ? 0u : 1u, 0};
    case Shape::buffer:
      return {width, 0, 0};
    case Shape::lines:
      return {width, found.depth, 0};
    case Shape::plane:
      return {width, found.height, 0};
    case Shape::cube:
      return {width, found.height, header.surface ? found.depth : 0};
    case Shape::cubes:
      return {width, found.height, header.surface ? found.depth : found.depth / 6};
    case Shape::planes:
    case Shape::volume:
      break;
  }
  return {width, found.height, found.depth};
}

// Levels beyond the last one have no texels.
TextureHeader level_to_fetch(const TextureHeader& header, std::uint32_t level) {
  if (header.last_level == 0) return header;
  const std::uint32_t last = header.last_level - std::uint32_t{header.first_level};
  TextureHeader found = mip_level(header, header.first_level + std::min(level, last));
  if (level > last) found.width = 0;
  return found;
}

// One lane's texel; nothing where it lies outside of all memory.
std::optional<TexelBits> texel_of_lane(Core& core, const TextureForm& form,
                                       const TextureOperands& operands, const TextureHeader& header,
                                       unsigned lane, TexelNotes& notes) {
  notes.begin(lane);
  const TexelMemory memory = [&core, &notes](std::uint64_t address, std::uint64_t bytes) {
    notes.add(address, bytes);
    return core.resolve(address, bytes);
  };
  const auto& at = operands.at;
  using Kind = TextureForm::Kind;
  if (form.kind == Kind::fetch) {
    const auto index = [&](unsigned i) { return static_cast<std::int32_t>(at[i][lane]); };
    return fetch_texel(level_to_fetch(header, operands.level[lane]), {index(0), index(1), index(2)},
                       memory);
  }
  TexelCoordinates where{operands.floats(at, lane), operands.layer[lane] & 0xffff,
                         std::bit_cast<float>(operands.level[lane])};
  if (form.kind == Kind::gather) return gather_texels(header, where, form.component, memory);
  if (form.kind == Kind::sample_by_slopes)
    where.level = level_of_slopes(mip_level(header, header.first_level),
                                  operands.floats(operands.along_x, lane),
                                  operands.floats(operands.along_y, lane));
  return sample_texture(header, where, memory);
}

// All lanes at once, where that can be done. Of `lanes` it is noted what they read.
bool sample_together(Core& core, const TextureForm& form, const TextureOperands& operands,
                     const TextureHeader& header, Mask lanes, TexelRows& rows, TexelNotes& notes) {
  if (form.kind == TextureForm::Kind::gather || !TextureSampler::can_sample(header)) return false;
  const std::byte* const first =
      core.resolve_allocated(header.address, TextureSampler::bytes(header));
  if (first == nullptr) return false;
  const TextureSampler sampler(header, first);
  TexelReads reads;
  TexelReads* const wanted = notes.wanted() ? &reads : nullptr;
  if (form.kind == TextureForm::Kind::fetch)
    sampler.fetch(operands.at, rows, wanted);
  else
    sampler.sample(operands.at, operands.layer, rows, wanted);
  notes.add(reads, lanes, header.address, header.texel_bytes());
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
  if (operands.handles == nullptr) return on;
  const std::uint32_t handle = operands.handles[on.first()];
  Mask same;
  for (const unsigned lane : on)
    if (operands.handles[lane] == handle) same |= Mask::of(lane);
  return same;
}

Flow execute_texture(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const auto form = std::bit_cast<TextureForm>(step.param);
  const TextureOperands operands = read_operands(core, warp, step, form);
  TexelNotes notes(core);
  TexelRows rows;
  for (Mask left = on; left.any();) {
    const Mask lanes = same_handle(operands, left);
    left &= ~lanes;
    const auto first = lanes.first();
    const std::uint32_t handle = operands.handle_of(first);
    const auto header = find_texture(core.launch.textures, handle);
    if (!header || header->surface) return no_such_texture(core, warp, step, first, handle);
    if (!claim_texture(core, *header)) return Flow::stop;
    if (sample_together(core, form, operands, *header, lanes, rows, notes)) {
      write_components(warp, step, form, lanes, rows);
      continue;
    }
    for (const unsigned lane : lanes) {
      const auto texel = texel_of_lane(core, form, operands, *header, lane, notes);
      if (!texel)
        return core.raise(Fault::Kind::illegal_address, warp, step, Mask::of(lane), header->address,
                          "a texture over memory that is not there (any more)");
      for (unsigned i = 0; i < 4; ++i) rows[i][lane] = (*texel)[i];
    }
    write_components(warp, step, form, lanes, rows);
  }
  warp.set_predicate(step.pu, on,
                     on);  // whether the texels are there: of sparse textures alone not
  return Flow::next;
}

// TXQ: the size of a texture or surface at the level that A names.
Flow execute_query(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const auto form = std::bit_cast<TextureForm>(step.param);
  Operands operands(warp, step, form);
  const bool in_register = form.handle_in == HandlePlace::In::registers;
  const Row handles = in_register ? operands.next() : kZeros.data();
  const Row level = operands.next();
  TexelRows rows;
  for (const unsigned lane : on) {
    const std::uint32_t handle = lane_handle(core, warp, form.handle(), lane, handles[lane]);
    const auto header = find_texture(core.launch.textures, handle);
    if (!header) return no_such_texture(core, warp, step, lane, handle);
    const std::array<std::uint32_t, 3> size = size_of_level(*header, level[lane]);
    for (unsigned i = 0; i < size.size(); ++i) rows[i][lane] = size[i];
    rows[3][lane] = header->last_level - std::uint32_t{header->first_level} + 1;
  }
  write_components(warp, step, form, on, rows);
  return Flow::next;
}

// Where the handle is, and where the results go.
TextureForm common_form(const Instruction& in) {
  const auto place = handle_place(in);
  const auto second = in.word.bits(64, 8);
  TextureForm form;
  form.handle_in = place.in;
  form.handle_at = place.at;
  form.second = static_cast<RowOffset>((second == isa::kRZ ? kDiscardRow : second) * kWarpSize);
  form.components = static_cast<std::uint8_t>(in.mod(Mod::components));
  form.a_is_zero = in.a.index == isa::kRZ;
  return form;
}

Execute lower_query(const Instruction& in, Step& step) {
  TextureForm form = common_form(in);
  form.in_a = 2;  // the handle, if it is in a register, and the level
  step.param = std::bit_cast<Params>(form);
  return execute_query;
}

Execute lower_sampling(const Instruction& in, Step& step) {
  using Kind = TextureForm::Kind;
  // Not yet: offsets, comparison with a depth, multisampling.
  if (in.word.bits(76, 1) != 0 || in.word.bits(78, 1) != 0) return nullptr;
  // An H200 refuses TXD with the handle in a register.
  const HandlePlace place = handle_place(in);
  if (in.arch == isa::Arch::sm_90 && in.op == Op::TXD && place.in == HandlePlace::In::registers)
    return nullptr;
  constexpr std::uint32_t kLevel = 3;  // .LL
  TextureForm form = common_form(in);
  form.shape = static_cast<Shape>(in.mod(Mod::dimension));
  form.kind = in.op == Op::TLD    ? Kind::fetch
              : in.op == Op::TLD4 ? Kind::gather
              : in.op == Op::TXD  ? Kind::sample_by_slopes
                                  : Kind::sample;
  form.component = static_cast<std::uint8_t>(in.mod(Mod::component));
  form.has_level = in.mod(Mod::lod) == kLevel;
  const unsigned first = (layered(form.shape) ? 1 : 0) + coordinates_of(form.shape);
  const unsigned all =
      first + (form.handle_in == HandlePlace::In::registers ? 1 : 0) + (form.has_level ? 1 : 0);
  form.in_a = static_cast<std::uint8_t>(in.mod(Mod::scr) != 0 ? (all + 1) / 2 : first);
  step.param = std::bit_cast<Params>(form);
  return execute_texture;
}

}  // namespace

std::optional<TextureHeader> texture_in_use(const Core& core, const Warp& warp, const Step& step,
                                            unsigned lane) {
  if (step.execute != execute_texture) return surface_in_use(core, warp, step, lane);
  const auto form = std::bit_cast<TextureForm>(step.param);
  return find_texture(core.launch.textures, read_operands(core, warp, step, form).handle_of(lane));
}

Execute lower_texture(const Instruction& in, Step& step) {
  switch (in.op) {
    case Op::TEX:
    case Op::TLD:
    case Op::TLD4:
    case Op::TXD:
      return lower_sampling(in, step);
    case Op::TXQ:
      return lower_query(in, step);
    default:
      return lower_surface(in, step);
  }
}

}  // namespace heddle::simulator
