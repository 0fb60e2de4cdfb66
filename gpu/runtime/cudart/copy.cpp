// Copies and fills.
#include "gpu/runtime/copy.hpp"

#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

using abi::MemcpyKind;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

CopyRequest linear(void* to, const void* from, std::size_t bytes, MemcpyKind kind) {
  return {{address_of(to)}, {address_of(from)}, {bytes}, kind};
}

Error copy(CopyRequest request, abi::Handle stream, DefaultStream zero, bool wait) {
  return on_stream(stream, zero,
                   [&](Context& context, Stream& in) { return context.copy(request, in, wait); });
}

Error copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
              std::size_t width, std::size_t height, MemcpyKind kind, abi::Handle stream,
              DefaultStream zero, bool wait) {
  return api([&] {
    if (width > to_pitch || width > from_pitch) return Error::invalid_pitch_value;
    return copy({{address_of(to), to_pitch}, {address_of(from), from_pitch}, {width, height}, kind},
                stream, zero, wait);
  });
}

// Where a position in pitched memory lies.
Placed placed(const abi::PitchedPtr& memory, const abi::Pos& at) {
  const std::uint64_t layer = std::uint64_t{memory.pitch} * memory.ysize;
  return {address_of(memory.ptr) + at.z * layer + at.y * memory.pitch + at.x, memory.pitch, layer};
}

Error copy_3d(const abi::Memcpy3DParms* parameters, abi::Handle stream, DefaultStream zero,
              bool wait) {
  return api([&] {
    if (parameters == nullptr) return Error::invalid_value;
    if (parameters->srcArray != nullptr || parameters->dstArray != nullptr)
      return not_supported("cudaMemcpy3D with an array");
    const auto& [width, height, depth] = parameters->extent;
    if (width > parameters->dstPtr.pitch || width > parameters->srcPtr.pitch)
      return Error::invalid_pitch_value;
    return copy({placed(parameters->dstPtr, parameters->dstPos),
                 placed(parameters->srcPtr, parameters->srcPos),
                 {width, height, depth},
                 parameters->kind},
                stream, zero, wait);
  });
}

Error fill(FillRequest request, abi::Handle stream, DefaultStream zero, bool wait) {
  return on_stream(stream, zero,
                   [&](Context& context, Stream& in) { return context.fill(request, in, wait); });
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

HEDDLE_API Error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes) {
  return api([&] {
    if (to_device != 0 || from_device != 0) return Error::invalid_device;
    return copy(linear(to, from, bytes, MemcpyKind::device_to_device), nullptr,
                DefaultStream::legacy, true);
  });
}

HEDDLE_API Error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                     std::size_t bytes, abi::Handle stream) {
  return api([&] {
    if (to_device != 0 || from_device != 0) return Error::invalid_device;
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
