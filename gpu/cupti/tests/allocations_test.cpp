#include "gpu/cupti/allocations.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "gpu/cupti/sha256.hpp"

namespace heddle::cupti {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::vector<std::uint64_t>& words) {
  Bytes bytes(words.size() * 8);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::string plain_hash(const Bytes& bytes) {
  Sha256 sha;
  sha.update(bytes.data(), bytes.size());
  return sha.finish();
}

Allocations at(std::uint64_t base) {
  Allocations allocations;
  allocations.add(base, 0x1000);
  allocations.add(base + 0x4000, 0x100);
  return allocations;
}

TEST(Allocations, MappingsCanChangeButHaveNoDigest) {
  Allocations allocations;
  allocations.add(0x1000, 16);
  allocations.add_mapping(0x200000, 0x200000);
  allocations.add_mapping(0x400000, 0x200000);
  EXPECT_EQ(allocations.live().size(), 1u);
  ASSERT_EQ(allocations.changeable().size(), 3u);
  EXPECT_EQ(allocations.changeable()[2].base, 0x400000u);
  allocations.remove_mappings(0x200000, 0x200000);
  EXPECT_EQ(allocations.changeable().size(), 2u);
}

TEST(Allocations, OrdinalsAreNotUsedAgain) {
  Allocations allocations = at(0x10000);
  allocations.remove(0x10000);
  allocations.add(0x8000, 0x10);
  allocations.add(0x9000, 0);
  const auto live = allocations.live();
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].ordinal, 1u);
  EXPECT_EQ(live[1].ordinal, 2u);
  EXPECT_EQ(live[1].base, 0x8000u);
}

TEST(Digest, OfDataWithoutPointersIsThePlainHash) {
  Bytes data = bytes_of({1, 2, 3});
  data.push_back(7);
  const std::string expected = plain_hash(data);
  EXPECT_EQ(at(0x7f0000000000).digest(data).sha256, expected);
}

TEST(Digest, OfAPointerIsItsOrdinalAndOffset) {
  Bytes data = bytes_of({0x7f0000004010, 5});
  const Digest digest = at(0x7f0000000000).digest(data);
  EXPECT_EQ(digest.pointers, 1u);
  EXPECT_EQ(digest.sha256, plain_hash(bytes_of({0xa110010000000010, 5})));
}

TEST(Digest, DoesNotDependOnWhereTheAllocationsLie) {
  for (const std::uint64_t offset : {0x0, 0xfff, 0x4000, 0x40ff}) {
    Bytes here = bytes_of({0x7f0000000000 + offset}), there = bytes_of({0x310000000 + offset});
    EXPECT_EQ(at(0x7f0000000000).digest(here).sha256, at(0x310000000).digest(there).sha256)
        << offset;
  }
}

TEST(Digest, LeavesAloneWhatIsOutsideUnalignedOrFreed) {
  const std::uint64_t base = 0x7f0000000000;
  Allocations allocations = at(base);
  allocations.remove(base + 0x4000);
  for (const std::uint64_t word : {base - 1, base + 0x1000, base + 0x4000}) {
    Bytes data = bytes_of({word});
    EXPECT_EQ(allocations.digest(data).pointers, 0u) << word;
  }
  Bytes unaligned(20);
  std::memcpy(unaligned.data() + 4, &base, 8);
  EXPECT_EQ(allocations.digest(unaligned).pointers, 0u);
  Bytes cut_short(7, 0xff);
  EXPECT_EQ(allocations.digest(cut_short).pointers, 0u);
}

}  // namespace
}  // namespace heddle::cupti
