// The C++ library's atomics on the device, of 1 to 8 bytes and with every order of memory, and its barriers
// of a block.
#include <cuda/atomic>
#include <cuda/barrier>

#include "../common/device_array.h"

constexpr unsigned kThreads = 96, kBlocks = 3, kAll = kThreads * kBlocks;

template <typename T>
using Device = cuda::atomic_ref<T, cuda::thread_scope_device>;

template <typename T>
__global__ void arithmetic(T* values) {
  const T thread = T(blockIdx.x * blockDim.x + threadIdx.x);
  Device<T>(values[0]).fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<T, cuda::thread_scope_block>(values[1 + blockIdx.x]).fetch_add(2, cuda::memory_order_acq_rel);
  cuda::atomic_ref<T, cuda::thread_scope_system>(values[4]).fetch_max(thread);
  Device<T>(values[5]).fetch_min(thread, cuda::memory_order_release);
  Device<T> swapped(values[6]);
  T seen = swapped.load(cuda::memory_order_acquire);
  while (!swapped.compare_exchange_weak(seen, T(seen + 3), cuda::memory_order_seq_cst)) {}
  Device<T>(values[7]).exchange(T(7));
}

template <typename T>
__global__ void bits(T* values) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  Device<T>(values[0]).fetch_or(T(T(1) << thread % (8 * sizeof(T))));
  Device<T>(values[1]).fetch_xor(T(thread));
  Device<T>(values[2]).fetch_and(T(~(T(1) << thread % 5)));
}

__global__ void rounds(unsigned* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ unsigned values[kThreads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  unsigned sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    values[threadIdx.x] = threadIdx.x * round;
    auto token = barrier.arrive();
    sum += round;
    barrier.wait(std::move(token));
    sum += values[(threadIdx.x + round) % kThreads];
    barrier.arrive_and_wait();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename T>
void check_arithmetic(Verdict& verdict) {
  DeviceArray<T> values(std::vector<T>{0, 0, 0, 0, 0, T(100), 0, 0});
  arithmetic<<<kBlocks, kThreads>>>(values.data());
  const auto a = values.host();
  verdict.expect(a[0] == T(kAll) && a[1] == T(2 * kThreads) && a[3] == T(2 * kThreads) && a[4] == T(kAll - 1) &&
                     a[5] == T(0) && a[6] == T(3 * kAll) && a[7] == T(7),
                 "arithmetic");
}

template <typename T>
void check_bits(Verdict& verdict) {
  DeviceArray<T> values(std::vector<T>{0, 0, T(~T(0))});
  bits<<<kBlocks, kThreads>>>(values.data());
  T flipped = 0;
  for (unsigned i = 0; i < kAll; ++i) flipped ^= T(i);
  const auto a = values.host();
  verdict.expect(a[0] == T(~T(0)) && a[1] == flipped && a[2] == T(~T(0) << 5), "bits");
}

int main() {
  Verdict verdict;
  check_arithmetic<int>(verdict);
  check_arithmetic<unsigned long long>(verdict);
  check_arithmetic<float>(verdict);
  check_arithmetic<double>(verdict);
  check_arithmetic<short>(verdict);
  check_bits<unsigned>(verdict);
  check_bits<unsigned long long>(verdict);
  check_bits<unsigned char>(verdict);
  check_bits<unsigned short>(verdict);
  DeviceArray<unsigned> out(kAll);
  rounds<<<kBlocks, kThreads>>>(out.data());
  const auto a = out.host();
  for (unsigned i = 0; i < kAll; ++i) {
    unsigned sum = 0;
    for (unsigned round = 0; round < 4; ++round) sum += round + (i % kThreads + round) % kThreads * round;
    verdict.expect(a[i] == sum, "rounds");
  }
  return verdict.finish();
}
