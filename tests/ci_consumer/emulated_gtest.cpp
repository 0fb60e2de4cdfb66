#include <gtest/gtest.h>

#include <cstdlib>

TEST(Emulated, RunsUnderHeddle) { EXPECT_NE(std::getenv("HEDDLE_PARENT"), nullptr); }
