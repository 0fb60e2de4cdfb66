// Host threads with stacks of 32 KB make every kind of call, the first call of all among them.
#include <pthread.h>

#include "check.hpp"

__global__ void add(int* to, int value) {
  atomicAdd(to, value);
  if (threadIdx.x == 0) printf("%d\n", value);
}
__global__ void allocate(int* to) {
  int* const block = static_cast<int*>(malloc(64));
  block[0] = 5;
  *to += block[0];
  free(block);
}

static void work() {
  int* to = nullptr;
  int sum = 0;
  OK(cudaMalloc(&to, sizeof *to));
  OK(cudaMemset(to, 0, sizeof *to));
  add<<<1, 32>>>(to, 1);
  allocate<<<1, 1>>>(to);
  OK(cudaGetLastError());
  OK(cudaMemcpy(&sum, to, sizeof sum, cudaMemcpyDeviceToHost));
  EXPECT(sum == 37);

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add<<<1, 1, 0, stream>>>(to, 5);
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMemcpyAsync(&sum, to, sizeof sum, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(sum == 42);

  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  OK(cudaFree(to));
}

int main() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT(pthread_attr_setstacksize(&attributes, 32 << 10) == 0);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    const auto body = [](void*) -> void* {
      work();
      return nullptr;
    };
    EXPECT(pthread_create(&thread, &attributes, body, nullptr) == 0);
    pthread_join(thread, nullptr);
  }
  return 0;
}
