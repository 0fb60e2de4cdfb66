// Streams, events, callbacks and host functions: asynchronous, and in order.
#include <atomic>
#include <vector>

#include "check.hpp"

__global__ void times_three_plus(int* value, int add) { *value = 3 * *value + add; }

__global__ void wait_for_flag(volatile int* flag, int* seen) {
  while (*flag == 0) {
  }
  *seen = *flag;
}

__global__ void copy_value(const int* from, int* to) { *to = *from; }

static void order_within_a_stream() {
  cudaStream_t stream;
  int *value, result = 0;
  OK(cudaMalloc(&value, 4));
  OK(cudaStreamCreate(&stream));
  OK(cudaMemsetAsync(value, 0, 4, stream));
  int expected = 0;
  for (int i = 0; i < 10; ++i) {
    times_three_plus<<<1, 1, 0, stream>>>(value, i);
    expected = 3 * expected + i;
  }
  OK(cudaMemcpyAsync(&result, value, 4, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(result == expected);
  OK(cudaStreamQuery(stream));
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(value));
}

// A kernel that waits for the program: a launch must not hold the program up.
static void launches_return_at_once() {
  cudaStream_t stream;
  cudaEvent_t done;
  int* flag;
  OK(cudaHostAlloc(&flag, 2 * sizeof(int), cudaHostAllocMapped));
  flag[0] = flag[1] = 0;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreate(&done));
  wait_for_flag<<<1, 1, 0, stream>>>(flag, flag + 1);
  OK(cudaEventRecord(done, stream));
  EXPECT_CALL(cudaErrorNotReady, cudaStreamQuery(stream));
  EXPECT_CALL(cudaErrorNotReady, cudaEventQuery(done));
  OK(cudaGetLastError());  // that is no error to keep
  *static_cast<volatile int*>(flag) = 7;
  OK(cudaEventSynchronize(done));
  EXPECT(flag[1] == 7);
  OK(cudaEventDestroy(done));
  OK(cudaStreamDestroy(stream));
  OK(cudaFreeHost(flag));
}

static void events_order_streams() {
  cudaStream_t first, second;
  cudaEvent_t event, untimed;
  int* values;
  OK(cudaMalloc(&values, 8));
  OK(cudaMemset(values, 0, 8));
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  times_three_plus<<<1, 1, 0, first>>>(values, 5);
  OK(cudaEventRecord(event, first));
  OK(cudaStreamWaitEvent(second, event, 0));
  copy_value<<<1, 1, 0, second>>>(values, values + 1);
  int result[2];
  OK(cudaMemcpyAsync(result, values, 8, cudaMemcpyDeviceToHost, second));
  OK(cudaStreamSynchronize(second));
  EXPECT(result[1] == 5);

  float elapsed = -1;
  cudaEvent_t end;
  OK(cudaEventCreate(&end));
  EXPECT_CALL(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&elapsed, event, end));
  OK(cudaEventRecord(end, second));
  OK(cudaEventRecord(untimed, second));
  OK(cudaEventSynchronize(end));
  OK(cudaEventElapsedTime(&elapsed, event, end));
  EXPECT(elapsed > 0);
  OK(cudaEventSynchronize(untimed));
  EXPECT_CALL(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&elapsed, event, untimed));
  OK(cudaEventDestroy(event));
  OK(cudaFree(values));
}

struct Log {
  std::vector<int> entries;
  cudaError_t seen = cudaErrorUnknown;
  cudaError_t inside = cudaSuccess;
};

static void CUDART_CB note_status(cudaStream_t, cudaError_t status, void* data) {
  auto* log = static_cast<Log*>(data);
  log->seen = status;
  log->entries.push_back(1);
}

static void CUDART_CB note_call(void* data) {
  auto* log = static_cast<Log*>(data);
  void* pointer;
  log->inside = cudaMalloc(&pointer, 4);  // not permitted here
  log->entries.push_back(2);
}

static void callbacks_come_in_order() {
  cudaStream_t stream;
  Log log;
  int *value, result = 0;
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&value, 4));
  OK(cudaMemsetAsync(value, 0, 4, stream));
  times_three_plus<<<1, 1, 0, stream>>>(value, 9);
  OK(cudaStreamAddCallback(stream, note_status, &log, 0));
  OK(cudaLaunchHostFunc(stream, note_call, &log));
  OK(cudaMemcpyAsync(&result, value, 4, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT((log.entries == std::vector<int>{1, 2}));
  EXPECT(log.seen == cudaSuccess && log.inside == cudaErrorNotPermitted && result == 9);
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(value));
}

static void pageable_sources_may_change_at_once() {
  cudaStream_t stream;
  int* device;
  std::vector<int> source(1 << 16, 11), back(1 << 16);
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&device, source.size() * 4));
  OK(cudaMemcpyAsync(device, source.data(), source.size() * 4, cudaMemcpyHostToDevice, stream));
  for (int& each : source) each = 0;
  OK(cudaMemcpyAsync(back.data(), device, back.size() * 4, cudaMemcpyDeviceToHost, stream));
  EXPECT(back.front() == 11 && back.back() == 11);
  OK(cudaFree(device));
}

static void attributes() {
  cudaStream_t stream;
  int least, greatest, priority, device;
  unsigned flags;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest == -5);
  OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
  OK(cudaStreamGetPriority(stream, &priority));
  OK(cudaStreamGetFlags(stream, &flags));
  OK(cudaStreamGetDevice(stream, &device));
  EXPECT(priority == greatest && flags == cudaStreamNonBlocking && device == 0);
  OK(cudaStreamDestroy(stream));
  OK(cudaStreamSynchronize(cudaStreamLegacy));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
}

int main() {
  order_within_a_stream();
  launches_return_at_once();
  events_order_streams();
  callbacks_come_in_order();
  pageable_sources_may_change_at_once();
  attributes();
  std::puts("streams: ok");
}
