// Kernels that wait for what the host, or another stream, writes while they execute. Nothing here
// depends on how fast anybody is.
#include <cooperative_groups.h>

#include <cfenv>
#include <cstring>
#include <thread>

#include "check.hpp"

__global__ void answer(volatile int* flag, int rounds) {
  for (int i = 1; i <= rounds; ++i) {
    flag[1] = i;
    while (flag[0] != i) {
    }
  }
}
__global__ void wait_asleep(volatile int* flag) {
  while (flag[0] == 0) __nanosleep(1000);
  flag[1] = flag[0];
}
__global__ void wait_by_atomics(int* flag) {
  while (atomicAdd_system(flag, 0) == 0) {
  }
  flag[1] = 1;
}
__global__ void set(volatile int* flag, int value) { flag[0] = value; }
__global__ void wait_for_all(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*static_cast<volatile int*>(arrived) < gridDim.x) {
    }
  }
  __syncthreads();
}

static void ask(int* flag, int rounds) {
  volatile int* shown = flag;
  for (int i = 1; i <= rounds; ++i) {
    while (shown[1] != i) std::this_thread::yield();
    shown[0] = i;
  }
}

// The host sees a request and answers it, many times.
static void host() {
  constexpr int kRounds = 20;
  for (const bool managed : {false, true}) {
    int* flag;
    if (managed)
      OK(cudaMallocManaged(&flag, 64));
    else
      OK(cudaMallocHost(&flag, 64));
    std::memset(flag, 0, 64);
    answer<<<1, 32>>>(flag, kRounds);
    ask(flag, kRounds);
    OK(cudaDeviceSynchronize());
  }
  int* flag;
  OK(cudaMallocHost(&flag, 64));
  std::memset(flag, 0, 64);
  // Another thread answers while this one waits.
  answer<<<1, 32>>>(flag, kRounds);
  std::thread other([&] { ask(flag, kRounds); });
  OK(cudaDeviceSynchronize());
  other.join();
}

// What was submitted to other streams goes on: copies, fills, and kernels.
static void streams() {
  cudaStream_t one, two;
  OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  int *flag, seen[2];
  OK(cudaMalloc(&flag, 64));
  const int value = 5;
  for (int how = 0; how < 5; ++how) {
    OK(cudaMemset(flag, 0, 64));
    if (how == 2)
      wait_by_atomics<<<1, 1, 0, one>>>(flag);
    else
      wait_asleep<<<1, 1, 0, one>>>(flag);
    if (how == 0) OK(cudaMemcpyAsync(flag, &value, 4, cudaMemcpyHostToDevice, two));
    if (how == 1) OK(cudaMemsetAsync(flag, 1, 4, two));
    if (how == 2 || how == 3) set<<<1, 1, 0, two>>>(flag, 7);
    if (how == 4) OK(cudaMemcpy(flag, &value, 4, cudaMemcpyHostToDevice));
    OK(cudaStreamSynchronize(two));
    OK(cudaStreamSynchronize(one));
    OK(cudaMemcpy(seen, flag, 8, cudaMemcpyDeviceToHost));
    EXPECT(seen[1] == (how == 2 ? 1 : seen[0]) && seen[1] != 0);
  }
}

// Whose turn it is stands in `turn`; each kernel hands it on to the other.
__global__ void take_turns(volatile int* turn, int me, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    while (*turn != me) {
    }
    turn[1 + me] = i + 1;
    __threadfence_system();
    *turn = 1 - me;
  }
}

// Two kernels that wait for one another, on one GPU and on two.
static void kernels() {
  constexpr int kRounds = 20;
  int gpus = 0;
  OK(cudaGetDeviceCount(&gpus));
  cudaStream_t streams[2];
  volatile int* turn;
  OK(cudaHostAlloc((void**)&turn, 64, cudaHostAllocPortable));
  for (int me = 0; me < 2; ++me) {
    OK(cudaSetDevice(me % gpus));
    OK(cudaStreamCreateWithFlags(&streams[me], cudaStreamNonBlocking));
  }
  for (const int first : {0, 1}) {
    turn[0] = turn[1] = turn[2] = 0;
    for (const int me : {first, 1 - first}) {
      OK(cudaSetDevice(me % gpus));
      take_turns<<<1, 1, 0, streams[me]>>>(turn, me, kRounds);
    }
    for (int me = 0; me < 2; ++me) OK(cudaStreamSynchronize(streams[me]));
    EXPECT(turn[0] == 0 && turn[1] == kRounds && turn[2] == kRounds);
  }
  // Nobody hands it to either.
  turn[0] = 0;
  for (int me = 0; me < 2; ++me) {
    OK(cudaSetDevice(me % gpus));
    take_turns<<<1, 1, 0, streams[me]>>>(turn, 5 + me, 1);
  }
  EXPECT_CALL(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
}

// A barrier of two grids: all blocks of one wait while the other arrives.
__global__ void meet(volatile int* arrived, int me, int rounds) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = 1; i <= rounds; ++i) {
    grid.sync();
    if (grid.thread_rank() == 0) {
      arrived[me] = i;
      __threadfence_system();
      while (arrived[1 - me] < i) {
      }
    }
    grid.sync();
  }
}

// What it costs grows with the rounds, and not faster: the test has a limit of instructions.
static void grids() {
  int rounds = 40, *arrived;
  OK(cudaHostAlloc(&arrived, 64, cudaHostAllocPortable));
  arrived[0] = arrived[1] = 0;
  for (int me = 0; me < 2; ++me) {
    OK(cudaSetDevice(me));
    void* arguments[] = {&arrived, &me, &rounds};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet), 64, 64, arguments));
  }
  for (int me = 0; me < 2; ++me) {
    OK(cudaSetDevice(me));
    OK(cudaDeviceSynchronize());
  }
  EXPECT(arrived[0] == rounds && arrived[1] == rounds);
}

// One block more than fit: nobody can end it.
static void barrier() {
  int blocks = 0, *arrived;
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, wait_for_all, 1024, 0));
  blocks *= properties.multiProcessorCount;
  OK(cudaMalloc(&arrived, 4));
  OK(cudaMemset(arrived, 0, 4));
  wait_for_all<<<blocks, 1024>>>(arrived);
  OK(cudaDeviceSynchronize());
  OK(cudaMemset(arrived, 0, 4));
  wait_for_all<<<blocks + 1, 1024>>>(arrived);
  EXPECT_CALL(cudaErrorLaunchTimeout, cudaDeviceSynchronize());
}

// The program's traps are its own.
static void traps() {
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
  int* flag;
  cudaEvent_t begin, end;
  float milliseconds = 0;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaMalloc(&flag, 64));
  OK(cudaEventRecord(begin));
  set<<<1, 32>>>(flag, 1);
  OK(cudaEventRecord(end));
  OK(cudaDeviceSynchronize());
  OK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(fegetexcept() == (FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT));
}

int main(int, char** arguments) {
  const char* what = arguments[1];
  if (std::strcmp(what, "host") == 0) host();
  if (std::strcmp(what, "streams") == 0) streams();
  if (std::strcmp(what, "kernels") == 0) kernels();
  if (std::strcmp(what, "grids") == 0) grids();
  if (std::strcmp(what, "barrier") == 0) barrier();
  if (std::strcmp(what, "traps") == 0) traps();
  std::puts("waiting: ok");
}
