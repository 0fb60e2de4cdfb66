// What calls answer after a kernel has failed, and which errors a thread keeps.
#include <cassert>

#include "answers.hpp"

__global__ void write_to(int* where, int value) { *where = value; }
__global__ void nothing() {}
__global__ void trap() { asm volatile("trap;"); }
__global__ void assert_false() { assert(false); }
__global__ void shared_past_the_end(int n) {
  extern __shared__ int cells[];
  cells[n] = 1;
}
__global__ void jump(void (*where)()) { where(); }

static void afterwards() {
  CALL(cudaPeekAtLastError());
  CALL(cudaGetLastError());
  CALL(cudaStreamQuery(0));
  CALL(cudaDeviceSynchronize());
  last_error();
  CALL(cudaDeviceSynchronize());
  last_error();
  void* memory = nullptr;
  CALL(cudaMalloc(&memory, 16));
  CALL(cudaFree(nullptr));
  CALL(cudaFree(0));
  int device = 0;
  CALL(cudaGetDevice(&device));
  CALL(cudaSetDevice(0));
  CALL(cudaGetDeviceCount(&device));
  cudaDeviceProp properties;
  CALL(cudaGetDeviceProperties(&properties, 0));
  CALL(cudaDeviceGetAttribute(&device, cudaDevAttrWarpSize, 0));
  cudaFuncAttributes attributes;
  CALL(cudaFuncGetAttributes(&attributes, nothing));
  std::size_t a, b;
  CALL(cudaMemGetInfo(&a, &b));
  CALL(cudaDeviceGetLimit(&a, cudaLimitStackSize));
  cudaPointerAttributes of;
  CALL(cudaPointerGetAttributes(&of, &of));
  cudaStream_t stream = nullptr;
  CALL(cudaStreamCreate(&stream));
  cudaEvent_t event = nullptr;
  CALL(cudaEventCreate(&event));
  CALL(cudaMallocHost(&memory, 16));
  int on_host[2] = {1, 2};
  CALL(cudaMemcpy(on_host, on_host + 1, 4, cudaMemcpyHostToHost));
  nothing<<<1, 1>>>();
  last_error();
  CALL(cuCtxSynchronize());
  CUcontext context;
  CALL(cuCtxGetCurrent(&context));
  CALL(cudaDeviceReset());
  last_error();
  CALL(cudaDeviceSynchronize());
  CALL(cudaMalloc(&memory, 16));
  nothing<<<1, 1>>>();
  CALL(cudaDeviceSynchronize());
  last_error();
}

SECTION(null_pointer) {
  write_to<<<1, 1>>>(nullptr, 1);
  afterwards();
}
SECTION(misaligned) {
  char* memory;
  cudaMalloc(&memory, 64);
  write_to<<<1, 1>>>(reinterpret_cast<int*>(memory + 1), 1);
  afterwards();
}
SECTION(host_address) {
  static int cell;
  write_to<<<1, 1>>>(&cell, 1);
  afterwards();
}
SECTION(trapped) {
  trap<<<1, 1>>>();
  afterwards();
}
SECTION(asserted) {
  assert_false<<<1, 1>>>();
  afterwards();
}
SECTION(shared) {
  shared_past_the_end<<<1, 1, 64>>>(1 << 24);
  afterwards();
}
SECTION(jumped) {
  jump<<<1, 1>>>(reinterpret_cast<void (*)()>(0x1230));
  afterwards();
}

SECTION(found_by_a_copy) {
  int* memory;
  int back = 0;
  cudaMalloc(&memory, 64);
  write_to<<<1, 1>>>(nullptr, 1);
  CALL(cudaMemcpy(&back, memory, 4, cudaMemcpyDeviceToHost));
  last_error();
  CALL(cudaMemcpy(&back, memory, 4, cudaMemcpyDeviceToHost));
  last_error();
}
SECTION(found_by_an_event) {
  cudaEvent_t event;
  cudaEventCreate(&event);
  write_to<<<1, 1>>>(nullptr, 1);
  CALL(cudaEventRecord(event));
  CALL(cudaEventSynchronize(event));
  last_error();
  CALL(cudaEventQuery(event));
  CALL(cudaEventDestroy(event));
}
SECTION(found_by_a_stream) {
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  write_to<<<1, 1, 0, one>>>(nullptr, 1);
  CALL(cudaStreamSynchronize(one));
  CALL(cudaStreamSynchronize(two));
  last_error();
  CALL(cudaStreamDestroy(one));
}
SECTION(found_by_free) {
  int* memory;
  cudaMalloc(&memory, 64);
  write_to<<<1, 1>>>(nullptr, 1);
  CALL(cudaFree(memory));
  last_error();
}
SECTION(found_at_the_end) {
  write_to<<<1, 1>>>(nullptr, 1);
  CALL(cudaDeviceReset());
  last_error();
}

SECTION(kept) {
  void* memory = nullptr;
  CALL(cudaMalloc(&memory, std::size_t{1} << 50));
  last_error();
  last_error();
  CALL(cudaMalloc(&memory, std::size_t{1} << 50));
  CALL(cudaMalloc(&memory, 16));
  last_error();
  CALL(cudaMemcpy(memory, nullptr, 16, cudaMemcpyHostToDevice));
  nothing<<<1, 1>>>();
  last_error();
  nothing<<<0, 1>>>();
  CALL(cudaDeviceSynchronize());
  last_error();
  nothing<<<0, 1>>>();
  nothing<<<1, 1>>>();
  last_error();
  CALL(cudaStreamQuery(0));
  CALL(cudaDeviceSynchronize());
  cudaEvent_t event;
  cudaEventCreate(&event);
  CALL(cudaEventQuery(event));
  float time = 0;
  CALL(cudaEventElapsedTime(&time, event, event));
  last_error();
}
