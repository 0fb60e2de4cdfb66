// The kernel whose runs the tests of heddle sweep vary.
#pragma once

namespace heddle::cli {

// Fails with blocks of more than 1024 threads, as every kernel.
inline constexpr const char* kSweepSketch =
    "__global__ void k(float *c, int n) {\n"
    "  float x = 0.0f;\n"
    "  for (int i = 0; i < n; i++) x = x + 2.0f;\n"
    "  c[threadIdx.x] = x;\n"
    "}\n"
    "k<<<1, 64>>>(zeros(4096), 8);\n";

}  // namespace heddle::cli
