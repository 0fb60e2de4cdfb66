// What code a kernel's launches can reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/decoder.hpp"
#include "simulator/launch/call_graph.hpp"
#include "simulator/launch/kernel_code.hpp"

namespace heddle::simulator {
namespace {

using isa::Op;
using testing::ElementsAre;

constexpr std::uint64_t kWord = sizeof(isa::Word);

// Two kernels with a local function behind each, and two functions in sections of their own. Each
// has four instructions.
class TwoKernels : public testing::Test {
 protected:
  enum Place : std::uint32_t {
    kernel,
    local,
    other_kernel,
    others_local,
    function,
    other_function
  };
  static constexpr std::uint32_t kLength = 4;

  TwoKernels() {
    cubin_.sections.resize(5);
    program_.instructions.resize(6 * kLength + 1);
    add(kernel, 1, 2 * kLength);
    add(local, 1, kLength);
    add(other_kernel, 2, 2 * kLength);
    add(others_local, 2, kLength);
    add(function, 3, kLength);
    add(other_function, 4, kLength);
  }

  static std::uint64_t address(Place place, std::uint32_t instruction = 0) {
    return isa::kCodeBase + (place * kLength + instruction) * kWord;
  }
  // `at`: an instruction of the place.
  void put(Op op, Place from, std::uint32_t at, Place to) {
    constexpr isa::Word kBranch{.lo = 0x7947, .hi = 0x000fea0003800000},
        kCall{.lo = 0x7944, .hi = 0x000fea0003c00000};
    auto& in = program_.instructions[from * kLength + at];
    in = isa::decode(isa::Arch::sm_75, op == Op::CALL ? kCall : kBranch);
    in->offset = static_cast<std::int64_t>(address(to) - address(from, at) - kWord);
  }
  void call_by_register(Place from) {
    put(Op::CALL, from, 1, from);
    program_.instructions[from * kLength + 1]->a.kind = isa::Source::Kind::reg;
  }

  std::vector<std::size_t> reached(Place start = kernel) const {
    return CallGraph(program_, cubin_).reached_by_kernel(address(start));
  }
  bool may_recurse(Place start = kernel) const {
    return CallGraph(program_, cubin_).may_recurse(address(start));
  }

  isa::Program program_;
  isa::Cubin cubin_;

 private:
  void add(Place place, std::uint32_t section, std::uint64_t length) {
    const bool is_kernel = place == kernel || place == other_kernel;
    cubin_.functions.push_back({.name = {}, .section = section, .is_kernel = is_kernel});
    program_.ranges.push_back(
        {.function = place, .address = address(place), .size = length * kWord, .section = section});
  }
};

TEST_F(TwoKernels, ReachTheFunctionsBehindThemAlone) {
  EXPECT_THAT(reached(), ElementsAre(kernel, local));
  EXPECT_THAT(reached(other_kernel), ElementsAre(other_kernel, others_local));
}

TEST_F(TwoKernels, ReachWhatTheyCallByName) {
  put(Op::CALL, kernel, 1, function);
  EXPECT_THAT(reached(), ElementsAre(kernel, local, function));
  put(Op::CALL, function, 2, others_local);
  EXPECT_THAT(reached(), ElementsAre(kernel, local, others_local, function));
  EXPECT_THAT(reached(other_kernel), ElementsAre(other_kernel, others_local));
}

TEST_F(TwoKernels, ReachWhatTheFunctionsBehindThemCall) {
  put(Op::CALL, local, 0, other_function);
  EXPECT_THAT(reached(), ElementsAre(kernel, local, other_function));
}

TEST_F(TwoKernels, ReachAllFunctionsOfNoKernelByARegister) {
  call_by_register(local);
  EXPECT_THAT(reached(), ElementsAre(kernel, local, function, other_function));
}

TEST_F(TwoKernels, ReachTheSectionThatABranchLeadsTo) {
  put(Op::BRA, kernel, 3, function);
  EXPECT_THAT(reached(), ElementsAre(kernel, local, function));
}

TEST_F(TwoKernels, HaveTheCodeOfWhatTheyReach) {
  put(Op::CALL, kernel, 1, other_function);
  const auto code = code_of_kernel(program_, CallGraph(program_, cubin_), address(kernel));
  ASSERT_EQ(code.size(), 2u);  // the function behind the kernel lies in the kernel's range
  EXPECT_EQ(code[0].first, kernel * kLength);
  EXPECT_EQ(code[0].end, 2 * kLength);
  EXPECT_EQ(code[1].first, other_function * kLength);
}

TEST_F(TwoKernels, RecurWhereWhatTheyCallIsCalledInACircle) {
  put(Op::CALL, kernel, 1, function);
  put(Op::CALL, function, 0, other_function);
  EXPECT_FALSE(may_recurse());
  put(Op::CALL, other_function, 2, function);
  EXPECT_TRUE(may_recurse());
  EXPECT_FALSE(may_recurse(other_kernel));
}

TEST_F(TwoKernels, RecurWhereAFunctionCallsItself) {
  put(Op::CALL, kernel, 1, local);
  EXPECT_FALSE(may_recurse());
  put(Op::CALL, local, 1, local);
  EXPECT_TRUE(may_recurse());
}

TEST_F(TwoKernels, RecurByBranchesInNoWay) {
  put(Op::CALL, kernel, 1, local);
  put(Op::BRA, local, 3, kernel);
  EXPECT_FALSE(may_recurse());
}

TEST_F(TwoKernels, RecurWhereARegisterMayNameWhatCallsItself) {
  call_by_register(kernel);
  put(Op::CALL, others_local, 0, others_local);
  EXPECT_FALSE(may_recurse());  // of another kernel's section
  put(Op::CALL, function, 0, function);
  EXPECT_TRUE(may_recurse());
}

}  // namespace
}  // namespace heddle::simulator
