// Waiting for values in memory, and writing them, in the order of a stream.
#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
namespace {

constexpr unsigned kHow = 3, kFlush = 1u << 30, kNoBarrier = 1, kMostOperations = 256;

Error wait(abi::Handle stream, DevicePointer address, std::uint64_t value, unsigned bytes,
           unsigned flags) {
  if ((flags & ~(kHow | kFlush)) != 0) return Error::invalid_value;
  return support().wait_value(stream, address, value, bytes, flags & kHow);
}

Error write(abi::Handle stream, DevicePointer address, std::uint64_t value, unsigned bytes,
            unsigned flags) {
  if (flags > kNoBarrier) return Error::invalid_value;
  return support().write_value(stream, address, value, bytes);
}

// As CUstreamBatchMemOpParams lays out the two that have something in them.
union Operation {
  int kind;
  struct {
    int kind;
    DevicePointer address;
    std::uint64_t value;
    unsigned flags;
    DevicePointer alias;
  } on_value;
  std::uint64_t all[6];
};

enum Kind : int {
  kWait32 = 1,
  kWrite32 = 2,
  kFlushRemote = 3,
  kWait64 = 4,
  kWrite64 = 5,
  kBarrier = 6
};

Error carry_out(abi::Handle stream, const Operation& operation) {
  const auto& on = operation.on_value;
  const std::uint64_t low = on.value & 0xffff'ffff;
  switch (operation.kind) {
    case kWait32:
      return wait(stream, on.address, low, 4, on.flags);
    case kWait64:
      return wait(stream, on.address, on.value, 8, on.flags);
    case kWrite32:
      return write(stream, on.address, low, 4, on.flags);
    case kWrite64:
      return write(stream, on.address, on.value, 8, on.flags);
    case kFlushRemote:
    case kBarrier:  // in the order of the stream everything is seen
      return Error::success;
    default:
      return Error::invalid_value;
  }
}

Error carry_out(abi::Handle stream, unsigned count, const Operation* operations, unsigned flags) {
  if (operations == nullptr || count > kMostOperations || flags != 0) return Error::invalid_value;
  for (unsigned i = 0; i < count; ++i)
    if (const Error error = carry_out(stream, operations[i]); error != Error::success) return error;
  return Error::success;
}

}  // namespace

#define HEDDLE_ON_VALUE(name, type, bytes, what)                                            \
  HEDDLE_DRIVER_STREAM_API(                                                                 \
      name, _ptsz, (abi::Handle stream, DevicePointer address, type value, unsigned flags), \
      (stream, address, value, flags)) {                                                    \
    return forward(                                                                         \
        [&] { return what(in_stream<kPerThread>(stream), address, value, bytes, flags); }); \
  }
HEDDLE_ON_VALUE(cuStreamWaitValue32_v2, std::uint32_t, 4, wait)
HEDDLE_ON_VALUE(cuStreamWaitValue64_v2, std::uint64_t, 8, wait)
HEDDLE_ON_VALUE(cuStreamWriteValue32_v2, std::uint32_t, 4, write)
HEDDLE_ON_VALUE(cuStreamWriteValue64_v2, std::uint64_t, 8, write)
#undef HEDDLE_ON_VALUE

// The versions before CUDA 11.7 refuse everything, as CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1
// says (gpu/runtime/tests/answers/driver_handles.cu).
#define HEDDLE_REFUSED(name, type)                                                          \
  HEDDLE_DRIVER_STREAM_API(                                                                 \
      name, _ptsz, (abi::Handle stream, DevicePointer address, type value, unsigned flags), \
      (stream, address, value, flags)) {                                                    \
    static_cast<void>(address), static_cast<void>(value), static_cast<void>(flags);         \
    return forward([&] { return support().refuse_in(in_stream<kPerThread>(stream)); });     \
  }
HEDDLE_REFUSED(cuStreamWaitValue32, std::uint32_t)
HEDDLE_REFUSED(cuStreamWaitValue64, std::uint64_t)
HEDDLE_REFUSED(cuStreamWriteValue32, std::uint32_t)
HEDDLE_REFUSED(cuStreamWriteValue64, std::uint64_t)
#undef HEDDLE_REFUSED
HEDDLE_DRIVER_STREAM_API(cuStreamBatchMemOp, _ptsz,
                         (abi::Handle stream, unsigned count, const void* operations,
                          unsigned flags),
                         (stream, count, operations, flags)) {
  static_cast<void>(operations), static_cast<void>(flags);
  if (count > kMostOperations) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return support().refuse_in(in_stream<kPerThread>(stream)); });
}

HEDDLE_DRIVER_STREAM_API(cuStreamBatchMemOp_v2, _ptsz,
                         (abi::Handle stream, unsigned count, const Operation* operations,
                          unsigned flags),
                         (stream, count, operations, flags)) {
  return forward(
      [&] { return carry_out(in_stream<kPerThread>(stream), count, operations, flags); });
}

}  // namespace heddle::runtime::driver
