// Branches of every kind, calls, barriers, traps and what the compiler makes of -G.
#include <cassert>
#include <cstdio>

extern "C" __global__ void switches(int* out, const int* in, int n) {
  int v = in[threadIdx.x], r = 0;
  for (int i = 0; i < n; ++i) {
    switch ((v >> i) & 15) {
      case 0: r += v * 3; break;
      case 1: r -= i; break;
      case 2: r ^= v; continue;
      case 3: r = r / 3; break;
      case 4: r += in[i]; break;
      case 5: r = -r; break;
      case 6: r *= in[i + 1]; break;
      case 7: if (r > 100) goto done; break;
      case 8: r <<= 1; break;
      case 9: r += out[i]; break;
      case 10: r %= 11; break;
      case 11: r |= 64; break;
      default: r += 1;
    }
  }
done:
  out[threadIdx.x] = r;
}

__device__ __noinline__ int leaf(int a, int b) { return a * b - (a ^ b); }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int add_one(int v) { return v + 1; }
__device__ int times_two(int v) { return v * 2; }
__device__ int minus(int v) { return -v; }
typedef int (*Function)(int);
__device__ Function table[3] = {add_one, times_two, minus};
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ float area() const override { return 3.14159f * radius * radius; }
};

extern "C" __global__ void calls(int* out, const int* in, int k) {
  const int v = in[threadIdx.x];
  int r = leaf(v, k) + fibonacci(v & 7);
  r += table[v % 3](r);
  Function local = v > 3 ? add_one : minus;
  r += local(v);
  Square square;
  square.side = v;
  Circle circle;
  circle.radius = v;
  const Shape* shape = v & 1 ? static_cast<Shape*>(&square) : static_cast<Shape*>(&circle);
  r += int(shape->area());
  out[threadIdx.x] = r;
}

extern "C" __global__ void prints(const int* in) {
  printf("%d %s %f\n", in[threadIdx.x], "text", 1.5);
  assert(in[threadIdx.x] != 3);
  if (in[threadIdx.x] == 77) __trap();
  if (in[threadIdx.x] == 78) asm volatile("brkpt;");
  if (in[threadIdx.x] == 79) asm volatile("exit;");
  if (in[threadIdx.x] == 80) __nanosleep(100);
  if (in[threadIdx.x] > 80) __nanosleep(in[threadIdx.x]);
}

extern "C" __global__ void heap(int** out, int n) {
  int* p = static_cast<int*>(malloc(n * 4));
  if (p == nullptr) return;
  memset(p, 1, n * 4);
  memcpy(p + 4, p, 16);
  out[threadIdx.x] = p;
  if (n & 1) free(p);
}

extern "C" __global__ void barriers(int* out, const int* in, int n, int id) {
  __shared__ int s[64];
  s[threadIdx.x & 63] = in[threadIdx.x];
  __syncthreads();
  int r = s[(threadIdx.x + 1) & 63];
  r += __syncthreads_count(r > 3) + __syncthreads_and(r > 1) + __syncthreads_or(r == 7);
  asm volatile("bar.sync 3, 64;" ::: "memory");
  asm volatile("bar.arrive 4, 96;" ::: "memory");
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
  asm volatile("bar.sync %0;" ::"r"(id + 1) : "memory");
  asm volatile("bar.sync 5, %0;" ::"r"(n) : "memory");
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
  asm volatile("bar.arrive %0, %1;" ::"r"(id + 2), "r"(n) : "memory");
  asm volatile("barrier.sync 6, 32;" ::: "memory");
  unsigned c;
  asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 7, 64, p;}" : "=r"(c) : "r"(r));
  if (n > 3) __syncthreads();
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
  asm volatile("fence.sc.sys;" ::: "memory");
  out[threadIdx.x] = r + c;
}

extern "C" __global__ void loops(int* out, const int* in, int n, float limit) {
  int i = threadIdx.x, r = 0;
  while (i < n) {
    int k = in[i];
    do {
      r += k;
      if (r > 1000) break;
      if (k == 3) continue;
      k = k / 2 - (r & 1);
    } while (k > 0);
    if (r < -5) return;
    i += blockDim.x;
  }
  for (float f = limit; f > 0.5f; f *= 0.7f)
    if (f < in[i & 3]) r ^= int(f);
  out[threadIdx.x] = r;
}

// A lock per warp: threads that spin on one another.
extern "C" __global__ void spin(int* lock, int* counter, volatile int* flag) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *counter += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
  while (*flag == 0) {
  }
  if (threadIdx.x & 1) {
    __syncthreads();
  } else {
    counter[1] = 3;
    __syncthreads();
  }
}
