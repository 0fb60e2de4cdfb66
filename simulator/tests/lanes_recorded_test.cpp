// What an H200 answered to single instructions, kept so that a machine without a GPU can ask again.
// Made by simulator/tests/lanes_probe_main.cpp and gpu/kernels/micro/lane_probe (driver 580,
// 2026-11-21): 32 threads of each of a few words per opcode.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "isa/decoder.hpp"
#include "simulator/tests/lanes_recording.hpp"

namespace heddle::simulator::lanes {
namespace {

class Recording {
 public:
  explicit Recording(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    words_ = take<std::uint32_t>();
    lanes_ = take<std::uint32_t>();
    registers_ = take<ProbeRegisters>();
    at_ = kHeader;
    for (std::uint32_t i = 0; i < words_; ++i) list_.push_back(take<isa::Word>());
  }

  const std::vector<isa::Word>& words() const { return list_; }
  const ProbeRegisters& registers() const { return registers_; }
  void next(std::vector<LaneInput>& inputs, std::vector<LaneAnswer>& answers) {
    inputs.clear();
    answers.clear();
    for (std::uint32_t i = 0; i < lanes_; ++i) {
      inputs.push_back(take<LaneInput>());
      answers.push_back(take<LaneAnswer>());
    }
  }

 private:
  static constexpr std::size_t kHeader = 16;

  template <class T>
  T take() {
    T value{};
    if (sizeof value > bytes_.size() - at_) throw std::runtime_error("the recording is cut short");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  std::uint32_t words_ = 0, lanes_ = 0;
  ProbeRegisters registers_;
  std::vector<isa::Word> list_;
};

TEST(LanesRecorded, EveryWordAnswersAsTheH200Did) {
  Recording recording(HEDDLE_SOURCE_DIR "/simulator/tests/data/lanes_h200.bin");
  ASSERT_GT(recording.words().size(), 100u);
  std::vector<LaneInput> inputs;
  std::vector<LaneAnswer> answers;
  for (const isa::Word& word : recording.words()) {
    recording.next(inputs, answers);
    const auto instruction = isa::decode(isa::Arch::sm_90, word);
    ASSERT_TRUE(instruction) << std::hex << word.hi << ' ' << word.lo;
    SCOPED_TRACE(isa::print(*instruction, 0));
    const auto ours = our_answers(*instruction, recording.registers(), inputs);
    ASSERT_EQ(ours.size(), answers.size()) << "no lane function";
    for (std::size_t lane = 0; lane < inputs.size(); ++lane) {
      EXPECT_EQ(ours[lane].d, answers[lane].d)
          << std::hex << "a " << inputs[lane].a << " b " << inputs[lane].b << " c "
          << inputs[lane].c << " predicates " << inputs[lane].predicates;
      EXPECT_EQ(ours[lane].predicates, answers[lane].predicates)
          << std::hex << "a " << inputs[lane].a << " b " << inputs[lane].b << " c "
          << inputs[lane].c << " predicates " << inputs[lane].predicates;
    }
  }
}

}  // namespace
}  // namespace heddle::simulator::lanes
