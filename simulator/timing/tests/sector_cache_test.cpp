#include "simulator/timing/sector_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace heddle::simulator::timing {
namespace {

struct Mark {
  int value = 0;
};
using Cache = SectorCache<Mark>;

TEST(SectorCache, ALineIsThereUntilItsSetNeedsThePlace) {
  Cache cache(2 * kLineBytes, 2);  // one set
  Cache::Evicted evicted;
  cache.insert(1, evicted).extra().value = 10;
  cache.insert(2, evicted).extra().value = 20;
  EXPECT_EQ(cache.find(1).extra().value, 10);  // used last now
  cache.insert(3, evicted);
  EXPECT_EQ(evicted.number, 2u);
  EXPECT_FALSE(cache.find(2));
  EXPECT_TRUE(cache.find(1));
  EXPECT_TRUE(cache.find(3));
}

TEST(SectorCache, SectorsAreValidAndDirtyApart) {
  Cache cache(kLineBytes, 1);
  Cache::Evicted evicted;
  const Cache::Line line = cache.insert(7, evicted);
  EXPECT_EQ(evicted.dirty, 0);
  line.valid() |= 0b0101u;
  line.dirty() |= 0b1000u;
  EXPECT_EQ(line.valid(), 0b0101);
  EXPECT_EQ(line.dirty(), 0b1000);
  line.dirty().remove(0xf);
  EXPECT_EQ(line.valid(), 0b0101);
  EXPECT_EQ(line.dirty(), 0);
  line.dirty() |= 0b1000u;
  cache.insert(8, evicted);
  EXPECT_EQ(evicted.number, 7u);
  EXPECT_EQ(evicted.dirty, 0b1000);
}

TEST(SectorCache, NothingIsThereAfterClearing) {
  Cache cache(64 * kLineBytes, 4);
  Cache::Evicted evicted;
  cache.insert(5, evicted).dirty() |= 1u;
  cache.clear();
  EXPECT_FALSE(cache.find(5));
  cache.insert(5, evicted);
  EXPECT_EQ(evicted.dirty, 0);
}

// Beside a list of what was used last, of one set.
class SectorCacheOfWays : public testing::TestWithParam<unsigned> {};

TEST_P(SectorCacheOfWays, HoldsWhatWasUsedLast) {
  const unsigned ways = GetParam();
  Cache cache(ways * kLineBytes, ways);
  std::list<LineNumber> used;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const LineNumber number = random() % (ways + ways / 2 + 1);
    const auto place = std::ranges::find(used, number);
    const bool there = place != used.end();
    if (there) used.erase(place);
    if (random() % 16 == 0) {
      cache.remove(number);
      continue;
    }
    ASSERT_EQ(bool{cache.find(number)}, there) << i;
    used.push_front(number);
    if (there) continue;
    Cache::Evicted evicted;
    const Cache::Line line = cache.insert(number, evicted);
    line.dirty() |= 1u;
    ASSERT_TRUE(cache.find_at(cache.place_of(line), number));
    ASSERT_EQ(evicted.dirty, used.size() > ways) << i;
    if (used.size() <= ways) continue;
    ASSERT_EQ(evicted.number, used.back()) << i;
    used.pop_back();
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, SectorCacheOfWays, testing::Values(1u, 2u, 7u, 8u, 9u, 16u, 40u));

}  // namespace
}  // namespace heddle::simulator::timing
