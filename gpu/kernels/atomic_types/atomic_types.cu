// Atomics of every kind and width, in global and in shared memory, with results that are used and
// results that are not; those that need a loop of compare-and-swap among them. All but the exchange
// end with the same values in any order.
#include "../common/device_array.h"

struct Sums {
  int add, least, greatest;
  unsigned all, any, odd, wrapped, unwrapped, swapped, unsigned_least;
  unsigned long long wide, wide_greatest, wide_any, wide_swapped;
  long long signed_least;
  float real;
  double real_wide, product;
};

__device__ static void multiply(double* at, double by) {
  auto* word = reinterpret_cast<unsigned long long*>(at);
  unsigned long long seen = *word, before;
  do {
    before = seen;
    seen = atomicCAS(
        word, before,
        (unsigned long long)(__double_as_longlong(by * __longlong_as_double((long long)(before)))));
  } while (seen != before);
}

__device__ static void combine(Sums* sums, unsigned thread) {
  const unsigned bits = scramble(thread);
  atomicAdd(&sums->add, int(bits % 2001) - 1000);
  atomicMin(&sums->least, int(bits));
  atomicMax(&sums->greatest, int(bits));
  atomicMin(&sums->unsigned_least, bits);
  atomicAnd(&sums->all, bits | 0x00ff0ff0u);
  atomicOr(&sums->any, 1u << bits % 32 & 0x0f0f0f0fu);
  atomicXor(&sums->odd, bits);
  atomicInc(&sums->wrapped, 24);
  atomicDec(&sums->unwrapped, 24);
  atomicAdd(&sums->wide, (unsigned long long)(bits) << 16);
  atomicMax(&sums->wide_greatest, (unsigned long long)(bits)*bits);
  atomicMin(&sums->signed_least, (long long)(int(bits)) << 8);
  atomicOr(&sums->wide_any, 1ull << bits % 64);
  atomicAdd(&sums->real, float(bits % 64));
  atomicAdd(&sums->real_wide, double(bits % 1024) / 8);
  multiply(&sums->product, bits % 2 ? 2.0 : 0.5);
  atomicExch(&sums->swapped, 7u);
  atomicExch(&sums->wide_swapped, 9ull);
}

__global__ void atomics_global(Sums* sums) { combine(sums, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void atomics_shared(Sums* sums) {
  __shared__ Sums shared;
  if (threadIdx.x == 0) shared = sums[blockIdx.x];
  __syncthreads();
  combine(&shared, blockIdx.x * blockDim.x + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = shared;
}

// Every thread gets a number of its own, and half of them more.
__global__ void tickets(unsigned* counters, unsigned* seen) {
  __shared__ unsigned shared;
  if (threadIdx.x == 0) shared = 0;
  __syncthreads();
  atomicAdd(&seen[atomicAdd(&counters[0], 1)], 1);
  if (threadIdx.x % 2) atomicAdd(&seen[64 + atomicAdd(&shared, 1)], 1);
}

static Sums start() {
  Sums sums = {};
  sums.all = ~0u;
  sums.unsigned_least = ~0u;
  sums.product = 1;
  return sums;
}

static bool check(const Sums& got, unsigned first, unsigned threads) {
  Sums want = start();
  for (unsigned i = first; i < first + threads; ++i) {
    const unsigned bits = scramble(i);
    want.add += int(bits % 2001) - 1000;
    want.least = int(bits) < want.least ? int(bits) : want.least;
    want.greatest = int(bits) > want.greatest ? int(bits) : want.greatest;
    want.unsigned_least = bits < want.unsigned_least ? bits : want.unsigned_least;
    want.all &= bits | 0x00ff0ff0u;
    want.any |= 1u << bits % 32 & 0x0f0f0f0fu;
    want.odd ^= bits;
    want.wrapped = want.wrapped >= 24 ? 0 : want.wrapped + 1;
    want.unwrapped = want.unwrapped == 0 || want.unwrapped > 24 ? 24 : want.unwrapped - 1;
    want.wide += (unsigned long long)(bits) << 16;
    const unsigned long long square = (unsigned long long)(bits)*bits;
    want.wide_greatest = square > want.wide_greatest ? square : want.wide_greatest;
    const long long scaled = (long long)(int(bits)) * 256;
    want.signed_least = scaled < want.signed_least ? scaled : want.signed_least;
    want.wide_any |= 1ull << bits % 64;
    want.real += float(bits % 64);
    want.real_wide += double(bits % 1024) / 8;
    want.product *= bits % 2 ? 2.0 : 0.5;
  }
  return got.add == want.add && got.least == want.least && got.greatest == want.greatest &&
         got.unsigned_least == want.unsigned_least && got.all == want.all && got.any == want.any &&
         got.odd == want.odd && got.wrapped == want.wrapped && got.unwrapped == want.unwrapped &&
         got.wide == want.wide && got.wide_greatest == want.wide_greatest &&
         got.signed_least == want.signed_least && got.wide_any == want.wide_any &&
         got.real == want.real && got.real_wide == want.real_wide && got.product == want.product &&
         got.swapped == 7 && got.wide_swapped == 9;
}

int main() {
  const unsigned threads = 64;
  DeviceArray<Sums> global(std::vector<Sums>(1, start())), shared(std::vector<Sums>(2, start()));
  DeviceArray<unsigned> counters(1), seen(96);
  atomics_global<<<1, threads>>>(global.data());
  atomics_shared<<<2, threads / 2>>>(shared.data());
  tickets<<<1, threads>>>(counters.data(), seen.data());
  Verdict verdict;
  verdict.expect(check(global.host()[0], 0, threads), "global");
  verdict.expect(check(shared.host()[0], 0, threads / 2), "shared, block 0");
  verdict.expect(check(shared.host()[1], threads / 2, threads / 2), "shared, block 1");
  for (const unsigned count : seen.host()) verdict.expect(count == 1, "tickets");
  return verdict.finish();
}
