// Every thread runs a little program of its own, one byte an operation: by a switch, by nested ifs,
// and with its numbers on a stack in local memory.
//
//   bytecode [block size = 128] [blocks = 264] [operations = 48]
#include "../common/device_array.h"

__host__ __device__ static unsigned operation(unsigned thread, unsigned step) {
  return scramble(thread / 4 * 131 + step) % 8;
}

__host__ __device__ static unsigned by_switch(unsigned thread, unsigned steps) {
  unsigned a = thread, b = 1;
  for (unsigned step = 0; step < steps; ++step) switch (operation(thread, step)) {
      case 0:
        a += b;
        break;
      case 1:
        b ^= a << 3;
        break;
      case 2:
        a = a * 5 + 1;
        break;
      case 3:
        b = b / 3 + a;
        break;
      case 4:
        for (unsigned i = 0; i < b % 4; ++i) a = scramble(a);
        break;
      case 5:
        a %= b | 1;
        break;
      case 6:
        b = scramble(b);
        break;
      default:
        a -= b >> 1;
        break;
    }
  return a ^ b;
}

__host__ __device__ static unsigned by_ifs(unsigned thread, unsigned steps) {
  unsigned a = thread, b = 7;
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned bits = operation(thread, step);
    if (bits & 1) {
      if (bits & 2)
        for (unsigned i = 0; i <= a % 3; ++i) b += scramble(a + i);
      else
        a = scramble(a ^ b) + step;
    } else if (bits & 4) {
      a = a / ((b & 15) + 1) + b;
    } else {
      b = b * 3 + a;
    }
  }
  return a + b;
}

__host__ __device__ static unsigned by_stack(unsigned thread, unsigned steps) {
  unsigned stack[16], size = 0;
  for (unsigned i = 0; i < 16; ++i) stack[i] = thread + i;
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned bits = operation(thread, step);
    if (bits < 4 && size < 16) {
      stack[size++] = scramble(thread + step);
    } else if (size >= 2) {
      const unsigned top = stack[--size];
      stack[size - 1] = bits % 2 == 0 ? stack[size - 1] + top : stack[size - 1] * (top | 1);
    }
  }
  unsigned sum = size;
  for (unsigned i = 0; i < 16; ++i) sum = sum * 31 + stack[i];
  return sum;
}

__global__ void run_switch(unsigned* out, unsigned steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = by_switch(thread, steps);
}
__global__ void run_ifs(unsigned* out, unsigned steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = by_ifs(thread, steps);
}
__global__ void run_stack(unsigned* out, unsigned steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = by_stack(thread, steps);
}

int main(int argc, char** argv) {
  const unsigned block = unsigned(argument(argc, argv, 1, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 2, 264, 1, 4096));
  const unsigned steps = unsigned(argument(argc, argv, 3, 48, 1, 1024));
  const struct {
    const char* name;
    void (*kernel)(unsigned*, unsigned);
    unsigned (*expected)(unsigned, unsigned);
  } runs[] = {{"run_switch", run_switch, by_switch},
              {"run_ifs", run_ifs, by_ifs},
              {"run_stack", run_stack, by_stack}};
  Verdict verdict;
  for (const auto& run : runs) {
    DeviceArray<unsigned> out(std::size_t(block) * blocks);
    run.kernel<<<blocks, block>>>(out.data(), steps);
    const auto values = out.host();
    bool right = true;
    for (unsigned i = 0; i < values.size(); ++i)
      right = right && values[i] == run.expected(i, steps);
    verdict.expect(right, run.name);
  }
  return verdict.finish();
}
