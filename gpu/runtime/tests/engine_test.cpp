#include "gpu/runtime/engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>
#include <vector>

#include "gpu/runtime/launch_wait.hpp"
#include "simulator/lanes/float_environment.hpp"

namespace heddle::runtime {
namespace {

TEST(Engine, KeepsTheOrderOfSubmission) {
  Engine engine;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i)
    engine.submit([&order, i](Ticket) { order.push_back(i); },
                  i % 3 == 0 ? Engine::Length::unbounded : Engine::Length::brief);
  engine.wait(engine.last_submitted());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(Engine, SubmittingDoesNotWait) {
  Engine engine;
  std::promise<void> gate;
  const Ticket ticket =
      engine.submit([&](Ticket) { gate.get_future().wait(); }, Engine::Length::unbounded);
  EXPECT_FALSE(engine.done(ticket));
  gate.set_value();
  engine.wait(ticket);
  EXPECT_TRUE(engine.done(ticket));
}

TEST(Engine, LetsNobodyRunFarAhead) {
  Engine engine;
  std::promise<void> gate;
  engine.submit([&](Ticket) { gate.get_future().wait(); }, Engine::Length::unbounded);
  std::atomic<std::size_t> submitted = 0;
  std::thread program([&] {
    for (std::size_t i = 0; i < 2 * Engine::kMostPending; ++i, ++submitted)
      engine.submit([](Ticket) {}, Engine::Length::brief);
  });
  while (submitted < Engine::kMostPending - 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(submitted, Engine::kMostPending);
  gate.set_value();
  program.join();
  engine.wait(engine.last_submitted());
}

TEST(Engine, TellsAnActionItsTicket) {
  Engine engine;
  Ticket seen = 0;
  EXPECT_EQ(engine.run([&](Ticket ticket) { seen = ticket; }), 1u);
  EXPECT_EQ(seen, 1u);
}

TEST(Engine, RaisesTheNewestTicketBeforeTheActionBegins) {
  Engine engine;
  std::atomic<Ticket> newest{0};
  std::vector<Ticket> seen;
  for (int i = 0; i < 1000; ++i) {
    const Ticket ticket = engine.submit([&](Ticket) { seen.push_back(newest); },
                                        Engine::Length::unbounded, {}, &newest);
    engine.wait(ticket);
    EXPECT_EQ(seen.back(), ticket);
  }
  engine.run([&](Ticket) {
    engine.submit([&](Ticket) { seen.push_back(newest); }, Engine::Length::brief, {}, &newest);
  });
  EXPECT_EQ(seen.back(), engine.last_submitted());
}

TEST(Engine, KnowsWhoIsInsideAnAction) {
  Engine engine;
  bool inside = false;
  engine.run([&](Ticket) { inside = engine.inside_action(); });
  EXPECT_TRUE(inside);
  EXPECT_FALSE(engine.inside_action());
}

TEST(Engine, CarriesOutEverythingBeforeItGoes) {
  std::atomic<int> carried_out = 0;
  {
    Engine engine;
    for (int i = 0; i < 50; ++i)
      engine.submit([&](Ticket) { ++carried_out; }, Engine::Length::unbounded);
  }
  EXPECT_EQ(carried_out, 50);
}

TEST(Engine, ServesSeveralThreads) {
  Engine engine;
  int sum = 0;  // touched by actions only
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&engine, &sum] {
      for (int i = 0; i < 500; ++i) {
        if (i % 2 == 0)
          engine.run([&sum](Ticket) { ++sum; });
        else
          engine.wait(engine.submit([&sum](Ticket) { ++sum; }, Engine::Length::unbounded));
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(sum, 2000);
}

// The thread that made the engine may have unmasked traps; the engine's own computes without.
TEST(Engine, ComputesAsTheCLibraryDoes) {
  std::fenv_t before;
  std::feholdexcept(&before);
  feenableexcept(FE_DIVBYZERO | FE_INEXACT);
  std::fesetround(FE_UPWARD);
  Engine engine;
  int traps = -1, rounding = -1;
  engine.wait(engine.submit(
      [&](Ticket) {
        traps = fegetexcept();
        rounding = std::fegetround();
      },
      Engine::Length::unbounded));
  EXPECT_EQ(traps, 0);
  EXPECT_EQ(rounding, FE_TONEAREST);
  {
    const simulator::lanes::DefaultEnvironment environment;
    EXPECT_EQ(fegetexcept(), 0);
  }
  EXPECT_EQ(fegetexcept(), FE_DIVBYZERO | FE_INEXACT);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetenv(&before);
}

TEST(Engine, KnowsWhichThreadsWaitForWhatIsNotDone) {
  Engine engine;
  std::promise<void> go_on;
  const Ticket first =
      engine.submit([&](Ticket) { go_on.get_future().wait(); }, Engine::Length::unbounded);
  EXPECT_EQ(engine.waiting_threads(), 0u);
  std::thread waiting([&] { engine.wait(first); });
  while (engine.waiting_threads() == 0) std::this_thread::yield();
  EXPECT_EQ(engine.waiting_threads(), 1u);
  EXPECT_GE(Engine::own_threads(), 1u);
  go_on.set_value();
  waiting.join();
  EXPECT_EQ(engine.waiting_threads(), 0u);
}

TEST(Engine, CarriesOutShortActionsAloneWhereThatIsWanted) {
  Engine engine;
  std::promise<void> submitted;
  bool brief = false, unbounded = false, found_more = true;
  const Engine::Place first{.stream = 1}, second{.stream = 2}, third{.stream = 3};
  const Ticket waits = engine.submit(
      [&](Ticket) {
        submitted.get_future().wait();
        EXPECT_TRUE(engine.carry_out_another(
            first, [] { return false; }, true));
        EXPECT_TRUE(brief);
        found_more = engine.carry_out_another(
            first, [] { return false; }, true);
      },
      Engine::Length::unbounded, first);
  const Ticket last =
      engine.submit([&](Ticket) { unbounded = true; }, Engine::Length::unbounded, second);
  engine.submit([&](Ticket) { brief = true; }, Engine::Length::brief, third);
  submitted.set_value();
  engine.wait(waits);
  EXPECT_FALSE(found_more);
  engine.wait(last);
  EXPECT_TRUE(unbounded);
}

// Each waits for the other, many times: whichever is inside the other's wait.
TEST(Engine, LetsActionsTakeTurnsThatWaitForOneAnother) {
  Engine engine;
  int whose = 0;
  bool both_there = false;
  const auto alternate = [&](int me, const Engine::Place& place) {
    const auto mine = [&whose, me] { return whose == me; };
    for (int round = 0; round < 10; ++round) {
      while (!mine() || !both_there) {
        if (engine.carry_out_another(place, mine)) continue;
        ASSERT_FALSE(both_there) << "nobody gets on in round " << round;
        std::this_thread::yield();
      }
      EXPECT_TRUE(engine.inside_action());
      whose = 1 - whose;
    }
  };
  const Engine::Place first{.stream = 1}, second{.stream = 2};
  const auto submit = [&](int me, const Engine::Place& place) {
    return engine.submit(
        [&alternate, &both_there, me, place](Ticket) {
          both_there |= me == 1;
          alternate(me, place);
        },
        Engine::Length::unbounded, place);
  };
  const Ticket one = submit(0, first), two = submit(1, second);
  engine.wait(one);
  engine.wait(two);
  EXPECT_EQ(whose, 0);
}

// The one that began first ends first, and the other goes on when something comes for it.
TEST(Engine, EndsActionsThatWaitInAnyOrder) {
  Engine engine;
  std::vector<int> ended;
  bool first_may_end = false;
  std::atomic<bool> second_may_end{false};
  const Engine::Place first{.stream = 1}, second{.stream = 2}, third{.stream = 3};
  std::promise<void> submitted;
  const Ticket one = engine.submit(
      [&](Ticket) {
        submitted.get_future().wait();
        const auto come = [&] { return first_may_end; };
        while (!come()) EXPECT_TRUE(engine.carry_out_another(first, come));
        ended.push_back(1);
      },
      Engine::Length::unbounded, first);
  const Ticket two = engine.submit(
      [&](Ticket) {
        first_may_end = true;
        const auto come = [&] { return second_may_end.load(); };
        while (!come()) engine.carry_out_another(second, come);
        ended.push_back(2);
      },
      Engine::Length::unbounded, second);
  submitted.set_value();
  engine.wait(one);
  EXPECT_FALSE(engine.done(two));
  engine.submit([&](Ticket) { second_may_end = true; }, Engine::Length::unbounded, third);
  engine.wait(two);
  EXPECT_EQ(ended, (std::vector<int>{1, 2}));
}

TEST(Engine, TellsActionsThatWaitThatNobodyGetsOn) {
  Engine engine;
  const auto never = [] { return false; };
  const Engine::Place first{.stream = 1}, second{.stream = 2};
  std::promise<void> submitted;
  unsigned asked = 0;
  const auto give_up = [&](const Engine::Place& place) {
    while (engine.carry_out_another(place, never)) ASSERT_LT(++asked, 10u);
  };
  const Ticket waiting = engine.submit(
      [&](Ticket) {
        submitted.get_future().wait();
        give_up(first);
      },
      Engine::Length::unbounded, first);
  const Ticket last =
      engine.submit([&](Ticket) { give_up(second); }, Engine::Length::unbounded, second);
  submitted.set_value();
  engine.wait(last);
  engine.wait(waiting);
}

TEST(LaunchWait, KnowsWhetherTheProgramCatchesSignals) {
  EXPECT_FALSE(catches_signals("Name:\tx\nSigCgt:\t0000000000000000\n"));
  EXPECT_TRUE(catches_signals("Name:\tx\nSigCgt:\t0000000000000002\n"));   // SIGINT
  EXPECT_FALSE(catches_signals("Name:\tx\nSigCgt:\t0000000180000400\n"));  // SIGSEGV, and glibc's
  EXPECT_TRUE(catches_signals("nothing of it"));
  EXPECT_GE(threads_of_process().value_or(0), 1u);
}

TEST(Engine, TakesNoSignalsOfTheProgram) {
  Engine engine;
  sigset_t blocked;
  engine.wait(engine.submit([&](Ticket) { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); },
                            Engine::Length::unbounded));
  EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
  EXPECT_EQ(sigismember(&blocked, SIGUSR1), 1);
}

}  // namespace
}  // namespace heddle::runtime
