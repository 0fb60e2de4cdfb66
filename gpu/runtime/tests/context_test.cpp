// The core without kernels: memory, copies, streams and events. Programs with kernels are in
// programs/.
#include "gpu/runtime/context.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <new>
#include <numeric>

#include "gpu/runtime/host_memory.hpp"

namespace heddle::runtime {
namespace {

class ContextTest : public testing::Test {
 protected:
  std::uint64_t allocate(std::uint64_t bytes) {
    std::uint64_t address = 0;
    EXPECT_EQ(context.allocate(bytes, "test", address), Error::success);
    return address;
  }
  std::vector<std::uint8_t> read(std::uint64_t address, std::uint64_t bytes) {
    std::vector<std::uint8_t> back(bytes);
    EXPECT_EQ(
        context.copy({{host(back.data())}, {address}, {bytes}, abi::MemcpyKind::device_to_host},
                     *zero, true),
        Error::success);
    return back;
  }
  static std::uint64_t host(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
  }

  Context context{simulator::gpu_model("h200"), {}};
  std::shared_ptr<Stream> zero = context.stream(nullptr, DefaultStream::legacy);
};

TEST_F(ContextTest, MemoryStartsZeroedAndKeepsWhatIsCopied) {
  const auto device = allocate(300);
  EXPECT_EQ(read(device, 300), std::vector<std::uint8_t>(300, 0));
  std::vector<std::uint8_t> data(300);
  std::iota(data.begin(), data.end(), 0);
  ASSERT_EQ(context.copy({{device}, {host(data.data())}, {300}, abi::MemcpyKind::host_to_device},
                         *zero, true),
            Error::success);
  EXPECT_EQ(read(device, 300), data);
}

// Long ones give pages back to the system instead of writing to them.
TEST_F(ContextTest, AFillOfZerosEndsWhereItIsToEnd) {
  constexpr std::uint64_t kBytes = 20 << 20, kFrom = 1234, kUpTo = kBytes - 777;
  const auto device = allocate(kBytes);
  ASSERT_EQ(context.fill({{device}, {kBytes}, 7}, *zero, true), Error::success);
  ASSERT_EQ(context.fill({{device + kFrom}, {kUpTo - kFrom}, 0}, *zero, true), Error::success);
  std::vector<std::uint8_t> expected(kBytes, 7);
  std::fill(expected.begin() + kFrom, expected.begin() + kUpTo, std::uint8_t{0});
  EXPECT_TRUE(read(device, kBytes) == expected);
}

// As many as one likes lie in the same bytes: of 2^40 the program would not see the end.
TEST_F(ContextTest, LayersThatOverlapAreRefused) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
  const Placed to{allocate(4096), 16, 0};
  const Placed from{allocate(4096), 16, 0};
  EXPECT_EQ(context.fill({to, {1, 1, kMany}, 7}, *zero, true), Error::invalid_value);
  EXPECT_EQ(context.copy({to, from, {1, 1, kMany}, abi::MemcpyKind::by_address}, *zero, true),
            Error::invalid_value);
  EXPECT_EQ(context.fill({to, {8, 16, 1}, 7}, *zero, true), Error::success);
}

TEST(HostMemory, KnowsPagesThatNobodyTouched) {
  constexpr std::uint64_t kPages = 6000, kTouched = 1500, kPage = 4096;
  void* mapped =
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  madvise(mapped, kPages * kPage, MADV_NOHUGEPAGE);
  const auto* first = static_cast<std::byte*>(mapped);
  EXPECT_EQ(untouched_bytes(first, kPages * kPage), kPages * kPage);
  std::memset(mapped, 1, kTouched * kPage);
  EXPECT_EQ(untouched_bytes(first, kPages * kPage), (kPages - kTouched) * kPage);
  EXPECT_EQ(untouched_bytes(first + 10, 100), 0u);
  munmap(mapped, kPages * kPage);
}

TEST(HostMemory, IsRegisteredWhereItIsThereAndAllowsIt) {
  constexpr std::uint64_t kPage = 4096;
  void* const mapped =
      mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const auto first = reinterpret_cast<std::uint64_t>(mapped);
  auto* const pages = static_cast<std::byte*>(mapped);
  mprotect(pages + kPage, kPage, PROT_READ);
  mprotect(pages + 2 * kPage, kPage, PROT_NONE);
  munmap(pages + 3 * kPage, kPage);
  EXPECT_EQ(refuse_registering(first + 10, kPage - 10, false), Error::success);
  EXPECT_EQ(refuse_registering(first, kPage + 1, false), Error::invalid_value);
  EXPECT_EQ(refuse_registering(first, 2 * kPage, true), Error::success);
  EXPECT_EQ(refuse_registering(first, 2 * kPage + 1, true), Error::invalid_value);
  EXPECT_EQ(refuse_registering(first + 3 * kPage, 1, true), Error::invalid_value);
  EXPECT_EQ(refuse_registering(first, std::uint64_t{1} << 47, false), Error::memory_allocation);
  EXPECT_EQ(refuse_registering(first, std::uint64_t{1} << 60, false), Error::not_supported);
  munmap(mapped, 3 * kPage);
}

TEST_F(ContextTest, WhatIsNotThereIsNotRegistered) {
  std::vector<std::byte> memory(100);
  EXPECT_EQ(context.register_host(reinterpret_cast<void*>(16), 64, 0), Error::invalid_value);
  ASSERT_EQ(context.register_host(memory.data(), 50, 0), Error::success);
  EXPECT_EQ(context.register_host(memory.data() + 49, 10, 0),
            Error::host_memory_already_registered);
  EXPECT_EQ(context.register_host(memory.data() + 50, 10, 0), Error::success);
  EXPECT_EQ(context.unregister_host(memory.data() + 1), Error::invalid_value);
  EXPECT_EQ(context.unregister_host(memory.data()), Error::success);
  EXPECT_EQ(context.unregister_host(memory.data()), Error::host_memory_not_registered);
  void* pinned = nullptr;
  ASSERT_EQ(context.allocate_host(64, MemoryKind::pinned, 0, pinned), Error::success);
  EXPECT_EQ(context.register_host(pinned, 64, 0), Error::invalid_value);
  EXPECT_EQ(context.unregister_host(pinned), Error::invalid_value);
}

TEST_F(ContextTest, AddressesDependOnTheCallsAlone) {
  Context other(simulator::gpu_model("h200"), {});
  std::uint64_t elsewhere = 0;
  other.allocate(100, "test", elsewhere);
  EXPECT_EQ(allocate(100), elsewhere);
  void *pinned = nullptr, *pinned_elsewhere = nullptr;
  context.allocate_host(100, MemoryKind::pinned, 0, pinned);
  context.free_host(pinned);
  other.allocate_host(100, MemoryKind::pinned, 0, pinned_elsewhere);
  EXPECT_EQ(pinned, pinned_elsewhere);
}

TEST_F(ContextTest, CopiesOutsideAnAllocationAreRefused) {
  const auto device = allocate(16);
  std::uint8_t data[32] = {};
  const auto copy = [&](std::uint64_t to, std::uint64_t from, std::uint64_t bytes,
                        abi::MemcpyKind kind) {
    return context.copy({{to}, {from}, {bytes}, kind}, *zero, true);
  };
  using enum abi::MemcpyKind;
  EXPECT_EQ(copy(device, host(data), 17, host_to_device), Error::invalid_value);
  EXPECT_EQ(copy(device + 15, host(data), 2, host_to_device), Error::invalid_value);
  EXPECT_EQ(copy(host(data), device, ~std::uint64_t{0}, device_to_host), Error::invalid_value);
  EXPECT_EQ(copy(device, host(data), 16, device_to_host), Error::invalid_value);
  EXPECT_EQ(copy(host(data), device, 16, host_to_device), Error::invalid_value);
  EXPECT_EQ(copy(device, host(data), 16, device_to_device), Error::invalid_value);
  EXPECT_EQ(copy(0, device, 16, device_to_host), Error::invalid_value);
  EXPECT_EQ(copy(device, host(data), 0, host_to_device), Error::success);
}

TEST_F(ContextTest, TheHostsSideOfACopyMayBeOnTheDevice) {
  using enum abi::MemcpyKind;
  std::uint8_t data[16] = {1, 2, 3}, back[16] = {};
  const auto copy = [&](std::uint64_t to, std::uint64_t from, abi::MemcpyKind kind) {
    return context.copy({{to}, {from}, {16}, kind}, *zero, true);
  };
  for (const abi::MemcpyKind kind : {device_to_host, host_to_device}) {
    const auto first = allocate(16), second = allocate(16);
    ASSERT_EQ(copy(first, host(data), host_to_device), Error::success);
    EXPECT_EQ(copy(second, first, kind), Error::success);
    ASSERT_EQ(copy(host(back), second, device_to_host), Error::success);
    EXPECT_TRUE(std::ranges::equal(back, data));
  }
}

TEST_F(ContextTest, BoxesThatOverflowAreRefused) {
  const auto device = allocate(64);
  const std::uint64_t huge = std::uint64_t{1} << 62;
  EXPECT_EQ(context.fill({{device, huge, 0}, {1, 8, 1}, 0}, *zero, true), Error::invalid_value);
  EXPECT_EQ(context.fill({{device, 1, huge}, {1, 1, 8}, 0}, *zero, true), Error::invalid_value);
}

TEST_F(ContextTest, FreeingTwiceOrInTheMiddleIsRefused) {
  const auto device = allocate(64);
  EXPECT_EQ(context.free(device + 8), Error::invalid_value);
  EXPECT_EQ(context.free(device), Error::success);
  EXPECT_EQ(context.free(device), Error::invalid_value);
}

TEST_F(ContextTest, MoreMemoryThanTheCardHasIsRefused) {
  std::uint64_t address = 1;
  EXPECT_EQ(context.allocate(context.model().memory_bytes + 1, "test", address),
            Error::memory_allocation);
  EXPECT_EQ(address, 0u);
}

TEST_F(ContextTest, AsynchronousCopiesTakePageableSourcesAtOnce) {
  const auto device = allocate(4);
  std::promise<void> gate;
  context.call_host(*zero, [&](Context&, Error) { gate.get_future().wait(); });
  std::uint32_t value = 0x01020304;
  ASSERT_EQ(
      context.copy({{device}, {host(&value)}, {4}, abi::MemcpyKind::host_to_device}, *zero, false),
      Error::success);
  value = 0;
  gate.set_value();
  EXPECT_EQ(read(device, 4), (std::vector<std::uint8_t>{4, 3, 2, 1}));
}

// Each has memory of its own, and what the first ones took serves those behind them.
TEST_F(ContextTest, LargePageableSourcesAreTakenApart) {
  constexpr std::uint64_t kBytes = 300'000, kCopies = 3;
  std::vector<std::uint64_t> devices;
  for (std::uint64_t i = 0; i < kCopies; ++i) devices.push_back(allocate(kBytes));
  std::vector<std::uint8_t> source(kBytes);
  for (std::uint8_t round = 0; round < 2; ++round) {
    std::promise<void> gate;
    context.call_host(*zero, [&](Context&, Error) { gate.get_future().wait(); });
    const auto value = [&](std::uint64_t copy) { return static_cast<std::uint8_t>(copy + round); };
    for (std::uint64_t i = 0; i < kCopies; ++i) {
      std::ranges::fill(source, value(i));
      ASSERT_EQ(
          context.copy(
              {{devices[i]}, {host(source.data())}, {kBytes}, abi::MemcpyKind::host_to_device},
              *zero, false),
          Error::success);
    }
    gate.set_value();
    for (std::uint64_t i = 0; i < kCopies; ++i)
      EXPECT_EQ(read(devices[i], kBytes), std::vector<std::uint8_t>(kBytes, value(i)));
  }
}

TEST_F(ContextTest, EventsAreReachedWhenTheWorkBeforeThemIs) {
  const auto event = context.create_event(0);
  EXPECT_TRUE(context.reached(*event));  // never recorded
  std::promise<void> gate;
  context.call_host(*zero, [&](Context&, Error) { gate.get_future().wait(); });
  context.record(*event, *zero);
  EXPECT_FALSE(context.reached(*event));
  EXPECT_FALSE(context.idle(*zero));
  gate.set_value();
  EXPECT_EQ(context.synchronize(*event), Error::success);
  EXPECT_TRUE(context.reached(*event));
}

TEST_F(ContextTest, RunningOutOfMemoryInsideAnActionLosesTheContextAlone) {
  context.call_host(*zero, [](Context&, Error) { throw std::bad_alloc(); });
  EXPECT_EQ(context.synchronize(), Error::memory_allocation);
}

// On an H200 too (answers/host_functions.cu, from_a_thread).
TEST_F(ContextTest, AFunctionOfTheProgramMayWaitForWorkOfAnotherStream) {
  const auto one = context.create_stream(abi::kStreamNonBlocking, 0);
  const auto other = context.create_stream(abi::kStreamNonBlocking, 0);
  const auto memory = allocate(4);
  std::promise<void> copied;
  bool inside = false;
  context.call_program(*one, [&] {
    copied.get_future().wait();
    inside = context.inside_action();
  });
  const auto after = context.create_event(0);
  context.record(*after, *one);
  std::uint32_t value = 1;
  const CopyRequest copy{{host(&value)}, {memory}, {4}, abi::MemcpyKind::device_to_host};
  EXPECT_EQ(context.copy(copy, *other, true), Error::success);
  EXPECT_FALSE(context.reached(*after));
  copied.set_value();
  EXPECT_EQ(context.synchronize(*after), Error::success);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(context.inside_action());
}

TEST_F(ContextTest, WhatAFunctionOfTheProgramThrowsLosesTheContext) {
  context.call_program(*zero, [] { throw std::bad_alloc(); });
  EXPECT_EQ(context.synchronize(), Error::memory_allocation);
  bool called = false;
  context.call_program(*zero, [&] { called = true; });
  context.synchronize();
  EXPECT_FALSE(called);
}

TEST_F(ContextTest, TheLegacyStreamIsBusyWhileOneThatWaitsForItIs) {
  const auto ordered = context.create_stream(0, 0);
  const auto apart = context.create_stream(abi::kStreamNonBlocking, 0);
  std::promise<void> gate;
  const auto opened = gate.get_future().share();
  context.call_host(*apart, [opened](Context&, Error) { opened.wait(); });
  EXPECT_TRUE(context.idle(*zero));
  context.call_host(*ordered, [](Context&, Error) {});
  EXPECT_FALSE(context.idle(*zero));
  gate.set_value();
  context.synchronize();
  EXPECT_TRUE(context.idle(*zero));
}

TEST_F(ContextTest, EveryThreadHasADefaultStreamOfItsOwn) {
  const auto mine = context.stream(nullptr, DefaultStream::per_thread);
  EXPECT_EQ(mine, context.stream(nullptr, DefaultStream::per_thread));
  EXPECT_NE(mine, zero);
  std::shared_ptr<Stream> other;
  std::thread([&] { other = context.stream(nullptr, DefaultStream::per_thread); }).join();
  EXPECT_NE(other, mine);
}

TEST_F(ContextTest, HandlesThatNameNothingAreFoundOut) {
  int nothing;
  EXPECT_EQ(context.stream(&nothing, DefaultStream::legacy), nullptr);
  EXPECT_EQ(context.event(&nothing), nullptr);
  const auto stream = context.create_stream(0, 0);
  EXPECT_TRUE(context.destroy_stream(stream.get()));
  EXPECT_FALSE(context.destroy_stream(stream.get()));
}

TEST_F(ContextTest, CodeThatIsNoneIsRefusedWithAReason) {
  const std::vector<std::byte> nonsense(64, std::byte{0x41});
  CodeImage* image = nullptr;
  std::string why;
  EXPECT_EQ(context.load(nonsense, "nonsense", image, why), Error::invalid_kernel_image);
  EXPECT_NE(why.find("nonsense"), std::string::npos) << why;
  EXPECT_EQ(image, nullptr);
}

// Loading puts variables into the table of memory: no other memory that the table lacks, which is
// the program's and will be free when its stream has come so far.
TEST_F(ContextTest, CodeLoadedBeforeAFreeIsCarriedOutDoesNotTakeTheMemory) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/data/accumulate.fatbin",
                     std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  const auto stream = context.create_stream(1, 0);
  std::uint64_t first = 0, second = 0;
  ASSERT_EQ(context.allocate_from(context.default_pool(), 4096, first), Error::success);
  std::promise<void> freed;
  CodeImage* image = nullptr;
  context.call_host(*stream, [&](Context&, Error) {
    freed.get_future().wait();
    std::string why;
    EXPECT_EQ(context.load(std::as_bytes(std::span(code)), "accumulate", image, why),
              Error::success);
  });
  ASSERT_EQ(context.free_later(first, *stream), Error::success);
  freed.set_value();
  ASSERT_EQ(context.synchronize(*stream), Error::success);
  EXPECT_FALSE(context.find_memory(first));
  ASSERT_EQ(context.allocate_from(context.default_pool(), 4096, second), Error::success);
  EXPECT_EQ(context.free_later(second, *stream), Error::success);
  EXPECT_TRUE(context.variable(*image, "launches"));
  context.unload(image);
}

TEST_F(ContextTest, LimitsAreCudas) {
  std::uint64_t value = 0;
  EXPECT_EQ(context.limit(abi::Limit::stack_size, value), Error::success);
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(context.set_limit(abi::Limit::stack_size, 1 << 30), Error::invalid_value);
  EXPECT_EQ(context.set_limit(abi::Limit::stack_size, 1000), Error::success);
  context.limit(abi::Limit::stack_size, value);
  EXPECT_EQ(value, 1008u) << "whole pieces of 16 bytes";
  EXPECT_EQ(context.set_limit(abi::Limit::stack_size, 4096), Error::success);
  context.limit(abi::Limit::stack_size, value);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(context.limit(abi::Limit::dev_runtime_sync_depth, value), Error::unsupported_limit);
}

}  // namespace
}  // namespace heddle::runtime
