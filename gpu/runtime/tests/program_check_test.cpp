// The programs are made by CMakeLists.txt: tiny ones with the marks that nvcc leaves.
#include "gpu/runtime/program_check.hpp"
#include "tests/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::runtime {
namespace {

TEST(ProgramCheck, AcceptsARuntimeThatIsLinkedIn) {
  EXPECT_EQ(check_program(HEDDLE_PROGRAM_WITH_ITS_OWN_RUNTIME).refusal, "");
}

TEST(ProgramCheck, SaysWhatToDoWithARuntimeThatIsLinkedInAndStripped) {
  const std::string refusal = check_program(HEDDLE_PROGRAM_STRIPPED).refusal;
  EXPECT_NE(refusal.find("without -s"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("-cudart shared"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("CUDA_RUNTIME_LIBRARY Shared"), std::string::npos) << refusal;
}

// Such as `nvcc -cudart shared -lcuda` makes of a program that calls the driver alone.
TEST(ProgramCheck, AcceptsDeviceCodeWithoutARuntime) {
  const ProgramCheck check = check_program(HEDDLE_PROGRAM_WITHOUT_RUNTIME);
  EXPECT_EQ(check.refusal, "");
  EXPECT_TRUE(check.has_cuda);
}

TEST(ProgramCheck, RefusesTheRuntimeOfAnotherVersion) {
  const std::string refusal = check_program(HEDDLE_PROGRAM_OF_CUDA_11).refusal;
  EXPECT_NE(refusal.find("libcudart.so.11"), std::string::npos) << refusal;
}

TEST(ProgramCheck, SaysWhichOfNvidiasLibrariesWillFail) {
  const ProgramCheck check = check_program(HEDDLE_PROGRAM_WITH_CUDNN);
  EXPECT_EQ(check.refusal, "");  // its own kernels run
  EXPECT_NE(check.notice.find("calls libcudnn.so.9"), std::string::npos) << check.notice;
}

TEST(ProgramCheck, AcceptsTheSharedRuntime) {
  EXPECT_EQ(check_program(HEDDLE_PROGRAM_WITH_SHARED_RUNTIME).refusal, "");
  EXPECT_EQ(check_program(HEDDLE_PROGRAM_WITH_SHARED_RUNTIME).notice, "");
}

TEST(ProgramCheck, Refuses32BitPrograms) {
  const tests::ScratchFolder folder;
  std::ofstream(folder / "old") << "\177ELF\1\1\1 and so on";
  EXPECT_NE(check_program(folder / "old").refusal.find("is a 32-bit program"), std::string::npos);
}

TEST(ProgramCheck, HasNothingAgainstOtherFiles) {
  EXPECT_EQ(check_program("/bin/sh").refusal, "");
  EXPECT_FALSE(check_program("/bin/sh").has_cuda);
  const tests::ScratchFolder folder;
  const auto script = folder / "script";
  std::ofstream(script) << "#!/bin/sh\n";
  EXPECT_EQ(check_program(script).refusal, "");
  std::ofstream(script) << "\177ELF but no more";
  EXPECT_EQ(check_program(script).refusal, "");
}

}  // namespace
}  // namespace heddle::runtime
