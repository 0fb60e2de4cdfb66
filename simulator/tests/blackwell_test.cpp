// What sm_100a's accesses of 32 bytes and its loads and stores of matrices leave
// (simulator/tests/kernels/blackwell.cu), against PTX ISA's tables.
#include <gtest/gtest.h>

#include <cstring>
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
    LaunchRequest request;
    request.module = &module_;
    request.kernel = module_.cubin().find_kernel(kernel);
    request.block = {32, 1, 1};
    request.parameters = parameters(arguments...);
    return device_.launch(request, {});
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

}  // namespace
}  // namespace heddle::simulator
