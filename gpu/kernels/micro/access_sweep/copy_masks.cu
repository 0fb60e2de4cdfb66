// Copies from global to shared memory (LDGSTS.BYPASS) under the masks of each predicate register,
// as a guard and as the operand that makes lanes write zeros, made to be measured instruction by
// instruction.
//
//   copy_masks SET…        sets of copy_patterns.h
#include <vector>

#include "../../common/common.h"
#include "copy_patterns.h"

constexpr int kPatterns = 64, kPredicates = 7;
constexpr unsigned kFromRegion = 1u << 22, kToRegion = 1u << 15, kWidth = 16;

__constant__ unsigned from_offsets[kPatterns][32];
__constant__ unsigned short to_offsets[kPatterns][32];
__constant__ unsigned masks[kPatterns][kPredicates];  // of a pattern all the same

// All seven are used again behind the copies, so that each has a register of its own.
#define COPIES(set, how) \
  asm volatile(                                                                                   \
      "{ .reg .pred q<7>;\n" set " q0, %3, 0;\n" set " q1, %4, 0;\n" set " q2, %5, 0;\n" set      \
      " q3, %6, 0;\n" set " q4, %7, 0;\n" set " q5, %8, 0;\n" set " q6, %9, 0;\n"                 \
      how(0) how(1) how(2) how(3) how(4) how(5) how(6)                                            \
      "cp.async.wait_all;\n@q0 add.u32 %0, %0, 1;\n@q1 add.u32 %0, %0, 2;\n"                      \
      "@q2 add.u32 %0, %0, 3;\n@q3 add.u32 %0, %0, 4;\n@q4 add.u32 %0, %0, 5;\n"                  \
      "@q5 add.u32 %0, %0, 6;\n@q6 add.u32 %0, %0, 7;\n}"                                         \
      : "+r"(sum)                                                                                 \
      : "r"(to), "l"(from), "r"(on[0]), "r"(on[1]), "r"(on[2]), "r"(on[3]), "r"(on[4]),           \
        "r"(on[5]), "r"(on[6])                                                                    \
      : "memory")
#define COPY " cp.async.cg.shared.global [%1], [%2], 16"
#define GUARD(n) "@q" #n COPY ";\n"
#define OPERAND(n) COPY ", q" #n ";\n"

template <bool kGuards>
__device__ void copy(unsigned to, unsigned long long from, const unsigned (&on)[kPredicates],
                     unsigned& sum) {
  if (kGuards)
    COPIES("setp.ne.u32", GUARD);
  else
    COPIES("setp.eq.u32", OPERAND);
}

template <bool kGuards>
__global__ void copies(const char* buffer, unsigned* sums) {
  __shared__ __align__(1024) char tile[kToRegion];
  const unsigned lane = threadIdx.x;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kPatterns; ++i) {
    unsigned on[kPredicates];
    for (int p = 0; p < kPredicates; ++p) on[p] = masks[i][p] >> lane & 1;
    copy<kGuards>(at + to_offsets[i][lane], (unsigned long long)buffer + from_offsets[i][lane], on,
                  sum);
  }
  sums[lane] = sum;
}

int main(int argc, char** argv) {
  char* buffer = nullptr;
  unsigned* sums = nullptr;
  CHECK(cudaMalloc(&buffer, kFromRegion));
  CHECK(cudaMemset(buffer, 0, kFromRegion));
  CHECK(cudaMalloc(&sums, 32 * sizeof *sums));
  for (int i = 1; i < argc; ++i) {
    std::vector<unsigned> from, lanes;
    std::vector<unsigned short> to;
    for (unsigned n = 0; n < kPatterns; ++n) {
      const auto pattern = access_patterns::copy_pattern(static_cast<unsigned>(atoi(argv[i])), n,
                                                         kWidth, kFromRegion, kToRegion);
      from.insert(from.end(), pattern.from.offset, pattern.from.offset + 32);
      to.insert(to.end(), pattern.to.offset, pattern.to.offset + 32);
      lanes.insert(lanes.end(), kPredicates, pattern.from.mask);
    }
    CHECK(cudaMemcpyToSymbol(from_offsets, from.data(), from.size() * sizeof from[0]));
    CHECK(cudaMemcpyToSymbol(to_offsets, to.data(), to.size() * sizeof to[0]));
    CHECK(cudaMemcpyToSymbol(masks, lanes.data(), lanes.size() * sizeof lanes[0]));
    copies<true><<<1, 32>>>(buffer, sums);
    copies<false><<<1, 32>>>(buffer, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  return EXIT_SUCCESS;
}
