// Every form of memory access under many address patterns, made to be measured instruction by
// instruction.
//
//   access_sweep FORM|all SET[-LAST]…
//
// A kernel is one form of access (an opcode and a width), 256 times in a row: the n-th access
// follows pattern n of the set (access_patterns.h). Counts per instruction are then counts per
// pattern. Each access waits for the one before it, so that the compiler keeps their order. Tables
// are read from constant memory: nothing else in a kernel accesses global, shared or local memory.
#include <cstring>
#include <vector>

#include "../../common/common.h"
#include "access_patterns.h"

constexpr int kPatterns = 256;
constexpr unsigned kGlobalRegion = 1u << 22, kSharedRegion = 1u << 15, kLocalRegion = 1u << 11;

__constant__ unsigned offsets[kPatterns][32];
__constant__ unsigned masks[kPatterns];

enum Space { kGlobal, kShared, kLocal, kGenericGlobal, kGenericShared, kGenericLocal, kMixed };

// %0: 32 bits of result, %1 address, %3 a value. The access is predicated on its lane.
#define FORM(name_, space_, width_, text)                                                 \
  struct name_ {                                                                          \
    static constexpr Space space = space_;                                                \
    static constexpr unsigned width = width_;                                             \
    static __device__ __forceinline__ unsigned access(unsigned long long at, unsigned on, \
                                                      unsigned value) {                   \
      unsigned result = 0;                                                                \
      asm volatile(                                                                       \
          "{ .reg .pred q; .reg .b32 a, b, c; .reg .b64 d, e, v; .reg .b128 w, x;\n"      \
          " .reg .b16 s;\n"                                                               \
          "setp.ne.u32 q, %2, 0;\n" text "\n}"                                            \
          : "+r"(result)                                                                  \
          : "l"(at), "r"(on), "r"(value)                                                  \
          : "memory");                                                                    \
      return result;                                                                      \
    }                                                                                     \
  };

#define V2 "xor.b32 %0, %0, a;"
#define V4 "xor.b32 %0, %0, a; xor.b32 b, b, c; xor.b32 %0, %0, b;"
#define WIDE "mov.b64 v, {%3, %3};\n"
#define NARROW "mov.b64 {a, b}, d; xor.b32 %0, a, b;"
#define ZERO2 "mov.b32 a, 0;\n"
#define ZERO4 "mov.b32 a, 0; mov.b32 b, 0; mov.b32 c, 0;\n"
#define ZERO64 "mov.b64 d, 0;\n"

#define LOADS(prefix, space, instruction)                                            \
  FORM(prefix##_ld8, space, 1, "@q " instruction ".u8 %0, [%1];")                    \
  FORM(prefix##_ld16, space, 2, "@q " instruction ".u16 %0, [%1];")                  \
  FORM(prefix##_ld32, space, 4, "@q " instruction ".u32 %0, [%1];")                  \
  FORM(prefix##_ld64, space, 8, ZERO2 "@q " instruction ".v2.u32 {%0, a}, [%1];" V2) \
  FORM(prefix##_ld128, space, 16, ZERO4 "@q " instruction ".v4.u32 {%0, a, b, c}, [%1];" V4)
#define STORES(prefix, space, instruction)                                   \
  FORM(prefix##_st8, space, 1, "@q " instruction ".u8 [%1], %3;")            \
  FORM(prefix##_st16, space, 2, "@q " instruction ".u16 [%1], %3;")          \
  FORM(prefix##_st32, space, 4, "@q " instruction ".u32 [%1], %3;")          \
  FORM(prefix##_st64, space, 8, "@q " instruction ".v2.u32 [%1], {%3, %3};") \
  FORM(prefix##_st128, space, 16, "@q " instruction ".v4.u32 [%1], {%3, %3, %3, %3};")
#define CAS_EXCH(prefix, space, where)                                                         \
  FORM(prefix##_cas32, space, 4, "@q atom" where ".cas.b32 %0, [%1], %3, %2;")                 \
  FORM(prefix##_cas64, space, 8, ZERO64 WIDE "@q atom" where ".cas.b64 d, [%1], v, v;" NARROW) \
  FORM(prefix##_exch32, space, 4, "@q atom" where ".exch.b32 %0, [%1], %3;")                   \
  FORM(prefix##_exch64, space, 8, ZERO64 WIDE "@q atom" where ".exch.b64 d, [%1], v;" NARROW)
#define GLOBAL_ATOMICS(prefix, space, where)                                                \
  CAS_EXCH(prefix, space, where)                                                            \
  FORM(prefix##_add32, space, 4, "@q atom" where ".add.u32 %0, [%1], %3;")                  \
  FORM(prefix##_add64, space, 8, ZERO64 WIDE "@q atom" where ".add.u64 d, [%1], v;" NARROW) \
  FORM(prefix##_addf32, space, 4,                                                           \
       "{ .reg .f32 f, g; mov.b32 f, %3; mov.b32 g, 0; @q atom" where                       \
       ".add.f32 g, [%1], f; mov.b32 %0, g; }")                                             \
  FORM(prefix##_red32, space, 4, "@q red" where ".add.u32 [%1], %3;")                       \
  FORM(prefix##_red64, space, 8, WIDE "@q red" where ".add.u64 [%1], v;")                   \
  FORM(prefix##_redf32, space, 4,                                                           \
       "{ .reg .f32 f; mov.b32 f, %3; @q red" where ".add.f32 [%1], f; }")                  \
  FORM(prefix##_redf64, space, 8,                                                           \
       WIDE "{ .reg .f64 f; mov.b64 f, v; @q red" where ".add.f64 [%1], f; }")              \
  FORM(prefix##_redf16x2, space, 4, "@q red" where ".add.noftz.f16x2 [%1], %3;")

LOADS(g, kGlobal, "ld.global")
LOADS(gnc, kGlobal, "ld.global.nc")
FORM(g_ldvol32, kGlobal, 4, "@q ld.volatile.global.u32 %0, [%1];")
FORM(g_ldcg32, kGlobal, 4, "@q ld.global.cg.u32 %0, [%1];")
STORES(g, kGlobal, "st.global")
GLOBAL_ATOMICS(g, kGlobal, ".global")
FORM(g_cas16, kGlobal, 2,
     "{ .reg .b16 t; mov.b16 s, 0; cvt.u16.u32 t, %3; @q atom.global.cas.b16 s, [%1], t, t;"
     "cvt.u32.u16 %0, s; }")
FORM(g_cas128, kGlobal, 16,
     WIDE
     "mov.b128 w, {v, v}; mov.b128 x, {v, v}; @q atom.global.cas.b128 x, [%1], w, w;"
     "mov.b128 {d, e}, x;" NARROW)
FORM(g_redv2f32, kGlobal, 8,
     "{ .reg .f32 f; mov.b32 f, %3; @q red.global.add.v2.f32 [%1], {f, f}; }")
FORM(g_redv4f32, kGlobal, 16,
     "{ .reg .f32 f; mov.b32 f, %3; @q red.global.add.v4.f32 [%1], {f, f, f, f}; }")
LOADS(s, kShared, "ld.shared")
STORES(s, kShared, "st.shared")
CAS_EXCH(s, kShared, ".shared")
FORM(s_add32, kShared, 4, "@q atom.shared.add.u32 %0, [%1], %3;")
FORM(s_red32, kShared, 4, "@q red.shared.add.u32 [%1], %3;")
FORM(s_add64, kShared, 8, ZERO64 WIDE "@q atom.shared.add.u64 d, [%1], v;" NARROW)
FORM(s_addf32, kShared, 4,
     "{ .reg .f32 f, g; mov.b32 f, %3; mov.b32 g, 0; @q atom.shared.add.f32 g, [%1], f;"
     "mov.b32 %0, g; }")
FORM(s_min32, kShared, 4, "@q atom.shared.min.u32 %0, [%1], %3;")
FORM(s_inc, kShared, 4, "@q atom.shared.add.u32 %0, [%1], 1;")
FORM(s_cas128, kShared, 16,
     WIDE
     "mov.b128 w, {v, v}; mov.b128 x, {v, v}; @q atom.shared.cas.b128 x, [%1], w, w;"
     "mov.b128 {d, e}, x;" NARROW)
FORM(s_exch128, kShared, 16,
     WIDE
     "mov.b128 w, {v, v}; mov.b128 x, {v, v}; @q atom.shared.exch.b128 x, [%1], w;"
     "mov.b128 {d, e}, x;" NARROW)
// Matrices: all lanes take part, whatever the mask says; the rows' addresses come from the first 8,
// 16 or 32 of them.
#define MATRIX "matrix.sync.aligned.m8n8"
FORM(s_ldsm1, kShared, 16, "ld" MATRIX ".x1.shared.b16 {%0}, [%1];")
FORM(s_ldsm2, kShared, 16, "ld" MATRIX ".x2.shared.b16 {%0, a}, [%1];" V2)
FORM(s_ldsm4, kShared, 16, "ld" MATRIX ".x4.shared.b16 {%0, a, b, c}, [%1];" V4)
FORM(s_ldsmt4, kShared, 16, "ld" MATRIX ".x4.trans.shared.b16 {%0, a, b, c}, [%1];" V4)
FORM(s_stsm1, kShared, 16, "st" MATRIX ".x1.shared.b16 [%1], {%3};")
FORM(s_stsm2, kShared, 16, "st" MATRIX ".x2.shared.b16 [%1], {%3, %3};")
FORM(s_stsm4, kShared, 16, "st" MATRIX ".x4.shared.b16 [%1], {%3, %3, %3, %3};")
FORM(s_stsmt4, kShared, 16, "st" MATRIX ".x4.trans.shared.b16 [%1], {%3, %3, %3, %3};")
LOADS(l, kLocal, "ld.local")
STORES(l, kLocal, "st.local")
LOADS(gg, kGenericGlobal, "ld")
STORES(gg, kGenericGlobal, "st")
GLOBAL_ATOMICS(gg, kGenericGlobal, "")
LOADS(gs, kGenericShared, "ld")
STORES(gs, kGenericShared, "st")
FORM(gs_add32, kGenericShared, 4, "@q atom.add.u32 %0, [%1], %3;")
FORM(gs_red32, kGenericShared, 4, "@q red.add.u32 [%1], %3;")
FORM(gs_cas32, kGenericShared, 4, "@q atom.cas.b32 %0, [%1], %3, %2;")
LOADS(gl, kGenericLocal, "ld")
STORES(gl, kGenericLocal, "st")
LOADS(m, kMixed, "ld")
STORES(m, kMixed, "st")

template <typename Form>
__global__ void probe(char* buffer, unsigned zero, unsigned* sink) {
  __shared__ __align__(1024) char tile[kSharedRegion];
  __align__(16) char frame[kLocalRegion];
  const unsigned lane = threadIdx.x;
  unsigned long long base = 0;
  switch (Form::space) {
    case kGlobal:
    case kGenericGlobal:
      base = (unsigned long long)buffer;
      break;
    case kShared:
      base = __cvta_generic_to_shared(tile);
      break;
    case kLocal:
      base = __cvta_generic_to_local(frame);
      break;
    case kGenericShared:
      base = (unsigned long long)tile;
      break;
    case kGenericLocal:
      base = (unsigned long long)frame;
      break;
    case kMixed:  // a third of the lanes each
      base = (unsigned long long)(lane % 3 == 0 ? buffer : lane % 3 == 1 ? tile : frame);
      break;
  }
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < kPatterns; ++i)
    result =
        Form::access(base + offsets[i][lane] + (result & zero), masks[i] >> lane & 1, zero + i);
  if (result == 0x12345678 && zero != 0) *sink = result;
}

struct Named {
  const char* name;
  void (*kernel)(char*, unsigned, unsigned*);
  unsigned width, region;
};
template <typename Form>
constexpr unsigned region_of() {
  switch (Form::space) {
    case kGlobal:
    case kGenericGlobal:
      return kGlobalRegion;
    case kShared:
    case kGenericShared:
      return kSharedRegion;
    default:
      return kLocalRegion;
  }
}
#define ONE(form) \
  { #form, probe < form>, form::width, region_of < form>() }
#define LD(p) ONE(p##_ld8), ONE(p##_ld16), ONE(p##_ld32), ONE(p##_ld64), ONE(p##_ld128)
#define ST(p) ONE(p##_st8), ONE(p##_st16), ONE(p##_st32), ONE(p##_st64), ONE(p##_st128)
#define CE(p) ONE(p##_cas32), ONE(p##_cas64), ONE(p##_exch32), ONE(p##_exch64)
#define AT(p)                                                                             \
  CE(p), ONE(p##_add32), ONE(p##_add64), ONE(p##_addf32), ONE(p##_red32), ONE(p##_red64), \
      ONE(p##_redf32), ONE(p##_redf64), ONE(p##_redf16x2)
static const Named forms[] = {
    LD(g),         LD(gnc),       ONE(g_ldvol32),  ONE(g_ldcg32),   ST(g),          AT(g),
    ONE(g_cas16),  ONE(g_cas128), ONE(g_redv2f32), ONE(g_redv4f32), LD(s),          ST(s),
    CE(s),         ONE(s_add32),  ONE(s_red32),    ONE(s_inc),      ONE(s_add64),   ONE(s_addf32),
    ONE(s_min32),  LD(l),         ST(l),           LD(gg),          ST(gg),         AT(gg),
    LD(gs),        ST(gs),        ONE(gs_add32),   ONE(gs_red32),   ONE(gs_cas32),  LD(gl),
    ST(gl),        LD(m),         ST(m),           ONE(s_cas128),   ONE(s_exch128), ONE(s_ldsm1),
    ONE(s_ldsm2),  ONE(s_ldsm4),  ONE(s_ldsmt4),   ONE(s_stsm1),    ONE(s_stsm2),   ONE(s_stsm4),
    ONE(s_stsmt4),
};

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: access_sweep FORM|all SET[-LAST]...\n");
    return 2;
  }
  char* buffer;
  unsigned* sink;
  CHECK(cudaMalloc(&buffer, kGlobalRegion));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMemset(buffer, 0, kGlobalRegion));
  std::vector<unsigned> sets;
  for (int i = 2; i < argc; ++i) {
    unsigned set = 0, last = 0;
    const int found = sscanf(argv[i], "%u-%u", &set, &last);
    if (found < 1) return 2;
    for (last = found == 2 ? last : set; set <= last; ++set) sets.push_back(set);
  }
  for (const unsigned set : sets) {
    for (const Named& form : forms) {
      if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], form.name) != 0) continue;
      std::vector<unsigned> table(kPatterns * 32), lanes(kPatterns);
      for (int n = 0; n < kPatterns; ++n) {
        const access_patterns::Pattern pattern =
            access_patterns::pattern(set, n, form.width, form.region);
        memcpy(&table[n * 32], pattern.offset, sizeof pattern.offset);
        lanes[n] = pattern.mask;
      }
      CHECK(cudaMemcpyToSymbol(offsets, table.data(), table.size() * 4));
      CHECK(cudaMemcpyToSymbol(masks, lanes.data(), lanes.size() * 4));
      form.kernel<<<1, 32>>>(buffer, 0, sink);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      printf("launch %s width %u region %u set %u\n", form.name, form.width, form.region, set);
    }
  }
  return EXIT_SUCCESS;
}
