// Kernels that launch kernels (nvcc -rdc=true -lcudadevrt).
#include <cstdint>
#include <cstring>

#include "check.hpp"

__global__ void add(int* to, int value) { atomicAdd(to, value); }
__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded(int* to) { atomicAdd(to, 1); }

struct Large {
  int values[1000];
};
__global__ void take_large(Large large, int* to) { *to = large.values[0] + large.values[999]; }
__global__ void give_large(int* to) {
  Large large;
  for (int i = 0; i < 1000; ++i) large.values[i] = i;
  take_large<<<1, 1>>>(large, to);
}

__global__ void use_shared(int* to) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(to, words[blockDim.x - 1] + blockIdx.x + 10 * blockIdx.y);
}
__global__ void launch_shapes(int* to) { use_shared<<<dim3(2, 3), 64, 64 * sizeof(int)>>>(to); }

// Every thread launches; what it passes differs.
__global__ void launch_each(int* to) {
  if (threadIdx.x % 2 == 1) add<<<1, 1>>>(to + threadIdx.x, 100 * blockIdx.x + threadIdx.x);
}

// What a child sees was written before it was launched; what comes after a grid comes after all it
// launched.
__global__ void read(const int* from, int* to) { *to = *from; }
__global__ void write_and_launch(int* at) {
  at[0] = 17;
  __threadfence();
  read<<<1, 1>>>(at, at + 1);
}

// log[0]: entries; the children's order among them is not said, but the tail comes last.
__global__ void note(int* log, int value) { log[1 + atomicAdd(log, 1)] = value; }
__global__ void tails(int* log, int depth) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 100 + depth);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 200 + depth);
  note<<<1, 1>>>(log, depth);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 10 + depth);
  if (depth > 0) tails<<<1, 1>>>(log, depth - 1);
}

__global__ void streams(int* to) {
  cudaStream_t stream;
  cudaEvent_t event;
  int wrong = 0;
  wrong += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess;
  wrong += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
  add<<<1, 1, 0, stream>>>(to + 1, 5);
  wrong += cudaEventRecord(event, stream) != cudaSuccess;
  wrong += cudaStreamWaitEvent(stream, event, 0) != cudaSuccess;
  add<<<1, 1, 0, stream>>>(to + 1, 6);
  wrong += cudaEventDestroy(event) != cudaSuccess;
  wrong += cudaStreamDestroy(stream) != cudaSuccess;
  int device = -1, count = -1;
  wrong += cudaGetDevice(&device) != cudaSuccess || device != 0;
  wrong += cudaGetDeviceCount(&count) != cudaSuccess || count < 1;
  wrong += cudaDeviceGetAttribute(&count, cudaDevAttrWarpSize, 0) != cudaSuccess || count != 32;
  wrong +=
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, use_shared, 128, 1024) != cudaSuccess ||
      count != 16;
  wrong += cudaEventCreateWithFlags(&event, cudaEventDefault) != cudaErrorInvalidValue;
  to[0] = wrong;
}

// A refused launch is the thread's error and nothing else.
__global__ void refused(int* to) {
  nothing<<<1, 2000>>>();
  to[0] = cudaPeekAtLastError();
  to[1] = cudaGetLastError();
  to[2] = cudaGetLastError();
  nothing<<<0, 1>>>();
  to[3] = cudaGetLastError();
  bounded<<<1, 65>>>(to + 8);
  to[4] = cudaGetLastError();
  use_shared<<<1, 32, 49153>>>(to + 8);
  to[5] = cudaGetLastError();
  nothing<<<1, 1, 0, reinterpret_cast<cudaStream_t>(0x1234)>>>();
  to[6] = cudaGetLastError();
  bounded<<<1, 64>>>(to + 8);
  to[7] = cudaGetLastError();
}

// As many launches as there are threads are pending; what one thread launches again and again is
// not.
__global__ void launch_one_each(int* to) {
  add<<<1, 1>>>(to, 1);
  if (const int error = cudaGetLastError(); error != cudaSuccess) {
    atomicAdd(to + 1, 1);
    to[2] = error;
  }
}
__global__ void launch_tail_each(int* to) {
  add<<<1, 1, 0, cudaStreamTailLaunch>>>(to, 1);
  if (const int error = cudaGetLastError(); error != cudaSuccess) atomicAdd(to + 1, 1);
}
__global__ void launch_again_and_again(int* to) {
  for (int i = 0; i < 3000; ++i) {
    add<<<1, 1>>>(to, 1);
    to[1] += cudaGetLastError() != cudaSuccess;
  }
}

__global__ void launch_deeper(int* to, int left, bool tail) {
  to[0] += 1;
  if (left == 0) return;
  if (tail)
    launch_deeper<<<1, 1, 0, cudaStreamTailLaunch>>>(to, left - 1, tail);
  else
    launch_deeper<<<1, 1>>>(to, left - 1, tail);
  if (const int error = cudaGetLastError(); error != cudaSuccess) to[1] = error;
}

__global__ void wild(int* at) { *at = 1; }
__global__ void launch_wild() { wild<<<1, 1>>>(reinterpret_cast<int*>(8)); }

static int* device;
static int host[256];

template <typename Launch>
static void run(Launch launch) {
  OK(cudaMemset(device, 0, sizeof host));
  launch();
  OK(cudaGetLastError());
  OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
}

static int place(int value) {
  for (int i = 0; i < host[0]; ++i)
    if (host[1 + i] == value) return i;
  return -1;
}

int main() {
  OK(cudaMalloc(&device, sizeof host));
  run([] { give_large<<<1, 1>>>(device); });
  EXPECT(host[0] == 999);
  run([] { launch_shapes<<<1, 1>>>(device); });
  EXPECT(host[0] == 6 * 63 + 3 + 10 * 2 * 3);
  run([] { launch_each<<<3, 40>>>(device); });
  for (int i = 0; i < 40; ++i) EXPECT(host[i] == (i % 2 == 1 ? 300 + 3 * i : 0));
  run([] { write_and_launch<<<1, 1>>>(device); });
  EXPECT(host[0] == 17 && host[1] == 17);

  run([] { tails<<<1, 1>>>(device, 2); });
  EXPECT(host[0] == 12);
  for (int depth = 0; depth <= 2; ++depth) {
    EXPECT(place(depth) >= 0 && place(10 + depth) >= 0);
    EXPECT(place(100 + depth) > place(depth) && place(100 + depth) > place(10 + depth));
    EXPECT(place(200 + depth) > place(100 + depth));
    if (depth > 0) EXPECT(place(100 + depth) > place(200 + depth - 1));
  }

  run([] { streams<<<1, 1>>>(device); });
  EXPECT(host[0] == 0 && host[1] == 11);
  run([] { refused<<<1, 1>>>(device); });
  for (const int i : {0, 1, 3, 4, 5}) EXPECT(host[i] == cudaErrorInvalidConfiguration);
  EXPECT(host[2] == cudaSuccess && host[6] == cudaErrorInvalidValue && host[7] == cudaSuccess);
  EXPECT(host[8] == 64);

  run([] { launch_one_each<<<8, 256>>>(device); });
  EXPECT(host[0] == 2048 && host[1] == 0);
  run([] { launch_one_each<<<16, 256>>>(device); });
  EXPECT(host[0] >= 2048 && host[0] + host[1] == 4096);
  EXPECT(host[2] == cudaErrorLaunchPendingCountExceeded);
  run([] { launch_tail_each<<<16, 256>>>(device); });
  EXPECT(host[0] == 2048 && host[1] == 2048);
  run([] { launch_again_and_again<<<1, 1>>>(device); });
  EXPECT(host[0] == 3000 && host[1] == 0);
  OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
  run([] { launch_one_each<<<16, 256>>>(device); });
  EXPECT(host[0] == 4096 && host[1] == 0);

  // Deeper than CUDA allows; those at the end of their parents do not count.
  run([] { launch_deeper<<<1, 1>>>(device, 40, false); });
  EXPECT(host[0] == 25 && host[1] == cudaErrorLaunchMaxDepthExceeded);
  run([] { launch_deeper<<<1, 1>>>(device, 40, true); });
  EXPECT(host[0] == 41 && host[1] == cudaSuccess);

  // A child's fault is the context's.
  launch_wild<<<1, 1>>>();
  EXPECT_CALL(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  std::puts("nested: ok");
}
