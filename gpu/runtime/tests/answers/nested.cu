// Launches by device code: how many may wait, in which order they run, which errors they give.
#include "answers.hpp"

__device__ int order[64], places;
__device__ int done;
__global__ void note(int what) { order[atomicAdd(&places, 1) % 64] = what; }
__global__ void count() { atomicAdd(&done, 1); }
__global__ void fault() { *static_cast<volatile int*>(nullptr) = 1; }

static void show(const char* what) {
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t waited = cudaDeviceSynchronize();
  std::printf("%s: %s, %s\n", what, cudaGetErrorName(launched), cudaGetErrorName(waited));
  int order_here[64], n = 0, ended = 0;
  if (waited != cudaSuccess) return;
  cudaMemcpyFromSymbol(&n, places, 4);
  cudaMemcpyFromSymbol(order_here, order, sizeof order);
  cudaMemcpyFromSymbol(&ended, done, 4);
  for (int i = 0; i < n && i < 64; ++i) std::printf(" %d", order_here[i]);
  std::printf(" done %d\n", ended);
}

__global__ void in_order() {
  if (threadIdx.x != 0) return;
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(100);
  note<<<1, 1>>>(1);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(101);
  note<<<1, 1>>>(2);
  order[atomicAdd(&places, 1) % 64] = 0;
}
SECTION(tails) { in_order<<<1, 32>>>(), show("tails"); }

__global__ void inner() {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(12);
  note<<<1, 1>>>(11);
}
__global__ void tails_of_tails() {
  inner<<<1, 1, 0, cudaStreamTailLaunch>>>();
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(20);
  note<<<1, 1>>>(1);
}
SECTION(tails_of_tails) { tails_of_tails<<<1, 1>>>(), show("tails of tails"); }

__global__ void flood(int n) {
  int refused = 0, last = 0;
  for (int i = 0; i < n; ++i) {
    count<<<1, 1>>>();
    const int error = cudaGetLastError();
    if (error != 0) ++refused, last = error;
  }
  printf("refused %d, %d\n", refused != 0, last);
}
SECTION(flood) { flood<<<1, 1>>>(5000), show("5000 by one thread"); }
__global__ void flood_one_each() {
  count<<<1, 1>>>();
  const int error = cudaGetLastError();
  if (error != 0) atomicAdd(&places, 64), order[0] = error;
}
SECTION(threads_2048) { flood_one_each<<<8, 256>>>(), show("2048 threads"); }
SECTION(threads_4096) { flood_one_each<<<16, 256>>>(), show("4096 threads"); }
__global__ void tails_one_each() {
  count<<<1, 1, 0, cudaStreamTailLaunch>>>();
  const int error = cudaGetLastError();
  if (error != 0) order[0] = error, places = 1;
}
SECTION(tails_4096) { tails_one_each<<<16, 256>>>(), show("4096 tails"); }

__global__ void refused() {
  count<<<0, 1>>>();
  printf("no blocks: %d\n", cudaGetLastError());
  count<<<1, 2000>>>();
  printf("2000 threads: %d\n", cudaGetLastError());
  count<<<1, 1, 100000>>>();
  printf("much shared memory: %d\n", cudaGetLastError());
  count<<<dim3(1, 70000), 1>>>();
  printf("high grid: %d\n", cudaGetLastError());
  count<<<1, 1, 0, cudaStreamFireAndForget>>>();
  printf("fire and forget: %d\n", cudaGetLastError());
  count<<<1, 1>>>();
  printf("peek: %d\n", cudaPeekAtLastError());
}
SECTION(refused) { refused<<<1, 1>>>(), show("refused"); }

__global__ void launches_fault() { fault<<<1, 1>>>(); }
SECTION(faults) {
  launches_fault<<<1, 1>>>(), show("a child that fails");
  CALL(cudaGetLastError());
  CALL(cudaDeviceSynchronize());
}

__global__ void deeper(int n) {
  order[n % 64] = n;
  places = n + 1;
  if (n < 40) deeper<<<1, 1>>>(n + 1);
  const int error = cudaGetLastError();
  if (error != 0) printf("at %d: %d\n", n, error);
}
SECTION(deep) { deeper<<<1, 1>>>(0), show("40 deep"); }
