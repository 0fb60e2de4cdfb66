// What kernels reach through a surface, whatever its header says: a capsule can hold any.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/texture.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kBytes = 256;

class SurfaceAccess : public testing::Test {
 protected:
  LaunchOutcome run(const char* kernel, std::uint64_t surface_at, std::int32_t x) {
    TextureHeader header;
    header.address = surface_at;
    header.width = kBytes / 4;
    header.surface = true;
    const std::uint64_t handle = *add_texture(device_.memory(), header);
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    request.grid = request.block = {1, 1, 1};
    request.parameters = parameters(handle, x, std::uint32_t{5});
    return device_.launch(request, {});
  }
  void expect_fault(const char* kernel, std::uint64_t surface_at, std::int32_t x,
                    Fault::Kind kind) {
    const LaunchOutcome outcome = run(kernel, surface_at, x);
    ASSERT_TRUE(outcome.fault) << kernel;
    EXPECT_EQ(outcome.fault->kind, kind) << kernel;
  }

  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/tests/kernels/surfaces.sm_90.cubin"), "surfaces.cubin",
                 device_.memory()};
};

TEST_F(SurfaceAccess, OfAnAllocationIsThere) {
  const std::uint64_t at = *device_.memory().allocate(kBytes, "texels");
  for (const char* kernel : {"store", "reduce"}) {
    const LaunchOutcome outcome = run(kernel, at, 8);
    EXPECT_FALSE(outcome.fault) << outcome.fault->message();
  }
  std::uint32_t sum = 0;
  std::memcpy(&sum, device_.memory().view(at + 8, 4), 4);
  EXPECT_EQ(sum, 10u);
}

// Parameters are to be read alone, and shared by all blocks.
TEST_F(SurfaceAccess, WritesNoParameters) {
  constexpr std::uint64_t kParameters = 0x3'0000'0000;  // where their addresses lead
  for (const char* kernel : {"store", "reduce"})
    expect_fault(kernel, kParameters, 0, Fault::Kind::illegal_address);
}

// The host's atomic operations would be misaligned too.
TEST_F(SurfaceAccess, ReducesNothingMisaligned) {
  const std::uint64_t at = *device_.memory().allocate(2 * kBytes, "texels");
  expect_fault("reduce", at, 2, Fault::Kind::misaligned_address);
  expect_fault("reduce", at + 2, 4, Fault::Kind::misaligned_address);
}

}  // namespace
}  // namespace heddle::simulator
