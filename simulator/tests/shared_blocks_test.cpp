#include "simulator/run/shared_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::simulator {
namespace {

// Two threads that take blocks by turns; what each of them gets.
std::vector<std::vector<std::uint64_t>> by_turns(BlockRange blocks, std::uint64_t full_after) {
  SharedBlocks shared(blocks, 2);
  std::atomic<bool> full{false};
  std::vector<std::vector<std::uint64_t>> got(2);
  std::vector<bool> ended(2);
  std::uint64_t given = 0;
  while (!ended[0] || !ended[1])
    for (unsigned thread = 0; thread < 2; ++thread) {
      full = given >= full_after;
      const auto block = shared.next(thread, full);
      ended[thread] = !block;
      if (!block) continue;
      got[thread].push_back(*block);
      ++given;
    }
  EXPECT_EQ(shared.first_left(), blocks.first + given);
  return got;
}

void expect_all_of(const std::vector<std::vector<std::uint64_t>>& got, BlockRange blocks) {
  std::vector<std::uint64_t> all = got[0];
  all.insert(all.end(), got[1].begin(), got[1].end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), blocks.end - blocks.first);
  for (std::uint64_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], blocks.first + i);
}

TEST(SharedBlocks, EachIsGivenOnce) {
  for (const std::uint64_t count : {1, 2, 7, 1000})
    expect_all_of(by_turns({5, 5 + count}, ~0u), {5, 5 + count});
}

TEST(SharedBlocks, AThreadGetsSingleOnesFirstAndThenSomeThatFollowOneAnother) {
  const auto got = by_turns({0, 1000}, ~0u);
  EXPECT_EQ(got[0][0], 0u);
  EXPECT_EQ(got[0][1], 2u);
  std::size_t follow = 0;
  for (std::size_t i = 1; i < got[0].size(); ++i) follow += got[0][i] == got[0][i - 1] + 1;
  EXPECT_GT(follow, got[0].size() / 2);
}

TEST(SharedBlocks, TheLastAreSharedOut) {
  const auto got = by_turns({0, 1000}, ~0u);
  EXPECT_NEAR(static_cast<double>(got[0].size()), 500, 8);
}

TEST(SharedBlocks, WhenFullAThreadEndsWithWhatItHas) {
  const auto got = by_turns({0, 1000}, 500);
  EXPECT_GE(got[0].size() + got[1].size(), 500u);
  EXPECT_LE(got[0].size() + got[1].size(), 532u);
}

}  // namespace
}  // namespace heddle::simulator
