// Warps that wait for one another by asking again and again: barriers of the grid and of a block,
// built from atomics, flags and mbarriers; flags that two blocks hand to one another; locks.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o spinning spinning.cu && ./spinning [QUESTION…]
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>

#include "spans.h"

namespace {

using namespace timing;

constexpr int kRounds = 16, kShared = 64, kHandovers = 64, kLocks = 4;
constexpr int kFlags = 16, kApart = 1024, kFences = 32;  // words

enum class Poll { kVolatile, kRelaxed, kAcquire, kAtomic };
template <Poll how>
__device__ __forceinline__ unsigned poll(unsigned* at) {
  unsigned v;
  if constexpr (how == Poll::kVolatile)
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (how == Poll::kRelaxed)
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (how == Poll::kAcquire)
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  if constexpr (how == Poll::kAtomic) v = atomicAdd(at, 0);
  return v;
}

// One thread of each block counts the block in and waits for the others.
template <Poll how>
__global__ void grid_barrier(long long* times, unsigned* counter) {
  begin_span(times);
#pragma unroll 1
  for (unsigned round = 1; round <= kRounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(counter, 1);
      while (poll<how>(counter) < round * gridDim.x) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  end_span(times);
}

// All threads of the block wait for it.
template <Poll how>
__global__ void all_poll(long long* times, unsigned* counter) {
  begin_span(times);
#pragma unroll 1
  for (unsigned round = 1; round <= kRounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(counter, 1);
    while (poll<how>(counter) < round * gridDim.x) {
    }
  }
  end_span(times);
}

__global__ void grid_sync(long long* times) {
  const auto grid = cooperative_groups::this_grid();
  begin_span(times);
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) grid.sync();
  end_span(times);
}

// Two blocks by turns, each time at another of some words, which lie far from one another; other
// warps of both wait at a barrier meanwhile.
template <Poll how>
__global__ void hand_over(long long* times, unsigned* flags) {
  begin_span(times);
  if (threadIdx.x == 0)
#pragma unroll 1
    for (unsigned turn = blockIdx.x; turn < kHandovers; turn += 2) {
      while (poll<how>(flags + turn % kFlags * kApart) != turn) {
      }
      unsigned* const next = flags + (turn + 1) % kFlags * kApart;
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(next), "r"(turn + 1) : "memory");
    }
  end_span(times);
}

// One lane of each warp counts it in at a word of shared memory.
__global__ void shared_counter(long long* times) {
  __shared__ unsigned counter;
  if (threadIdx.x == 0) counter = 0;
  begin_span(times);
#pragma unroll 1
  for (unsigned round = 1; round <= kShared; ++round) {
    if (threadIdx.x % 32 == 0) {
      atomicAdd(&counter, 1);
      while (*const_cast<volatile unsigned*>(&counter) < round * (blockDim.x / 32)) {
      }
    }
    __syncwarp();
  }
  end_span(times);
}

enum class Wait { kTest, kTry };
// Threads arrive, all or one of each warp, and wait for the phase to end.
template <Wait how, bool all>
__global__ void block_mbarrier(long long* times) {
  __shared__ unsigned long long barrier;
  const auto at = unsigned(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at),
                 "r"(all ? blockDim.x : blockDim.x / 32)
                 : "memory");
  begin_span(times);
#pragma unroll 1
  for (int round = 0; round < kShared; ++round) {
    if (all || threadIdx.x % 32 == 0) {
      unsigned long long state;
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
      unsigned done = 0;
      while (done == 0) {
        if constexpr (how == Wait::kTest)
          asm volatile(
              "{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, "
              "p;\n}"
              : "=r"(done)
              : "r"(at), "l"(state)
              : "memory");
        if constexpr (how == Wait::kTry)
          asm volatile(
              "{\n.reg .pred p;\nmbarrier.try_wait.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, "
              "p;\n}"
              : "=r"(done)
              : "r"(at), "l"(state)
              : "memory");
      }
    }
    __syncwarp();
  }
  end_span(times);
}

// One lane of each warp takes a lock, and gives it back.
template <bool backs_off>
__global__ void lock(long long* times, unsigned* taken, unsigned* value) {
  begin_span(times);
  if (threadIdx.x % 32 == 0)
#pragma unroll 1
    for (int i = 0; i < kLocks; ++i) {
      while (atomicCAS(taken, 0, 1) != 0)
        if constexpr (backs_off) __nanosleep(100);
      __threadfence();
      *const_cast<volatile unsigned*>(value) += 1;
      __threadfence();
      atomicExch(taken, 0);
    }
  end_span(times);
}

// CUDA's own barriers and flags, which ask less often the longer they wait.
__global__ void library_grid_barrier(long long* times,
                                     cuda::barrier<cuda::thread_scope_device>* barrier) {
  begin_span(times);
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) barrier->arrive_and_wait();
    __syncthreads();
  }
  end_span(times);
}
__global__ void make_grid_barrier(cuda::barrier<cuda::thread_scope_device>* barrier, int count) {
  init(barrier, count);
}
__global__ void library_block_barrier(long long* times) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  begin_span(times);
#pragma unroll 1
  for (int round = 0; round < kShared; ++round) barrier.arrive_and_wait();
  end_span(times);
}
// The other block is told `late` cycles after it begins to wait.
__global__ void library_wait(long long* times, unsigned* word, int late) {
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(*word);
  begin_span(times);
  if (threadIdx.x == 0)
#pragma unroll 1
    for (unsigned turn = 0; turn < kRounds; ++turn) {
      if (turn % 2 == blockIdx.x) {
        const long long begin = clock_now();
        while (clock_now() - begin < late) {
        }
        flag.store(turn + 1, cuda::std::memory_order_release);
        flag.notify_all();
      } else {
        flag.wait(turn, cuda::std::memory_order_acquire);
      }
    }
  end_span(times);
}

enum class Fence { kSequential, kAcquireRelease, kBlock };
// Fences behind one another, with nothing outstanding or behind a store each.
template <Fence scope, bool stores>
__global__ void fences(long long* times, unsigned* words) {
  unsigned* const mine = words + blockIdx.x * blockDim.x + threadIdx.x;
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kFences; ++i) {
    if constexpr (stores)
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(mine), "r"(i) : "memory");
    if constexpr (scope == Fence::kSequential) asm volatile("fence.sc.gpu;" ::: "memory");
    if constexpr (scope == Fence::kAcquireRelease) asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if constexpr (scope == Fence::kBlock) asm volatile("fence.acq_rel.cta;" ::: "memory");
  }
  end_span(times);
}

__global__ void sleep(long long* times, unsigned nanoseconds) {
  begin_span(times);
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) __nanosleep(nanoseconds);
  end_span(times);
}

std::string shape(int blocks, int warps) {
  return ".b" + std::to_string(blocks) + ".w" + std::to_string(warps);
}

template <Poll how>
void ask_polls(const char* name, const Buffer<unsigned>& words, int sms) {
  const auto zero = [&] { CUDA(cudaMemset(words.data(), 0, kFlags * kApart * 4)); };
  for (const int per_sm : {1, 4})
    for (const int warps : {1, 8}) {
      const int blocks = sms * per_sm;
      ask_span(std::string("grid_barrier.") + name + shape(blocks, warps), blocks, kRounds,
               [&](long long* times) {
                 zero();
                 grid_barrier<how><<<blocks, warps * 32>>>(times, words.data());
               });
    }
  for (const int warps : {1, 8})
    ask_span(std::string("all_poll.") + name + shape(sms, warps), sms, kRounds,
             [&](long long* times) {
               zero();
               all_poll<how><<<sms, warps * 32>>>(times, words.data());
             });
  ask_span(std::string("hand_over.") + name, 2, kHandovers, [&](long long* times) {
    zero();
    hand_over<how><<<2, 256>>>(times, words.data());
  });
}

template <Fence scope, bool stores>
void ask_fences(const char* name, int sms) {
  const Buffer<unsigned> words(4 * 256 * std::size_t(sms));
  for (const int blocks : {1, 8, 33, sms, 4 * sms})
    for (const int warps : {1, 8})
      ask_span(std::string("fence.") + name + shape(blocks, warps), blocks, kFences,
               [&](long long* times) {
                 fences<scope, stores><<<blocks, warps * 32>>>(times, words.data());
               });
}

template <Wait how, bool all>
void ask_mbarriers(const char* name) {
  for (const int warps : {1, 4, 8, 32})
    ask_span(std::string("mbarrier.") + name + (all ? ".all" : ".leaders") + shape(1, warps), 1,
             kShared,
             [&](long long* times) { block_mbarrier<how, all><<<1, warps * 32>>>(times); });
}

}  // namespace

int main(int argc, char** argv) {
  read_wanted(argc, argv);
  print_header("spinning");
  int sms = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const Buffer<unsigned> words(kFlags * kApart);
  ask_polls<Poll::kVolatile>("volatile", words, sms);
  ask_polls<Poll::kRelaxed>("relaxed", words, sms);
  ask_polls<Poll::kAcquire>("acquire", words, sms);
  ask_polls<Poll::kAtomic>("atomic", words, sms);
  for (const int per_sm : {1, 4})
    ask_span("grid_sync" + shape(sms * per_sm, 8), sms * per_sm, kRounds, [&](long long* times) {
      void* arguments[] = {&times};
      CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sync), dim3(sms * per_sm),
                                       dim3(256), arguments));
    });
  for (const int warps : {1, 4, 8, 32})
    ask_span("shared_counter" + shape(1, warps), 1, kShared,
             [&](long long* times) { shared_counter<<<1, warps * 32>>>(times); });
  ask_mbarriers<Wait::kTest, false>("test");
  ask_mbarriers<Wait::kTest, true>("test");
  ask_mbarriers<Wait::kTry, false>("try");
  ask_mbarriers<Wait::kTry, true>("try");
  ask_fences<Fence::kSequential, false>("sequential", sms);
  ask_fences<Fence::kSequential, true>("sequential.store", sms);
  ask_fences<Fence::kAcquireRelease, false>("acq_rel", sms);
  ask_fences<Fence::kAcquireRelease, true>("acq_rel.store", sms);
  ask_fences<Fence::kBlock, false>("block", sms);
  ask_fences<Fence::kBlock, true>("block.store", sms);
  const Buffer<cuda::barrier<cuda::thread_scope_device>> barrier(1);
  for (const int per_sm : {1, 4})
    ask_span("library.grid" + shape(sms * per_sm, 8), sms * per_sm, kRounds, [&](long long* times) {
      make_grid_barrier<<<1, 1>>>(barrier.data(), sms * per_sm);
      library_grid_barrier<<<sms * per_sm, 256>>>(times, barrier.data());
    });
  for (const int warps : {1, 4, 8, 32})
    ask_span("library.block" + shape(1, warps), 1, kShared,
             [&](long long* times) { library_block_barrier<<<1, warps * 32>>>(times); });
  for (const int late : {0, 1000, 10000, 100000})
    ask_span("library.wait.late" + std::to_string(late), 2, kRounds, [&](long long* times) {
      CUDA(cudaMemset(words.data(), 0, 4));
      library_wait<<<2, 32>>>(times, words.data(), late);
    });
  for (const unsigned nanoseconds :
       {0u, 1u, 20u, 40u, 100u, 200u, 400u, 1000u, 4000u, 10000u, 100000u, 1000000u})
    for (const int warps : {1, 8})
      ask_span("sleep.ns" + std::to_string(nanoseconds) + ".w" + std::to_string(warps), 1, kRounds,
               [&](long long* times) { sleep<<<1, warps * 32>>>(times, nanoseconds); });
  for (const int blocks : {1, 8, sms})
    for (const int warps : {1, 8}) {
      const double locks = double(blocks) * warps * kLocks;
      CUDA(cudaMemset(words.data(), 0, 8));
      ask_span("lock.plain" + shape(blocks, warps), blocks, locks, [&](long long* times) {
        lock<false><<<blocks, warps * 32>>>(times, words.data(), words.data() + kApart);
      });
      ask_span("lock.sleep" + shape(blocks, warps), blocks, locks, [&](long long* times) {
        lock<true><<<blocks, warps * 32>>>(times, words.data(), words.data() + kApart);
      });
    }
}
