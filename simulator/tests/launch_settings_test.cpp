#include "simulator/launch/launch_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

LaunchSettings all_set() {
  LaunchSettings settings;
  settings.threads = 3;
  settings.threads_after = 7;
  settings.max_instructions = 10'000'000'000;
  settings.timing.emplace();
  settings.timing->policy = timing::Policy::oldest_first;
  settings.timing->cold_caches = false;
  settings.timing->sms = 16;
  settings.timing->sample = 0.07;
  settings.timing->sample_instructions = 1'234'567;
  settings.timing->overrides = {{"latency_l1_hit", 40}};
  settings.reconvergence = ReconvergencePolicy::min_pc;
  settings.interpret = true;
  settings.checks = {.memory = true, .races = true, .init = true, .sync = true, .hazards = true};
  settings.counters = true;
  return settings;
}

TEST(LaunchSettings, HaveOneText) {
  EXPECT_EQ(
      to_text(all_set()),
      "threads=3 threads-after=7 max-instructions=10000000000 "
      "timing=on,scheduler=oldest-first,caches=warm,sms=16,sample=7%,sample=1.234567M,"
      "latency_l1_hit=40 reconvergence=min-pc interpret=1 check=memory,races,init,sync,hazards "
      "counters=1");
  EXPECT_EQ(to_text({}), "threads=1 max-instructions=0 counters=0");
}

TEST(LaunchSettings, AreReadAsTheyWereWritten) {
  EXPECT_EQ(parse_settings(to_text(all_set())), all_set());
  EXPECT_EQ(parse_settings(to_text({}), all_set()).threads, 1u);
  EXPECT_EQ(parse_settings(to_text({})), LaunchSettings{});
}

TEST(LaunchSettings, DrawTheOrderFromASeed) {
  LaunchSettings random;
  random.random_schedule = 18'446'744'073'709'551'615u;
  EXPECT_EQ(to_text(random),
            "threads=1 max-instructions=0 schedule=random:18446744073709551615 counters=0");
  EXPECT_EQ(parse_settings(to_text(random)), random);
  EXPECT_EQ(parse_settings("schedule=even", random), LaunchSettings{});
}

TEST(LaunchSettings, RefuseARandomOrderOfATimedLaunch) {
  EXPECT_THAT([] { parse_settings("timing=on schedule=random:1"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("launches that are not timed")));
}

TEST(LaunchSettings, ThatAreNotSaidStayAsTheyAre) {
  LaunchSettings expected = all_set();
  expected.max_instructions = 5;
  EXPECT_EQ(parse_settings(" max-instructions=5  ", all_set()), expected);
}

// Every percentage is read as the part of the waves that was meant, whatever it is as a double.
TEST(LaunchSettings, KeepTheSample) {
  for (int tenths = 1; tenths <= 1000; ++tenths) {
    LaunchSettings settings = parse_settings("timing=sample=" + std::to_string(tenths / 10) + "." +
                                             std::to_string(tenths % 10) + "%");
    EXPECT_EQ(parse_settings(to_text(settings)), settings) << to_text(settings);
  }
}

TEST(LaunchSettings, ThatAreWrongAreNamed) {
  const auto message = [](const char* text, const char* said) {
    EXPECT_THAT([&] { parse_settings(text); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(said)));
  };
  message("threads=many", "threads: \"many\" is not a whole number");
  message("threads", "threads: \"\" is not a whole number");
  message("thread=1", "no setting thread; did you mean threads?");
  message("timing=sms=0", "timing: sms=0: 1 to 1024");
  message("schedule=fair", "\"fair\" is not even, or random:SEED");
  message("schedule=random:x", "schedule: \"x\" is not a whole number");
  message("reconvergence=none", "barriers, stack or min-pc");
  message("check=everything", "no check everything");
  message("interpret=no", "not 0 or 1");
  message("counters=yes", "not 0 or 1");
}

}  // namespace
}  // namespace heddle::simulator
