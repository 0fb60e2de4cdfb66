// What plain loads see of another SM's stores to a line that is in their L1: at once after the
// stores are known to be done, and after which instructions of their own.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -o stale_lines stale_lines.cu && ./stale_lines
#include "probe.h"

namespace {

using namespace timing;

constexpr int kPolls = 20000, kLineWords = 32, kSectorWords = 8;

#define LOAD(name, operation)                                                \
  __device__ __forceinline__ unsigned name(const unsigned* at) {             \
    unsigned value;                                                          \
    asm volatile(operation " %0, [%1];" : "=r"(value) : "l"(at) : "memory"); \
    return value;                                                            \
  }
LOAD(plain, "ld.global.u32")
LOAD(cached, "ld.global.ca.u32")
LOAD(past_l1, "ld.global.cg.u32")
LOAD(relaxed, "ld.relaxed.gpu.global.u32")
LOAD(of_volatile, "ld.volatile.global.u32")
LOAD(read_only, "ld.global.nc.u32")

// What the reader does between the store's being done and its plain load.
enum Between {
  kNothing,
  kOtherSectorHit,     // a load of another sector of the line, which is there
  kOtherSectorMiss,    // that is not there
  kOwnStoreBeside,     // a store to another word of the sector
  kOwnStoreElsewhere,  // to another sector of the line
  kOwnStoreThere,      // to the word itself, of another value
  kOwnAtomicBeside,
  kOwnAtomicElsewhere,
  kOwnReductionBeside,
  kLoadRelaxed,
  kLoadVolatile,
  kLoadPastL1,
  kLoadReadOnly,
  kFenceBlock,
  kFenceGpu,
  kBarrier,
  kSleep,
  kBetween
};
constexpr const char* kNames[] = {"nothing",
                                  "other_sector_hit",
                                  "other_sector_miss",
                                  "own_store_beside",
                                  "own_store_elsewhere",
                                  "own_store_there",
                                  "own_atomic_beside",
                                  "own_atomic_elsewhere",
                                  "own_reduction_beside",
                                  "load_relaxed",
                                  "load_volatile",
                                  "load_past_l1",
                                  "load_read_only",
                                  "fence_block",
                                  "fence_gpu",
                                  "barrier",
                                  "sleep"};
static_assert(std::size(kNames) == kBetween);

// How the other SM stores, and how the reader first loaded.
enum Store { kPlainStore, kRelaxedStore, kAtomicStore };
enum First { kPlainFirst, kCachedFirst, kStoredFirst, kReadOnlyFirst };

struct Answer {
  unsigned first, polls, last, same_sm;
};

__device__ __forceinline__ void wait_for(unsigned* flag, unsigned value) {
  while (atomicAdd(flag, 0) != value) {
  }
}

__device__ __forceinline__ void between(int what, unsigned* line, unsigned& sink) {
  switch (what) {
    case kOtherSectorHit:
    case kOtherSectorMiss:
      sink += plain(line + kSectorWords);
      break;
    case kOwnStoreBeside:
      asm volatile("st.global.u32 [%0], 5;" ::"l"(line + 1) : "memory");
      break;
    case kOwnStoreElsewhere:
      asm volatile("st.global.u32 [%0], 5;" ::"l"(line + kSectorWords) : "memory");
      break;
    case kOwnStoreThere:
      asm volatile("st.global.u32 [%0], 9;" ::"l"(line) : "memory");
      break;
    case kOwnAtomicBeside:
      sink += atomicAdd(line + 1, 1);
      break;
    case kOwnAtomicElsewhere:
      sink += atomicAdd(line + kSectorWords, 1);
      break;
    case kOwnReductionBeside:
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(line + 1) : "memory");
      break;
    case kLoadRelaxed:
      sink += relaxed(line);
      break;
    case kLoadVolatile:
      sink += of_volatile(line);
      break;
    case kLoadPastL1:
      sink += past_l1(line);
      break;
    case kLoadReadOnly:
      sink += read_only(line);
      break;
    case kFenceBlock:
      __threadfence_block();
      break;
    case kFenceGpu:
      __threadfence();
      break;
    case kBarrier:
      __syncthreads();
      break;
    case kSleep:
      __nanosleep(20000);
      break;
    default:
      break;
  }
}

// Block 0 reads, block 1 stores; `flags`: 0 the reader has loaded, 1 the store is done.
__global__ void race(int what, int first, int store, unsigned* line, unsigned* flags, unsigned* sms,
                     Answer* answer, unsigned* sink) {
  sms[blockIdx.x] = sm_id();
  unsigned sum = 0;
  if (blockIdx.x == 1) {
    wait_for(flags, 1);
    if (store == kPlainStore) asm volatile("st.global.u32 [%0], 1;" ::"l"(line) : "memory");
    if (store == kRelaxedStore)
      asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(line) : "memory");
    if (store == kAtomicStore) sum = atomicExch(line, 1);
    __threadfence();
    atomicExch(flags + 1, 1);
    *sink = sum;
    return;
  }
  if (first == kPlainFirst) sum += plain(line);
  if (first == kCachedFirst) sum += cached(line);
  if (first == kReadOnlyFirst) sum += read_only(line);
  if (first == kStoredFirst)
    asm volatile(
        "st.global.v4.u32 [%0], {0,0,0,0}; st.global.v4.u32 [%0+16], {0,0,0,0};" ::"l"(line)
        : "memory");
  if (what == kOtherSectorHit) sum += plain(line + kSectorWords);
  if (first == kStoredFirst) __nanosleep(5000);  // until L2 has it
  if (sum == 12345) return;                      // the loads have come
  atomicExch(flags, 1);
  wait_for(flags + 1, 1);
  between(what, line, sum);
  Answer mine{first == kReadOnlyFirst ? read_only(line) : plain(line), 0, 0, 0};
  mine.last = mine.first;
  for (; mine.polls < kPolls && mine.last != 1; ++mine.polls) mine.last = plain(line);
  mine.same_sm = sms[1] == sms[0];
  *answer = mine;
  sink[1] = sum;
}

void ask(const std::string& name, int what, int first, int store) {
  std::vector<double> values, polls;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Buffer<unsigned> line(kLineWords), flags(kLineWords), sms(kLineWords), sink(kLineWords);
    const Buffer<Answer> answer(1);
    race<<<2, 1>>>(what, first, store, line.data(), flags.data(), sms.data(), answer.data(),
                   sink.data());
    finish();
    const Answer got = answer.read()[0];
    if (got.same_sm != 0) std::printf("# both blocks on one SM\n");
    values.push_back(got.first);
    polls.push_back(got.last == 1 ? got.polls : -1.0);
  }
  print("stale." + name + ".first", values, "value");
  print("stale." + name + ".polls", polls, "load");  // until the store is seen; -1: never
}

// One block polls with plain loads from the beginning; the other stores after a while. In how many
// nanoseconds, or never (-1: 20,000 loads), the store is seen, by what else the reader's SM does.
__global__ void poll(int reads_between, unsigned* line, unsigned* others, unsigned* result,
                     unsigned* sink) {
  if (blockIdx.x == 1) {
    __nanosleep(20000);
    asm volatile("st.global.u32 [%0], 1;" ::"l"(line) : "memory");
    return;
  }
  unsigned sum = 0, polls = 0, at = 0;
  for (; polls < kPolls; ++polls) {
    if (plain(line) == 1) break;
    for (int i = 0; i < reads_between; ++i) sum += plain(others + (at++ % 65536) * kLineWords);
  }
  *result = polls;
  *sink = sum;
}

void ask_polls(int reads_between) {
  std::vector<double> polls;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Buffer<unsigned> line(kLineWords), others(65536 * kLineWords), result(1), sink(1);
    poll<<<2, 1>>>(reads_between, line.data(), others.data(), result.data(), sink.data());
    finish();
    const unsigned got = result.read()[0];
    polls.push_back(got == kPolls ? -1.0 : got);
  }
  print("stale.poll.reads" + std::to_string(reads_between), polls, "load");
}

}  // namespace

int main() {
  print_header("stale_lines");
  for (int what = 0; what < kBetween; ++what) ask(kNames[what], what, kPlainFirst, kPlainStore);
  ask("cached", kNothing, kCachedFirst, kPlainStore);
  ask("stored", kNothing, kStoredFirst, kPlainStore);
  ask("read_only", kNothing, kReadOnlyFirst, kPlainStore);
  ask("by_relaxed", kNothing, kPlainFirst, kRelaxedStore);
  ask("by_atomic", kNothing, kPlainFirst, kAtomicStore);
  for (const int reads : {0, 1, 4}) ask_polls(reads);
}
