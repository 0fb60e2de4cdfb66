// What captures do not allow, and what becomes of them.
#include <thread>

#include "check.hpp"

__global__ void add(int* cell, int value) { *cell += value; }
static int* cell;

// The capture that `call` is made in ends with `ended`.
template <typename Call>
static void during(cudaStreamCaptureMode mode, cudaError_t ended, Call call,
                   unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream;
  cudaGraph_t graph;
  OK(cudaStreamCreateWithFlags(&stream, flags));
  OK(cudaStreamBeginCapture(stream, mode));
  call(stream);
  EXPECT_CALL(ended, cudaStreamEndCapture(stream, &graph));
  EXPECT((graph != nullptr) == (ended == cudaSuccess));
  cudaGetLastError();
  OK(cudaStreamDestroy(stream));
}

constexpr auto kUnsupported = cudaErrorStreamCaptureUnsupported;
constexpr auto kInvalidated = cudaErrorStreamCaptureInvalidated;

static void unsafe_calls() {
  void* memory = nullptr;
  for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    during(mode, kInvalidated,
           [&](cudaStream_t) { EXPECT_CALL(kUnsupported, cudaMalloc(&memory, 64)); });
    during(mode, kInvalidated, [&](cudaStream_t) { EXPECT_CALL(kUnsupported, cudaFree(cell)); });
    during(mode, kInvalidated,
           [&](cudaStream_t) { EXPECT_CALL(kUnsupported, cudaStreamSynchronize(nullptr)); });
  }
  during(cudaStreamCaptureModeRelaxed, cudaSuccess, [&](cudaStream_t) {
    OK(cudaMalloc(&memory, 64));
    OK(cudaFree(memory));
  });
  // A thread may ask for as much.
  during(cudaStreamCaptureModeGlobal, cudaSuccess, [&](cudaStream_t) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == cudaStreamCaptureModeGlobal);
    OK(cudaMalloc(&memory, 64));
    OK(cudaFree(memory));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
  });
  // What other threads may do depends on the capture.
  during(cudaStreamCaptureModeGlobal, kInvalidated, [&](cudaStream_t) {
    std::thread([&] { EXPECT_CALL(kUnsupported, cudaMalloc(&memory, 64)); }).join();
  });
  during(cudaStreamCaptureModeThreadLocal, cudaSuccess,
         [&](cudaStream_t) { std::thread([&] { OK(cudaMalloc(&memory, 64)); }).join(); });
  during(cudaStreamCaptureModeRelaxed, kInvalidated,
         [](cudaStream_t) { EXPECT_CALL(kUnsupported, cudaDeviceSynchronize()); });
}

static void default_stream() {
  const auto in_stream_0 = [](cudaStream_t) {
    add<<<1, 1>>>(cell, 1);
    EXPECT_CALL(cudaErrorStreamCaptureImplicit, cudaGetLastError());
  };
  during(cudaStreamCaptureModeRelaxed, kInvalidated, in_stream_0, cudaStreamDefault);
  during(cudaStreamCaptureModeRelaxed, cudaSuccess, [](cudaStream_t) {
    add<<<1, 1>>>(cell, 1);
    OK(cudaGetLastError());
  });
}

static void events() {
  cudaEvent_t captured, outside;
  cudaStream_t other;
  float milliseconds;
  OK(cudaEventCreate(&captured));
  OK(cudaEventCreate(&outside));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventRecord(outside, other));
  during(cudaStreamCaptureModeRelaxed, kInvalidated, [&](cudaStream_t stream) {
    OK(cudaEventRecord(captured, stream));
    EXPECT_CALL(cudaErrorCapturedEvent, cudaEventElapsedTime(&milliseconds, captured, captured));
    EXPECT_CALL(cudaErrorCapturedEvent, cudaEventSynchronize(captured));
  });
  during(cudaStreamCaptureModeRelaxed, kInvalidated, [&](cudaStream_t stream) {
    EXPECT_CALL(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, outside, 0));
  });
  during(cudaStreamCaptureModeRelaxed, cudaErrorStreamCaptureUnjoined, [&](cudaStream_t stream) {
    OK(cudaEventRecord(captured, stream));
    OK(cudaStreamWaitEvent(other, captured, 0));
    add<<<1, 1, 0, other>>>(cell, 1);
  });
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(other, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
}

static void ends() {
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaGraph_t graph;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreate(&second));
  OK(cudaEventCreate(&event));
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  EXPECT_CALL(cudaErrorIllegalState, cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, first));
  OK(cudaStreamWaitEvent(second, event, 0));
  EXPECT_CALL(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(second, &graph));
  EXPECT_CALL(kInvalidated, cudaStreamEndCapture(first, &graph));
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  std::thread([&] {
    EXPECT_CALL(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(first, &graph));
  }).join();
  EXPECT_CALL(cudaErrorIllegalState, cudaStreamEndCapture(first, &graph));  // it has ended
  // A stream that goes takes its capture along.
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  OK(cudaStreamDestroy(first));
  OK(cudaDeviceSynchronize());
}

int main() {
  OK(cudaMalloc(&cell, sizeof *cell));
  unsafe_calls();
  default_stream();
  events();
  ends();
  std::puts("captures: ok");
}
