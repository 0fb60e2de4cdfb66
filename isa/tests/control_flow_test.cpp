// Control-flow graphs: of small functions written word by word, and of compiled ones.
#include "isa/control_flow.hpp"

#include <gmock/gmock.h>

#include "isa/decoder.hpp"
#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Words of sm_75. Branches name the instruction they go to by its number.
class Code {
 public:
  Code& nop() { return add({.lo = 0x7918, .hi = 0x000fc00000000000}); }
  Code& exit() { return add({.lo = 0x794d, .hi = 0x000fea0003800000}); }
  Code& ret() { return add({.lo = 0x14007950, .hi = 0x000fea0003c00000}); }
  Code& bra(int to) { return branch({.lo = 0x7947, .hi = 0x000fea0003800000}, to); }
  Code& call(int to) { return branch({.lo = 0x7944, .hi = 0x000fea0003c00000}, to); }
  Code& brx() { return add({.lo = 0x2007949, .hi = 0x000fea0003800000}); }
  Code& bssy(int to) { return add_relative({.lo = 0x7945, .hi = 0x000fe20003800000}, to, 30); }
  // The instruction before depends on P0.
  Code& if_p0() {
    words_.back().set_bits(12, 4, 0);
    return *this;
  }
  // … and a branch on Pp = P1 as well.
  Code& and_p1() {
    words_.back().set_bits(87, 3, 1);
    return *this;
  }

  // One function, or several ranges (first instruction, length) of which each may hold others.
  Program program(std::vector<std::pair<int, int>> ranges = {}) const {
    if (ranges.empty()) ranges.emplace_back(0, static_cast<int>(words_.size()));
    Program program;
    program.arch = Arch::sm_75;
    program.words = words_;
    for (const Word& word : words_) {
      program.instructions.push_back(decode(Arch::sm_75, word));
      EXPECT_TRUE(program.instructions.back().has_value()) << program.words.size();
    }
    for (const auto& [first, count] : ranges)
      program.ranges.push_back({.address = kCodeBase + 16u * static_cast<unsigned>(first),
                                .size = 16u * static_cast<unsigned>(count),
                                .section_offset = 16u * static_cast<unsigned>(first),
                                .section = 1});
    return program;
  }

 private:
  Code& add(const Word& word) {
    words_.push_back(word);
    return *this;
  }
  Code& branch(const Word& word, int to) { return add_relative(word, to, 48); }
  Code& add_relative(Word word, int to, unsigned bits) {
    const int distance = (to - static_cast<int>(words_.size()) - 1) * 16 / 4;
    word.set_bits(34, bits, static_cast<std::uint64_t>(distance));
    return add(word);
  }

  std::vector<Word> words_;
};

ControlFlow flow_of(const Program& program, const Cubin& cubin = {}) {
  return control_flow(cubin, program, program.ranges.at(0));
}

// The number of each block's first instruction.
std::vector<int> starts(const ControlFlow& flow) {
  std::vector<int> starts;
  for (const BasicBlock& block : flow.blocks)
    starts.push_back(static_cast<int>((block.address - kCodeBase) / 16));
  return starts;
}

std::vector<std::uint32_t> successors(const ControlFlow& flow, std::size_t block) {
  std::vector<std::uint32_t> to;
  for (const Edge& edge : flow.blocks[block].successors) to.push_back(edge.block);
  return to;
}

TEST(ControlFlow, OfStraightCodeIsOneBlock) {
  const ControlFlow flow = flow_of(Code().nop().nop().exit().program());
  EXPECT_THAT(starts(flow), ElementsAre(0));
  EXPECT_TRUE(flow.blocks[0].leaves);
  EXPECT_THAT(successors(flow, 0), IsEmpty());
}

TEST(ControlFlow, OfAnIfElseMeetsBehindIt) {
  const ControlFlow flow =
      flow_of(Code().nop().bra(4).if_p0().nop().bra(5).nop().nop().exit().program());
  EXPECT_THAT(starts(flow), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(flow.blocks[0].successors,
              ElementsAre(Edge{2, Edge::Kind::taken}, Edge{1, Edge::Kind::next}));
  EXPECT_THAT(successors(flow, 1), ElementsAre(3));
  EXPECT_THAT(successors(flow, 2), ElementsAre(3));
  EXPECT_THAT(flow.blocks[3].predecessors, ElementsAre(1, 2));
  EXPECT_EQ(flow.post_dominators.immediate(0), 3u);
  EXPECT_EQ(flow.post_dominators.immediate(3), flow.exit());
  EXPECT_EQ(flow.dominators.immediate(3), 0u);
}

TEST(ControlFlow, OfALoopGoesBack) {
  const ControlFlow flow = flow_of(Code().nop().nop().bra(1).if_p0().exit().program());
  EXPECT_THAT(starts(flow), ElementsAre(0, 1, 3));
  EXPECT_THAT(successors(flow, 1), ElementsAre(1, 2));
}

TEST(ControlFlow, OfABranchOnTwoPredicatesContinuesToo) {
  const ControlFlow flow = flow_of(Code().bra(2).and_p1().nop().exit().program());
  EXPECT_THAT(successors(flow, 0), ElementsAre(2, 1));
}

TEST(ControlFlow, OfAConditionalExitContinuesAndLeaves) {
  const ControlFlow flow = flow_of(Code().exit().if_p0().nop().exit().program());
  EXPECT_THAT(starts(flow), ElementsAre(0, 1));
  EXPECT_TRUE(flow.blocks[0].leaves);
  EXPECT_THAT(successors(flow, 0), ElementsAre(1));
  EXPECT_EQ(flow.post_dominators.immediate(0), flow.exit());
}

TEST(ControlFlow, OfACallGoesOnAfterIt) {
  const ControlFlow flow = flow_of(Code().call(3).nop().exit().ret().program({{0, 3}, {3, 1}}));
  EXPECT_THAT(starts(flow), ElementsAre(0));
  ASSERT_EQ(flow.calls.size(), 1u);
  EXPECT_EQ(flow.calls[0].target, kCodeBase + 48);
}

TEST(ControlFlow, OfAnIndirectBranchHasTheListedTargets) {
  Cubin cubin;
  cubin.indirect_branches.push_back({.section = 1, .offset = 16, .targets = {32, 48}});
  const ControlFlow flow = flow_of(Code().nop().brx().exit().exit().program(), cubin);
  EXPECT_THAT(flow.blocks[0].successors,
              ElementsAre(Edge{1, Edge::Kind::indirect}, Edge{2, Edge::Kind::indirect}));
  EXPECT_FALSE(flow.blocks[0].leaves);
}

TEST(ControlFlow, OfAnIndirectBranchThatIsNotListedIsUnresolved) {
  const ControlFlow flow = flow_of(Code().nop().brx().exit().program());
  EXPECT_TRUE(flow.blocks[0].unresolved);
  EXPECT_TRUE(flow.blocks[0].leaves);
  EXPECT_THAT(successors(flow, 0), IsEmpty());
}

TEST(ControlFlow, LeavesOutFunctionsBehindTheKernel) {
  const ControlFlow flow = flow_of(Code().nop().exit().nop().ret().nop().program({{0, 5}, {2, 2}}));
  EXPECT_THAT(starts(flow), ElementsAre(0, 4));
  EXPECT_EQ(flow.block_at(kCodeBase + 32), kNoNode);
}

TEST(ControlFlow, OfABranchOutOfTheFunctionLeaves) {
  const ControlFlow flow = flow_of(Code().bra(2).nop().exit().program({{0, 2}, {2, 1}}));
  EXPECT_TRUE(flow.blocks[0].leaves);
}

TEST(ControlFlow, OfAnEndlessLoopNeverReachesTheExit) {
  const ControlFlow flow = flow_of(Code().nop().bra(1).program());
  EXPECT_FALSE(flow.post_dominators.reachable(0));
  EXPECT_EQ(flow.post_dominators.immediate(0), kNoNode);
}

TEST(ControlFlow, NamesTheRegionsThatConverge) {
  const ControlFlow flow = flow_of(Code().bssy(2).nop().exit().program());
  ASSERT_EQ(flow.regions.size(), 1u);
  EXPECT_EQ(flow.regions[0].target, kCodeBase + 32);
}

class CompiledControlFlow : public testing::TestWithParam<std::string> {
 protected:
  const Cubin cubin_ = parse_test_cubin(GetParam());
  const Program program_ = place_for_test(cubin_);
};
INSTANTIATE_TEST_SUITE_P(Files, CompiledControlFlow,
                         testing::Values("program.sm_75.cubin", "program.sm_90.cubin",
                                         "debug.sm_75.cubin", "debug.sm_90.cubin",
                                         "linked.sm_90.cubin", "spills.sm_75.cubin"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST_P(CompiledControlFlow, CoversEachInstructionOnce) {
  std::vector<int> owners(program_.words.size(), 0);
  for (const CodeRange& range : program_.ranges)
    for (const BasicBlock& block : control_flow(cubin_, program_, range).blocks)
      for (std::uint64_t at = block.address; at < block.end(); at += 16)
        ++owners[(at - kCodeBase) / 16];
  EXPECT_EQ(owners.back(), 0);  // the trap row
  owners.pop_back();
  EXPECT_THAT(owners, testing::Each(1));
}

TEST_P(CompiledControlFlow, ResolvesEveryBranch) {
  for (const CodeRange& range : program_.ranges) {
    const ControlFlow flow = control_flow(cubin_, program_, range);
    for (const BasicBlock& block : flow.blocks) {
      if (program_.instructions[(block.end() - 16 - kCodeBase) / 16].has_value()) {
        EXPECT_FALSE(block.unresolved) << std::hex << block.address;
      }
    }
  }
}

// docs/hardware/control-flow.md: the instruction before a BSSY's target is its BSYNC.
TEST_P(CompiledControlFlow, ConvergesBeforeTheTargetOfEachRegion) {
  for (const CodeRange& range : program_.ranges)
    for (const ConvergenceRegion& region : control_flow(cubin_, program_, range).regions) {
      const auto& before = program_.instructions[(region.target - 16 - kCodeBase) / 16];
      ASSERT_TRUE(before.has_value());
      EXPECT_EQ(before->op, Op::BSYNC);
      EXPECT_EQ(before->barrier, region.barrier);
    }
}

}  // namespace
}  // namespace heddle::isa
