// Streams, events, host functions and what is captured of them.
#include "answers.hpp"

__global__ void add(int* cell, int value) { *cell += value; }
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
static int* cell;

SECTION(streams) {
  cudaStream_t stream = nullptr;
  for (unsigned flags : {0u, 1u, 2u, 3u}) {
    std::printf("flags %u: %s\n", flags,
                cudaGetErrorName(cudaStreamCreateWithFlags(&stream, flags)));
    cudaGetLastError();
  }
  for (int priority : {0, -1, -5, -6, -100, 1, 100}) {
    const cudaError_t error = cudaStreamCreateWithPriority(&stream, 0, priority);
    int told = 77;
    cudaStreamGetPriority(stream, &told);
    std::printf("priority %d: %s %d\n", priority, cudaGetErrorName(error), told);
  }
  unsigned flags = 77;
  CALL(cudaStreamCreateWithFlags(&stream, 1));
  CALL(cudaStreamGetFlags(stream, &flags));
  VALUE(flags);
  int priority = 77;
  CALL(cudaStreamGetFlags(nullptr, &flags));
  VALUE(flags);
  CALL(cudaStreamGetFlags(cudaStreamLegacy, &flags));
  VALUE(flags);
  CALL(cudaStreamGetFlags(cudaStreamPerThread, &flags));
  VALUE(flags);
  CALL(cudaStreamGetPriority(nullptr, &priority));
  VALUE(priority);
  CALL(cudaStreamGetFlags(stream, nullptr));
  int device = 77;
  CALL(cudaStreamGetDevice(stream, &device));
  VALUE(device);
  unsigned long long one = 0, two = 0;
  CALL(cudaStreamGetId(stream, &one));
  CALL(cudaStreamGetId(nullptr, &two));
  VALUE(one != two);
  CALL(cudaStreamQuery(stream));
  CALL(cudaStreamSynchronize(stream));
  CALL(cudaStreamCreate(nullptr));
  CALL(cudaStreamDestroy(nullptr));
  last_error();
  CALL(cudaStreamDestroy(cudaStreamLegacy));
  CALL(cudaStreamDestroy(cudaStreamPerThread));
  CALL(cudaStreamWaitEvent(stream, nullptr, 0));
  CALL(cudaLaunchHostFunc(stream, nullptr, nullptr));
  CALL(cudaStreamAddCallback(stream, nullptr, nullptr, 0));
  CALL(cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1));
  CALL(cudaStreamDestroy(stream));
}

SECTION(stream_attributes) {
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  for (int id = 0; id < 20; ++id) {
    cudaLaunchAttributeValue wanted;
    std::memset(&wanted, 0, sizeof wanted);
    const cudaError_t got =
        cudaStreamGetAttribute(stream, static_cast<cudaLaunchAttributeID>(id), &wanted);
    int first = 0;
    std::memcpy(&first, &wanted, sizeof first);
    const cudaError_t set =
        cudaStreamSetAttribute(stream, static_cast<cudaLaunchAttributeID>(id), &wanted);
    std::printf("attribute %d: %s %d, %s\n", id, cudaGetErrorName(got),
                got == cudaSuccess ? first : 0, cudaGetErrorName(set));
    cudaGetLastError();
  }
  cudaLaunchAttributeValue wanted{};
  for (int policy : {1, 2, 3, 4, 0, 7}) {
    wanted.syncPolicy = static_cast<cudaSynchronizationPolicy>(policy);
    std::printf("policy %d: %s", policy,
                cudaGetErrorName(cudaStreamSetAttribute(
                    stream, cudaLaunchAttributeSynchronizationPolicy, &wanted)));
    cudaLaunchAttributeValue told{};
    cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &told);
    std::printf(" %d\n", told.syncPolicy);
  }
  void* memory = nullptr;
  cudaMalloc(&memory, 1 << 20);
  wanted = {};
  wanted.accessPolicyWindow.base_ptr = memory;
  wanted.accessPolicyWindow.num_bytes = 1 << 20;
  wanted.accessPolicyWindow.hitRatio = 0.5f;
  wanted.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  wanted.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  CALL(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &wanted));
  cudaLaunchAttributeValue told{};
  CALL(cudaStreamGetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &told));
  VALUE(told.accessPolicyWindow.num_bytes), VALUE(told.accessPolicyWindow.hitProp),
      VALUE(told.accessPolicyWindow.base_ptr == memory);
  CALL(cudaStreamCopyAttributes(other, stream));
  told = {};
  CALL(cudaStreamGetAttribute(other, cudaLaunchAttributeAccessPolicyWindow, &told));
  VALUE(told.accessPolicyWindow.num_bytes), VALUE(told.accessPolicyWindow.hitProp);
  wanted.accessPolicyWindow.num_bytes = std::size_t{1} << 40;
  CALL(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &wanted));
  wanted = {};
  wanted.priority = -3;
  CALL(cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, &wanted));
  int priority = 77;
  CALL(cudaStreamGetPriority(stream, &priority));
  VALUE(priority);
  wanted.memSyncDomain = cudaLaunchMemSyncDomainRemote;
  CALL(cudaStreamSetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &wanted));
  told = {};
  CALL(cudaStreamGetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &told));
  VALUE(told.memSyncDomain);
}

SECTION(events) {
  cudaEvent_t event = nullptr, other = nullptr, untimed = nullptr;
  for (unsigned flags : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u}) {
    std::printf("flags %u: %s\n", flags, cudaGetErrorName(cudaEventCreateWithFlags(&event, flags)));
    cudaGetLastError();
  }
  cudaEventCreate(&event);
  cudaEventCreate(&other);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  CALL(cudaEventQuery(event));
  CALL(cudaEventSynchronize(event));
  float time = 0;
  CALL(cudaEventElapsedTime(&time, event, other));
  last_error();
  CALL(cudaEventRecord(event));
  CALL(cudaEventElapsedTime(&time, event, other));
  last_error();
  CALL(cudaEventRecord(other));
  CALL(cudaEventRecord(untimed));
  CALL(cudaDeviceSynchronize());
  CALL(cudaEventElapsedTime(&time, event, other));
  VALUE(time >= 0);
  CALL(cudaEventElapsedTime(&time, event, untimed));
  CALL(cudaEventElapsedTime(&time, untimed, event));
  CALL(cudaEventElapsedTime(nullptr, event, other));
  CALL(cudaEventElapsedTime(&time, nullptr, other));
  CALL(cudaEventRecord(nullptr));
  CALL(cudaEventQuery(nullptr));
  CALL(cudaEventSynchronize(nullptr));
  CALL(cudaEventDestroy(nullptr));
  CALL(cudaEventCreate(static_cast<cudaEvent_t*>(nullptr)));
  CALL(cudaEventRecordWithFlags(event, nullptr, cudaEventRecordExternal));
  CALL(cudaEventRecordWithFlags(event, nullptr, 7));
  int* flag = nullptr;
  cudaHostAlloc(&flag, 4, cudaHostAllocMapped);
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  CALL(cudaEventRecord(event));
  CALL(cudaEventQuery(event));
  last_error();
  CALL(cudaEventElapsedTime(&time, other, event));
  last_error();
  CALL(cudaStreamQuery(0));
  last_error();
  *reinterpret_cast<volatile int*>(flag) = 1;
  CALL(cudaEventSynchronize(event));
  CALL(cudaEventQuery(event));
  CALL(cudaStreamQuery(0));
}

static void CUDART_CB in_callback(cudaStream_t, cudaError_t status, void* data) {
  std::printf("callback: %s, %d; ", cudaGetErrorName(status), *static_cast<int*>(data));
  void* memory;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&memory, 16)));
}
static void CUDART_CB in_host_function(void* data) {
  std::printf("host function: %d; ", *static_cast<int*>(data));
  std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorName(cudaStreamQuery(0)));
}
SECTION(callbacks) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&cell, 4);
  int data = 5;
  CALL(cudaStreamAddCallback(stream, in_callback, &data, 0));
  CALL(cudaStreamSynchronize(stream));
  CALL(cudaLaunchHostFunc(stream, in_host_function, &data));
  CALL(cudaStreamSynchronize(stream));
  last_error();
  add<<<1, 1, 0, stream>>>(nullptr, 1);
  CALL(cudaStreamAddCallback(stream, in_callback, &data, 0));
  CALL(cudaLaunchHostFunc(stream, in_host_function, &data));
  CALL(cudaStreamSynchronize(stream));
}

static const char* status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error != cudaSuccess) return cudaGetErrorName(error);
  return status == cudaStreamCaptureStatusNone     ? "none"
         : status == cudaStreamCaptureStatusActive ? "active"
                                                   : "invalidated";
}

// Each of these calls, made while a stream captures in a mode, and what becomes of the capture.
#define DURING(text, ...)                 \
  during(text, [&](cudaStream_t stream) { \
    (void)stream;                         \
    return __VA_ARGS__;                   \
  })
template <typename Call>
static void during(const char* text, Call call) {
  for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                    cudaStreamCaptureModeRelaxed}) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, mode);
    const cudaError_t error = call(stream);
    const cudaError_t last = cudaGetLastError();
    const char* status = status_of(stream);
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    std::size_t nodes = 0;
    if (graph != nullptr) cudaGraphGetNodes(graph, nullptr, &nodes);
    std::printf("%s, mode %d: %s, last %s, then %s, end %s, %zu nodes\n", text, mode,
                cudaGetErrorName(error), cudaGetErrorName(last), status, cudaGetErrorName(ended),
                nodes);
    cudaStreamDestroy(stream);
  }
}
SECTION(while_capturing) {
  static int host[16];
  int *memory = nullptr, *pinned = nullptr, *managed = nullptr;
  cudaMalloc(&memory, 64);
  cudaMallocHost(&pinned, 64);
  cudaMallocManaged(&managed, 64);
  cudaStream_t other, blocking;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking);
  cudaEvent_t event, fresh;
  cudaEventCreate(&event);
  cudaEventRecord(event, other);
  void* p = nullptr;
  std::size_t a, b;
  float time;
  cudaDeviceSynchronize();
  DURING("nothing", cudaSuccess);
  DURING("kernel", (add<<<1, 1, 0, stream>>>(memory, 1), cudaSuccess));
  DURING("kernel in another stream", (add<<<1, 1, 0, other>>>(memory, 1), cudaSuccess));
  DURING("kernel in a blocking stream", (add<<<1, 1, 0, blocking>>>(memory, 1), cudaSuccess));
  DURING("kernel in stream 0", (add<<<1, 1>>>(memory, 1), cudaPeekAtLastError()));
  DURING("bad kernel", (add<<<0, 1, 0, stream>>>(memory, 1), cudaPeekAtLastError()));
  DURING("cudaMalloc", cudaMalloc(&p, 64));
  DURING("cudaFree", cudaFree(p));
  DURING("cudaFree of nothing", cudaFree(nullptr));
  DURING("cudaMallocHost", cudaMallocHost(&p, 64));
  DURING("cudaMallocManaged", cudaMallocManaged(&p, 64));
  DURING("cudaMallocAsync", cudaMallocAsync(&p, 64, stream));
  DURING("cudaMemcpy", cudaMemcpy(host, memory, 64, cudaMemcpyDeviceToHost));
  DURING("cudaMemcpyAsync", cudaMemcpyAsync(memory, pinned, 64, cudaMemcpyHostToDevice, stream));
  DURING("cudaMemcpyAsync, pageable",
         cudaMemcpyAsync(memory, host, 64, cudaMemcpyHostToDevice, stream));
  DURING("cudaMemcpyAsync, back",
         cudaMemcpyAsync(host, memory, 64, cudaMemcpyDeviceToHost, stream));
  DURING("cudaMemcpyAsync, wrong",
         cudaMemcpyAsync(nullptr, memory, 64, cudaMemcpyDeviceToHost, stream));
  DURING("cudaMemcpyAsync of nothing",
         cudaMemcpyAsync(host, memory, 0, cudaMemcpyDeviceToHost, stream));
  DURING("cudaMemset", cudaMemset(memory, 0, 64));
  DURING("cudaMemsetAsync", cudaMemsetAsync(memory, 0, 64, stream));
  DURING(
      "cudaMemPrefetchAsync",
      cudaMemPrefetchAsync(managed, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream));
  DURING("cudaStreamSynchronize", cudaStreamSynchronize(stream));
  DURING("cudaStreamSynchronize of another", cudaStreamSynchronize(other));
  DURING("cudaStreamSynchronize of stream 0", cudaStreamSynchronize(nullptr));
  DURING("cudaStreamQuery", cudaStreamQuery(stream));
  DURING("cudaStreamQuery of another", cudaStreamQuery(other));
  DURING("cudaStreamQuery of stream 0", cudaStreamQuery(nullptr));
  DURING("cudaDeviceSynchronize", cudaDeviceSynchronize());
  DURING("cudaEventRecord", cudaEventRecord(event, stream));
  DURING("cudaEventRecord, in another", cudaEventRecord(event, other));
  DURING("cudaEventQuery of a captured one",
         (cudaEventRecord(event, stream), cudaEventQuery(event)));
  DURING("cudaEventSynchronize of a captured one",
         (cudaEventRecord(event, stream), cudaEventSynchronize(event)));
  DURING("cudaEventElapsedTime of a captured one",
         (cudaEventRecord(event, stream), cudaEventElapsedTime(&time, event, event)));
  cudaEventCreate(&fresh);
  cudaEventRecord(fresh, other);
  cudaDeviceSynchronize();
  DURING("cudaEventQuery", cudaEventQuery(fresh));
  DURING("cudaEventSynchronize", cudaEventSynchronize(fresh));
  DURING("cudaStreamWaitEvent from outside", cudaStreamWaitEvent(stream, fresh, 0));
  DURING("cudaEventCreate", cudaEventCreate(&event));
  DURING("cudaStreamCreate", cudaStreamCreate(&other));
  DURING("cudaLaunchHostFunc", cudaLaunchHostFunc(
                                   stream, [](void*) {}, nullptr));
  DURING("cudaStreamAddCallback", cudaStreamAddCallback(
                                      stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0));
  DURING("cudaMemGetInfo", cudaMemGetInfo(&a, &b));
  DURING("cudaGetDevice", cudaGetDevice(host));
  DURING("cudaFuncSetAttribute",
         cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 100));
  DURING("cudaDeviceSetLimit", cudaDeviceSetLimit(cudaLimitStackSize, 2048));
  DURING("begin again", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  DURING("not joined", (cudaEventRecord(event, stream), cudaStreamWaitEvent(other, event, 0),
                        add<<<1, 1, 0, other>>>(memory, 1), cudaSuccess));
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  DURING("joined", (cudaEventRecord(event, stream), cudaStreamWaitEvent(other, event, 0),
                    add<<<1, 1, 0, other>>>(memory, 1), cudaEventRecord(fresh, other),
                    cudaStreamWaitEvent(stream, fresh, 0), cudaSuccess));
}

SECTION(capturing) {
  cudaStream_t stream, other;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaMalloc(&cell, 4);
  CALL(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamEndCapture(cudaStreamPerThread, &graph));
  CALL(cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(3)));
  CALL(cudaStreamEndCapture(stream, &graph));
  last_error();
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CALL(cudaStreamEndCapture(stream, nullptr));
  VALUE(status_of(stream));
  CALL(cudaStreamEndCapture(stream, &graph));
  VALUE(status_of(stream));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, stream>>>(cell, 1);
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  cudaGraph_t captured = nullptr;
  const cudaGraphNode_t* after = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 77;
  CALL(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &after, &edges, &count));
  VALUE(status), VALUE(id != 0), VALUE(captured != nullptr), VALUE(count), VALUE(edges == nullptr);
  cudaGraphNode_t node;
  CALL(cudaGraphAddEmptyNode(&node, captured, after, count));
  CALL(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                           cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(cell, 2);
  CALL(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, &after, nullptr, &count));
  VALUE(count);
  CALL(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                           cudaStreamAddCaptureDependencies));
  CALL(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, &after, nullptr, &count));
  VALUE(count);
  CALL(cudaStreamEndCapture(stream, &graph));
  VALUE(graph == captured);
  std::size_t nodes = 0, roots = 0;
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  CALL(cudaGraphGetRootNodes(graph, nullptr, &roots));
  VALUE(nodes), VALUE(roots);
  CALL(cudaStreamGetCaptureInfo(other, &status, &id, &captured, nullptr, nullptr, nullptr));
  VALUE(status);
  CALL(cudaGraphCreate(&graph, 0));
  CALL(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  CALL(cudaStreamBeginCaptureToGraph(stream, graph, &node, nullptr, 1,
                                     cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, stream>>>(cell, 1);
  cudaGraph_t same = nullptr;
  CALL(cudaStreamEndCapture(stream, &same));
  VALUE(same == graph);
  CALL(cudaGraphGetNodes(graph, nullptr, &nodes));
  VALUE(nodes);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CALL(cudaThreadExchangeStreamCaptureMode(&mode));
  VALUE(mode);
  CALL(cudaThreadExchangeStreamCaptureMode(&mode));
  VALUE(mode);
  CALL(cudaThreadExchangeStreamCaptureMode(nullptr));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaStream_t second = other;
  CALL(cudaStreamBeginCapture(second, cudaStreamCaptureModeGlobal));
  cudaEvent_t event;
  cudaEventCreate(&event);
  CALL(cudaEventRecord(event, stream));
  CALL(cudaStreamWaitEvent(second, event, 0));
  CALL(cudaStreamEndCapture(second, &graph));
  CALL(cudaStreamEndCapture(stream, &graph));
  last_error();
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CALL(cudaEventRecord(event, stream));
  CALL(cudaStreamWaitEvent(second, event, 0));
  CALL(cudaStreamEndCapture(second, &graph));
  CALL(cudaStreamEndCapture(stream, &graph));
  CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CALL(cudaStreamDestroy(stream));
}
