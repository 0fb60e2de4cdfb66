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

// The runtime's callbacks get errors of its kind: the numbers that a callback sees are results
// here.
HEDDLE_DRIVER_STREAM_API(cuStreamAddCallback, _ptsz,
                         (abi::Handle stream, StreamCallback callback, void* data, unsigned flags),
                         (stream, callback, data, flags)) {
  return forward(
      [&] { return cudaStreamAddCallback(in_stream<kPerThread>(stream), callback, data, flags); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamAttachMemAsync, _ptsz,
                         (abi::Handle stream, DevicePointer address, std::size_t bytes,
                          unsigned flags),
                         (stream, address, bytes, flags)) {
  return forward([&] {
    return cudaStreamAttachMemAsync(in_stream<kPerThread>(stream), at(address), bytes, flags);
  });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetId, _ptsz, (abi::Handle stream, unsigned long long* id),
                         (stream, id)) {
  return forward([&] { return cudaStreamGetId(in_stream<kPerThread>(stream), id); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetDevice, _ptsz, (abi::Handle stream, int* device),
                         (stream, device)) {
  return forward([&] { return cudaStreamGetDevice(in_stream<kPerThread>(stream), device); });
}

// Capturing, and launching what was captured: graphs are the runtime interface's.
HEDDLE_DRIVER_STREAM_API(cuStreamBeginCapture_v2, _ptsz, (abi::Handle stream, int mode),
                         (stream, mode)) {
  return forward([&] { return cudaStreamBeginCapture(in_stream<kPerThread>(stream), mode); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamEndCapture, _ptsz, (abi::Handle stream, abi::Handle* graph),
                         (stream, graph)) {
  return forward([&] { return cudaStreamEndCapture(in_stream<kPerThread>(stream), graph); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamIsCapturing, _ptsz, (abi::Handle stream, int* status),
                         (stream, status)) {
  return forward([&] { return cudaStreamIsCapturing(in_stream<kPerThread>(stream), status); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamBeginCaptureToGraph, _ptsz,
                         (abi::Handle stream, abi::Handle graph, const abi::Handle* after,
                          const void* edges, std::size_t count, int mode),
                         (stream, graph, after, edges, count, mode)) {
  return forward([&] {
    return cudaStreamBeginCaptureToGraph(in_stream<kPerThread>(stream), graph, after, edges, count,
                                         mode);
  });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetCaptureInfo_v3, _ptsz,
                         (abi::Handle stream, int* status, unsigned long long* id,
                          abi::Handle* graph, const abi::Handle** after, const void** edges,
                          std::size_t* count),
                         (stream, status, id, graph, after, edges, count)) {
  return forward([&] {
    return cudaStreamGetCaptureInfo(in_stream<kPerThread>(stream), status, id, graph, after, edges,
                                    count);
  });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetCaptureInfo_v2, _ptsz,
                         (abi::Handle stream, int* status, unsigned long long* id,
                          abi::Handle* graph, const abi::Handle** after, std::size_t* count),
                         (stream, status, id, graph, after, count)) {
  return forward([&] {
    return cudaStreamGetCaptureInfo(in_stream<kPerThread>(stream), status, id, graph, after,
                                    nullptr, count);
  });
}
HEDDLE_DRIVER_STREAM_API(cuStreamUpdateCaptureDependencies_v2, _ptsz,
                         (abi::Handle stream, abi::Handle* nodes, const void* edges,
                          std::size_t count, unsigned flags),
                         (stream, nodes, edges, count, flags)) {
  return forward([&] {
    return cudaStreamUpdateCaptureDependencies(in_stream<kPerThread>(stream), nodes, edges, count,
                                               flags);
  });
}
HEDDLE_DRIVER_STREAM_API(cuStreamUpdateCaptureDependencies, _ptsz,
                         (abi::Handle stream, abi::Handle* nodes, std::size_t count,
                          unsigned flags),
                         (stream, nodes, count, flags)) {
  return forward([&] {
    return cudaStreamUpdateCaptureDependencies(in_stream<kPerThread>(stream), nodes, nullptr, count,
                                               flags);
  });
}
HEDDLE_DRIVER_API Result cuThreadExchangeStreamCaptureMode(int* mode) {
  return forward([&] { return cudaThreadExchangeStreamCaptureMode(mode); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetAttribute, _ptsz,
                         (abi::Handle stream, int attribute, void* value),
                         (stream, attribute, value)) {
  return forward(
      [&] { return cudaStreamGetAttribute(in_stream<kPerThread>(stream), attribute, value); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamSetAttribute, _ptsz,
                         (abi::Handle stream, int attribute, const void* value),
                         (stream, attribute, value)) {
  return forward(
      [&] { return cudaStreamSetAttribute(in_stream<kPerThread>(stream), attribute, value); });
}
HEDDLE_DRIVER_STREAM_API(cuStreamCopyAttributes, _ptsz, (abi::Handle to, abi::Handle from),
                         (to, from)) {
  return forward([&] {
    return cudaStreamCopyAttributes(in_stream<kPerThread>(to), in_stream<kPerThread>(from));
  });
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetCtx, _ptsz, (abi::Handle stream, abi::Handle* context),
                         (stream, context)) {
  if (context == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  CudaContext* found = nullptr;
  const Result result =
      forward([&] { return support().context_of(in_stream<kPerThread>(stream), &found); });
  if (result == Result::CUDA_SUCCESS)
    *context = found != nullptr ? found : support().contexts().current();
  return result;
}
HEDDLE_DRIVER_STREAM_API(cuStreamGetCtx_v2, _ptsz,
                         (abi::Handle stream, abi::Handle* context, abi::Handle* green),
                         (stream, context, green)) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx_with<kPerThread>(stream, context);
}
HEDDLE_DRIVER_API Result cuGraphCreate(abi::Handle* graph, unsigned flags) {
  return forward([&] { return cudaGraphCreate(graph, flags); });
}
HEDDLE_DRIVER_API Result cuGraphDestroy(abi::Handle graph) {
  return forward([&] { return cudaGraphDestroy(graph); });
}
HEDDLE_DRIVER_API Result cuGraphClone(abi::Handle* clone, abi::Handle graph) {
  return forward([&] { return cudaGraphClone(clone, graph); });
}
HEDDLE_DRIVER_API Result cuGraphGetNodes(abi::Handle graph, abi::Handle* nodes,
                                         std::size_t* count) {
  return forward([&] { return cudaGraphGetNodes(graph, nodes, count); });
}
HEDDLE_DRIVER_API Result cuGraphInstantiateWithFlags(abi::Handle* executable, abi::Handle graph,
                                                     unsigned long long flags) {
  return forward([&] { return cudaGraphInstantiateWithFlags(executable, graph, flags); });
}
HEDDLE_DRIVER_API Result cuGraphExecDestroy(abi::Handle executable) {
  return forward([&] { return cudaGraphExecDestroy(executable); });
}
HEDDLE_DRIVER_STREAM_API(cuGraphLaunch, _ptsz, (abi::Handle executable, abi::Handle stream),
                         (executable, stream)) {
  return forward([&] { return cudaGraphLaunch(executable, in_stream<kPerThread>(stream)); });
}
HEDDLE_DRIVER_STREAM_API(cuGraphUpload, _ptsz, (abi::Handle executable, abi::Handle stream),
                         (executable, stream)) {
  return forward([&] { return cudaGraphUpload(executable, in_stream<kPerThread>(stream)); });
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
HEDDLE_DRIVER_STREAM_API(cuEventRecordWithFlags, _ptsz,
                         (abi::Handle event, abi::Handle stream, unsigned flags),
                         (event, stream, flags)) {
  return forward(
      [&] { return cudaEventRecordWithFlags(event, in_stream<kPerThread>(stream), flags); });
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
