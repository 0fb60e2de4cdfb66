// A GPU model's TOML.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "simulator/models/gpu_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    heddle::simulator::parse_gpu_model({reinterpret_cast<const char*>(data), size}, "fuzz",
                                       "fuzz.toml");
  } catch (const std::runtime_error&) {
  }
  return 0;
}
