// Accesses with a cache policy that the program makes itself: each kind of policy, on loads, stores, atomics and copies,
// for all of a warp's lanes and for some.
#include "../../common/device_array.h"

constexpr unsigned kThreads = 64, kBlocks = 2, kCount = kThreads * kBlocks;

enum class Policy { evict_first, evict_last, evict_normal, evict_unchanged, last_half, last_or_first, in_range };

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HAS_POLICIES 1
#else
#define HAS_POLICIES 0
#endif

#if HAS_POLICIES
template <Policy kPolicy>
__device__ unsigned long long policy(const void* from) {
  unsigned long long made;
  if constexpr (kPolicy == Policy::evict_first)
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(made));
  else if constexpr (kPolicy == Policy::evict_last)
    asm("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(made));
  else if constexpr (kPolicy == Policy::evict_normal)
    asm("createpolicy.fractional.L2::evict_normal.b64 %0;" : "=l"(made));
  else if constexpr (kPolicy == Policy::evict_unchanged)
    asm("createpolicy.fractional.L2::evict_unchanged.b64 %0;" : "=l"(made));
  else if constexpr (kPolicy == Policy::last_half)
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(made));
  else if constexpr (kPolicy == Policy::last_or_first)
    asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.25;" : "=l"(made));
  else
    asm("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 256, 512;" : "=l"(made) : "l"(from));
  return made;
}
#endif

template <Policy kPolicy>
__global__ void touch(const unsigned* in, unsigned* out, unsigned* sums) {
  __shared__ alignas(16) unsigned copied[kThreads * 4];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
#if HAS_POLICIES
  const auto h = policy<kPolicy>(in);
  unsigned value, old;
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(in + i), "l"(h) : "memory");
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(copied + 4 * threadIdx.x));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2; cp.async.wait_all;" ::"r"(to),
               "l"(in + i / 4 * 4), "l"(h) : "memory");
  value += copied[4 * threadIdx.x + i % 4];
  if (threadIdx.x % 3 == 0)
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + i), "r"(value), "l"(h) : "memory");
  else
    out[i] = value;
  asm volatile("atom.global.add.L2::cache_hint.u32 %0, [%1], %2, %3;" : "=r"(old) : "l"(sums + i), "r"(i), "l"(h) : "memory");
  asm volatile("red.global.add.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(sums + i), "r"(old + 1), "l"(h) : "memory");
#else
  out[i] = in[i] + in[i];
  sums[i] += i;
  sums[i] += 1;
#endif
}

int main() {
  std::vector<unsigned> in(kCount);
  for (unsigned i = 0; i < kCount; ++i) in[i] = scramble(i);
  Verdict verdict;
  DeviceArray<unsigned> d_in(in);
  const auto check = [&](auto kernel, const char* name) {
    DeviceArray<unsigned> out(kCount), sums(kCount);
    kernel<<<kBlocks, kThreads>>>(d_in.data(), out.data(), sums.data());
    const auto a = out.host(), b = sums.host();
    for (unsigned i = 0; i < kCount; ++i) verdict.expect(a[i] == 2 * in[i] && b[i] == i + 1, name);
  };
  check(touch<Policy::evict_first>, "evict_first");
  check(touch<Policy::evict_last>, "evict_last");
  check(touch<Policy::evict_normal>, "evict_normal");
  check(touch<Policy::evict_unchanged>, "evict_unchanged");
  check(touch<Policy::last_half>, "last_half");
  check(touch<Policy::last_or_first>, "last_or_first");
  check(touch<Policy::in_range>, "in_range");
  return verdict.finish();
}
