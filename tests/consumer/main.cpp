#include <cstdio>

#include "isa/decoder.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/models/occupancy.hpp"

int main() {
  const auto& gpu = heddle::simulator::gpu_model("h200");
  const auto fit = heddle::simulator::occupancy(
      gpu, {.threads_per_block = 256, .registers_per_thread = 32, .shared_bytes_per_block = 0});
  std::printf("%s: %u blocks\n", gpu.name.c_str(), fit.blocks_per_sm);
}
