// Copies from global to shared memory (LDGSTS) by each pair of a guard and an operand that makes
// lanes write zeros, by all lanes of a warp and by some, made to be measured instruction by
// instruction: what do CUPTI's SASS metrics leave out where P0 is one of the two?
//
//   copy_predicates SET…        sets of copy_patterns.h
#include <vector>

#include "../../common/common.h"
#include "copy_patterns.h"

constexpr int kPatterns = 12, kPredicates = 3;
constexpr unsigned kFromRegion = 1u << 22, kToRegion = 1u << 15;

__constant__ unsigned from_offsets[kPatterns][32];
__constant__ unsigned short to_offsets[kPatterns][32];
__constant__ unsigned masks[kPatterns][kPredicates];

// Every predicate is used again behind the copies, so that each has a register of its own.
#define COPIES(text)                                                         \
  asm volatile(                                                              \
      "{ .reg .pred q<3>;\nsetp.ne.u32 q0, %3, 0;\nsetp.ne.u32 q1, %4, 0;\n" \
      "setp.ne.u32 q2, %5, 0;\n" text                                        \
      "cp.async.wait_all;\n@q0 add.u32 %0, %0, 1;\n@q1 add.u32 %0, %0, 2;\n" \
      "@q2 add.u32 %0, %0, 4;\n}"                                            \
      : "+r"(sum)                                                            \
      : "r"(to), "l"(from), "r"(on[0]), "r"(on[1]), "r"(on[2]), "r"(part)    \
      : "memory")
#define GUARDS(copy, last)                                                                    \
  copy last ";\n@q0 " copy last ";\n@!q0 " copy last ";\n@q1 " copy last ";\n@!q1 " copy last \
            ";\n@q2 " copy last ";\n@!q2 " copy last ";\n"
#define PAIRS(copy)     \
  GUARDS(copy, "")      \
  GUARDS(copy, ", q0")  \
  GUARDS(copy, ", !q0") \
  GUARDS(copy, ", q1") GUARDS(copy, ", !q1") GUARDS(copy, ", q2") GUARDS(copy, ", !q2")

enum class Form { bypass16, l1_16, l1_4, bypass_part };

template <Form kForm>
__device__ void copy(unsigned to, unsigned long long from, const unsigned (&on)[kPredicates],
                     unsigned part, unsigned& sum) {
  if (kForm == Form::bypass16) COPIES(PAIRS("cp.async.cg.shared.global [%1], [%2], 16"));
  if (kForm == Form::l1_16) COPIES(PAIRS("cp.async.ca.shared.global [%1], [%2], 16"));
  if (kForm == Form::l1_4) COPIES(PAIRS("cp.async.ca.shared.global [%1], [%2], 4"));
  if (kForm == Form::bypass_part)
    COPIES(GUARDS("cp.async.cg.shared.global [%1], [%2], 16, %6", ""));
}

template <Form kForm>
__global__ void copies(const char* buffer, unsigned* sums, unsigned there, unsigned part) {
  __shared__ __align__(1024) char tile[kToRegion];
  const unsigned lane = threadIdx.x;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  unsigned sum = 0;
  if (there >> lane & 1) {
#pragma unroll
    for (int i = 0; i < kPatterns; ++i) {
      unsigned on[kPredicates];
      for (int p = 0; p < kPredicates; ++p) on[p] = masks[i][p] >> lane & 1;
      copy<kForm>(at + to_offsets[i][lane], (unsigned long long)buffer + from_offsets[i][lane], on,
                  part, sum);
    }
  }
  sums[lane] = sum;
}

unsigned width_of(Form form) { return form == Form::l1_4 ? 4 : 16; }

template <Form kForm>
void measure(unsigned set, const char* buffer, unsigned* sums) {
  std::vector<unsigned> from, lanes;
  std::vector<unsigned short> to;
  for (unsigned n = 0; n < kPatterns; ++n) {
    const auto pattern =
        access_patterns::copy_pattern(set, n, width_of(kForm), kFromRegion, kToRegion);
    from.insert(from.end(), pattern.from.offset, pattern.from.offset + 32);
    to.insert(to.end(), pattern.to.offset, pattern.to.offset + 32);
    access_patterns::Random random{std::uint64_t{set} << 32 | n};
    for (int p = 0; p < kPredicates; ++p) lanes.push_back(access_patterns::random_mask(random));
  }
  CHECK(cudaMemcpyToSymbol(from_offsets, from.data(), from.size() * sizeof from[0]));
  CHECK(cudaMemcpyToSymbol(to_offsets, to.data(), to.size() * sizeof to[0]));
  CHECK(cudaMemcpyToSymbol(masks, lanes.data(), lanes.size() * sizeof lanes[0]));
  for (const unsigned there : {~0u, 0x0ff73c5au}) copies<kForm><<<1, 32>>>(buffer, sums, there, 8);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  char* buffer = nullptr;
  unsigned* sums = nullptr;
  CHECK(cudaMalloc(&buffer, kFromRegion));
  CHECK(cudaMemset(buffer, 0, kFromRegion));
  CHECK(cudaMalloc(&sums, 32 * sizeof *sums));
  for (int i = 1; i < argc; ++i) {
    const auto set = static_cast<unsigned>(atoi(argv[i]));
    measure<Form::bypass16>(set, buffer, sums);
    measure<Form::l1_16>(set, buffer, sums);
    measure<Form::l1_4>(set, buffer, sums);
    measure<Form::bypass_part>(set, buffer, sums);
  }
  return EXIT_SUCCESS;
}
