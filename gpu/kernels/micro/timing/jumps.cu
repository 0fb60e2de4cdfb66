// Jumps and what is fetched for them, in machine code: chains of jumps by their number and distance
// (which caches hold them), instructions right behind a jump by where in a line it lands, jumps
// beside warps that issue and jump themselves.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++20 -O3 -arch=sm_90 -o jumps jumps.cu -lcuda
//   ./jumps machine_code.cubin
#include "machine_probe.h"

namespace {

using namespace timing;
using namespace timing::sass;

constexpr int kLine = 8;  // instructions
constexpr int kSubCores = 4;
constexpr Control kJump{.stall = 5};

void fill_to(Code& c, int place_in_line) {
  while (static_cast<int>(c.size()) % kLine != place_in_line) c.put(nop());
}

// `count` jumps, each over `lines` lines; cycles of each.
void chains() {
  for (const int warps : {1, 4, 8, 16})
    for (const int lines : {1, 2, 4, 8, 16})
      for (const int count : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96}) {
        if (count * lines > 1024) continue;
        auto cycles = between(
            [&](Code& c) {
              c.clock(0);
              fill_to(c, 0);
              for (int i = 0; i < count; ++i) {
                c.put(bra(kLine * lines - 1), kJump);
                c.repeat(kLine * lines - 1, [&](int) { c.put(nop()); });
              }
              c.clock(1, 0, 2);
            },
            warps, 4, 1);
        for (double& each : cycles) each /= count;
        print("chain.lines" + std::to_string(lines) + ".jumps" + std::to_string(count) + ".w" +
                  std::to_string(warps),
              cycles, "cycle");
      }
}

// Six jumps that land at a place of a line, n NOPs of one cycle behind each: cycles of each.
void behind_jumps() {
  constexpr int kJumps = 6;
  for (const int warps : {1, 8})
    for (int place = 0; place < kLine; ++place)
      for (const int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24}) {
        auto cycles = between(
            [&](Code& c) {
              fill_to(c, kLine - 1);
              c.clock(0);
              for (int i = 0; i < kJumps; ++i) {
                // Lands two to three lines further on.
                const int from = static_cast<int>(c.size());
                const int to = (from / kLine + 2) * kLine + place;
                c.put(bra(to - from - 1), kJump);
                while (static_cast<int>(c.size()) < to) c.put(nop());
                c.repeat(n, [&](int) { c.put(nop(), kOne); });
              }
              c.clock(1, 0, 2);
            },
            warps, 4, 1);
        for (double& each : cycles) each /= kJumps;
        print("behind.jump.place" + std::to_string(place) + ".n" + std::to_string(n) + ".w" +
                  std::to_string(warps),
              cycles, "cycle");
      }
}

// A split whose second side begins at a place of a line: from the first side's BSYNC to n NOPs into
// the other side; and from the last BSYNC to n NOPs behind it.
void behind_groups() {
  for (int place = 0; place < kLine; ++place)
    for (const int n : {0, 1, 2, 3, 4, 6, 8, 12, 16}) {
      const auto all = machine->run(
          [&](Code& c) {
            fill_to(c, 4);
            c.put(nop(), {.stall = 10});
            const int begin = static_cast<int>(c.size());
            const int other = (begin / kLine + 3) * kLine + place;
            // The sides and where they meet, which the barrier names.
            const int meet = other + n + 3;
            c.put(bssy(0, meet - begin - 1), {.stall = 10});
            c.put(guarded(bra(other - begin - 2), 0), kJump);
            c.clock(0, 0, 2);
            c.put(bsync(0), kJump);
            while (static_cast<int>(c.size()) < other) c.put(nop());
            c.repeat(n, [&](int) { c.put(nop(), kOne); });
            c.clock(1, 0, 2);
            c.clock(2, 0, 2);
            c.put(bsync(0), kJump);
            c.repeat(n, [&](int) { c.put(nop(), kOne); });
            c.clock(3, 0, 2);
          },
          1, 4);
      const std::string name = ".place" + std::to_string(place) + ".n" + std::to_string(n);
      // Lanes below 16 jump, the others go first.
      print("behind.switch" + name, {double(reading(all, 0, 1) - reading(all, 31, 0))}, "cycle");
      print("behind.meeting" + name, {double(reading(all, 0, 3) - reading(all, 0, 2))}, "cycle");
    }
}

// So many groups of lanes with a side each: from the first instruction of a side to that of the
// side that goes on next. Sides end with a BSYNC of their own, or jump to a common one; with `nop`s
// between, so that the sides are a line apart or not.
void switches() {
  for (const int warps : {1, 4, 8, 16})
    for (const int groups : {2, 4, 8})
      for (const bool common : {false, true})
        for (const int length : {0, 7, 24}) {
          const int lanes = 32 / groups, side = 2 + length;
          const auto all = machine->run(
              [&](Code& c) {
                fill_to(c, 0);
                const int begin = static_cast<int>(c.size());
                // BSSY, two instructions for each group but the last, which falls through.
                const int sides = begin + 1 + 2 * (groups - 1);
                const int end = sides + groups * side;
                c.put(bssy(0, end + (common ? 1 : 0) - begin - 1), {.stall = 10});
                for (int group = 1; group < groups; ++group) {
                  c.put(isetp_lt_immediate(4, 1, static_cast<std::uint32_t>(lanes * group)),
                        {.stall = 13});
                  const int at = static_cast<int>(c.size());
                  c.put(guarded(bra(sides + group * side - at - 1), 4), kJump);
                }
                for (int group = 0; group < groups; ++group) {
                  c.clock(static_cast<unsigned>(group), 0, 2);
                  c.repeat(length, [&](int) { c.put(nop(), {.stall = 2}); });
                  const int at = static_cast<int>(c.size());
                  c.put(common ? bra(end - at - 1) : bsync(0), kJump);
                }
                if (common) c.put(bsync(0), kJump);
                c.clock(8, 0, 2);
              },
              warps, 4);
          // The last group's side is that of index 0; others' lanes begin at lanes * (index - 1).
          std::vector<long long> begins{reading(all, 31, 0)};
          for (int group = 1; group < groups; ++group)
            begins.push_back(reading(all, lanes * (group - 1), group));
          std::sort(begins.begin(), begins.end());
          const std::string name = "switch.groups" + std::to_string(groups) +
                                   (common ? ".common" : ".own") + ".length" +
                                   std::to_string(length) + ".w" + std::to_string(warps);
          print(name, {double(begins.back() - begins.front()) / (groups - 1)}, "cycle");
          print(name + ".meeting", {double(reading(all, 0, 8) - begins.back())}, "cycle");
        }
}

// Twelve jumps of the first warp of each sub-core, while others of it issue: cycles of each jump.
// All code together is a small part of what the sub-core's cache holds.
void beside_others() {
  constexpr int kJumps = 12;
  struct Beside {
    const char* name;
    Body body;
  };
  std::vector<Beside> besides{{"nothing", [](Code&) {}}};
  static const char* const kNames[] = {"", "nop1", "nop2", "", "nop4", "",
                                       "", "",     "nop8", "", "",     "nop11"};
  for (const int stall : {1, 2, 4, 8, 11})
    besides.push_back({kNames[stall], [stall](Code& c) {
                         c.repeat(176 / stall, [&](int) {
                           c.put(nop(), {.stall = static_cast<unsigned>(stall)});
                         });
                       }});
  besides.push_back({"bra", [](Code& c) { c.repeat(16, [&](int) { c.put(bra(0), kJump); }); }});
  besides.push_back({"bra_line", [](Code& c) {
                       c.repeat(16, [&](int) {
                         c.put(bra(kLine - 1), kJump);
                         c.repeat(kLine - 1, [&](int) { c.put(nop()); });
                       });
                     }});
  for (const Beside& beside : besides)
    for (const int others : {1, 3, 7})
      for (const int distance : {0, kLine - 1, 2 * kLine - 1, 4 * kLine - 1})
        for (const int run : {0, 4}) {
          const auto measured = [&](Code& c) {
            c.clock(0);
            for (int i = 0; i < kJumps; ++i) {
              c.put(bra(distance), kJump);
              c.repeat(distance, [&](int) { c.put(nop()); });
              c.repeat(run, [&](int) { c.put(nop(), kOne); });
            }
            c.clock(1, 0, 2);
          };
          const Body body = [&](Code& c) {
            Code first, rest;
            beside.body(rest);
            measured(first);
            c.put(s2r(38, 0x21), {.stall = 2, .write = 0});
            c.put(isetp_lt_immediate(4, 38, 32 * kSubCores), {.stall = 13, .wait = 1});
            c.put(guarded(bra(static_cast<int>(rest.size()) + 1), 4), kJump);
            beside.body(c);
            c.put(bra(static_cast<int>(first.size())), kJump);
            measured(c);
          };
          const auto all = machine->run(body, kSubCores * (1 + others), 4);
          double mean = 0;
          for (int w = 0; w < kSubCores; ++w)
            mean += double(reading(all, 32 * w, 1) - reading(all, 32 * w, 0)) / kSubCores / kJumps;
          print(std::string("near_others.") + beside.name + ".others" + std::to_string(others) +
                    ".over" + std::to_string(distance) + ".run" + std::to_string(run),
                {mean}, "cycle");
        }
}

// Straight code, one cycle an instruction, of several warps: who fetches what may be late.
void straight() {
  for (const int warps : {1, 4, 8, 12, 16, 32})
    for (const int n : {8, 16, 32, 64, 128, 192})
      for (const int stall : {1, 2, 4}) {
        auto cycles = between(
            [&](Code& c) {
              c.clock(0);
              c.repeat(n, [&](int) { c.put(nop(), {.stall = static_cast<unsigned>(stall)}); });
              c.clock(1, 0, 2);
            },
            warps, 4, 1);
        for (double& each : cycles) each /= n;
        print("straight.stall" + std::to_string(stall) + ".n" + std::to_string(n) + ".w" +
                  std::to_string(warps),
              cycles, "cycle");
      }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: jumps CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("jumps");
  const Machine one(argv[1]);
  machine = &one;
  chains();
  behind_jumps();
  behind_groups();
  switches();
  beside_others();
  straight();
}
