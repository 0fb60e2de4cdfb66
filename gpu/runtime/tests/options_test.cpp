#include "gpu/runtime/options.hpp"

#include <gtest/gtest.h>

#include <map>

namespace heddle::runtime {
namespace {

std::map<std::string, std::string> environment;

Options with(std::map<std::string, std::string> variables) {
  environment = std::move(variables);
  return options_from_environment([](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Options, DefaultsHoldWhereNothingIsSet) {
  const Options options = with({{"HEDDLE_LAUNCHES", ""}});
  EXPECT_EQ(options.gpu, "");
  EXPECT_EQ(options.launches.threads, 0u);
  EXPECT_EQ(options.record_fd, -1);
  EXPECT_FALSE(options.per_pc);
}

TEST(Options, AreReadFromTheEnvironment) {
  const Options options = with({{"HEDDLE_GPU", "t4"},
                                {"HEDDLE_LAUNCHES", "max-instructions=10000000000"},
                                {"HEDDLE_MAX_MEMORY", "1000000"},
                                {"HEDDLE_GPUS", "8"},
                                {"HEDDLE_PER_PC", "1"},
                                {"HEDDLE_CAPTURE", "/tmp/x"}});
  EXPECT_EQ(options.gpu, "t4");
  EXPECT_EQ(options.launches,
            (simulator::LaunchSettings{.threads = 0, .max_instructions = 10000000000}));
  EXPECT_EQ(options.max_memory, 1000000u);
  EXPECT_EQ(options.gpus, 8u);
  EXPECT_TRUE(options.per_pc);
  EXPECT_EQ(options.capture_directory, "/tmp/x");
}

TEST(Options, AreReadAsTheyWereWritten) {
  Options options;
  options.gpu = "a100";
  options.record_stream = "/tmp/%p";
  options.record_fd = 7;
  options.capture_directory = "captured";
  options.capture_kernel = "regex:scale";
  options.trace = "{}";
  options.launches = simulator::parse_settings("threads=3 timing=sms=4 check=all");
  options.max_memory = 4096;
  options.gpus = 2;
  options.per_pc = options.progress = options.memory_digests = true;
  const auto written = environment_of(options);
  for (const auto& [name, value] : written) EXPECT_NE(value, "") << name << " was left out above";
  EXPECT_EQ(environment_of(with(written)), written);
  EXPECT_EQ(with(written).launches, options.launches);
}

// What a user has set for the command is not set for the program besides.
TEST(Options, AreAllWritten) {
  const auto written = environment_of({});
  EXPECT_EQ(environment_of(with(written)), written);
  EXPECT_TRUE(written.contains("HEDDLE_PER_PC"));
}

TEST(Options, BadValuesNameTheVariable) {
  for (const auto& [name, value] : {std::pair{"HEDDLE_LAUNCHES", "threads=many"},
                                    {"HEDDLE_LAUNCHES", "threads=-1"},
                                    {"HEDDLE_LAUNCHES", "thread=1"},
                                    {"HEDDLE_GPUS", "0"},
                                    {"HEDDLE_RECORD_FD", "none"},
                                    {"HEDDLE_PER_PC", "yes"}}) {
    try {
      with({{name, value}});
      ADD_FAILURE() << name << '=' << value;
    } catch (const OptionsError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

TEST(Options, ProcessIsExpanded) {
  EXPECT_EQ(expand_process("out/%p.json", 42), "out/42.json");
  EXPECT_EQ(expand_process("100%%p %q %", 42), "100%p %q %");
}

}  // namespace
}  // namespace heddle::runtime
