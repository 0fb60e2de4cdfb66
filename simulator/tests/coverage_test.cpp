#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "isa/decoder.hpp"
#include "simulator/execute/coverage.hpp"
#include "simulator/tests/coverage_page.hpp"

namespace heddle::simulator {
namespace {

TEST(CoveragePage, IsWhatTheOpcodesAndTheRecordedAnswersMake) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/docs/coverage.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, coverage_page()) << "run: coverage_page > docs/coverage.md";
}

// Nor may what an opcode of sm_90 has besides on sm_100a run as if it were sm_90's.
TEST(Coverage, FormsOfTensorMemoryAndOfCopiesThatAreNotDoneAreRefused) {
  constexpr std::pair<isa::Word, const char*> kRows[] = {
      {{0x00ff040a080075ea, 0x0000000008200006},
       "UTCHMMA.2CTA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR4], idesc[UR5], UP0"},
      {{0x00002000040079e6, 0x001fd80008010000}, "UTCSHIFT.DOWN tmem[UR4+0x20]"},
      {{0x00000008060073b4, 0x0000000008200804}, "UTMALDG.1D.MULTICAST.2CTA [UR8], [UR6], UR4"},
      {{0x00000408060075b4, 0x0000000008109000}, "UTMALDG.2D.GATHER4 [UR8], [UR6], desc[UR4]"},
      {{0x00000008060073b4, 0x00000000080d0004}, "UTMALDG.3D.W [UR8], [UR6], UR4"},
      {{0x00000008040073b5, 0x0000000008088000}, "UTMASTG.2D.SCATTER4 [UR8], [UR4]"},
      {{0x00000008060073b8, 0x0000000008090004}, "UTMAPF.L2.3D.W128 [UR8], [UR6], UR4"},
      {{0x00000006080073ba, 0x0000000008100404}, "UBLKCP.G.S.DST_G_BYTE_MASK [UR6], [UR8], UR4"},
  };
  for (const auto& [word, text] : kRows) {
    const auto instruction = isa::decode(isa::Arch::sm_100, word);
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(isa::print(*instruction, 0), text);
    EXPECT_FALSE(executes(*instruction)) << text;
  }
}

}  // namespace
}  // namespace heddle::simulator
