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
      if (!got[thread].empty()) {
        EXPECT_GT(*block, got[thread].back());
      }
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

// It has begun, and then does nothing: what is kept for it is little.
TEST(SharedBlocks, AThreadDoesTheWorkOfOneThatIsSlow) {
  SharedBlocks shared({0, 1000}, 2);
  const std::atomic<bool> full{false};
  std::vector<std::vector<std::uint64_t>> got(2);
  got[1].push_back(*shared.next(1, full));
  while (const auto block = shared.next(0, full)) got[0].push_back(*block);
  EXPECT_GT(got[0].size(), 900u);
  EXPECT_TRUE(std::ranges::is_sorted(got[0]));
  while (const auto block = shared.next(1, full)) got[1].push_back(*block);
  expect_all_of(got, {0, 1000});
}

TEST(SharedBlocks, AThreadThatNeverBeginsIsNotWaitedFor) {
  SharedBlocks shared({0, 1000}, 2);
  const std::atomic<bool> full{false};
  std::vector<std::vector<std::uint64_t>> got(2);
  while (const auto block = shared.next(1, full)) got[1].push_back(*block);
  EXPECT_TRUE(std::ranges::is_sorted(got[1]));
  expect_all_of(got, {0, 1000});
}

TEST(SharedBlocks, WhenFullAThreadEndsWithWhatItHas) {
  const auto got = by_turns({0, 1000}, 500);
  EXPECT_GE(got[0].size() + got[1].size(), 500u);
  EXPECT_LE(got[0].size() + got[1].size(), 628u);
  expect_all_of(got, {0, got[0].size() + got[1].size()});
}

}  // namespace
}  // namespace heddle::simulator
