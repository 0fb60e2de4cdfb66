// Mistakes planted in simulator/checks/tests/kernels/planted_90a.cu: what is used without its wait
// while copies of boxes and products of warp groups go on. Nothing may be found in the repairs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "isa/cubin.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/memory/tensor_map.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator::checks {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::byte> planted_kernels() {
  return compiled_kernels("simulator/checks/tests/kernels/planted.sm_90a.cubin");
}

class WarpGroups : public ::testing::Test {
 protected:
  WarpGroups() {
    for (std::uint32_t at = 0; at < kBox; at += 4) {
      const std::uint32_t value = 0x3f80'0000 + at * 0x101;
      std::memcpy(device_.memory().view(tensor_ + at, sizeof value), &value, sizeof value);
    }
  }
  // One cluster of `blocks_`; shared memory for four boxes. What was found, as text.
  template <typename... Arguments>
  std::string run(const char* names, const char* kernel, unsigned threads, Arguments... arguments) {
    return run(module_, names, kernel, threads, arguments...);
  }
  template <typename... Arguments>
  std::string run(Module& module, const char* names, const char* kernel, unsigned threads,
                  Arguments... arguments) {
    Checks checks{parse_options(names), device_.memory()};
    LaunchRequest request;
    request.module = &module;
    request.kernel = module.cubin().find_kernel(kernel);
    request.grid = request.cluster = {blocks_, 1, 1};
    request.block = {threads, 1, 1};
    request.dynamic_shared_bytes = 4 * kBox;
    request.parameters.resize(request.kernel->parameter_bytes);
    std::size_t number = 0;
    const auto put = [&](const auto& value) {
      std::memcpy(request.parameters.data() + request.kernel->parameters.at(number++).offset,
                  &value, sizeof value);
    };
    (put(arguments), ...);
    LaunchOptions options;
    options.checks = &checks;
    const LaunchOutcome outcome = device_.launch(request, options);
    std::string text;
    for (const Finding& finding : outcome.findings) {
      text += finding.check + " " + finding.kind + ": " + finding.message + "; " + finding.details;
      for (const Side& side : finding.sides) text += "\n  " + side.text + ": " + side.what;
      text += "\n";
    }
    if (outcome.fault) text += outcome.fault->message();
    return text;
  }

  TensorMapBytes map_of_floats() {
    TensorMap map;
    map.type = TensorType::f32;
    map.rank = 2;
    map.address = tensor_;
    map.size = {32, 64};
    map.stride = {128};
    map.box = {32, 64};
    map.step = {1, 1};
    map.swizzle = 3;
    return encode(map).value();
  }
  TensorMapBytes map_of_halves() {
    TensorMap map = decode_tensor_map(map_of_floats().data()).value();
    map.type = TensorType::bf16;
    map.size = {64, 64};
    map.box = {64, 64};
    return encode(map).value();
  }

  std::uint32_t blocks_ = 1;
  static constexpr std::uint32_t kBox = 8192;
  Device device_{gpu_model("h200")};
  Module module_{planted_kernels(), "planted.cubin", device_.memory()};
  std::uint64_t tensor_ = *device_.memory().allocate(kBox, "tensor");
  std::uint64_t out_ = *device_.memory().allocate(4096, "out");
};

TEST_F(WarpGroups, ABoxIsReadBehindTheBarrierThatCountsIt) {
  const std::string text = run("races", "tensor_load", 128, map_of_floats(), out_);
  EXPECT_THAT(text, HasSubstr("races copy_not_awaited"));
  EXPECT_THAT(text, HasSubstr("the mbarrier at shared address"));
  EXPECT_THAT(text, HasSubstr("UTMALDG"));
  EXPECT_THAT(run("races,hazards", "tensor_load_repaired", 128, map_of_floats(), out_), IsEmpty());
}

TEST_F(WarpGroups, ABoxOfAMapThatIsLargerThanItsTensorIsOutOfBounds) {
  TensorMap map = decode_tensor_map(map_of_floats().data()).value();
  map.address = *device_.memory().allocate(kBox - 1024, "short");
  const std::string text = run("memory", "tensor_load_repaired", 128, encode(map).value(), out_);
  EXPECT_THAT(text, HasSubstr("memory out_of_bounds"));
  EXPECT_THAT(text, HasSubstr("UTMALDG"));
  EXPECT_THAT(run("memory", "tensor_store_repaired", 128, encode(map).value()),
              AllOf(HasSubstr("memory out_of_bounds"), HasSubstr("UTMASTG")));
  EXPECT_THAT(run("memory", "tensor_load_repaired", 128, map_of_floats(), out_), IsEmpty());
  EXPECT_THAT(run("memory", "tensor_store_repaired", 128, map_of_floats()), IsEmpty());
}

TEST_F(WarpGroups, ABoxThatIsStoredStaysUntilItIsRead) {
  const std::string text = run("races", "tensor_store", 128, map_of_floats());
  EXPECT_THAT(text, HasSubstr("races copied_from"));
  EXPECT_THAT(text, HasSubstr("it needs cp.async.bulk.wait_group 0"));
  EXPECT_THAT(text, HasSubstr("UTMASTG"));
  EXPECT_THAT(run("races,hazards", "tensor_store_repaired", 128, map_of_floats()), IsEmpty());
}

TEST_F(WarpGroups, AFactorStaysUntilTheProductIsAwaited) {
  const std::string text = run("races", "product_source", 128, out_);
  EXPECT_THAT(text, HasSubstr("races multiplied_from"));
  EXPECT_THAT(text, HasSubstr("wgmma.wait_group"));
  EXPECT_THAT(text, HasSubstr("HGMMA"));
  EXPECT_THAT(run("races,hazards", "product_source_repaired", 128, out_), IsEmpty());
}

// One thread waits for the products of all four warps.
TEST_F(WarpGroups, AStageIsHandedBackBehindTheProducts) {
  const std::string text = run("races", "product_ring", 160, map_of_halves(), out_);
  EXPECT_THAT(text, HasSubstr("races multiplied_from"));
  EXPECT_THAT(text, HasSubstr("UTMALDG"));
  EXPECT_THAT(run("races,hazards", "product_ring_repaired", 160, map_of_halves(), out_), IsEmpty());
}

// Each block multiplies what lies in its own shared memory. (Both add to the same sums.)
TEST_F(WarpGroups, ProductsOfAClusterReadTheirOwnBlock) {
  blocks_ = 2;
  const std::string text = run("races", "product_ring_repaired", 160, map_of_halves(), out_);
  EXPECT_THAT(text, Not(HasSubstr("multiplied_from")));
}

TEST_F(WarpGroups, BytesThatNeverComeAreADeadlock) {
  const std::string text = run("sync", "never_comes", 64, out_);
  EXPECT_THAT(text, HasSubstr("deadlock"));
  EXPECT_THAT(text, HasSubstr("where 0 arrivals and 64 bytes are missing"));
}

TEST_F(WarpGroups, RegistersAreAwaitedUntilOthersGiveThemAway) {
  EXPECT_THAT(run("sync", "registers", 512, out_, 1u), IsEmpty());
  const std::string text = run("sync", "registers", 512, out_, 0u);
  EXPECT_THAT(text, HasSubstr("deadlock"));
  EXPECT_THAT(text, HasSubstr("waits for registers (setmaxnreg.inc): it needs"));
}

// The waits that the compiler made are changed to leave seven groups of products incomplete.
TEST_F(WarpGroups, ASumIsReadBehindTheWaitForItsProduct) {
  constexpr const char* kKernel = "product_source_repaired";
  std::vector<std::byte> bytes = planted_kernels();
  const isa::Cubin cubin = isa::parse_cubin(bytes, "planted.cubin");
  for (const isa::Section& section : cubin.sections) {
    if (section.name != std::string(".text.") + kKernel) continue;
    const auto at =
        std::search(bytes.begin(), bytes.end(), section.bytes.begin(), section.bytes.end());
    for (std::size_t i = 0; i + 16 <= section.bytes.size(); i += 16) {
      std::uint64_t low, high;
      std::memcpy(&low, &*at + i, sizeof low);
      std::memcpy(&high, &*at + i + 8, sizeof high);
      constexpr std::uint64_t kOpcode = 0xfff, kWarpgroup = 0x9c5, kWaits = 1 << 16, kAll = 7 << 8;
      if ((low & kOpcode) != kWarpgroup || (high & kWaits) == 0) continue;
      high |= kAll;
      std::memcpy(&*at + i + 8, &high, sizeof high);
    }
  }
  Module patched{std::move(bytes), "patched.cubin", device_.memory()};
  const std::string text = run(patched, "hazards", kKernel, 128, out_);
  EXPECT_THAT(text, HasSubstr("hazards not_awaited"));
  EXPECT_THAT(text, HasSubstr("it is a product's: wgmma.wait_group"));
}

}  // namespace
}  // namespace heddle::simulator::checks
