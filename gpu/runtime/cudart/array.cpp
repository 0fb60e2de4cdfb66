// CUDA arrays, and copies to and from them.
#include "gpu/runtime/array.hpp"

#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/pitch.hpp"

namespace heddle::runtime {

namespace {

using abi::MemcpyKind;

Error create(abi::Handle* array, const abi::ChannelFormatDesc* format, const abi::Extent& extent,
             unsigned flags) {
  return on_device_uncaptured([&](Context& context) {
    if (array == nullptr || format == nullptr) return Error::invalid_value;
    return context.create_array(*format, extent, flags, *array);
  });
}

// Rows of a box in an array; nothing when it does not lie in it.
Error place(Context& context, abi::Handle handle, std::size_t x, std::size_t y, const Box& box,
            Placed& placed) {
  const auto array =
      in_any_context(context, [&](Context& each) { return each.array(handle); }).found;
  if (!array) return Error::invalid_resource_handle;
  if (!array->holds(x, y, 0, box)) return Error::invalid_value;
  placed = array->placed(x, y, 0);
  return Error::success;
}

// The deprecated copies take bytes that go on from row to row.
Error place_run(Context& context, abi::Handle handle, std::size_t x, std::size_t y,
                std::size_t bytes, Placed& placed) {
  const auto array =
      in_any_context(context, [&](Context& each) { return each.array(handle); }).found;
  if (!array) return Error::invalid_resource_handle;
  placed = array->placed(x, y, 0);
  const std::uint64_t offset = placed.address - array->address;
  if (x > array->row_bytes() || offset > array->bytes() || bytes > array->bytes() - offset)
    return Error::invalid_value;
  return Error::success;
}

Error copy_run_to(abi::Handle array, std::size_t x, std::size_t y, const void* from,
                  std::size_t bytes, MemcpyKind kind, abi::Handle stream, DefaultStream zero,
                  bool wait) {
  return on_device([&](Context& context) {
    Placed to;
    const Error error = place_run(context, array, x, y, bytes, to);
    if (error != Error::success) return error;
    return copy({{to.address}, {address_of(from)}, {bytes}, kind}, stream, zero, wait);
  });
}

Error copy_run_from(void* to, abi::Handle array, std::size_t x, std::size_t y, std::size_t bytes,
                    MemcpyKind kind, abi::Handle stream, DefaultStream zero, bool wait) {
  return on_device([&](Context& context) {
    Placed from;
    const Error error = place_run(context, array, x, y, bytes, from);
    if (error != Error::success) return error;
    return copy({{address_of(to)}, {from.address}, {bytes}, kind}, stream, zero, wait);
  });
}

Error copy_rows_to(abi::Handle array, std::size_t x, std::size_t y, const void* from,
                   std::size_t pitch, std::size_t width, std::size_t height, MemcpyKind kind,
                   abi::Handle stream, DefaultStream zero, bool wait) {
  return on_device([&](Context& context) {
    const Box box{width, height};
    if (const Error wrong = settle_pitch(pitch, width, height); wrong != Error::success)
      return wrong;
    Placed to;
    const Error error = place(context, array, x, y, box, to);
    if (error != Error::success) return error;
    return copy({to, {address_of(from), pitch}, box, kind}, stream, zero, wait);
  });
}

Error copy_rows_from(void* to, std::size_t pitch, abi::Handle array, std::size_t x, std::size_t y,
                     std::size_t width, std::size_t height, MemcpyKind kind, abi::Handle stream,
                     DefaultStream zero, bool wait) {
  return on_device([&](Context& context) {
    const Box box{width, height};
    if (const Error wrong = settle_pitch(pitch, width, height); wrong != Error::success)
      return wrong;
    Placed from;
    const Error error = place(context, array, x, y, box, from);
    if (error != Error::success) return error;
    return copy({{address_of(to), pitch}, from, box, kind}, stream, zero, wait);
  });
}

}  // namespace

HEDDLE_API Error cudaMallocArray(abi::Handle* array, const abi::ChannelFormatDesc* format,
                                 std::size_t width, std::size_t height, unsigned flags) {
  return create(array, format, {width, height, 0}, flags);
}

HEDDLE_API Error cudaMalloc3DArray(abi::Handle* array, const abi::ChannelFormatDesc* format,
                                   abi::Extent extent, unsigned flags) {
  return create(array, format, extent, flags);
}

HEDDLE_API Error cudaFreeArray(abi::Handle array) {
  return on_device_uncaptured([&](Context& context) {
    return array == nullptr ? Error::success : context.free_array(array);
  });
}

HEDDLE_API Error cudaMallocMipmappedArray(abi::Handle* array, const abi::ChannelFormatDesc* format,
                                          abi::Extent extent, unsigned levels, unsigned flags) {
  return on_device_uncaptured([&](Context& context) {
    if (array == nullptr || format == nullptr) return Error::invalid_value;
    return context.create_levels(*format, extent, levels, flags, *array);
  });
}

HEDDLE_API Error cudaGetMipmappedArrayLevel(abi::Handle* level, abi::Handle array,
                                            unsigned number) {
  return on_device([&](Context& context) {
    if (level == nullptr) return Error::invalid_value;
    const auto found = context.levels(array);
    if (!found) return Error::invalid_resource_handle;
    if (number >= found->levels.size()) return Error::invalid_value;
    *level = found->levels[number].get();
    return Error::success;
  });
}

HEDDLE_API Error cudaFreeMipmappedArray(abi::Handle array) {
  return on_device_uncaptured([&](Context& context) {
    return array == nullptr ? Error::success : context.free_levels(array);
  });
}

// Those of arrays that were made to be mapped: none can be.
HEDDLE_API Error cudaArrayGetMemoryRequirements(void*, abi::Handle, int) {
  return api([] { return Error::invalid_value; });
}
HEDDLE_API Error cudaMipmappedArrayGetMemoryRequirements(void*, abi::Handle, int) {
  return api([] { return Error::invalid_value; });
}
HEDDLE_API Error cudaArrayGetSparseProperties(void*, abi::Handle) {
  return api([] { return Error::invalid_value; });
}
HEDDLE_API Error cudaMipmappedArrayGetSparseProperties(void*, abi::Handle) {
  return api([] { return Error::invalid_value; });
}
HEDDLE_API Error cudaArrayGetPlane(abi::Handle*, abi::Handle, unsigned) {
  return api([] { return Error::invalid_value; });
}

HEDDLE_API Error cudaArrayGetInfo(abi::ChannelFormatDesc* format, abi::Extent* extent,
                                  unsigned* flags, abi::Handle handle) {
  return on_device([&](Context& context) {
    const auto array =
        in_any_context(context, [&](Context& each) { return each.array(handle); }).found;
    if (!array) return Error::invalid_resource_handle;
    if (format != nullptr) *format = array->format;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return Error::success;
  });
}

HEDDLE_API Error cudaGetChannelDesc(abi::ChannelFormatDesc* format, abi::Handle array) {
  return cudaArrayGetInfo(format, nullptr, nullptr, array);
}

HEDDLE_STREAM_API(cudaMemcpyToArray, _ptds,
                  (abi::Handle array, std::size_t x, std::size_t y, const void* from,
                   std::size_t bytes, MemcpyKind kind),
                  (array, x, y, from, bytes, kind)) {
  return copy_run_to(array, x, y, from, bytes, kind, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpyToArrayAsync, _ptsz,
                  (abi::Handle array, std::size_t x, std::size_t y, const void* from,
                   std::size_t bytes, MemcpyKind kind, abi::Handle stream),
                  (array, x, y, from, bytes, kind, stream)) {
  return copy_run_to(array, x, y, from, bytes, kind, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpyFromArray, _ptds,
                  (void* to, abi::Handle array, std::size_t x, std::size_t y, std::size_t bytes,
                   MemcpyKind kind),
                  (to, array, x, y, bytes, kind)) {
  return copy_run_from(to, array, x, y, bytes, kind, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpyFromArrayAsync, _ptsz,
                  (void* to, abi::Handle array, std::size_t x, std::size_t y, std::size_t bytes,
                   MemcpyKind kind, abi::Handle stream),
                  (to, array, x, y, bytes, kind, stream)) {
  return copy_run_from(to, array, x, y, bytes, kind, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpyArrayToArray, _ptds,
                  (abi::Handle to, std::size_t to_x, std::size_t to_y, abi::Handle from,
                   std::size_t from_x, std::size_t from_y, std::size_t bytes, MemcpyKind kind),
                  (to, to_x, to_y, from, from_x, from_y, bytes, kind)) {
  return on_device([&](Context& context) {
    Placed source;
    const Error error = place_run(context, from, from_x, from_y, bytes, source);
    if (error != Error::success) return error;
    return copy_run_to(to, to_x, to_y, reinterpret_cast<const void*>(source.address), bytes, kind,
                       nullptr, kStreamZero, true);
  });
}

HEDDLE_STREAM_API(cudaMemcpy2DToArray, _ptds,
                  (abi::Handle array, std::size_t x, std::size_t y, const void* from,
                   std::size_t pitch, std::size_t width, std::size_t height, MemcpyKind kind),
                  (array, x, y, from, pitch, width, height, kind)) {
  return copy_rows_to(array, x, y, from, pitch, width, height, kind, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpy2DToArrayAsync, _ptsz,
                  (abi::Handle array, std::size_t x, std::size_t y, const void* from,
                   std::size_t pitch, std::size_t width, std::size_t height, MemcpyKind kind,
                   abi::Handle stream),
                  (array, x, y, from, pitch, width, height, kind, stream)) {
  return copy_rows_to(array, x, y, from, pitch, width, height, kind, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpy2DFromArray, _ptds,
                  (void* to, std::size_t pitch, abi::Handle array, std::size_t x, std::size_t y,
                   std::size_t width, std::size_t height, MemcpyKind kind),
                  (to, pitch, array, x, y, width, height, kind)) {
  return copy_rows_from(to, pitch, array, x, y, width, height, kind, nullptr, kStreamZero, true);
}

HEDDLE_STREAM_API(cudaMemcpy2DFromArrayAsync, _ptsz,
                  (void* to, std::size_t pitch, abi::Handle array, std::size_t x, std::size_t y,
                   std::size_t width, std::size_t height, MemcpyKind kind, abi::Handle stream),
                  (to, pitch, array, x, y, width, height, kind, stream)) {
  return copy_rows_from(to, pitch, array, x, y, width, height, kind, stream, kStreamZero, false);
}

HEDDLE_STREAM_API(cudaMemcpy2DArrayToArray, _ptds,
                  (abi::Handle to, std::size_t to_x, std::size_t to_y, abi::Handle from,
                   std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                   MemcpyKind kind),
                  (to, to_x, to_y, from, from_x, from_y, width, height, kind)) {
  return on_device([&](Context& context) {
    const Box box{width, height};
    Placed source;
    const Error error = place(context, from, from_x, from_y, box, source);
    if (error != Error::success) return error;
    return copy_rows_to(to, to_x, to_y, reinterpret_cast<const void*>(source.address), source.pitch,
                        width, height, kind, nullptr, kStreamZero, true);
  });
}

}  // namespace heddle::runtime
