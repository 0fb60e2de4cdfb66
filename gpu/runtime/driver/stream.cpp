// Streams and events.
#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {

HEDDLE_DRIVER_API Result cuStreamCreate(abi::Handle* stream, unsigned flags) {
  return forward([&] { return cudaStreamCreateWithPriority(stream, flags, 0); });
}
HEDDLE_DRIVER_API Result cuStreamCreateWithPriority(abi::Handle* stream, unsigned flags,
                                                    int priority) {
  return forward([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
HEDDLE_DRIVER_API Result cuStreamDestroy_v2(abi::Handle stream) {
  return forward([&] { return cudaStreamDestroy(stream); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamSynchronize, _ptsz, (abi::Handle stream), (stream)) {
  return forward([&] { return cudaStreamSynchronize(in_stream<kPerThread>(stream)); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamQuery, _ptsz, (abi::Handle stream), (stream)) {
  return forward([&] { return cudaStreamQuery(in_stream<kPerThread>(stream)); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamWaitEvent, _ptsz,
                         (abi::Handle stream, abi::Handle event, unsigned flags),
                         (stream, event, flags)) {
  return forward([&] { return cudaStreamWaitEvent(in_stream<kPerThread>(stream), event, flags); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetFlags, _ptsz, (abi::Handle stream, unsigned* flags),
                         (stream, flags)) {
  return forward([&] { return cudaStreamGetFlags(in_stream<kPerThread>(stream), flags); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetPriority, _ptsz, (abi::Handle stream, int* priority),
                         (stream, priority)) {
  return forward([&] { return cudaStreamGetPriority(in_stream<kPerThread>(stream), priority); });
}
HEDDLE_DRIVER_STREAM_API(cuLaunchHostFunc, _ptsz,
                         (abi::Handle stream, void (*function)(void*), void* data),
                         (stream, function, data)) {
  return forward([&] { return cudaLaunchHostFunc(in_stream<kPerThread>(stream), function, data); });
}

HEDDLE_DRIVER_API Result cuEventCreate(abi::Handle* event, unsigned flags) {
  return forward([&] { return cudaEventCreateWithFlags(event, flags); });
}
HEDDLE_DRIVER_API Result cuEventDestroy_v2(abi::Handle event) {
  return forward([&] { return cudaEventDestroy(event); });
}
HEDDLE_DRIVER_STREAM_API(cuEventRecord, _ptsz, (abi::Handle event, abi::Handle stream),
                         (event, stream)) {
  return forward([&] { return cudaEventRecord(event, in_stream<kPerThread>(stream)); });
}
HEDDLE_DRIVER_API Result cuEventQuery(abi::Handle event) {
  return forward([&] { return cudaEventQuery(event); });
}
HEDDLE_DRIVER_API Result cuEventSynchronize(abi::Handle event) {
  return forward([&] { return cudaEventSynchronize(event); });
}
HEDDLE_DRIVER_API Result cuEventElapsedTime(float* milliseconds, abi::Handle start,
                                            abi::Handle end) {
  return forward([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}
HEDDLE_DRIVER_API Result cuEventElapsedTime_v2(float* milliseconds, abi::Handle start,
                                               abi::Handle end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

}  // namespace heddle::runtime::driver
