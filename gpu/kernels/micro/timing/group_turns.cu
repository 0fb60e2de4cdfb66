// From one group of a warp's lanes to the next: the group that was set aside last, and those that
// were set aside before it, in machine code. Lanes part again and again, so that all but the first
// group wait; each has a side of its own and jumps to a common BSYNC, at which it waits or ends.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -cubin -o machine_code.cubin machine_code.cu
//   nvcc -std=c++20 -O3 -arch=sm_90 -o group_turns group_turns.cu -lcuda
//   ./group_turns machine_code.cubin
#include <algorithm>

#include "machine_probe.h"

#ifndef __CUDA_ARCH__

namespace {

using namespace timing;
using namespace timing::sass;

constexpr Control kJump{.stall = 5};
constexpr int kSide = 6;  // instructions

// Each branch parts the upper half of those that are left, which waits: lanes 16 to 31, 8 to 15 …
// Reading i is at the begin of the side of group i, the last one where all meet.
void groups_of(Code& c, int groups) {
  const int begin = static_cast<int>(c.size());
  const int sides = begin + 1 + 2 * (groups - 1), end = sides + groups * kSide;
  c.put(bssy(0, end - begin), {.stall = 10});
  for (int group = groups - 1, below = 16; group > 0; --group, below /= 2) {
    c.put(isetp_lt_immediate(4, 1, static_cast<std::uint32_t>(below)), {.stall = 13});
    const int at = static_cast<int>(c.size());
    c.put(guarded(bra(sides + group * kSide - at - 1), 8 + 4), kJump);
  }
  for (int group = 0; group < groups; ++group) {
    c.clock(static_cast<unsigned>(group), 0, 2);
    c.repeat(kSide - 2, [&](int) { c.put(nop(), {.stall = 4}); });
    c.put(bra(end - static_cast<int>(c.size()) - 1), kJump);
  }
  c.put(bsync(0), kJump);
  c.clock(static_cast<unsigned>(groups), 0, 2);
}

// From the begin of each side to that of the next: its code, the BSYNC, and the change. The last:
// to the meeting.
void turns(int groups, int warps) {
  const auto all = machine->run([=](Code& c) { groups_of(c, groups); }, warps, 4);
  std::vector<long long> begins;
  for (int group = 0; group < groups; ++group)
    begins.push_back(reading(all, group == 0 ? 0 : 32 >> (groups - group), group));
  std::sort(begins.begin(), begins.end());
  begins.push_back(reading(all, 0, groups));
  for (int i = 0; i < groups; ++i)
    print("turns.groups" + std::to_string(groups) + ".w" + std::to_string(warps) + ".turn" +
              std::to_string(i),
          {double(begins[i + 1] - begins[i])}, "cycle");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: group_turns CUBIN\n");
    return 2;
  }
  CUDA(cudaFree(nullptr));
  print_header("group_turns");
  const Machine one(argv[1]);
  machine = &one;
  for (const int groups : {2, 3, 4, 5, 6})
    for (const int warps : {1, 4, 8, 16, 32}) turns(groups, warps);
}

#endif
