// Copies and reductions of boxes of tensors (PTX cp.async.bulk.tensor): a tensor map says where the
// tensor lies and what a box of it is, registers where the box begins. As bulk copies they are
// finished when the instruction is.
//
// What an H200 takes for an illegal instruction is a fault here: a map of another rank or kind than
// the instruction's, a box that does not begin at a multiple of 16 bytes along the innermost
// dimension, a store of every other element or before the tensor
// (docs/experiments/tensor-probe.md).
#include <algorithm>
#include <array>
#include <cstring>

#include "isa/attributes.hpp"
#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/l2_fetches.hpp"
#include "simulator/launch/launch_shape.hpp"
#include "simulator/memory/atomic_operations.hpp"
#include "simulator/memory/tensor_map.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

constexpr unsigned kChunk = 16;             // bytes that lie together, whatever the swizzle
constexpr unsigned kSharedAlignment = 128;  // of a box in shared memory
constexpr std::size_t kMostRow = 256 * 8;   // bytes of a row of a box

using Coordinates = std::array<std::int64_t, kMostDimensions>;

// A box of a tensor, row by row: what one instruction moves. A row is what lies together in memory
// and in shared memory: a box's extent along dimension 0, or, where the tensor is interleaved, a
// slice of one element's channels, of which a box has one
// (docs/experiments/tensor-probe.md#interleaved-tensors).
class Box {
 public:
  Box(const TensorMap& map, const Coordinates& at, const std::array<int, 3>& offset)
      : map_(map), offset_(offset), is_interleaved_(map.interleave != 0) {
    const unsigned element = bytes_of(map.type), slice = slice_bytes(map.interleave);
    const unsigned elements = map.is_im2col ? map.channels : map.box[0];
    row_bytes_ = is_interleaved_ ? slice : elements * element;
    if (is_interleaved_)
      inside_ = {0, 0, slice};
    else
      inside_ = part_inside(at[0], elements, element);
    for (unsigned i = is_interleaved_ ? 0 : 1; i < map.rank; ++i) {
      const bool is_slice = is_interleaved_ && i + 2 == map.rank;
      Axis& axis = axes_[axis_count_++];
      axis = {i == 0 ? slice : map.stride[i - 1], map.size[i], map.step[i],
              is_slice ? 1 : (map.box[i] + map.step[i] - 1) / map.step[i], at[i]};
      rows_ *= map.is_im2col ? 1 : axis.extent;
    }
    if (map.is_im2col) rows_ = map.pixels;
  }

  unsigned row_bytes() const { return row_bytes_; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(rows_) * row_bytes_; }

  // Rows of a swizzled box begin where the pattern begins.
  unsigned pitch() const {
    return map_.swizzle == 0 || is_interleaved_ ? row_bytes_ : 16u << map_.swizzle;
  }
  // Of a damaged map it may be any number.
  std::uint64_t span() const {
    const std::uint64_t bytes = rows_ * pitch();
    constexpr std::uint64_t kLine = 128;  // what a pattern is swizzled within
    return map_.swizzle == 0 ? bytes : (bytes + kLine - 1) / kLine * kLine;
  }
  // Of a chunk of a row in shared memory, `shared` being where the box is.
  std::uint32_t place(std::uint32_t shared, std::uint64_t row, unsigned chunk) const {
    const std::uint32_t at = shared + static_cast<std::uint32_t>(row) * pitch() + chunk * kChunk;
    const std::uint32_t units = (1u << map_.swizzle) - 1;
    return at ^ ((at >> 7) & units) << 4;
  }

  // A row: the address of its first element that is in the tensor, which of its bytes that one
  // begins at, and how many bytes are.
  struct Row {
    std::uint64_t address = 0;
    unsigned first = 0, bytes = 0;
  };

  // Calls f(number, row) for each; stops where it says no.
  template <typename F>
  bool for_each_row(F&& f) const {
    Coordinates base{};
    for (unsigned i = 0; i < axis_count_; ++i) base[i] = axes_[i].at;
    std::array<std::uint32_t, kMostDimensions> index{};
    for (std::uint64_t row = 0; row < rows_; ++row) {
      if (!f(row, row_at(base))) return false;
      map_.is_im2col ? next_pixel(base) : next_row(base, index);
    }
    return true;
  }

 private:
  // A dimension along which rows follow one another: bytes from element to element, elements of
  // the tensor, every how many are taken, how many the box has, and where it begins.
  struct Axis {
    std::uint64_t stride = 0, size = 0;
    std::uint32_t step = 1, extent = 1;
    std::int64_t at = 0;
  };

  // Of `elements` along dimension 0 from `at` on.
  Row part_inside(std::int64_t at, unsigned elements, unsigned element) const {
    const std::int64_t first = std::max<std::int64_t>(at, 0);
    const std::int64_t last = std::min(at + elements, static_cast<std::int64_t>(map_.size[0]));
    if (first >= last) return {};
    return {static_cast<std::uint64_t>(first) * element,
            static_cast<unsigned>(first - at) * element,
            static_cast<unsigned>(last - first) * element};
  }

  // Dimensions that im2col goes along within an image.
  unsigned moved() const { return map_.is_im2col ? map_.rank - 2 : 0; }

  Row row_at(const Coordinates& base) const {
    Row row = inside_;
    row.address += map_.address;
    for (unsigned i = 0; i < axis_count_; ++i) {
      const std::int64_t at = base[i] + (i < moved() ? offset_[i] : 0);
      if (at < 0 || static_cast<std::uint64_t>(at) >= axes_[i].size) return {};
      row.address += static_cast<std::uint64_t>(at) * axes_[i].stride;
    }
    return row;
  }

  void next_row(Coordinates& base, std::array<std::uint32_t, kMostDimensions>& index) const {
    for (unsigned i = 0; i < axis_count_; ++i) {
      if (++index[i] < axes_[i].extent) {
        base[i] += axes_[i].step;
        return;
      }
      index[i] = 0;
      base[i] = axes_[i].at;
    }
  }

  // Along the box that the corners leave of an image, line by line, and on in the next image.
  void next_pixel(Coordinates& base) const {
    for (unsigned i = 0; i < moved(); ++i) {
      base[i] += axes_[i].step;
      if (base[i] < static_cast<std::int64_t>(axes_[i].size) + map_.upper[i]) return;
      base[i] = map_.lower[i];
    }
    base[axis_count_ - 1] += axes_[axis_count_ - 1].step;
  }

  const TensorMap& map_;
  std::array<int, 3> offset_;
  bool is_interleaved_;
  unsigned row_bytes_ = 0, axis_count_ = 0;
  std::uint64_t rows_ = 1;
  Row inside_;  // of every row that is in the tensor, its address from the row's begin on
  std::array<Axis, kMostDimensions> axes_{};
};

// What an instruction names: the box's place in shared memory, for loads the barrier, the
// coordinates; the map; for loads the blocks that get the box and im2col's offsets.
struct Request {
  std::uint32_t shared = 0, barrier = 0, blocks = 0;
  TensorMap map;
  Coordinates at{};
  std::array<int, 3> offset{};
};

std::uint32_t word(const Warp& warp, RowOffset row, unsigned number) {
  return source_row(warp, row)[number * kWarpSize];
}

constexpr std::uint8_t kLoads = 1, kMulticast = 2, kIm2col = 4, kReduces = 8, kPrefetches = 16;

// Offsets of 16, 8 or 5 bits, the fewer there are the more.
std::array<int, 3> offsets_of(std::uint32_t bits, unsigned rank) {
  const unsigned width = rank == 3 ? 16 : rank == 4 ? 8 : 5;
  std::array<int, 3> offset{};
  for (unsigned i = 0; i + 2 < rank; ++i)
    offset[i] = static_cast<int>((bits & 0xffff) >> width * i & ((1u << width) - 1));
  return offset;
}

// Of what is written nothing may lie before the tensor.
const char* refusal_of_store(const Request& request) {
  const TensorMap& map = request.map;
  for (unsigned i = 0; i < map.rank; ++i)
    if (request.at[i] < 0) return "a box that begins before the tensor is not stored";
  for (unsigned i = 0; map.is_im2col && i + 2 < map.rank; ++i)
    if (map.lower[i] < 0 || map.upper[i] > 0)
      return "pixels are stored that lie outside the tensor's images";
  for (unsigned i = 1; !map.is_im2col && i < map.rank; ++i)
    if (map.step[i] != 1) return "elements that do not adjoin are not stored";
  return nullptr;
}

// Whether im2col begins within the corners.
bool is_among_pixels(const Request& request) {
  const TensorMap& map = request.map;
  const unsigned first = map.interleave == 0 ? 1 : 0;
  for (unsigned i = 0; i + 2 < map.rank; ++i) {
    const std::int64_t at = request.at[first + i];
    const auto size = static_cast<std::int64_t>(map.size[first + i]);
    if (at < map.lower[i] || at >= size + map.upper[i]) return false;
  }
  return true;
}

// Why the machine refuses an instruction; null where it does not.
const char* refusal(const Request& request, unsigned rank, std::uint8_t flags) {
  const TensorMap& map = request.map;
  if (map.rank != rank) return "the tensor map is of another rank than the instruction";
  if (map.is_im2col != ((flags & kIm2col) != 0))
    return "the tensor map is made for im2col, or the instruction is, not both";
  if (map.interleave == 0 && request.at[0] * bytes_of(map.type) % kChunk != 0)
    return "the innermost coordinate is not at a multiple of 16 bytes";
  if (map.is_im2col && !is_among_pixels(request))
    return "the first pixel is not among those that the tensor map's corners leave";
  if ((flags & (kLoads | kPrefetches)) == 0)
    if (const char* why = refusal_of_store(request)) return why;
  const std::uint64_t row =
      std::uint64_t{map.is_im2col ? map.channels : map.box[0]} * bytes_of(map.type);
  const bool fits = map.interleave != 0 || map.swizzle == 0 || row <= (16u << map.swizzle);
  if (row % kChunk != 0 || !fits) return "a row of the tensor map's box does not fit its swizzle";
  return nullptr;
}

std::uint64_t map_address(const Warp& warp, const Step& step) {
  return word(warp, step.a, 0) | std::uint64_t{word(warp, step.a, 1)} << 32;
}

// What the registers say of the box.
void read_operands(const Warp& warp, const Step& step, Request& request) {
  const auto rank = static_cast<unsigned>(step.data_type);
  const std::uint8_t flags = step.selector;
  unsigned next = 0;
  if ((flags & kPrefetches) == 0) request.shared = word(warp, step.b, next++);
  if ((flags & kLoads) != 0) request.barrier = word(warp, step.b, next++);
  for (unsigned i = 0; i < rank; ++i)
    request.at[i] = static_cast<std::int32_t>(word(warp, step.b, next + i));
  if ((flags & kMulticast) != 0) request.blocks = word(warp, step.c, 0) >> 16;
  if ((flags & kIm2col) != 0 && (flags & (kLoads | kPrefetches)) != 0)
    request.offset = offsets_of(word(warp, step.c, 0), rank);
}

std::optional<TensorMap> map_at(Core& core, std::uint64_t address) {
  const std::byte* bytes = core.resolve(address, kTensorMapBytes);
  return bytes == nullptr ? std::nullopt : decode_tensor_map(bytes);
}

bool read_request(Core& core, Warp& warp, const Step& step, Mask on, Request& request) {
  const std::uint64_t map = map_address(warp, step);
  constexpr unsigned kMapAlignment = 64;
  if (map % kMapAlignment != 0) {
    core.raise(Fault::Kind::misaligned_address, warp, step, on, map,
               "a tensor map's address must be a multiple of 64");
    return false;
  }
  const std::byte* bytes = core.resolve(map, kTensorMapBytes);
  if (bytes == nullptr) {
    core.raise(Fault::Kind::illegal_address, warp, step, on, map, "there is no tensor map");
    return false;
  }
  const auto refuse = [&](const char* why) {
    core.raise(Fault::Kind::illegal_instruction, warp, step, on, map, why);
    return false;
  };
  const std::optional<TensorMap> decoded = decode_tensor_map(bytes);
  if (!decoded) return refuse("the address does not hold a tensor map");
  request.map = *decoded;
  read_operands(warp, step, request);
  const char* why = refusal(request, step.data_type, step.selector);
  return why == nullptr || refuse(why);
}

// What stands for elements outside the tensor: zeros, or halves that are the NaN which makes a
// product zero (HFMA2.OOB), whatever the type.
void fill_row(const TensorMap& map, std::span<std::byte> row) {
  const bool is_nan = map.fill != 0 && is_float(map.type);
  for (std::size_t at = 0; at < row.size(); at += 2) {
    row[at] = std::byte{is_nan ? std::uint8_t{0xf7} : std::uint8_t{0}};
    if (at + 1 < row.size()) row[at + 1] = std::byte{is_nan ? std::uint8_t{0x7f} : std::uint8_t{0}};
  }
}

// A float with 13 bits of its fraction rounded off, to nearest even. Subnormals stay, also where
// the type is one that flushes them.
std::uint32_t rounded_to_tf32(std::uint32_t bits) {
  constexpr std::uint32_t kInfinity = 0x7f80'0000, kNan = 0x7fff'e000;
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  if (magnitude > kInfinity) return kNan;
  if (magnitude == kInfinity) return bits;
  const std::uint32_t odd = bits >> 13 & 1;
  return (bits + 0xfff + odd) & ~0x1fffu;
}

void convert_row(TensorType type, std::span<std::byte> row) {
  if (type != TensorType::tf32 && type != TensorType::tf32_ftz) return;
  for (std::size_t at = 0; at + 4 <= row.size(); at += 4) {
    std::uint32_t bits;
    std::memcpy(&bits, row.data() + at, 4);
    bits = rounded_to_tf32(bits);
    std::memcpy(row.data() + at, &bits, 4);
  }
}

unsigned width_of_access(const Box::Row& row, unsigned element) {
  return row.address % kChunk == 0 && row.bytes % kChunk == 0 ? kChunk : element;
}

// The bytes of a row that the tensor has; null, and a fault or a conflict, where they cannot be
// had.
std::byte* row_of_tensor(BulkAccess& access, AccessKind kind, const Box::Row& row, unsigned element,
                         unsigned operation = 0) {
  std::byte* data = access.global(row.address, row.bytes, 1);
  if (data == nullptr) return nullptr;
  const unsigned width = width_of_access(row, element);
  return access.note_global(kind, row.address, row.bytes, width, operation) ? data : nullptr;
}

// The whole box to the shared memory of one block, whose barrier counts its bytes.
Flow load_box(BulkAccess& access, const Request& request, const Box& box, std::uint32_t shared,
              std::uint32_t barrier) {
  std::byte* to = access.shared(shared, box.span(), kSharedAlignment);
  if (to == nullptr) return Flow::stop;
  access.note_shared(AccessKind::store, shared, box.span(), kChunk);
  const unsigned element = bytes_of(request.map.type);
  std::array<std::byte, kMostRow> buffer;
  const std::span<std::byte> bytes(buffer.data(), box.row_bytes());
  const bool done = box.for_each_row([&](std::uint64_t number, const Box::Row& row) {
    fill_row(request.map, bytes);
    if (row.bytes != 0) {
      const std::byte* from = row_of_tensor(access, AccessKind::load, row, element);
      if (from == nullptr) return false;
      std::memcpy(bytes.data() + row.first, from, row.bytes);
      convert_row(request.map.type, bytes.subspan(row.first, row.bytes));
    }
    for (unsigned chunk = 0; chunk < bytes.size() / kChunk; ++chunk)
      std::memcpy(to + (box.place(shared, number, chunk) - shared), bytes.data() + chunk * kChunk,
                  kChunk);
    return true;
  });
  return done ? access.count_at_barrier(barrier, box.bytes()) : Flow::stop;
}

// UTMALDG
Flow execute_load(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const bool multicast = (step.selector & kMulticast) != 0;
  if (multicast && lacks_cluster(core, warp, step, on)) return Flow::stop;
  ++core.counts_of(step).shared;
  Request request;
  if (!read_request(core, warp, step, on, request)) return Flow::stop;
  BulkAccess access(core, warp, step, on);
  const Box box(request.map, request.at, request.offset);
  core.copied_row = box.row_bytes();
  if (!multicast) return load_box(access, request, box, request.shared, request.barrier);
  constexpr std::uint32_t kOffset = 0xff'ffff;
  constexpr unsigned kMostBlocks = 16;
  if (request.blocks >> cluster_shape(*core.launch.request).count() != 0)
    return core.raise(Fault::Kind::launch_failure, warp, step, on, 0,
                      "the box goes to a block that the cluster does not have");
  for (std::uint32_t rank = 0; rank < kMostBlocks; ++rank)
    if ((request.blocks >> rank & 1) != 0 &&
        load_box(access, request, box, (request.shared & kOffset) | rank << 24,
                 (request.barrier & kOffset) | rank << 24) == Flow::stop)
      return Flow::stop;
  return Flow::next;
}

// UTMAPF, also where its map is wrong or what it names is not there.
Flow execute_prefetch(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

// Every element by itself: halves and floats of 16 bits as the lower part of a word.
void reduce_row(std::byte* to, const std::byte* from, unsigned bytes, unsigned element, AtomicOp op,
                AtomicType type) {
  const auto each = [&]<typename T>(T, auto&& combine) {
    for (unsigned at = 0; at < bytes; at += sizeof(T)) {
      T operand;
      std::memcpy(&operand, from + at, sizeof operand);
      update<T>(to + at, [&](T old) { return static_cast<T>(combine(old, operand)); });
    }
  };
  const auto word = [&](std::uint32_t old, std::uint32_t operand) {
    return combine32(op, type, old, operand);
  };
  if (element == 8)
    each(std::uint64_t{}, [&](std::uint64_t old, std::uint64_t operand) {
      return combine64(op, type, old, operand);
    });
  else if (element == 4)
    each(std::uint32_t{}, word);
  else
    each(std::uint16_t{}, word);
}

std::optional<AtomicType> atomic_type_of(TensorType type) {
  switch (type) {
    case TensorType::u32:
      return AtomicType::u32;
    case TensorType::s32:
      return AtomicType::s32;
    case TensorType::u64:
      return AtomicType::u64;
    case TensorType::s64:
      return AtomicType::s64;
    case TensorType::f16:
      return AtomicType::f16;
    case TensorType::bf16:
      return AtomicType::bf16;
    case TensorType::f32:
      return AtomicType::f32;
    case TensorType::f32_ftz:
      return AtomicType::f32_flushed;
    case TensorType::f64:
      return AtomicType::f64;
    default:
      return std::nullopt;
  }
}

// Whether the copy engine can combine numbers so; it does not add signed words of 64 bits.
bool is_combined(AtomicOp op, AtomicType type) {
  return has_operation(op, type) && !(op == AtomicOp::add && type == AtomicType::s64);
}

// UTMASTG and UTMAREDG: what lies outside the tensor is left out; 16 bytes of which the first are
// inside go as a whole.
Flow execute_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  ++core.counts_of(step).shared;
  Request request;
  if (!read_request(core, warp, step, on, request)) return Flow::stop;
  const bool reduces = (step.selector & kReduces) != 0;
  const auto op = static_cast<AtomicOp>(step.width);
  const std::optional<AtomicType> type = atomic_type_of(request.map.type);
  if (reduces && (!type || !is_combined(op, *type)))
    return core.raise(Fault::Kind::illegal_instruction, warp, step, on, 0,
                      "the tensor's type does not have the operation");
  const std::optional<unsigned> operation = reduces ? commutative(op, *type) : std::nullopt;
  const AccessKind kind = operation ? AccessKind::reduction : AccessKind::store;
  BulkAccess access(core, warp, step, on);
  const Box box(request.map, request.at, request.offset);
  core.copied_row = box.row_bytes();
  const std::byte* from = access.shared(request.shared, box.span(), kSharedAlignment);
  if (from == nullptr) return Flow::stop;
  access.note_shared(AccessKind::load, request.shared, box.span(), kChunk);
  const unsigned element = bytes_of(request.map.type);
  std::array<std::byte, kMostRow> bytes;
  const bool done = box.for_each_row([&](std::uint64_t number, Box::Row row) {
    if (row.bytes == 0) return true;
    row.bytes = (row.bytes + kChunk - 1) / kChunk * kChunk;
    for (unsigned chunk = 0; chunk < box.row_bytes() / kChunk; ++chunk)
      std::memcpy(bytes.data() + chunk * kChunk,
                  from + (box.place(request.shared, number, chunk) - request.shared), kChunk);
    std::byte* to = row_of_tensor(access, kind, row, element, operation.value_or(0));
    if (to == nullptr) return false;
    if (reduces)
      reduce_row(to, bytes.data() + row.first, row.bytes, element, op, *type);
    else
      std::memcpy(to, bytes.data() + row.first, row.bytes);
    return true;
  });
  return done ? Flow::next : Flow::stop;
}

}  // namespace

std::vector<MemoryRun> prefetched_box(Core& core, const Warp& warp, const Step& step) {
  constexpr std::uint64_t kMostBytes = 256 * 1024;  // more than any block's shared memory
  std::vector<MemoryRun> runs;
  const std::optional<TensorMap> map = map_at(core, map_address(warp, step));
  if (!map) return runs;
  Request request;
  request.map = *map;
  read_operands(warp, step, request);
  if (refusal(request, step.data_type, step.selector) != nullptr) return runs;
  const Box box(request.map, request.at, request.offset);
  if (box.span() > kMostBytes) return runs;
  box.for_each_row([&](std::uint64_t, const Box::Row& row) {
    if (row.bytes != 0) runs.push_back({row.address, row.bytes});
    return true;
  });
  return runs;
}

unsigned promotion_of_map(Core& core, const Warp& warp, const Step& step) {
  const std::optional<TensorMap> map = map_at(core, map_address(warp, step));
  return map ? map->promotion : 0;
}

Execute lower_tensor(const isa::Instruction& in, Step& step) {
  const auto flag = [&](Mod which, std::uint8_t bit) {
    return in.mod(which) != 0 ? bit : std::uint8_t{0};
  };
  step.data_type = static_cast<std::uint8_t>(in.mod(Mod::dimension) + 1);
  step.selector =
      static_cast<std::uint8_t>(flag(Mod::im2col, kIm2col) | flag(Mod::multicast, kMulticast));
  if (step.data_type > kMostDimensions) return nullptr;
  const bool is_of_hopper =
      in.mod(Mod::im2col) <= 1 && in.mod(Mod::pair) == 0 && in.mod(Mod::gathers) == 0;
  if (!is_of_hopper) return nullptr;
  switch (in.op) {
    case Op::UTMALDG:
      step.selector |= kLoads;
      return execute_load;
    case Op::UTMAREDG:
      step.selector |= kReduces;
      step.width = static_cast<std::uint8_t>(in.mod(Mod::atom_op));
      return execute_store;
    case Op::UTMASTG:
      return execute_store;
    case Op::UTMAPF:
      step.selector |= kPrefetches;
      return execute_prefetch;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
