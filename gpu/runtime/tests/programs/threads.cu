// Four host threads: each with a stream of its own, all with shared data they hand on through
// events, and a default stream per thread (this file is compiled with --default-stream per-thread
// too).
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "check.hpp"

constexpr int kThreads = 4, kRounds = 25, kCount = 1024;

__global__ void step(int* data, int count, int factor, int add) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = data[i] * factor + add;
}

static int expected_after(int rounds, int factor, int add, int start) {
  int value = start;
  for (int i = 0; i < rounds; ++i) value = value * factor + add;
  return value;
}

// What each thread computes by itself does not depend on the others.
static void alone(int number) {
  cudaStream_t stream;
  int* device;
  std::vector<int> host(kCount, number), back(kCount);
  OK(cudaSetDevice(0));
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMalloc(&device, kCount * 4));
  OK(cudaMemcpyAsync(device, host.data(), kCount * 4, cudaMemcpyHostToDevice, stream));
  for (int round = 0; round < kRounds; ++round)
    step<<<kCount / 128, 128, 0, stream>>>(device, kCount, 3, number);
  OK(cudaMemcpyAsync(back.data(), device, kCount * 4, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (int value : back) EXPECT(value == expected_after(kRounds, 3, number, number));
  // The thread's own last error is not another thread's.
  if (number == 1)
    EXPECT_CALL(cudaErrorInvalidValue, cudaMemcpy(device, nullptr, 4, cudaMemcpyDefault));
  EXPECT_CALL(number == 1 ? cudaErrorInvalidValue : cudaSuccess, cudaGetLastError());
  OK(cudaFree(device));
  OK(cudaStreamDestroy(stream));
}

// The threads take turns on one buffer; each waits for the event of the one before.
struct Relay {
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  cudaEvent_t last = nullptr;
};

static void in_turns(Relay& relay, int number, int* device) {
  cudaStream_t stream;
  cudaEvent_t mine;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming));
  for (int round = 0; round < kRounds; ++round) {
    std::unique_lock<std::mutex> lock(relay.mutex);
    relay.changed.wait(lock, [&] { return relay.turn % kThreads == number; });
    if (relay.last != nullptr) OK(cudaStreamWaitEvent(stream, relay.last, 0));
    step<<<kCount / 128, 128, 0, stream>>>(device, kCount, 5, number);
    OK(cudaEventRecord(mine, stream));
    relay.last = mine;
    ++relay.turn;
    relay.changed.notify_all();
  }
  OK(cudaStreamSynchronize(stream));
}

// Stream 0: shared and in order by default, each thread's own with per-thread default streams.
static void on_the_default_stream(int number) {
  int *device, back[32];
  OK(cudaMalloc(&device, sizeof back));
  OK(cudaMemset(device, 0, sizeof back));
  for (int round = 0; round < kRounds; ++round) step<<<1, 32>>>(device, 32, 2, number);
  OK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
  for (int value : back) EXPECT(value == expected_after(kRounds, 2, number, 0));
  OK(cudaFree(device));
}

template <typename Body>
static void on_all_threads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([=] { body(i); });
  for (std::thread& each : threads) each.join();
}

// A host function is told that it may not call CUDA, also while a thread that loads code waits for
// it. The pause lets that thread come as far; without it the test shows less, and passes too.
static void refused_in_a_host_function() {
  static std::atomic<bool> loading{false};
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaLaunchHostFunc(
      stream,
      [](void*) {
        while (!loading) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        void* memory;
        EXPECT_CALL(cudaErrorNotPermitted, cudaMalloc(&memory, 4));
      },
      nullptr));
  loading = true;
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, step));
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamDestroy(stream));
}

int main() {
  refused_in_a_host_function();  // first: nothing has been loaded
  on_all_threads(alone);
  on_all_threads(on_the_default_stream);

  Relay relay;
  int *device, back[kCount], value = 0;
  OK(cudaMalloc(&device, sizeof back));
  OK(cudaMemset(device, 0, sizeof back));
  on_all_threads([&relay, device](int number) { in_turns(relay, number, device); });
  OK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kRounds * kThreads; ++i)
    value =
        static_cast<int>(static_cast<unsigned>(value) * 5u + static_cast<unsigned>(i % kThreads));
  for (int each : back) EXPECT(each == value);
  std::puts("threads: ok");
}
