#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "validation/experiments/seed_page.hpp"

namespace heddle::validation {
namespace {

TEST(SeedPage, ShowsWhatTheSketchesAndTheModelGive) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/docs/experiments/seed-kernels.md");
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), seed_page()) << "run: seed_kernels > docs/experiments/seed-kernels.md";
}

}  // namespace
}  // namespace heddle::validation
