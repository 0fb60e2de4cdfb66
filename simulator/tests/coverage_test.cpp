#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "simulator/tests/coverage_page.hpp"

namespace heddle::simulator {
namespace {

TEST(CoveragePage, IsWhatTheOpcodesAndTheRecordedAnswersMake) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/docs/coverage.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, coverage_page()) << "run: coverage_page > docs/coverage.md";
}

}  // namespace
}  // namespace heddle::simulator
