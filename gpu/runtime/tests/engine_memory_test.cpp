// The engine where memory runs out: a submission that throws has left nothing behind.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <new>
#include <thread>

#include "gpu/runtime/engine.hpp"

namespace {
thread_local long allocations_left = -1;  // of this thread, until one fails; below 0: all succeed
}

// Not inlined: g++ 12 takes free for another allocator's where it sees only one of the two.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const made = std::malloc(bytes == 0 ? 1 : bytes)) return made;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* made) noexcept { std::free(made); }
[[gnu::noinline]] void operator delete(void* made, std::size_t) noexcept { std::free(made); }

namespace heddle::runtime {
namespace {

// Whether `step` throws as its n-th allocation fails.
bool throws_at(long n, const std::function<void()>& step) {
  allocations_left = n;
  bool thrown = false;
  try {
    step();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  allocations_left = -1;
  return thrown;
}

TEST(EngineWithoutMemory, ARunThatThrowsIsNotCarriedOutAndNobodyWaitsForIt) {
  Engine engine;
  long n = 0;
  for (bool thrown = true; thrown; ++n) {
    for (int i = 0; i < 100; ++i) {  // the queue itself needs memory now and then
      bool carried_out = false;
      Engine::Action action = [&](Ticket) { carried_out = true; };
      thrown = throws_at(n, [&] { engine.run(std::move(action)); });
      EXPECT_EQ(carried_out, !thrown);
      engine.wait(engine.last_submitted());
      EXPECT_EQ(carried_out, !thrown);
      if (thrown) break;
    }
  }
  EXPECT_GT(n, 1);
}

TEST(EngineWithoutMemory, ARunThatWaitsForOthersDoesNotThrow) {
  for (long n = 0;; ++n) {
    Engine engine;
    std::promise<void> gate;
    engine.submit([&](Ticket) { gate.get_future().wait(); }, Engine::Length::unbounded);
    bool carried_out = false;
    Engine::Action action = [&](Ticket) { carried_out = true; };
    std::atomic<bool> ended = false;
    std::thread opener([&] {
      while (engine.waiting_threads() == 0 && !ended) std::this_thread::yield();
      gate.set_value();
    });
    const bool thrown = throws_at(n, [&] { engine.run(std::move(action)); });
    ended = true;
    opener.join();
    engine.wait(engine.last_submitted());
    EXPECT_EQ(carried_out, !thrown);
    if (!thrown) break;
  }
}

}  // namespace
}  // namespace heddle::runtime
