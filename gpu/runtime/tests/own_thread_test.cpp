#include "gpu/runtime/own_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace heddle::runtime {
namespace {

TEST(OwnThread, GivesWhatTheBodyReturnsOrThrows) {
  EXPECT_EQ(on_own_thread([] { return 5; }), 5);
  EXPECT_THROW(on_own_thread([] { throw std::runtime_error("no"); }), std::runtime_error);
}

#ifndef HEDDLE_SANITIZED

int need_much_stack() {
  volatile char frame[200 << 10];
  frame[0] = 7;
  frame[sizeof frame - 1] = 1;
  return frame[0] + frame[sizeof frame - 1];
}

TEST(OwnThread, HasTheUsualStackWhereTheCallersIsSmall) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 32 << 10);
  const auto body = [](void* result) -> void* {
    *static_cast<int*>(result) = on_own_thread(need_much_stack);
    return nullptr;
  };
  int result = 0;
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &result), 0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(result, 8);
}

// Too little address space is left for a stack.
[[noreturn]] void exit_by_a_body_without_threads() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (2 << 20);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
  _exit(on_own_thread([] { return 5; }));
}

TEST(OwnThreadDeathTest, IsTheCallersWhereThereAreNoMore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_by_a_body_without_threads(), testing::ExitedWithCode(5), "");
}

#endif

}  // namespace
}  // namespace heddle::runtime
