// Copies and fills.
#include "gpu/runtime/copy.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/pitch.hpp"

namespace heddle::runtime {

namespace {

using abi::MemcpyKind;

CopyRequest linear(void* to, const void* from, std::size_t bytes, MemcpyKind kind) {
  return {{address_of(to)}, {address_of(from)}, {bytes}, kind};
}

Error copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
              std::size_t width, std::size_t height, MemcpyKind kind, abi::Handle stream,
              DefaultStream zero, bool wait) {
  return api([&] {
    for (std::size_t* const pitch : {&to_pitch, &from_pitch})
      if (const Error error = settle_pitch(*pitch, width, height); error != Error::success)
        return error;
    return copy({{address_of(to), to_pitch}, {address_of(from), from_pitch}, {width, height}, kind},
                stream, zero, wait);
  });
}

// Where a position in pitched memory lies.
Placed placed(const abi::PitchedPtr& memory, const abi::Pos& at) {
  const std::uint64_t layer = std::uint64_t{memory.pitch} * memory.ysize;
  return {address_of(memory.ptr) + at.z * layer + at.y * memory.pitch + at.x, memory.pitch, layer};
}

// One end of a three-dimensional copy: an array, or pitched memory.
struct End {
  std::shared_ptr<Array> array;
  const abi::PitchedPtr& memory;
  const abi::Pos& at;

  std::uint64_t element_bytes() const { return array ? array->element_bytes() : 0; }
  std::optional<Placed> place(const Box& box) const {
    if (!array) return placed(memory, at);
    const std::uint64_t x = at.x * array->element_bytes();
    if (!array->holds(x, at.y, at.z, box)) return std::nullopt;
    return array->placed(x, at.y, at.z);
  }
  bool pitch_suffices(const Box& box) const {
    return array || (box.width <= memory.pitch && (box.depth <= 1 || box.height <= memory.ysize));
  }
};

Error copy_3d(const abi::Memcpy3DParms* parameters, abi::Handle stream, DefaultStream zero,
              bool wait) {
  return on_device([&](Context& context) {
    CopyRequest request;
    const Error error = describe_copy_3d(context, parameters, request);
    return error == Error::success ? copy(request, stream, zero, wait) : error;
  });
}

std::uint8_t low_byte(int value) { return static_cast<std::uint8_t>(value); }

Error fill_3d(const abi::PitchedPtr& memory, int value, const abi::Extent& extent,
              abi::Handle stream, DefaultStream zero, bool wait) {
  return fill({placed(memory, {}), {extent.width, extent.height, extent.depth}, low_byte(value)},
              stream, zero, wait);
}

// Copies to or from a variable. `to_symbol`: `other` is the source.
Error copy_symbol(const void* symbol, std::size_t offset, void* other, std::size_t bytes,
                  MemcpyKind kind, bool to_symbol, abi::Handle stream, DefaultStream zero,
                  bool wait) {
  return on_stream(stream, zero, [&](Context& context, Stream& in) {
    const MemcpyKind forbidden =
        to_symbol ? MemcpyKind::device_to_host : MemcpyKind::host_to_device;
    if (kind == forbidden || kind == MemcpyKind::host_to_host)
      return Error::invalid_memcpy_direction;
    MemoryBlock block;
    const Error error = Runtime::instance().variable(symbol, context, block);
    if (error != Error::success) return error;
    if (offset > block.bytes || bytes > block.bytes - offset) return Error::invalid_value;
    void* at = reinterpret_cast<void*>(block.address + offset);
    return context.copy(to_symbol ? linear(at, other, bytes, kind) : linear(other, at, bytes, kind),
                        in, wait);
  });
}

}  // namespace

// Positions and widths are in elements of the array, where there is one; in bytes otherwise.
Error describe_copy_3d(Context& context, const abi::Memcpy3DParms* parameters,
                       CopyRequest& request) {
  if (parameters == nullptr) return Error::invalid_value;
  const auto& [from_array, from_at, from_memory, to_array, to_at, to_memory, extent, kind] =
      *parameters;
  const auto find = [&](abi::Handle handle) {
    return in_any_context(context, [&](Context& each) { return each.array(handle); }).found;
  };
  const End from{find(from_array), from_memory, from_at};
  const End to{find(to_array), to_memory, to_at};
  if ((from_array != nullptr && !from.array) || (to_array != nullptr && !to.array))
    return Error::invalid_resource_handle;
  if (from.array && to.array && from.element_bytes() != to.element_bytes())
    return Error::invalid_value;
  const std::uint64_t element =
      std::max<std::uint64_t>({1, from.element_bytes(), to.element_bytes()});
  const Box box{extent.width * element, extent.height, extent.depth};
  if (!from.pitch_suffices(box) || !to.pitch_suffices(box)) return Error::invalid_pitch_value;
  const auto source = from.place(box), destination = to.place(box);
  if (!source || !destination) return Error::invalid_value;
  request = {*destination, *source, box, kind};
  return Error::success;
}

HEDDLE_STREAM_API(cudaMemcpy, _ptds,
                  (void* to, const void* from, std::size_t bytes, MemcpyKind kind),
                  (to, from, bytes, kind)) {
  return copy(linear(to, from, bytes, kind), nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpyAsync, _ptsz,
                  (void* to, const void* from, std::size_t bytes, MemcpyKind kind,
                   abi::Handle stream),
                  (to, from, bytes, kind, stream)) {
  return copy(linear(to, from, bytes, kind), stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpy2D, _ptds,
                  (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, MemcpyKind kind),
                  (to, to_pitch, from, from_pitch, width, height, kind)) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpy2DAsync, _ptsz,
                  (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                   std::size_t width, std::size_t height, MemcpyKind kind, abi::Handle stream),
                  (to, to_pitch, from, from_pitch, width, height, kind, stream)) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpy3D, _ptds, (const abi::Memcpy3DParms* parameters), (parameters)) {
  return copy_3d(parameters, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpy3DAsync, _ptsz,
                  (const abi::Memcpy3DParms* parameters, abi::Handle stream),
                  (parameters, stream)) {
  return copy_3d(parameters, stream, kStreamZero, false);
}

static bool are_gpus(int one, int other) {
  return Runtime::instance().has_gpu(one) && Runtime::instance().has_gpu(other);
}

static Error copy_3d_peer(const abi::Memcpy3DPeerParms* given, abi::Handle stream,
                          DefaultStream zero, bool wait) {
  return api([&] {
    if (given == nullptr) return Error::invalid_value;
    if (!are_gpus(given->srcDevice, given->dstDevice)) return Error::invalid_device;
    const abi::Memcpy3DParms same{
        given->srcArray, given->srcPos, given->srcPtr, given->dstArray,
        given->dstPos,   given->dstPtr, given->extent, MemcpyKind::device_to_device};
    return copy_3d(&same, stream, zero, wait);
  });
}

HEDDLE_STREAM_API(cudaMemcpy3DPeer, _ptds, (const abi::Memcpy3DPeerParms* parameters),
                  (parameters)) {
  return copy_3d_peer(parameters, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpy3DPeerAsync, _ptsz,
                  (const abi::Memcpy3DPeerParms* parameters, abi::Handle stream),
                  (parameters, stream)) {
  return copy_3d_peer(parameters, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpyBatchAsync, _ptsz,
                  (void* const* to, const void* const* from, const std::size_t* bytes,
                   std::size_t count, [[maybe_unused]] void* attributes,
                   [[maybe_unused]] std::size_t* attribute_of,
                   [[maybe_unused]] std::size_t attributes_count, abi::Handle stream),
                  (to, from, bytes, count, attributes, attribute_of, attributes_count, stream)) {
  return api([&] {
    if (count == 0 || to == nullptr || from == nullptr || bytes == nullptr || stream == nullptr)
      return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      const Error error = copy(linear(to[i], from[i], bytes[i], MemcpyKind::by_address), stream,
                               kStreamZero, false);
      if (error != Error::success) return error;
    }
    return Error::success;
  });
}

HEDDLE_API Error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes) {
  return api([&] {
    if (!are_gpus(to_device, from_device)) return Error::invalid_device;
    return copy(linear(to, from, bytes, MemcpyKind::device_to_device), nullptr,
                DefaultStream::legacy, true);
  });
}

HEDDLE_API Error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                     std::size_t bytes, abi::Handle stream) {
  return api([&] {
    if (!are_gpus(to_device, from_device)) return Error::invalid_device;
    return copy(linear(to, from, bytes, MemcpyKind::device_to_device), stream,
                DefaultStream::legacy, false);
  });
}

HEDDLE_STREAM_API(cudaMemset, _ptds, (void* to, int value, std::size_t bytes), (to, value, bytes)) {
  return fill({{address_of(to)}, {bytes}, low_byte(value)}, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemsetAsync, _ptsz,
                  (void* to, int value, std::size_t bytes, abi::Handle stream),
                  (to, value, bytes, stream)) {
  return fill({{address_of(to)}, {bytes}, low_byte(value)}, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemset2D, _ptds,
                  (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
                  (to, pitch, value, width, height)) {
  return fill({{address_of(to), pitch}, {width, height}, low_byte(value)}, nullptr, kStreamZero,
              true);
}

HEDDLE_STREAM_API(cudaMemset2DAsync, _ptsz,
                  (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                   abi::Handle stream),
                  (to, pitch, value, width, height, stream)) {
  return fill({{address_of(to), pitch}, {width, height}, low_byte(value)}, stream, kStreamZero,
              false);
}

HEDDLE_STREAM_API(cudaMemset3D, _ptds, (abi::PitchedPtr to, int value, abi::Extent extent),
                  (to, value, extent)) {
  return fill_3d(to, value, extent, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemset3DAsync, _ptsz,
                  (abi::PitchedPtr to, int value, abi::Extent extent, abi::Handle stream),
                  (to, value, extent, stream)) {
  return fill_3d(to, value, extent, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpyToSymbol, _ptds,
                  (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                   MemcpyKind kind),
                  (symbol, from, bytes, offset, kind)) {
  return copy_symbol(symbol, offset, const_cast<void*>(from), bytes, kind, true, nullptr,
                     kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpyToSymbolAsync, _ptsz,
                  (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                   MemcpyKind kind, abi::Handle stream),
                  (symbol, from, bytes, offset, kind, stream)) {
  return copy_symbol(symbol, offset, const_cast<void*>(from), bytes, kind, true, stream,
                     kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpyFromSymbol, _ptds,
                  (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                   MemcpyKind kind),
                  (to, symbol, bytes, offset, kind)) {
  return copy_symbol(symbol, offset, to, bytes, kind, false, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpyFromSymbolAsync, _ptsz,
                  (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                   MemcpyKind kind, abi::Handle stream),
                  (to, symbol, bytes, offset, kind, stream)) {
  return copy_symbol(symbol, offset, to, bytes, kind, false, stream, kStreamZero, false);
}

HEDDLE_API Error cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return on_device([&](Context& context) {
    if (pointer == nullptr) return Error::invalid_value;
    MemoryBlock block;
    const Error error = Runtime::instance().variable(symbol, context, block);
    if (error == Error::success) *pointer = reinterpret_cast<void*>(block.address);
    return error;
  });
}

HEDDLE_API Error cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  return on_device([&](Context& context) {
    if (size == nullptr) return Error::invalid_value;
    MemoryBlock block;
    const Error error = Runtime::instance().variable(symbol, context, block);
    if (error == Error::success) *size = block.bytes;
    return error;
  });
}

HEDDLE_API abi::ChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

}  // namespace heddle::runtime
