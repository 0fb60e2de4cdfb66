// When register banks keep instructions from issuing: rows of instructions that read registers of
// the even bank and of the odd one, by one warp and by several of a sub-core.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++17 -O3 -arch=sm_90 -o ports ports.cu -lcuda
//   ./ports machine_code.cubin
//
// A question's name is its row: n NOP, f FFMA, a LOP3, m IMAD, each with its three registers (z:
// none) and the reuse bits. Answers are cycles for the whole row, over and over.
#include <algorithm>
#include <array>
#include <random>

#include "machine_probe.h"

namespace {

using namespace timing;
using namespace timing::sass;

struct One {
  char kind = 'n';
  std::array<R, 3> sources{RZ, RZ, RZ};
  unsigned reuse = 0, stall = 1;
  bool yield = false;
  unsigned odd = 0;  // 1: what it writes is in the odd bank
  R to = RZ;         // what it writes, if not one of many in turn
};
using Row = std::vector<One>;

Word word_of(const One& one, R d) {
  const auto [a, b, c] = one.sources;
  if (one.kind == 'f') return ffma(d, a, b, c);
  if (one.kind == 'a') return lop3(d, a, b, c);
  if (one.kind == 'm') return imad(d, a, b, c);
  if (one.kind == 'h') return shf(d, a, b, c);
  if (one.kind == 's') return sel(d, a, b, 2);
  if (one.kind == 'i') return isetp_ne(4, a, b);
  return nop();
}

std::string name_of(const Row& row) {
  std::string name;
  for (const One& one : row) {
    if (!name.empty()) name += '-';
    name += one.kind;
    if (one.kind != 'n')
      for (const R source : one.sources)
        name += (source == RZ ? std::string("z") : std::to_string(source)) + "_";
    if (name.back() == '_') name.pop_back();
    if (one.reuse != 0) name += "r" + std::to_string(one.reuse);
    if (one.stall != 1) name += "s" + std::to_string(one.stall);
  }
  return name;
}

// From the first warp of a sub-core that begins to the last that ends.
double span(const Row& row, int times, int warps) {
  const auto all = machine->run(
      [&](Code& c) {
        c.clock(0);
        for (int i = 0; i < times; ++i)
          for (std::size_t j = 0; j < row.size(); ++j)
            c.put(word_of(row[j],
                          row[j].to != RZ
                              ? row[j].to
                              : 16 + row[j].odd + 2 * static_cast<R>((i * row.size() + j) % 8)),
                  {.stall = row[j].stall, .yield = row[j].yield, .reuse = row[j].reuse});
        c.clock(1, 0x3f, 2);
      },
      warps, 4);
  long long begin = reading(all, 0, 0), end = reading(all, 0, 1);
  for (int warp = 0; warp < warps; warp += 4) {
    begin = std::min(begin, reading(all, 32 * warp, 0));
    end = std::max(end, reading(all, 32 * warp, 1));
  }
  return double(end - begin);
}

void ask(const Row& row, int warps, const std::string& name) {
  constexpr int kFew = 3, kMany = 11;
  const double of_sub_core = std::max(1, warps / 4);
  std::vector<double> samples;
  for (int i = 0; i < 2; ++i)
    samples.push_back((span(row, kMany, warps) - span(row, kFew, warps)) / (kMany - kFew) /
                      of_sub_core);
  print("ports." + name + ".w" + std::to_string(warps), samples, "cycle");
}
void ask(const Row& row, int warps) { ask(row, warps, name_of(row)); }

std::mt19937 numbers(23);
unsigned below(unsigned bound) { return numbers() % bound; }  // the same everywhere

// `even` and `odd` registers in any order of the three.
std::array<R, 3> registers(unsigned even, unsigned odd) {
  std::vector<R> evens{14, 6, 10, 12, 4, 8}, odds{1, 13, 5, 9, 15}, all(3, RZ);
  for (unsigned i = 0; i < even + odd; ++i) {
    auto& from = i < even ? evens : odds;
    const unsigned at = below(static_cast<unsigned>(from.size()));
    all[i] = from[at];
    from.erase(from.begin() + at);
  }
  for (unsigned i = 2; i > 0; --i) std::swap(all[i], all[below(i + 1)]);
  return {all[0], all[1], all[2]};
}

// No two in a row for a unit that takes one in two cycles.
Row random_row(unsigned length, bool reuses) {
  constexpr std::array<std::array<unsigned, 2>, 10> kReads{
      {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}, {2, 1}, {1, 2}, {3, 0}, {0, 3}}};
  Row row;
  while (row.size() < length) {
    One one{.kind = "nffaam"[below(6)]};
    const char before = row.empty() ? 'n' : row.back().kind;
    const char behind = row.size() + 1 == length ? row[0].kind : 'n';
    if (one.kind != 'n' && one.kind != 'f' && (one.kind == before || one.kind == behind)) continue;
    if (one.kind != 'n') {
      const auto& reads = kReads[below(reuses ? 8 : 10)];
      one.sources = registers(reads[0], reads[1]);
      if (reuses && below(2) == 0) one.reuse = 1 + below(7);
      // What the one before leaves in the reuse cache, now and then.
      if (reuses && !row.empty() && row.back().reuse != 0 && below(3) != 0)
        for (unsigned slot = 0; slot < 3; ++slot)
          if ((row.back().reuse >> slot & 1) != 0) one.sources[slot] = row.back().sources[slot];
    }
    row.push_back(one);
  }
  return row;
}

// Two instructions, and as many NOPs as make room for what they keep back.
void pairs() {
  constexpr std::array<std::array<unsigned, 2>, 6> kReads{
      {{1, 0}, {1, 1}, {2, 0}, {2, 1}, {1, 2}, {3, 0}}};
  for (const auto& first : kReads)
    for (const auto& second : {std::array{0u, 0u}, {1u, 0u}, {0u, 1u}, {1u, 1u}, {2u, 0u}})
      for (const char* kinds : {"fa", "mf"})
        for (const unsigned nops : {1u, 2u, 4u}) {
          Row row{{kinds[0], registers(first[0], first[1])},
                  {kinds[1], registers(second[0], second[1])}};
          row.resize(2 + nops);
          ask(row, 1);
        }
}

// LOP3 as often as its unit takes it, and others between.
void beside_full_unit() {
  for (int i = 0; i < 24; ++i) {
    Row row;
    for (int j = 0; j < 6; ++j) {
      row.push_back({'a', registers(1 - i % 2, i % 2)});
      if (j % 2 == 0)
        row.push_back(
            {"mf"[i / 2 % 2], registers(i / 4 % 3 == 0 ? 2 : 1, i / 4 % 3 == 0 ? 1 : i / 4 % 3)});
      else if (i >= 12)
        row.back().stall = 2;
    }
    for (const int warps : {1, 16, 32}) ask(row, warps);
  }
}

// What compilers make of selected constants, shifts and products: twelve instructions for the ALU,
// three IMAD. E and O: registers of the even and the odd bank.
void selections() {
  struct Kind {
    const char* name;
    bool reuse = true, selects = true, shifts = true, odd = true, stalls = true;
    std::array<std::array<R, 3>, 3> products;
  };
  constexpr std::array<std::array<R, 3>, 3> kTwo{{{10, 9, 1}, {12, 15, 9}, {14, 5, 9}}},
      kTwoFirst{{{10, 12, 1}, {14, 12, 9}, {10, 14, 5}}},
      kOne{{{10, 9, RZ}, {12, 15, RZ}, {14, 5, RZ}}}, kEnds{{{9, 10, 1}, {15, 12, 9}, {5, 14, 9}}};
  const Kind kinds[] = {{.name = "whole", .products = kTwo},
                        {.name = "first", .products = kTwoFirst},
                        {.name = "ends", .products = kEnds},
                        {.name = "free", .products = kOne},
                        {.name = "fresh", .reuse = false, .products = kTwo},
                        {.name = "fresh.free", .reuse = false, .products = kOne},
                        {.name = "even", .odd = false, .products = kTwo},
                        {.name = "selects", .shifts = false, .products = kTwo},
                        {.name = "shifts", .selects = false, .products = kTwo},
                        {.name = "close", .stalls = false, .products = kTwo}};
  for (const Kind& kind : kinds) {
    Row row;
    const auto put = [&](char what, std::array<R, 3> sources, unsigned stall, bool yield = false,
                         unsigned reuse = 0) {
      row.push_back({.kind = what,
                     .sources = sources,
                     .reuse = kind.reuse ? reuse : 0,
                     .stall = kind.stalls ? stall : 1,
                     .yield = kind.stalls && yield,
                     .odd = kind.odd ? static_cast<unsigned>(row.size() / 2 % 2) : 0});
    };
    put('a', {10, RZ, RZ}, 4, true);
    put('i', {9, RZ, RZ}, 4, true);
    for (const R r : {14, 8, 6, 13})
      put(kind.selects ? 's' : 'h', {kind.selects ? R(r) : RZ, kind.selects ? RZ : R(r), RZ},
          r == 13 ? 1 : 2);
    put('m', kind.products[0], 1);
    for (const R r : {5, 4})
      put(kind.selects ? 's' : 'h', {kind.selects ? R(r) : RZ, kind.selects ? RZ : R(r), RZ}, 2,
          r == 4);
    for (const R r : {13, 15, 1, 5}) {
      if (kind.shifts)
        put('h', {RZ, r, 10}, r == 5 ? 1 : 2, false, r == 5 ? 0 : 4);
      else
        put('s', {r, RZ, RZ}, r == 5 ? 1 : 2);
    }
    put('m', kind.products[1], 4, true);
    put('m', kind.products[2], 5, true);
    for (const int warps : {1, 16, 32}) ask(row, warps, std::string("select.") + kind.name);
  }
}

// Two registers of one bank, or of both, that are read by one instruction soon after they were
// written: by which instruction, how many cycles before (old: never), and from which places.
void fresh() {
  constexpr int kBefore = 14, kBehind = 10, kOld = 0;
  constexpr R kFirst = 34, kSame = 36, kOther = 37;
  for (const char* writers : {"aa", "am", "ma", "mm", "af"})
    for (const char reader : {'m', 'f', 'a'})
      for (const bool same : {true, false})
        for (const std::array<int, 2> ago : {std::array{kOld, 4},
                                             {kOld, 5},
                                             {kOld, 7},
                                             {5, 4},
                                             {6, 4},
                                             {6, 5},
                                             {7, 4},
                                             {7, 5},
                                             {8, 5},
                                             {8, 6},
                                             {9, 7},
                                             {10, 8},
                                             {12, 9},
                                             {kOld, kOld}})
          for (const unsigned places : {0u, 1u, 2u}) {
            if (places != 0 && (!same || writers[0] != 'a')) continue;
            Row row(kBefore + 1 + kBehind);
            const R second = same ? kSame : kOther;
            if (ago[0] != kOld) row[kBefore - ago[0]] = {.kind = writers[0], .to = kFirst};
            if (ago[1] != kOld) row[kBefore - ago[1]] = {.kind = writers[1], .to = second};
            One& last = row[kBefore] = {.kind = reader};
            last.sources[places == 2 ? 1 : 0] = kFirst;
            last.sources[places == 0 ? 1 : 2] = second;
            const auto number = [](int n) {
              return n == 0 ? std::string("old") : std::to_string(n);
            };
            ask(row, 1,
                std::string("fresh.") + writers + "." + reader + (same ? ".same" : ".other") + "." +
                    number(ago[0]) + "." + number(ago[1]) + ".places" + std::to_string(places));
          }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ports CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("ports");
  const Machine one(argv[1]);
  machine = &one;
  fresh();
  selections();
  pairs();
  for (int i = 0; i < 120; ++i) ask(random_row(8, false), 1);
  for (int i = 0; i < 60; ++i) ask(random_row(8, true), 1);
  for (int i = 0; i < 40; ++i) ask(random_row(8, false), 16);
  for (int i = 0; i < 40; ++i) ask(random_row(8, true), 16);
  beside_full_unit();
}
