// Products of bf16 matrices by tensor copies, barriers and warp groups (gpu/kernels/sm_90a), whose
// sums are whole numbers: every one is known.
#include <gtest/gtest.h>

#include <cstring>

#include "isa/cubin.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/tensor_map.hpp"
#include "simulator/tests/recorded_probe.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kRows = 128, kColumns = 256, kDepth = 192;

// The same small numbers as in the program.
int number(unsigned matrix, unsigned row, unsigned k) {
  return static_cast<int>((row * 7 + k * 13 + matrix * 5 + row * k) % 9) - 4;
}

std::uint16_t bfloat(int value) {
  const auto as_float = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &as_float, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

class Matrices {
 public:
  Matrices()
      : device_(default_model(isa::Arch::sm_90)),
        module_(recorded_cubins("warpgroup_matmul").at(0).bytes, "matmul", device_.memory()),
        a_(filled(0, kRows)),
        b_(filled(1, kColumns)),
        c_(*device_.memory().allocate(kRows * kColumns * 4, "c")) {}

  LaunchOutcome multiply(std::string_view kernel_name, unsigned rows_of_block, unsigned threads,
                         unsigned shared_bytes) {
    LaunchRequest request;
    request.module = &module_;
    for (const isa::Kernel& kernel : module_.cubin().kernels)
      if (kernel.name.find(kernel_name) != std::string::npos) request.kernel = &kernel;
    request.grid = {kColumns / 128, kRows / rows_of_block, 1};
    request.block = {threads, 1, 1};
    request.dynamic_shared_bytes = shared_bytes;
    request.parameters.resize(request.kernel->parameter_bytes);
    const auto put = [&](std::size_t parameter, const void* from, std::size_t bytes) {
      std::memcpy(request.parameters.data() + request.kernel->parameters.at(parameter).offset, from,
                  bytes);
    };
    const TensorMapBytes map_a = map_of(a_, kRows, 64), map_b = map_of(b_, kColumns, 128);
    const int n = kColumns, k = kDepth;
    put(0, map_a.data(), map_a.size());
    put(1, map_b.data(), map_b.size());
    put(2, &c_, sizeof c_);
    put(3, &n, sizeof n);
    put(4, &k, sizeof k);
    LaunchOptions options;
    options.settings.max_instructions = 50'000'000;
    return device_.launch(request, options);
  }

  unsigned wrong_sums() {
    unsigned wrong = 0;
    for (unsigned row = 0; row < kRows; ++row)
      for (unsigned column = 0; column < kColumns; ++column) {
        int sum = 0;
        for (unsigned k = 0; k < kDepth; ++k) sum += number(0, row, k) * number(1, column, k);
        float ours;
        std::memcpy(&ours, view(c_, kRows * kColumns * 4) + (row * kColumns + column) * 4, 4);
        if (ours != static_cast<float>(sum)) ++wrong;
      }
    return wrong;
  }

 private:
  std::byte* view(std::uint64_t address, std::size_t bytes) {
    return device_.memory().view(address, bytes);
  }
  std::uint64_t filled(unsigned matrix, unsigned rows) {
    const std::size_t bytes = std::size_t{rows} * kDepth * 2;
    const std::uint64_t address = *device_.memory().allocate(bytes, "matrix");
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned k = 0; k < kDepth; ++k) {
        const std::uint16_t value = bfloat(number(matrix, row, k));
        std::memcpy(view(address, bytes) + (std::size_t{row} * kDepth + k) * 2, &value, 2);
      }
    return address;
  }
  static TensorMapBytes map_of(std::uint64_t address, unsigned rows, unsigned rows_of_box) {
    TensorMap map;
    map.type = TensorType::bf16;
    map.rank = 2;
    map.address = address;
    map.size = {kDepth, rows};
    map.stride = {kDepth * 2};
    map.box = {64, rows_of_box};
    map.step = {1, 1};
    map.swizzle = 3;
    return encode(map).value();
  }

  Device device_;
  Module module_;
  std::uint64_t a_, b_, c_;
};

constexpr unsigned kBoxOfA = 64 * 128, kBoxOfB = 128 * 128;  // bytes

TEST(WarpgroupMatmul, OfOneGroupIsRight) {
  Matrices matrices;
  const LaunchOutcome outcome = matrices.multiply("tiled_matmul", 64, 128, 2 * (kBoxOfA + kBoxOfB));
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_EQ(matrices.wrong_sums(), 0u);
}

TEST(WarpgroupMatmul, OfSpecialisedGroupsIsRight) {
  Matrices matrices;
  const LaunchOutcome outcome =
      matrices.multiply("specialised_matmul", 128, 384, 4 * (2 * kBoxOfA + kBoxOfB));
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_EQ(matrices.wrong_sums(), 0u);
}

// A block with less shared memory than its boxes take.
TEST(WarpgroupMatmul, OutsideSharedMemoryIsAFault) {
  Matrices matrices;
  const LaunchOutcome outcome = matrices.multiply("tiled_matmul", 64, 128, kBoxOfA);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
  EXPECT_NE(outcome.fault->message().find("UTMALDG"), std::string::npos)
      << outcome.fault->message();
}

}  // namespace
}  // namespace heddle::simulator
