// Every kernel of gpu/kernels/micro/instruction_probe leaves what it left on an H200 (driver
// 580.159.04, CUDA 13.0.88, 2026-11-21): all records by their hash, the first ones in full.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "inputs.hpp"
#include "isa/cubin.hpp"
#include "simulator/tests/instruction_probe.hpp"
#include "simulator/tests/recorded_probe.hpp"

namespace heddle::simulator {
namespace {

namespace probe = instruction_probe;

const std::map<std::string, RecordedAnswer>& answers() {
  static const std::map<std::string, RecordedAnswer> all = recorded_answers();
  return all;
}

std::uint64_t word(const unsigned char* record, unsigned at) {
  std::uint64_t value = 0;
  std::memcpy(&value, record + at, sizeof value);
  return value;
}

// The first words that differ, with the operands they came from.
std::string differences(const std::vector<std::byte>& cubin, const std::string& kernel,
                        const RecordedAnswer& answer) {
  const std::vector<unsigned char> ours = probe_records(cubin, kernel, 0);
  if (ours.empty() || answer.changes.empty()) return {};
  for (unsigned thread = 0; thread < probe::kFull; ++thread) {
    std::vector<unsigned char> before(probe::kRecordBytes);
    probe::fill(before.data(), kernel, 0, thread);
    const std::size_t record = std::size_t{thread} * probe::kRecordBytes;
    for (unsigned at = 0; at < probe::kRecordBytes; at += 8) {
      const std::uint64_t theirs =
          word(answer.changes.data() + record, at) ^ word(before.data(), at);
      if (theirs == word(ours.data() + record, at)) continue;
      std::ostringstream text;
      text << std::hex << "thread " << thread << " byte " << std::dec << at << std::hex << ": H200 "
           << theirs << ", ours " << word(ours.data() + record, at) << "; operands";
      for (unsigned i = probe::kOperands; i < probe::kResults; i += 8)
        text << ' ' << word(before.data(), i);
      return text.str();
    }
  }
  return "(not among the first records)";
}

class InstructionProbe : public testing::TestWithParam<std::size_t> {};

TEST_P(InstructionProbe, LeavesWhatTheH200Left) {
  const std::vector<RecordedCubin> cubins = recorded_cubins();
  ASSERT_LT(GetParam(), cubins.size());
  const RecordedCubin& cubin = cubins[GetParam()];
  const ProbeAnswers ours = probe_answers(cubin.bytes);
  ASSERT_GT(ours.size(), 10u);
  for (const auto& [kernel, answer] : ours) {
    const auto found = answers().find(kernel);
    ASSERT_NE(found, answers().end()) << kernel << " was not recorded";
    if (answer == found->second.hash) continue;
    ADD_FAILURE() << kernel << ": H200 " << found->second.hash << ", ours " << answer << "\n"
                  << differences(cubin.bytes, kernel, found->second);
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, InstructionProbe, testing::Range(std::size_t{0}, std::size_t{36}));

// The same kernels compiled for GPUs that were not at hand. Each tests one PTX instruction, which
// means the same on all of them. What ptxas makes of products of bits there needs a MOVM of which
// too little is known: it stops the launch. sm_120 adds up products of eight-bit floats in its own
// way.
class BlackwellProbe : public testing::TestWithParam<std::pair<const char*, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Architectures, BlackwellProbe,
                         testing::Values(std::pair{"sm_100", 0u}, std::pair{"sm_120", 16u}),
                         [](const auto& instance) { return std::string(instance.param.first); });

TEST_P(BlackwellProbe, LeavesWhatTheH200Left) {
  const auto& [arch, sums_of_its_own] = GetParam();
  const std::string bytes = recorded_bytes("blackwell_probe/" + std::string(arch) + ".cubin.zst");
  std::vector<std::byte> cubin(bytes.size());
  std::memcpy(cubin.data(), bytes.data(), bytes.size());
  unsigned stopped = 0, others = 0, equal = 0;
  for (const auto& [kernel, answer] : probe_answers(cubin)) {
    const auto found = answers().find(kernel);
    ASSERT_NE(found, answers().end()) << kernel << " was not recorded";
    const bool narrow =
        kernel.find("_me4m3_") != std::string::npos || kernel.find("_me5m2_") != std::string::npos;
    if (answer.find("MOVM.U4TO8") != std::string::npos) {
      ++stopped;
    } else if (answer == found->second.hash) {
      ++equal;
    } else if (narrow && !answer.starts_with("refused")) {
      ++others;
    } else {
      ADD_FAILURE() << kernel << ": H200 " << found->second.hash << ", ours " << answer << "\n"
                    << differences(cubin, kernel, found->second);
    }
  }
  EXPECT_EQ(stopped, 6u);
  EXPECT_EQ(others, sums_of_its_own);
  EXPECT_GT(equal, 3'400u);
}

// Forms that no compiler emits, of which an H200 refuses some (gpu/kernels/micro/form_probe; driver
// 580.159.04, CUDA 13.0.88, 2026-11-29).
class FormProbe : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cubins, FormProbe, testing::Values("forms", "hazards"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(FormProbe, LeavesWhatTheH200LeftOrIsRefusedAsThere) {
  // Not known: what BAR.SCAN leaves in all warps but the first, the register that QSPC writes of a
  // local address, what a state that was not there means to a warp.
  constexpr std::string_view kUnknown[] = {
      "BAR_SCAN", "QSPC_of_local", "BMOV_from_barrier_MATEXIT_0", "BMOV_from_register_MATEXIT_0"};
  const auto is_one_of = [](std::string_view kernel, const auto& names) {
    return std::ranges::any_of(
        names, [&](std::string_view name) { return kernel.find(name) != std::string_view::npos; });
  };
  const auto theirs = recorded_hashes("form_probe");
  unsigned equal = 0;
  for (const RecordedCubin& cubin : recorded_cubins("form_probe")) {
    if (!cubin.name.starts_with(GetParam())) continue;
    for (const auto& [kernel, ours] : probe_answers(cubin.bytes)) {
      const auto found = theirs.find(kernel);
      ASSERT_NE(found, theirs.end()) << kernel << " was not recorded";
      const bool refused = found->second.starts_with("CUDA_ERROR");
      if (is_one_of(kernel, kUnknown)) {
        EXPECT_TRUE(ours.starts_with("refused")) << kernel;
      } else if (refused) {
        EXPECT_TRUE(ours.starts_with("refused")) << kernel << ": ours " << ours;
      } else {
        EXPECT_EQ(ours, found->second) << kernel;
        ++equal;
      }
    }
  }
  EXPECT_GE(equal, GetParam() == std::string_view("forms") ? 814u : 31u);
}

TEST(InstructionProbe, EveryRecordedCubinIsAPart) { EXPECT_EQ(recorded_cubins().size(), 36u); }

}  // namespace
}  // namespace heddle::simulator
