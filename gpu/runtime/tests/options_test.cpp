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
  const Options options = with({{"HEDDLE_THREADS", ""}});
  EXPECT_EQ(options.gpu, "");
  EXPECT_EQ(options.threads, 0u);
  EXPECT_EQ(options.record_fd, -1);
  EXPECT_FALSE(options.per_pc);
}

TEST(Options, AreReadFromTheEnvironment) {
  const Options options = with({{"HEDDLE_GPU", "t4"},
                                {"HEDDLE_THREADS", "3"},
                                {"HEDDLE_MAX_INSTRUCTIONS", "10000000000"},
                                {"HEDDLE_MAX_MEMORY", "1000000"},
                                {"HEDDLE_GPUS", "8"},
                                {"HEDDLE_PER_PC", "1"},
                                {"HEDDLE_COUNTERS", "1"},
                                {"HEDDLE_RECONVERGENCE", "min-pc"},
                                {"HEDDLE_CAPTURE", "/tmp/x"}});
  EXPECT_EQ(options.gpu, "t4");
  EXPECT_EQ(options.threads, 3u);
  EXPECT_EQ(options.max_instructions, 10000000000u);
  EXPECT_EQ(options.max_memory, 1000000u);
  EXPECT_EQ(options.gpus, 8u);
  EXPECT_TRUE(options.per_pc);
  EXPECT_TRUE(options.counters);
  EXPECT_EQ(options.reconvergence, simulator::ReconvergencePolicy::min_pc);
  EXPECT_EQ(options.capture_directory, "/tmp/x");
}

TEST(Options, BadValuesNameTheVariable) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"HEDDLE_THREADS", "many"}, {"HEDDLE_THREADS", "-1"}, {"HEDDLE_PER_PC", "yes"}}) {
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
