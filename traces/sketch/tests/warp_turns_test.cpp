// In which order the warps of a block take turns, where a program's result depends on it.
#include <gmock/gmock.h>

#include "traces/sketch/tests/sketch_runs.hpp"

namespace heddle::simulator {
namespace {

// A queue of tasks as many programs have it: wrong by CUDA's rules, as nothing keeps warp 0 from
// overwriting `next` before another warp has read it, but on a GPU warps go on side by side.
TEST(WarpTurns, AllWarpsReadWhatABarrierPublishedBeforeOneOverwritesIt) {
  const auto results = run_all(
      "__global__ void k(int *head, int *out) {\n"
      "  __shared__ int next;\n"
      "  int t = threadIdx.x;\n"
      "  if (t == 0) next = atomicAdd(head, 1);\n"
      "  __syncthreads();\n"
      "  int mine = next;\n"
      "  while (mine < 5) {\n"
      "    out[mine * 128 + t] += 1;\n"
      "    if (t == 0) next = atomicAdd(head, 1);\n"
      "    __syncthreads();\n"
      "    mine = next;\n"
      "  }\n"
      "}\n"
      "k<<<1, 128>>>(zeros(1), zeros(640));\n");
  EXPECT_THAT(results.at(0).array<std::int32_t>("out"), testing::Each(1));
}

}  // namespace
}  // namespace heddle::simulator
