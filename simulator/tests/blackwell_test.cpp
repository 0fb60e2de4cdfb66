// What sm_100a's accesses of 32 bytes, its loads and stores of matrices and what one thread asks
// for leave (simulator/tests/kernels/blackwell.cu), against PTX ISA's text and tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

class Blackwell : public testing::Test {
 protected:
  std::uint64_t upload(const std::vector<std::uint32_t>& words) {
    const std::uint64_t address = *device_.memory().allocate(words.size() * 4, "test");
    std::memcpy(device_.memory().view(address, words.size() * 4), words.data(), words.size() * 4);
    return address;
  }
  std::vector<std::uint32_t> download(std::uint64_t address, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    std::memcpy(words.data(), device_.memory().view(address, count * 4), count * 4);
    return words;
  }
  template <typename... Arguments>
  LaunchOutcome run(const char* kernel, Arguments... arguments) {
    return run_grid({1, 1, 1}, {}, kernel, arguments...);
  }
  template <typename... Arguments>
  LaunchOutcome run_grid(const Dim3& grid, const LaunchOptions& options, const char* kernel,
                         Arguments... arguments) {
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    request.grid = grid;
    request.block = {32, 1, 1};
    request.parameters = parameters(arguments...);
    return device_.launch(request, options);
  }
  // Every byte another number, or nearly.
  static std::vector<std::uint32_t> numbered(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i)
      for (unsigned e = 0; e < 4; ++e)
        words[i] |= static_cast<std::uint32_t>((4 * i + e) * 37 % 251) << 8 * e;
    return words;
  }

  Device device_{default_model(isa::Arch::sm_100)};
  Module module_{compiled_kernels("simulator/tests/kernels/blackwell.sm_100.cubin"),
                 "blackwell.cubin", device_.memory()};
};

TEST_F(Blackwell, AccessesOf32BytesMoveTheWordsThatTheyName) {
  const auto words = numbered(256);
  const auto in = upload(words);
  const auto some = upload(std::vector<std::uint32_t>(256, 7)),
             all = upload(std::vector<std::uint32_t>(256));
  const LaunchOutcome outcome = run("wide_words", in, some, all);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const auto got_some = download(some, 256), got_all = download(all, 256);
  for (unsigned i = 0; i < 256; ++i) {
    const bool named = i % 8 < 3 || i % 8 == 5;
    EXPECT_EQ(got_some[i], named ? words[i] : 7u) << i;
    EXPECT_EQ(got_all[i], words[i / 8 * 8 + 7 - i % 8]) << i;
  }
}

TEST_F(Blackwell, AccessesOf32BytesAreAlignedToThem) {
  const auto in = upload(numbered(264)), out = upload(std::vector<std::uint32_t>(256));
  const LaunchOutcome outcome = run("wide_words", in + 16, out, out);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::misaligned_address);
}

TEST_F(Blackwell, MatricesOfBytesAndNarrowerNumbersAreLoaded) {
  const auto words = numbered(128);
  const auto in = upload(words), out = upload(std::vector<std::uint32_t>(14 * 32));
  const LaunchOutcome outcome = run("load_matrices", in, out);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const auto got = download(out, 14 * 32);
  // Number `column` of a row of 16 bytes; `bits`: of each number.
  const auto number = [&](unsigned row, unsigned column, unsigned bits) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bits; ++i) {
      const unsigned at = column * bits + i;
      value |= (words[row * 4 + at / 32] >> at % 32 & 1) << i;
    }
    return value;
  };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < 4; ++e) {
      const unsigned major = lane / 4, minor = 4 * (lane % 4) + e;
      const auto byte = [&](unsigned reg) { return got[reg * 32 + lane] >> 8 * e & 0xff; };
      for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(byte(i), number(i / 2 * 16 + minor, i % 2 * 8 + major, 8));
        EXPECT_EQ(byte(4 + i), number(8 * i + major, minor, 4));
      }
      for (unsigned i = 0; i < 2; ++i) {
        EXPECT_EQ(byte(8 + i), number(8 * i + major, minor, 6));
        EXPECT_EQ(byte(10 + i), number(minor, 8 * i + major, 6));
        EXPECT_EQ(byte(12 + i), number(minor, 8 * i + major, 4));
      }
    }
}

// The elements are where those of a product's sum are: two of a row, two of the row eight further.
TEST_F(Blackwell, MatricesOfBytesAreStoredColumnByColumn) {
  const auto words = numbered(64);
  const auto in = upload(words), out = upload(std::vector<std::uint32_t>(64));
  const LaunchOutcome outcome = run("store_matrices", in, out);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const auto got = download(out, 64);
  for (unsigned matrix = 0; matrix < 2; ++matrix)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned e = 0; e < 4; ++e) {
        const unsigned row = lane / 4 + e / 2 * 8, column = 2 * (lane % 4) + e % 2;
        const unsigned at = (matrix * 8 + column) * 16 + row;
        EXPECT_EQ(got[at / 4] >> at % 4 * 8 & 0xff, words[matrix * 32 + lane] >> 8 * e & 0xff);
      }
}

TEST_F(Blackwell, ZerosAreStoredInBulk) {
  const auto out = upload(std::vector<std::uint32_t>(256));
  const LaunchOutcome outcome = run("zeros", out, std::uint32_t{64}, std::uint64_t{520});
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const auto got = download(out, 256);
  for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(got[i], i >= 16 && i < 146 ? 0u : 7u) << i;
}

TEST_F(Blackwell, ZerosBeyondSharedMemoryOrAtOddPlacesAreFaults) {
  const auto out = upload(std::vector<std::uint32_t>(256));
  const auto kind_of = [&](std::uint32_t at, std::uint64_t bytes) {
    const LaunchOutcome outcome = run("zeros", out, at, bytes);
    return outcome.fault ? std::optional(outcome.fault->kind) : std::nullopt;
  };
  EXPECT_EQ(kind_of(4, 8), Fault::Kind::misaligned_address);
  EXPECT_EQ(kind_of(0, 1 << 24), Fault::Kind::illegal_address);
}

TEST_F(Blackwell, StoresAndAdditionsThatNobodyWaitsFor) {
  const auto places = upload(std::vector<std::uint32_t>(256, 7)),
             sums = upload(std::vector<std::uint32_t>(6));
  const LaunchOutcome outcome = run("stores_without_waiting", places, sums);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  const auto got = download(places, 256), added = download(sums, 6);
  std::uint64_t sum = 0;
  std::uint32_t words = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t value = 0x1111'1111'1111'1111ull * (i + 1) / 8;
    sum += value;
    words += i * 0x1234'5678;
    const auto low = static_cast<std::uint32_t>(value),
               high = static_cast<std::uint32_t>(value >> 32);
    const bool stores = i % 2 != 0;
    const std::array<std::uint32_t, 8> expected =
        stores ? std::array<std::uint32_t, 8>{low & 0xffff, 7, low, 7, low, high, 7, 7}
               : std::array<std::uint32_t, 8>{7, 7, 7, 7, 7, 7, 7, 7};
    for (unsigned word = 0; word < 8; ++word)
      EXPECT_EQ(got[8 * i + word], expected[word]) << i << ", " << word;
  }
  EXPECT_EQ(added, (std::vector<std::uint32_t>{words, 0, words, 0, static_cast<std::uint32_t>(sum),
                                               static_cast<std::uint32_t>(sum >> 32)}));
}

// 1,200 blocks, of which the GPU holds 740 at once.
TEST_F(Blackwell, BlocksThatDoNotFitAreCancelledAndTheirWorkIsDone) {
  const std::vector<std::uint32_t> none(1200);
  const auto done = upload(none), begun = upload(none);
  const LaunchOutcome outcome = run_grid({10, 12, 10}, {}, "take_over", done, begun);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_EQ(download(done, 1200), std::vector<std::uint32_t>(1200, 1));
  const auto own = download(begun, 1200);
  const auto began = static_cast<std::uint64_t>(std::count(own.begin(), own.end(), 1u));
  EXPECT_EQ(began, 740u);
  EXPECT_EQ(outcome.warps, began);
  EXPECT_THAT(outcome.launch_class.order_dependent_because,
              testing::Contains("cancellation of a block that waits"));
}

TEST_F(Blackwell, BlocksThatFitAreNotCancelled) {
  const std::vector<std::uint32_t> none(120);
  const auto done = upload(none), begun = upload(none);
  const LaunchOutcome outcome = run_grid({10, 12, 1}, {}, "take_over", done, begun);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_EQ(download(done, 120), std::vector<std::uint32_t>(120, 1));
  EXPECT_EQ(download(begun, 120), std::vector<std::uint32_t>(120, 1));
}

// Where the launch is timed all blocks begin by themselves.
TEST_F(Blackwell, RequestsToCancelAreRefusedInTimedLaunches) {
  LaunchOptions options;
  options.settings.timing.emplace();
  const std::vector<std::uint32_t> none(1200);
  const auto done = upload(none), begun = upload(none);
  const LaunchOutcome outcome = run_grid({10, 12, 10}, options, "take_over", done, begun);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_EQ(download(done, 1200), std::vector<std::uint32_t>(1200, 1));
  EXPECT_EQ(download(begun, 1200), std::vector<std::uint32_t>(1200, 1));
}

TEST_F(Blackwell, EveryBlockOfAClusterLearnsWhichClusterWasCancelled) {
  const auto done = upload(std::vector<std::uint32_t>(1000));
  const LaunchOutcome outcome = run_grid({1000, 1, 1}, {}, "take_over_clusters", done);
  ASSERT_FALSE(outcome.fault) << outcome.fault->message();
  EXPECT_EQ(download(done, 1000), std::vector<std::uint32_t>(1000, 1));
  EXPECT_LT(outcome.warps, 1000u);
}

}  // namespace
}  // namespace heddle::simulator
