// Modules whose construction fails.
#include <gtest/gtest.h>

#include <new>

#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

TEST(Module, GivesBackWhatItAllocatedWhenTheRestDoesNotFit) {
  const std::vector<std::byte> bytes = compiled_kernels("isa/tests/cubins/program.sm_90.cubin");
  constexpr std::uint64_t kStep = 16, kEnough = 4096;
  unsigned refused = 0;
  for (std::uint64_t capacity = kStep; capacity < kEnough; capacity += kStep) {
    DeviceMemory memory{capacity};
    try {
      Module(bytes, "program.cubin", memory);
    } catch (const std::bad_alloc&) {
      ++refused;
    }
    EXPECT_TRUE(memory.allocations().empty()) << capacity << " bytes";
  }
  EXPECT_GT(refused, 1u);  // the first of its variables takes 16 bytes
}

}  // namespace
}  // namespace heddle::simulator
