// Products of matrices and what feeds them, in machine code: how long the tensor unit is busy with
// each shape and type, what others may issue meanwhile, LDSM, asynchronous copies (LDGSTS), and
// when loads and stores that stand in a queue have read their registers.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++20 -O3 -arch=sm_90 -o products products.cu -lcuda
//   ./products machine_code.cubin [PART]       // copies, lanes, queues, products or beside
#include "machine_probe.h"

namespace {

using namespace timing;
using namespace timing::sass;

using One = std::function<void(Code&, int)>;

struct Form {
  const char* name;
  Word (*word)(R, R, R, R, unsigned);
  unsigned form;
  unsigned width;  // registers of the result
  bool guarded = false, sparse = false;
};
constexpr unsigned kWidest = 0x3000;  // the form of DMMA.16x8x16
constexpr Form kForms[] = {
    {"hmma.16816.f32", hmma, 0x1800, 4},
    {"hmma.16816.f16", hmma, 0x0800, 2},
    {"hmma.16816.f32.bf16", hmma, 0x41800, 4},
    {"hmma.1688.f32", hmma, 0x1000, 4},
    {"hmma.1688.f16", hmma, 0x0000, 2},
    {"hmma.1688.f32.tf32", hmma, 0x81000, 4},
    {"hmma.1684.f32.tf32", hmma, 0x85000, 4},
    {"hmma.sp.16816.f32", hmma, 0x1a00, 4, false, true},
    {"hmma.sp.16832.f32", hmma, 0x5a00, 4, false, true},
    {"imma.8816.s8", imma, 0x5400, 2},
    {"imma.16816.s8", imma, 0x405400, 4},
    {"imma.16832.s8", imma, 0x405c00, 4},
    {"imma.sp.16832.s8", imma, 0x405d00, 4, false, true},
    {"imma.sp.16864.s8", imma, 0x605500, 4, false, true},
    {"bmma.168256.and", bmma, 0x15400, 4},
    {"dmma.8x8x4", dmma, 0x0000, 4, true},
    {"dmma.16x8x4", dmma, 0x1000, 8, true},
    {"dmma.16x8x8", dmma, 0x2000, 8, true},
    {"dmma.16x8x16", dmma, kWidest, 8, true},
};

// A product into one of the accumulators in R16–R31. Operands: A from R32 on, B from R36 on.
void product(Code& c, const Form& form, int i) {
  const R d = 16 + static_cast<R>(i) * form.width % 16;
  // What eight registers hold begins at a multiple of eight.
  const R b = form.form == kWidest ? 32 : 36;
  const Word word = form.word(d, 32, b, d, form.form);
  c.put(form.sparse ? sparse(word, 14) : word, {.stall = 1, .write = form.guarded ? 0u : 7u});
}

void products() {
  for (const Form& form : kForms) {
    slope(std::string("product.") + form.name, [&](Code& c, int i) { product(c, form, i); },
          {1, 4, 8, 16, 32});
    // DMMA.16x8x16 by itself ends in an illegal instruction.
    if (form.guarded && form.form != kWidest)
      latency(form.name, form.word(16, 32, 36, 16, form.form));
  }
}

// What else issues while the unit is busy: a product and n others, each of which needs a cycle.
void beside_products() {
  const struct {
    const char* name;
    std::function<void(Code&, R)> one;
  } others[] = {
      {"nop", [](Code& c, R) { c.put(nop(), kOne); }},
      {"ffma.free", [](Code& c, R) { c.put(ffma(38, 14, 1, 14), kOne); }},
      {"lop3.free", [](Code& c, R) { c.put(lop3(38, 14, 1, 14), kOne); }},
      {"mov", [](Code& c, R) { c.put(mov(38, 14), kOne); }},
      {"ffma.three", [](Code& c, R) { c.put(ffma(38, 14, 6, 10), kOne); }},
  };
  for (const int of : {0, 3, 5})
    for (const auto& other : others)
      for (const int n : {1, 2, 3, 4, 5, 6})
        slope(std::string("beside.") + kForms[of].name + "|" + other.name + "*" + std::to_string(n),
              [&](Code& c, int i) {
                product(c, kForms[of], i);
                for (int k = 0; k < n; ++k) other.one(c, static_cast<R>(k));
              },
              {4, 16});
}

struct Access {
  const char* name;
  std::function<Word(int)> word;  // the i-th
  bool loads;                     // sets a counter when its result is there
};

R place(int i, int width) { return static_cast<R>(16 + i * width % 24); }

std::vector<Access> accesses() {
  return {
      {"ldg32", [](int i) { return ldg(place(i, 1), 4, 512 * (i % 8), Size::k32); }, true},
      {"ldg128", [](int i) { return ldg(place(i, 4), 8, 512 * (i % 8), Size::k128); }, true},
      {"lds32", [](int i) { return lds(place(i, 1), 6, 0, Size::k32); }, true},
      {"lds64", [](int i) { return lds(place(i, 2), 10, 0, Size::k64); }, true},
      {"lds128", [](int i) { return lds(place(i, 4), 10, 0, Size::k128); }, true},
      {"ldsm1", [](int i) { return ldsm(place(i, 1), 10, 1); }, true},
      {"ldsm2", [](int i) { return ldsm(place(i, 2), 10, 2); }, true},
      {"ldsm4", [](int i) { return ldsm(place(i, 4), 10, 4); }, true},
      {"ldsm4t", [](int i) { return ldsm(place(i, 4), 10, 4, true); }, true},
      {"movm", [](int i) { return movm(place(i, 1), 14); }, true},
      {"shfl", [](int i) { return shfl_bfly(place(i, 1), 14); }, true},
      {"stg32", [](int) { return stg(4, 0, 14, Size::k32); }, false},
      {"stg128", [](int) { return stg(8, 0, 16, Size::k128); }, false},
      {"sts32", [](int) { return sts(6, 0, 14, Size::k32); }, false},
      {"sts128", [](int) { return sts(10, 0, 16, Size::k128); }, false},
      {"ldgsts32", [](int) { return ldgsts(6, 4, Size::k32); }, false},
      {"ldgsts64", [](int) { return ldgsts(10, 8, Size::k64); }, false},
      {"ldgsts128", [](int) { return ldgsts(10, 8, Size::k128); }, false},
      {"ldgsts128.bypass", [](int) { return ldgsts(10, 8, Size::k128, true); }, false},
  };
}

// So many one behind the other: when the last has issued, has read its registers, has its result.
void queues() {
  for (const Access& access : accesses()) {
    if (std::string(access.name) == "ldsm1" || std::string(access.name) == "ldsm2" ||
        std::string(access.name) == "movm" || std::string(access.name).starts_with("ldgsts"))
      latency(access.name, access.word(0), access.loads, std::string(access.name) != "movm");
    for (const int warps : {1, 2, 4, 8, 16})
      for (const int n : {1, 2, 4, 6, 8, 10, 12, 16, 24, 32}) {
        const auto ask = [&](const char* what, unsigned wait) {
          const Body body = [&](Code& c) {
            c.clock(0);
            for (int i = 0; i < n; ++i)
              c.put(access.word(i),
                    {.stall = 1, .write = access.loads ? 0u : 7u, .read = i + 1 == n ? 1u : 7u});
            c.clock(1, wait, 2);
            c.wait(0x3f);
            // Copies end before the next round begins.
            c.put(ldgdepbar(), {.stall = 1, .write = 0});
            c.put(depbar(0, 0), {.stall = 4});
          };
          print(std::string(what) + "." + access.name + ".n" + std::to_string(n) + ".w" +
                    std::to_string(warps),
                between(body, warps, 4, 1), "cycle");
        };
        ask("issued", 0);
        if (access.loads) ask("there", 1);
      }
    slope(
        std::string("steady.") + access.name,
        [&](Code& c, int i) {
          c.put(access.word(i), {.stall = 1, .write = access.loads ? 0u : 7u, .read = 1});
        },
        {1, 4, 8, 16, 32}, 24, 72);
  }
}

// Loads from shared memory of which all lanes, half of them, every fourth or one take part, at one
// address or side by side.
void few_lanes() {
  const struct {
    const char* name;
    unsigned guard;
  } lanes[] = {{"all", 7}, {"half", 0}, {"fourth", 4}, {"one", 5}};
  const struct {
    const char* name;
    Size size;
  } widths[] = {{"lds32", Size::k32}, {"lds64", Size::k64}, {"lds128", Size::k128}};
  for (const auto& width : widths)
    for (const auto& which : lanes)
      for (const R address : {14u, 10u})
        for (const int warps : {4, 16, 32}) {
          const auto cycles = [&](int n) {
            return between(
                [&](Code& c) {
                  c.put(and_immediate(38, 1, 3), {.stall = 6});
                  c.put(isetp_lt_immediate(4, 38, 1), {.stall = 13});
                  c.clock(0);
                  c.repeat(n, [&](int i) {
                    c.put(guarded(lds(16 + i % 4 * 4, address, 0, width.size), which.guard),
                          {.stall = 1, .write = 0});
                  });
                  c.clock(1, 1, 2);
                },
                warps, 4, 1)[0];
          };
          print(std::string("lanes.") + width.name + "." + which.name +
                    (address == 14 ? ".same" : ".beside") + ".w" + std::to_string(warps),
                {(cycles(72) - cycles(24)) / 48}, "cycle");
        }
}

// A group of n copies from its first instruction to the wait for it, of data in L1 (but for bypass)
// and L2; and of many groups of one copy each, of which the oldest but `left` are awaited.
void copies() {
  const struct {
    const char* name;
    Word word;
  } kinds[] = {{"32", ldgsts(6, 4, Size::k32)},
               {"64", ldgsts(10, 8, Size::k64)},
               {"128", ldgsts(10, 8, Size::k128)},
               {"128.bypass", ldgsts(10, 8, Size::k128, true)}};
  const auto commit = [](Code& c) { c.put(ldgdepbar(), {.stall = 1, .write = 0}); };
  for (const auto& kind : kinds)
    for (const int warps : {1, 4, 16}) {
      for (const int n : {0, 1, 2, 4, 8, 16})
        print(std::string("copies.") + kind.name + ".n" + std::to_string(n) + ".w" +
                  std::to_string(warps),
              between(
                  [&](Code& c) {
                    c.clock(0);
                    c.repeat(n, [&](int) { c.put(kind.word, kOne); });
                    commit(c);
                    c.put(depbar(0, 0), {.stall = 4});
                    c.clock(1, 0, 2);
                  },
                  warps, 4, 3),
              "cycle");
      for (const int left : {0, 1, 3})
        slope(
            std::string("groups.") + kind.name + ".left" + std::to_string(left),
            [&](Code& c, int) {
              c.put(kind.word, kOne);
              commit(c);
              c.put(depbar(0, static_cast<unsigned>(left)), {.stall = 4});
            },
            {warps}, 8, 24);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: products CUBIN [PART]\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("products");
  const Machine one(argv[1]);
  machine = &one;
  const struct {
    const char* name;
    void (*ask)();
  } parts[] = {{"copies", copies},
               {"lanes", few_lanes},
               {"queues", queues},
               {"products", products},
               {"beside", beside_products}};
  for (const auto& part : parts)
    if (argc == 2 || std::string(argv[2]) == part.name) part.ask();
}
