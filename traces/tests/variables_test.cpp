// Variables of the source, with the values that lanes of a running warp have.
#include "traces/analysis/variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "simulator/tests/compiled_kernels.hpp"
#include "traces/stepper/step_view.hpp"

namespace heddle::traces {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = isa::VariableType::Kind;

constexpr Mask kAll = simulator::kFullMask;

template <typename F>
std::array<std::uint64_t, simulator::kWarpSize> values(F&& of_lane) {
  std::array<std::uint64_t, simulator::kWarpSize> result;
  for (unsigned lane = 0; lane < result.size(); ++lane)
    result[lane] = static_cast<std::uint64_t>(of_lane(lane));
  return result;
}

TEST(VariableText, SaysValuesWithTheirLanes) {
  const isa::VariableType integer{Kind::integer, 4, "int"};
  EXPECT_EQ(variable_text(integer, kAll, values([](unsigned) { return 3; })), "3");
  EXPECT_EQ(variable_text(integer, Mask::below(16), values([](unsigned) { return -3; })),
            "-3 in lanes 0-15");
  EXPECT_EQ(variable_text(integer, kAll, values([](unsigned lane) { return lane < 16 ? 3 : 5; })),
            "3 in lanes 0-15, 5 in lanes 16-31");
  EXPECT_EQ(variable_text(integer, kAll, values([](unsigned lane) { return 7 + 2 * lane; })),
            "7+2*lane");
  EXPECT_EQ(variable_text({Kind::floating, 4, "float"}, kAll,
                          values([](unsigned) { return std::bit_cast<std::uint32_t>(2.5f); })),
            "2.5");
  EXPECT_EQ(variable_text({Kind::floating, 8, "double"}, Mask::of(0),
                          values([](unsigned) { return std::bit_cast<std::uint64_t>(-0.125); })),
            "-0.125 in lane 0");
  EXPECT_EQ(variable_text({Kind::boolean, 1, "bool"}, kAll,
                          values([](unsigned lane) { return lane % 2; })),
            "false in lanes even, true in lanes odd");
  EXPECT_EQ(
      variable_text({Kind::integer, 2, "short"}, kAll, values([](unsigned) { return 0xffff; })),
      "-1");
}

// isa/tests/cubins/variables.cu, built with -G.
class VariablesOfALaunch : public testing::Test {
 protected:
  static std::vector<std::byte> cubin() {
    std::ifstream file(HEDDLE_SOURCE_DIR "/isa/tests/cubins/variables.sm_90.cubin",
                       std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }
  simulator::LaunchRequest request() {
    simulator::LaunchRequest result;
    result.module = &module_;
    result.kernel = module_.cubin().find_kernel("_Z4sumsPixd");
    result.grid = {1, 1, 1};
    result.block = {32, 1, 1};
    result.parameters =
        simulator::parameters(*device_.memory().allocate(4096, "out"), std::int64_t{1} << 40, 0.5);
    return result;
  }
  static std::string pane(Stepper& stepper) {
    std::string text;
    for (const ViewLine& line : variables_pane(stepper)) text += line.text + "\n";
    return text;
  }
  simulator::Device device_{simulator::gpu_model("h200")};
  simulator::Module module_{cubin(), "variables.cubin", device_.memory()};
};

TEST_F(VariablesOfALaunch, HaveTheValuesThatTheSourceGivesThem) {
  const simulator::LaunchRequest launch = request();
  Stepper stepper(device_, launch);
  EXPECT_THAT(pane(stepper), HasSubstr(" n = 1099511627776\n"));
  EXPECT_THAT(pane(stepper), Not(HasSubstr(" i = ")));  // not yet
  // At the branch all that stands before it has been computed: s is 2i + 6.
  ASSERT_EQ(stepper.next_divergence(), Stepper::Stop::there);
  const std::string all = pane(stepper);
  EXPECT_THAT(all, HasSubstr(" i = 0+1*lane\n"));
  EXPECT_THAT(all, HasSubstr(" s = 6+2*lane\n"));
  EXPECT_THAT(all, HasSubstr(" b = 0+1*lane\n"));
  EXPECT_THAT(all, HasSubstr(" big = 1099511627776+1*lane\n"));
  EXPECT_THAT(all, HasSubstr(" half = 0.25\n"));
  EXPECT_THAT(all, Not(HasSubstr(" j = ")));  // its loop has ended
}

TEST_F(VariablesOfALaunch, OfALoopAreKnownWithinIt) {
  const simulator::LaunchRequest launch = request();
  Stepper stepper(device_, launch);
  std::vector<std::string> seen;
  for (int i = 0; i < 400; ++i) {
    const std::string text = pane(stepper);
    if (const std::size_t at = text.find(" j = "); at != text.npos) {
      const std::string value = text.substr(at + 5, text.find('\n', at) - at - 5);
      if (seen.empty() || seen.back() != value) seen.push_back(value);
    }
    if (stepper.forward() != Stepper::Stop::there) break;
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("0", "1", "2", "3", "4"));
}

TEST_F(VariablesOfALaunch, AreShownAsOtherNumbersToo) {
  const simulator::LaunchRequest launch = request();
  Stepper stepper(device_, launch);
  ASSERT_EQ(stepper.next_divergence(), Stepper::Stop::there);
  std::string whole;
  for (const ViewLine& line : registers_pane(stepper, 3, ValueForm::integer))
    whole += line.text + "\n";
  EXPECT_THAT(whole, HasSubstr("0+1*lane"));
  EXPECT_THAT(whole, Not(HasSubstr("0x0+0x1*lane")));
}

}  // namespace
}  // namespace heddle::traces
