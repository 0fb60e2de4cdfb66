// Copies from global to shared memory (LDGSTS) under many address patterns, made to be measured
// instruction by instruction, as access_sweep.cu is.
//
//   copy_sweep ca4|ca8|ca16|cg16|all SET[-LAST]…
//   copy_sweep --patterns ca4|… SET      what the lanes do, without a GPU: a line for each pattern,
//   of its mask
//                                        and 32 pairs of offsets, from and to, in hexadecimal
#include <cstring>
#include <vector>

#include "../../common/common.h"
#include "copy_patterns.h"

constexpr int kPatterns = 256;
constexpr unsigned kFromRegion = 1u << 22, kToRegion = 1u << 15;

__constant__ unsigned from_offsets[kPatterns][32];
__constant__ unsigned short to_offsets[kPatterns][32];
__constant__ unsigned masks[kPatterns];

#define COPY(name_, width_, how)                                                               \
  struct name_ {                                                                               \
    static __device__ __forceinline__ void copy(unsigned to, unsigned long long from,          \
                                                unsigned on) {                                 \
      asm volatile("{ .reg .pred q; setp.ne.u32 q, %2, 0;\n@q cp.async." how                   \
                   ".shared.global [%0], [%1], " #width_ ";\ncp.async.wait_all;\n}" ::"r"(to), \
                   "l"(from), "r"(on)                                                          \
                   : "memory");                                                                \
    }                                                                                          \
  };
COPY(ca4, 4, "ca")
COPY(ca8, 8, "ca")
COPY(ca16, 16, "ca")
COPY(cg16, 16, "cg")

template <typename Form>
__global__ void copies(const char* buffer) {
  __shared__ __align__(1024) char tile[kToRegion];
  const unsigned lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
#pragma unroll
  for (int i = 0; i < kPatterns; ++i)
    Form::copy(to + to_offsets[i][lane], (unsigned long long)buffer + from_offsets[i][lane],
               masks[i] >> lane & 1);
}

struct Named {
  const char* name;
  void (*kernel)(const char*);
  unsigned width;
};
static const Named forms[] = {{"ca4", copies<ca4>, 4},
                              {"ca8", copies<ca8>, 8},
                              {"ca16", copies<ca16>, 16},
                              {"cg16", copies<cg16>, 16}};

static access_patterns::CopyPattern pattern(const Named& form, unsigned set, unsigned index) {
  return access_patterns::copy_pattern(set, index, form.width, kFromRegion, kToRegion);
}

static void print_patterns(const Named& form, unsigned set) {
  for (unsigned n = 0; n < kPatterns; ++n) {
    const auto copy = pattern(form, set, n);
    printf("%x", copy.from.mask);
    for (int lane = 0; lane < 32; ++lane)
      printf(" %x %x", copy.from.offset[lane], copy.to.offset[lane]);
    printf("\n");
  }
}

static void launch(const Named& form, unsigned set, const char* buffer) {
  std::vector<unsigned> from, lanes;
  std::vector<unsigned short> to;
  for (unsigned n = 0; n < kPatterns; ++n) {
    const auto copy = pattern(form, set, n);
    from.insert(from.end(), copy.from.offset, copy.from.offset + 32);
    to.insert(to.end(), copy.to.offset, copy.to.offset + 32);
    lanes.push_back(copy.from.mask);
  }
  CHECK(cudaMemcpyToSymbol(from_offsets, from.data(), from.size() * 4));
  CHECK(cudaMemcpyToSymbol(to_offsets, to.data(), to.size() * 2));
  CHECK(cudaMemcpyToSymbol(masks, lanes.data(), lanes.size() * 4));
  form.kernel<<<1, 32>>>(buffer);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  printf("launch %s width %u set %u\n", form.name, form.width, set);
}

int main(int argc, char** argv) {
  const bool prints = argc > 1 && strcmp(argv[1], "--patterns") == 0;
  if (argc < (prints ? 4 : 3)) {
    fprintf(stderr, "usage: copy_sweep [--patterns] FORM|all SET[-LAST]...\n");
    return 2;
  }
  const char* name = argv[prints ? 2 : 1];
  char* buffer = nullptr;
  if (!prints) {
    CHECK(cudaMalloc(&buffer, kFromRegion));
    CHECK(cudaMemset(buffer, 0, kFromRegion));
  }
  for (int i = prints ? 3 : 2; i < argc; ++i) {
    unsigned set = 0, last = 0;
    const int found = sscanf(argv[i], "%u-%u", &set, &last);
    if (found < 1) return 2;
    for (last = found == 2 ? last : set; set <= last; ++set)
      for (const Named& form : forms) {
        if (strcmp(name, "all") != 0 && strcmp(name, form.name) != 0) continue;
        if (prints) {
          print_patterns(form, set);
        } else {
          launch(form, set, buffer);
        }
      }
  }
  return EXIT_SUCCESS;
}
