// What the device runtime answers to kernels that launch kernels:
// docs/experiments/device-launches.md.
//
//   nvcc -arch=sm_90 -rdc=true -cudart shared -o device_launches device_launches.cu -lcudadevrt
//   device_launches errors | queries | memory | streams | chain | big | fault | flood | floods |
//                   buffers | threads | limits
#include <cstdio>
#include <cstring>
struct Big {
  int v[1000];
};

__global__ void nothing() {}

__global__ void add(int* p, int v) { atomicAdd(p, v); }

__global__ void big(Big b, int* p) { atomicAdd(p, b.v[999]); }

__global__ void bad_address() { *(volatile int*)8 = 1; }

__global__ void shared(int* p) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(p, s[blockDim.x - 1]);
}

__global__ void __launch_bounds__(64) bounded(int* p) { atomicAdd(p, 1); }
#define SHOW(x) printf("%s: %lld\n", #x, (long long)(x))

__global__ void errors(int* p) {
  SHOW(cudaGetLastError());
  nothing<<<1, 2000>>>();
  SHOW(cudaPeekAtLastError());
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  nothing<<<0, 1>>>();
  SHOW(cudaGetLastError());
  nothing<<<dim3(1, 70000), 1>>>();
  SHOW(cudaGetLastError());
  nothing<<<1, dim3(1, 1, 65)>>>();
  SHOW(cudaGetLastError());
  shared<<<1, 32, 49152>>>(p);
  SHOW(cudaGetLastError());
  shared<<<1, 32, 49153>>>(p);
  SHOW(cudaGetLastError());
  shared<<<1, 32, 250000>>>(p);
  SHOW(cudaGetLastError());
  bounded<<<1, 65>>>(p);
  SHOW(cudaGetLastError());
  nothing<<<1, 1, 0, (cudaStream_t)0x1234>>>();
  SHOW(cudaGetLastError());
  nothing<<<1, 1, 0, (cudaStream_t)1>>>();
  SHOW(cudaGetLastError());
  nothing<<<1, 1, 0, (cudaStream_t)2>>>();
  SHOW(cudaGetLastError());
  nothing<<<1, 1, 0, (cudaStream_t)5>>>();
  SHOW(cudaGetLastError());
}

__global__ void queries(int* p) {
  int v = -1;
  SHOW(cudaGetDevice(&v));
  SHOW(v);
  SHOW(cudaGetDeviceCount(&v));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrClockRate, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 1));
  SHOW(v);
  SHOW(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
  SHOW(v);
  size_t s = 0;
  for (int l = 0; l < 8; ++l) {
    s = 77;
    long long e = cudaDeviceGetLimit(&s, (cudaLimit)l);
    printf("limit %d: %lld %llu\n", l, e, (unsigned long long)s);
  }
  cudaFuncAttributes a;
  memset(&a, 0, sizeof a);
  SHOW(cudaFuncGetAttributes(&a, shared));
  SHOW(a.numRegs);
  SHOW(a.sharedSizeBytes);
  SHOW(a.maxThreadsPerBlock);
  SHOW(a.constSizeBytes);
  SHOW(a.localSizeBytes);
  SHOW(a.ptxVersion);
  SHOW(a.binaryVersion);
  SHOW(a.maxDynamicSharedSizeBytes);
  SHOW(a.cacheModeCA);
  SHOW(a.preferredShmemCarveout);
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, shared, 128, 1024));
  SHOW(v);
  SHOW(cudaRuntimeGetVersion(&v));
  SHOW(v);
  printf("%s / %s\n", cudaGetErrorName(cudaErrorInvalidConfiguration),
         cudaGetErrorString(cudaErrorInvalidConfiguration));
}

__global__ void memory(int* p) {
  int* q = nullptr;
  SHOW(cudaMalloc(&q, 1024));
  SHOW(q != nullptr);
  SHOW(cudaMemsetAsync(q, 1, 1024, 0));
  SHOW(cudaMemcpyAsync(p + 8, q, 16, cudaMemcpyDeviceToDevice, 0));
  SHOW(cudaMemsetAsync(p + 16, 7, 13, 0));
  SHOW(cudaMemcpyAsync((char*)p + 129, (char*)p + 64, 13, cudaMemcpyDeviceToDevice, 0));
  SHOW(cudaGetLastError());
}

__global__ void streams(int* p) {
  cudaStream_t s = 0, t = 0;
  cudaEvent_t e = 0;
  SHOW(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  SHOW(s != 0);
  SHOW(cudaStreamCreateWithFlags(&t, 0));
  SHOW(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  SHOW(cudaEventCreateWithFlags(&e, 0));
  add<<<1, 1, 0, s>>>(p, 1);
  SHOW(cudaGetLastError());
  SHOW(cudaEventRecord(e, s));
  SHOW(cudaStreamWaitEvent(s, e, 0));
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 10);
  SHOW(cudaGetLastError());
  add<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 100);
  SHOW(cudaGetLastError());
  SHOW(cudaEventDestroy(e));
  SHOW(cudaStreamDestroy(s));
}

__global__ void chain(int* log, int id, int depth) {
  int at = atomicAdd(log, 1);
  log[1 + at] = id;
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i)
    chain<<<1, 1, 0, cudaStreamTailLaunch>>>(log, id * 10 + 5 + i, depth - 1);
  for (int i = 0; i < 2; ++i) chain<<<1, 1>>>(log, id * 10 + 1 + i, depth - 1);
  for (int i = 0; i < 2; ++i)
    chain<<<1, 1, 0, cudaStreamFireAndForget>>>(log, id * 10 + 3 + i, depth - 1);
}

__global__ void big_child(int* p) {
  Big b;
  for (int i = 0; i < 1000; ++i) b.v[i] = i;
  big<<<1, 1>>>(b, p);
  SHOW(cudaGetLastError());
}

__global__ void fault(int) {
  bad_address<<<1, 1>>>();
  SHOW(cudaGetLastError());
}

__global__ void flood(int* p, int* failures, int n) {
  for (int i = 0; i < n; ++i) {
    add<<<1, 1>>>(p, 1);
    cudaError_t e = cudaGetLastError();
    if (e) {
      atomicAdd(failures, 1);
      failures[1] = e;
    }
  }
}

__global__ void buffers(int* p) {
  void* a = cudaGetParameterBuffer(8, 16);
  void* b = cudaGetParameterBuffer(8, 16);
  printf("buffers %d %d\n", a != 0, b != 0);
  dim3 g(1), t(1);
  void* c = cudaGetParameterBufferV2((void*)add, g, t, 0);
  printf("v2 %d\n", c != 0);
  void* d = cudaGetParameterBufferV2((void*)add, g, dim3(2000), 0);
  printf("v2 bad %d\n", d != 0);
  SHOW(cudaGetLastError());
}

__global__ void per_thread(int* p) {
  add<<<1, 1>>>(p, 1 << (4 * threadIdx.x % 28));
  if (threadIdx.x == 0) {
    SHOW(cudaGetLastError());
  }
}

__global__ void last_error_scope() {
  if (threadIdx.x == 1) nothing<<<1, 2000>>>();
  __syncthreads();
  printf("thread %d: %d\n", threadIdx.x, (int)cudaPeekAtLastError());
}

static void at(const char* what, int* p) {
  int h[64];
  cudaError_t a = cudaGetLastError(), b = cudaDeviceSynchronize(),
              c = cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("== %s: %s %s; ", what, cudaGetErrorName(a), cudaGetErrorName(b));
  for (int i = 0; i < 64 && c == 0; ++i) printf("%d ", h[i]);
  printf("\n");
  fflush(stdout);
  if (c == 0) cudaMemset(p, 0, 4096);
}

int main(int argc, char** argv) {
  int* p;
  cudaMalloc(&p, 1 << 16);
  cudaMemset(p, 0, 1 << 16);
  const char* w = argc > 1 ? argv[1] : "";
  auto is = [&](const char* n) { return strcmp(w, n) == 0; };
  if (is("errors")) {
    errors<<<1, 1>>>(p);
    at("errors", p);
    last_error_scope<<<1, 2>>>();
    at("scope", p);
  }
  if (is("queries")) {
    queries<<<1, 1>>>(p);
    at("queries", p);
  }
  if (is("memory")) {
    memory<<<1, 1>>>(p);
    at("memory", p);
  }
  if (is("streams")) {
    streams<<<1, 1>>>(p);
    at("streams", p);
  }
  if (is("chain")) {
    for (int i = 0; i < 3; ++i) {
      chain<<<1, 1>>>(p, 1, 1);
      at("chain 1", p);
    }
    chain<<<1, 1>>>(p, 1, 2);
    at("chain 2", p);
  }
  if (is("big")) {
    big_child<<<1, 1>>>(p);
    at("big", p);
  }
  if (is("fault")) {
    fault<<<1, 1>>>(1);
    at("fault", p);
  }
  if (is("flood")) {
    for (int n : {100, 2000, 2048, 2100, 5000, 20000}) {
      flood<<<1, 1>>>(p, p + 1, n);
      printf("%d ", n);
      at("flood", p);
    }
  }
  if (is("floods")) {
    flood<<<64, 64>>>(p, p + 1, 10);
    at("floods", p);
  }
  if (is("buffers")) {
    buffers<<<1, 1>>>(p);
    at("buffers", p);
  }
  if (is("threads")) {
    per_thread<<<1, 7>>>(p);
    at("threads", p);
  }
  if (is("limits")) {
    for (int l = 0; l < 8; ++l) {
      size_t s = 77;
      cudaError_t e = cudaDeviceGetLimit(&s, (cudaLimit)l);
      printf("host limit %d: %d %zu\n", l, (int)e, s);
    }
  }
}
