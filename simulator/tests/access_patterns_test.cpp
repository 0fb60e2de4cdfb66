// Accesses of every width whose lanes adjoin, share one place, or do neither: each takes its own
// way through the simulator, and must do what lanes do that go one after the other.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kPlaces = 64;  // of an array

using Places = std::array<int, kWarpSize>;

enum class Kind { row, same, random };

Places draw(Kind kind, unsigned among, std::mt19937& random) {
  Places places;
  const auto first =
      static_cast<unsigned>(random() % (kind == Kind::row ? among - kWarpSize + 1 : among));
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    places[lane] = static_cast<int>(kind == Kind::row    ? first + lane
                                    : kind == Kind::same ? first
                                                         : random() % among);
  return places;
}

Kind any_kind(std::mt19937& random) {
  return std::array{Kind::row, Kind::same, Kind::random}[random() % 3];
}

Mask any_lanes(std::mt19937& random) {
  const auto some = Mask(static_cast<std::uint32_t>(random()));
  return std::array{
      kFullMask, some,
      (some & Mask(static_cast<std::uint32_t>(random() & random()))) | Mask::of(0)}[random() % 3];
}

class AccessPatterns : public testing::Test {
 protected:
  std::uint64_t upload(const void* values, std::size_t bytes) {
    const std::uint64_t address = *device_.memory().allocate(bytes, "test");
    std::memcpy(device_.memory().view(address, bytes), values, bytes);
    return address;
  }

  template <typename... Arguments>
  void run(const std::string& kernel, Arguments... arguments) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    ASSERT_NE(request.kernel, nullptr) << kernel;
    request.grid = {1, 1, 1};
    request.block = {kWarpSize, 1, 1};
    request.parameters = parameters(arguments...);
    const LaunchOutcome outcome = device_.launch(request, {});
    ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  }

  Device device_{default_model(isa::Arch::sm_90)};
  Module module_{compiled_kernels("simulator/tests/kernels/access_patterns.sm_90.cubin"),
                 "access_patterns.cubin", device_.memory()};
  std::mt19937 random_{1};
};

// Elements of kWidth bytes, and what the kernel does to them, a lane at a time.
template <std::size_t kWidth>
struct Elements {
  using Element = std::array<std::byte, kWidth>;
  std::array<Element, kPlaces> in, out{};

  explicit Elements(std::mt19937& random) {
    for (Element& element : in)
      for (std::byte& byte : element) byte = static_cast<std::byte>(random());
  }

  std::array<Element, kPlaces> moved(const std::array<Places, 6>& places, Mask on) const {
    std::array<Element, kPlaces> staged = in, result = out;
    const auto for_each = [&](auto&& move) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        if (on.has(lane)) move(lane);
    };
    const auto at = [&](unsigned access, unsigned lane) {
      return static_cast<std::size_t>(places[access][lane]);
    };
    for_each([&](unsigned lane) { staged[at(1, lane)] = in[at(0, lane)]; });
    for_each([&](unsigned lane) {
      std::array<Element, 8> own;
      std::copy_n(in.begin(), own.size(), own.begin());
      own[at(3, lane)] = staged[at(2, lane)];
      result[at(5, lane)] = own[at(4, lane)];
    });
    return result;
  }
};

TEST_F(AccessPatterns, MoveWhatLanesMoveOneAfterTheOther) {
  const auto check = [&]<std::size_t kWidth>() {
    const Elements<kWidth> elements(random_);
    std::array<Places, 6> places;
    for (const unsigned access : {0u, 1u, 2u, 5u})
      places[access] = draw(any_kind(random_), kPlaces, random_);
    for (const unsigned access : {3u, 4u})  // of the lane's own memory
      places[access] = draw(random_() % 2 == 0 ? Kind::same : Kind::random, 8, random_);
    const Mask on = any_lanes(random_);
    const std::uint64_t out = upload(&elements.out, sizeof elements.out);
    run("move_" + std::to_string(kWidth), upload(&elements.in, sizeof elements.in), out,
        upload(&places, sizeof places), on);
    const auto expected = elements.moved(places, on);
    EXPECT_EQ(std::memcmp(device_.memory().view(out, sizeof expected), &expected, sizeof expected),
              0)
        << kWidth << " bytes, lanes " << std::hex << on.bits();
  };
  for (int i = 0; i < 200; ++i) {
    check.operator()<1>();
    check.operator()<2>();
    check.operator()<4>();
    check.operator()<8>();
    check.operator()<16>();
  }
}

TEST_F(AccessPatterns, AddInTheOrderOfLanes) {
  for (int i = 0; i < 200; ++i) {
    const Places places = draw(any_kind(random_), kPlaces, random_);
    const Mask on = any_lanes(random_);
    std::array<unsigned, kPlaces> sums{};
    std::array<unsigned, kWarpSize> found{};
    const std::uint64_t memory = upload(&sums, sizeof sums), old = upload(&found, sizeof found);
    run("add", memory, old, upload(&places, sizeof places), on);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (!on.has(lane)) continue;
      unsigned& sum = sums[static_cast<std::size_t>(places[lane])];
      found[lane] = sum;
      sum += lane + 1;
    }
    EXPECT_EQ(std::memcmp(device_.memory().view(memory, sizeof sums), &sums, sizeof sums), 0);
    EXPECT_EQ(std::memcmp(device_.memory().view(old, sizeof found), &found, sizeof found), 0);
  }
}

}  // namespace
}  // namespace heddle::simulator
