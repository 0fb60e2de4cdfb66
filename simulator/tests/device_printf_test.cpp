#include "simulator/execute/device_printf.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

namespace heddle::simulator {
namespace {

// Device memory that holds some strings and one buffer of arguments.
class Printf {
 public:
  explicit Printf(std::string format) : format_(add_string(std::move(format))) {}

  std::uint64_t add_string(std::string text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.c_str());
    return add(std::vector<std::byte>(bytes, bytes + text.size() + 1));
  }
  template <typename Value>
  Printf& with(Value value) {
    while (arguments_.size() % sizeof value != 0) arguments_.push_back(std::byte{0xcc});
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    arguments_.insert(arguments_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  FormattedPrintf result() {
    const std::uint64_t arguments = add(arguments_);
    return format_device_printf(
        [this](std::uint64_t address, std::span<std::byte> into) { return read(address, into); },
        format_, arguments);
  }
  std::string text() { return result().text; }

 private:
  std::uint64_t add(std::vector<std::byte> bytes) {
    const std::uint64_t address = next_;
    next_ += 1 << 20;
    memory_[address] = std::move(bytes);
    return address;
  }
  bool read(std::uint64_t address, std::span<std::byte> into) const {
    auto block = memory_.upper_bound(address);
    if (block == memory_.begin()) return false;
    --block;
    const std::uint64_t offset = address - block->first;
    if (offset + into.size() > block->second.size()) return false;
    std::memcpy(into.data(), block->second.data() + offset, into.size());
    return true;
  }

  std::map<std::uint64_t, std::vector<std::byte>> memory_;
  std::uint64_t next_ = 0x1000;
  std::vector<std::byte> arguments_;
  std::uint64_t format_;
};

TEST(DevicePrintf, ConvertsIntegersOfEverySize) {
  EXPECT_EQ(Printf("%d %u %x %X %o|").with(-5).with(~0u).with(0xbeef).with(0xbeef).with(8).text(),
            "-5 4294967295 beef BEEF 10|");
  EXPECT_EQ(Printf("%ld %lld %lu").with(-1LL).with(1LL << 40).with(~0ULL).text(),
            "-1 1099511627776 18446744073709551615");
  EXPECT_EQ(Printf("%hd %hhu %zu").with(0x12345).with(0x1ff).with(std::uint64_t{7}).text(),
            "9029 255 7");
}

TEST(DevicePrintf, AlignsEightByteArgumentsAfterFourByteOnes) {
  EXPECT_EQ(Printf("%d %f %d %s").with(1).with(2.5).with(3).with(std::uint64_t{0}).text(),
            "1 2.500000 3 (null)");
}

TEST(DevicePrintf, ConvertsFloatingPoint) {
  EXPECT_EQ(Printf("%f %.2f %8.3f|%-8.1f|%e %g %G %a")
                .with(1.0)
                .with(3.14159)
                .with(2.5)
                .with(2.5)
                .with(12345.678)
                .with(1e-7)
                .with(1e20)
                .with(1.0)
                .text(),
            "1.000000 3.14    2.500|2.5     |1.234568e+04 1e-07 1E+20 0x1p+0");
}

TEST(DevicePrintf, ConvertsStringsCharactersAndPointers) {
  Printf printf("[%s] [%6s] [%-6s] [%.2s] %c %p %p");
  const auto abc = printf.add_string("abc");
  printf.with(abc).with(abc).with(abc).with(abc).with(int{'x'});
  printf.with(std::uint64_t{0x7f00}).with(std::uint64_t{0});
  EXPECT_EQ(printf.text(), "[abc] [   abc] [abc   ] [ab] x 0x7f00 (nil)");
}

TEST(DevicePrintf, TakesWidthAndPrecisionFromArguments) {
  EXPECT_EQ(Printf("%*d|%-*d|%.*f").with(5).with(42).with(5).with(42).with(1).with(2.55).text(),
            "   42|42   |2.5");
}

TEST(DevicePrintf, KeepsWhatIsNoConversion) { EXPECT_EQ(Printf("100%% %y %").text(), "100% %y %"); }

TEST(DevicePrintf, ReturnsTheNumberOfArguments) {
  EXPECT_EQ(Printf("%d and %s").with(1).with(std::uint64_t{0}).result().arguments, 2);
  EXPECT_EQ(Printf("none").result().arguments, 0);
  const auto nothing = [](std::uint64_t, std::span<std::byte>) { return false; };
  EXPECT_EQ(format_device_printf(nothing, 0, 0).arguments, -1);
  EXPECT_EQ(format_device_printf(nothing, 64, 0).arguments, -1);
}

TEST(DevicePrintf, PrintsConversionsAfterThirtyTwoArgumentsAsTheyStand) {
  std::string format;
  for (int i = 0; i < 33; ++i) format += "%d";
  Printf printf(format);
  for (int i = 0; i < 33; ++i) printf.with(1);
  EXPECT_EQ(printf.text(), std::string(32, '1') + "%d");
}

TEST(DevicePrintf, TellsWhichCharactersItReadsOneByOne) {
  const FormattedPrintf plain = Printf("abc %%\n").result();
  EXPECT_EQ(plain.characters, 7u);
  EXPECT_EQ(plain.string_characters, 0u);
  Printf printf("a %d, %.2f: %s\n");
  const auto name = printf.add_string("name");
  const FormattedPrintf result = printf.with(1).with(2.0).with(name).result();
  EXPECT_EQ(result.characters, 2u + 2 + 2 + 2 + 1) << "and two of the second conversion";
  EXPECT_EQ(result.string_characters, 4u);
}

TEST(DevicePrintf, BoundsWidthsThatAskForGigabytes) {
  EXPECT_EQ(Printf("%999999999d").with(1).text().size(), 64u << 10);
  EXPECT_EQ(Printf("%*d").with(2147483647).with(1).text().size(), 64u << 10);
}

TEST(DevicePrintf, SurvivesStringsThatEndWithTheirAllocationOrAreNotThere) {
  EXPECT_EQ(Printf("%s").with(std::uint64_t{0xdead0000}).text(), "(unreadable)");
  Printf printf("%s");
  const auto at_the_end = printf.add_string(std::string(100, 'y'));
  EXPECT_EQ(printf.with(at_the_end).text(), std::string(100, 'y'));
}

}  // namespace
}  // namespace heddle::simulator
