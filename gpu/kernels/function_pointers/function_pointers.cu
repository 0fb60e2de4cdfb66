// Calls through pointers: from a table, from a pointer handed over at run time, and by lanes that
// each call another function.
#include "../common/device_array.h"

typedef unsigned (*Function)(unsigned, unsigned);

#define FUNCTION __host__ __device__ __noinline__
FUNCTION static unsigned add(unsigned a, unsigned b) { return a + b; }
FUNCTION static unsigned multiply(unsigned a, unsigned b) { return a * b; }
FUNCTION static unsigned mingle(unsigned a, unsigned b) {
  unsigned result = 0;
  for (; b != 0; b >>= 1) result = result * 3 + (a ^ b);
  return result;
}
FUNCTION static unsigned nested(unsigned a, unsigned b) {
  return add(mingle(a, b), multiply(b, a));
}

__device__ Function table[4] = {add, multiply, mingle, nested};
static const Function host_table[4] = {add, multiply, mingle, nested};

__host__ __device__ static unsigned chain(const Function* functions, unsigned thread) {
  unsigned x = thread;
  for (unsigned i = 0; i < 4; ++i) x = functions[scramble(thread + i) % 4](x, i + 5);
  return x;
}

__global__ void from_table(unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = chain(table, thread);
}

__global__ void get_pointer(Function* function, int index) { *function = table[index]; }

__global__ void from_argument(Function function, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread % 3 != 0) out[thread] = function(thread, 77);
}

int main() {
  const unsigned threads = 96;
  DeviceArray<unsigned> from(threads), given(threads);
  DeviceArray<Function> pointer(1);
  from_table<<<2, threads / 2>>>(from.data());
  get_pointer<<<1, 1>>>(pointer.data(), 3);
  from_argument<<<1, threads>>>(pointer.host()[0], given.data());
  const auto a = from.host(), b = given.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    verdict.expect(a[i] == chain(host_table, i), "from_table");
    verdict.expect(b[i] == (i % 3 != 0 ? nested(i, 77) : 0), "from_argument");
  }
  return verdict.finish();
}
