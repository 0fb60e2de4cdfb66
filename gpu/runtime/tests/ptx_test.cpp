// Scripts take the place of ptxas here; programs/ compiles with the toolkit's.
#include "gpu/runtime/ptx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "simulator/launch/builtins.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::runtime {
namespace {

using isa::Arch;
using testing::HasSubstr;

isa::FatEntry ptx(std::uint32_t sm, const std::string& target) {
  const std::string text = ".version 9.0\n.target " + target + "\n.address_size 64\n";
  isa::FatEntry entry{.kind = isa::FatEntry::Kind::ptx, .sm = sm, .identifier = {}, .contents = {}};
  for (const char each : text) entry.contents.push_back(static_cast<std::byte>(each));
  entry.contents.push_back(std::byte{0});  // as nvcc pads it
  return entry;
}

std::vector<std::uint32_t> chosen(Arch arch, std::vector<isa::FatEntry> entries) {
  std::vector<std::uint32_t> numbers;
  for (const isa::FatEntry& entry : ptx_for(arch, entries)) numbers.push_back(entry.sm);
  return numbers;
}

TEST(PtxFor, TakesTheNewestThatIsNotAboveTheGpu) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(chosen(Arch::sm_89, {ptx(75, "sm_75"), ptx(80, "sm_80"), ptx(90, "sm_90")}),
            Numbers{80});
  EXPECT_EQ(chosen(Arch::sm_90, {ptx(80, "sm_80"), ptx(80, "sm_80, debug")}), (Numbers{80, 80}));
  EXPECT_EQ(chosen(Arch::sm_75, {ptx(80, "sm_80")}), Numbers{});
}

TEST(PtxFor, TakesPtxForOneGpuForThatGpuAlone) {
  EXPECT_EQ(chosen(Arch::sm_90, {ptx(80, "sm_80a")}), std::vector<std::uint32_t>{});
  const auto both = ptx_for(Arch::sm_90, std::vector{ptx(90, "sm_90a"), ptx(90, "sm_90")});
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].contents, ptx(90, "sm_90a").contents);
}

class CompilePtx : public testing::Test {
 protected:
  // $2 to $5: -lineinfo, the PTX, -o, the cubin.
  void use_script(const std::string& body) {
    std::ofstream(script_) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(script_, std::filesystem::perms::owner_all);
    setenv("HEDDLE_PTXAS", script_.c_str(), 1);
  }
  ~CompilePtx() override { unsetenv("HEDDLE_PTXAS"); }
  static PtxError failure(Arch arch, const isa::FatEntry& entry) {
    try {
      compile_ptx(arch, {&entry, 1}, "program");
    } catch (const PtxError& error) {
      return error;
    }
    ADD_FAILURE() << "compiled";
    return {Error::success, ""};
  }
  const tests::ScratchFolder folder_;
  const std::string script_ = (folder_ / "ptxas").string();
};

TEST_F(CompilePtx, HandsTheTextOverAndTakesWhatIsWritten) {
  use_script("(echo \"$1 ${LD_PRELOAD:-none} ${HEDDLE_PTXAS:-none}\"; cat $3) > $5");
  setenv("LD_PRELOAD", "", 1);
  const auto entry = ptx(80, "sm_80");
  const auto cubins = compile_ptx(Arch::sm_90, {&entry, 1}, "program");
  unsetenv("LD_PRELOAD");
  ASSERT_EQ(cubins.size(), 1U);
  EXPECT_EQ(cubins[0].sm, 90U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(cubins[0].contents.data()),
                        cubins[0].contents.size()),
            "-arch=sm_90 none none\n.version 9.0\n.target sm_80\n.address_size 64\n");
}

TEST_F(CompilePtx, NamesTheOneGpuThatPtxIsFor) {
  use_script("echo $1 > $5");
  const auto entry = ptx(90, "sm_90a");
  const auto cubins = compile_ptx(Arch::sm_90, {&entry, 1}, "program");
  ASSERT_EQ(cubins.size(), 1U);
  EXPECT_EQ(cubins[0].contents.size(), std::string("-arch=sm_90a\n").size());
}

TEST_F(CompilePtx, TellsWhatPtxasSaidAndCudasErrorForIt) {
  use_script("echo 'line 7; error: no such thing' >&2; exit 255");
  const PtxError wrong = failure(Arch::sm_90, ptx(80, "sm_80"));
  EXPECT_EQ(wrong.error, Error::invalid_ptx);
  EXPECT_THAT(wrong.what(), HasSubstr("program: "));
  EXPECT_THAT(wrong.what(), HasSubstr("line 7; error: no such thing"));
  use_script("echo \"Unsupported .version 9.9; current version is '9.0'\"; exit 255");
  EXPECT_EQ(failure(Arch::sm_90, ptx(80, "sm_80")).error, Error::unsupported_ptx_version);
}

TEST_F(CompilePtx, SaysWhenThereIsNoCompiler) {
  setenv("HEDDLE_PTXAS", "/nowhere/ptxas", 1);
  const PtxError none = failure(Arch::sm_90, ptx(80, "sm_80"));
  EXPECT_EQ(none.error, Error::jit_compiler_not_found);
  EXPECT_THAT(none.what(), HasSubstr("-arch=sm_90"));
}

// Code of compilers other than nvcc's calls cudaGetParameterBufferV2 by its own name, of which
// libcudadevrt makes these.
TEST(DeviceRuntimeNames, OlderOnesAreOfTheSameFunctions) {
  using simulator::builtin_address;
  for (const char* name : {"GetParameterBufferV2", "LaunchDeviceV2", "SetLastError"})
    EXPECT_EQ(builtin_address(std::string("cnp") + name),
              builtin_address(std::string("__cuda_syscall_cnpv2") + name));
  EXPECT_EQ(builtin_address("cnpNothing"), builtin_address("nothing"));
}

}  // namespace
}  // namespace heddle::runtime
