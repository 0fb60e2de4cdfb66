// The command as a shell sees it: exit statuses, and what goes to which stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ::heddle::cli::Kept;
using ::heddle::cli::Outcome;
using ::heddle::cli::run_heddle;

// `stream`: what is kept, 1 stdout or 2 stderr.
Outcome heddle(const std::string& words, int stream = 2) {
  return run_heddle(words, stream == 1 ? Kept::output : Kept::errors);
}

std::string capsules(const std::string& entry) {
  return std::string(HEDDLE_SOURCE_DIR) + "/validation/capsules/" + entry;
}
std::string record(const std::string& entry) {
  return std::string(HEDDLE_SOURCE_DIR) + "/validation/records/h200/" + entry + ".json.zst";
}

TEST(Heddle, SaysTwoForAMistakeOnTheCommandLine) {
  EXPECT_EQ(heddle("").status, 2);
  EXPECT_EQ(heddle("rum").status, 2);
  EXPECT_THAT(heddle("rum").text, HasSubstr("did you mean run?"));
  EXPECT_EQ(heddle("run --recrod x -- true").status, 2);
  EXPECT_EQ(heddle("run --metrics branhc -- true").status, 2);
  EXPECT_EQ(heddle("run --threads many -- true").status, 2);
  EXPECT_EQ(heddle("run").status, 2);
}

// Cubins too: CubinRun.SaysWhatToType.
TEST(Heddle, SaysTwoForAGpuThatDoesNotRunACapsulesCode) {
  const std::string with_gpu = "--gpu t4 " + capsules("vector_add.sm_90.O3");
  const Outcome run = heddle("run " + with_gpu);
  EXPECT_THAT(run.text, HasSubstr("is for sm_90, which the Tesla T4 (sm_75) does not run"));
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(heddle("step --html /dev/null " + with_gpu).status, 2);
}

TEST(Heddle, PrintsHelpToStdoutWhenAsked) {
  for (const char* words : {"--help", "run --help", "--version"}) {
    const Outcome outcome = heddle(words, 1);
    EXPECT_EQ(outcome.status, 0) << words;
    EXPECT_THAT(outcome.text, HasSubstr("heddle")) << words;
  }
}

TEST(Compare, SaysZeroOneOrTwo) {
  const std::string one = record("simple_divergence.sm_90.G"), other = record("matmul.sm_90.G");
  EXPECT_EQ(heddle("compare " + one + " " + one).status, 0);
  EXPECT_EQ(heddle("compare " + one + " " + other).status, 2);
  EXPECT_EQ(heddle("compare " + one + " /nowhere.json").status, 2);
}

TEST(Run, SaysWhereBranchesBecameSelects) {
  const std::string of = capsules("simple_divergence.sm_90.O3");
  const std::string selects = heddle("run -k mathKernel1 " + of, 1).text;
  EXPECT_THAT(selects, HasSubstr("mathKernel1(float*): 0 branches: the compiler used FSEL at "
                                 "simple_divergence.cu:22; build with\n    -G to see the branch"));
  EXPECT_THAT(heddle("run -k mathKernel4 " + of, 1).text, Not(HasSubstr("0 branches:")));
  const std::string branches = capsules("simple_divergence.sm_90.G");
  EXPECT_THAT(heddle("run -k mathKernel1 " + branches, 1).text, Not(HasSubstr("0 branches:")));
}

// An early return has become a predicated EXIT, whose kernel has no branch.
TEST(Run, SaysWhereBranchesBecamePredicates) {
  const std::string text = heddle("run " + capsules("sum_matrix_2d_ragged.sm_90.O3"), 1).text;
  EXPECT_THAT(text,
              HasSubstr("0 branches: the compiler predicated EXIT at\n    sum_matrix_2d.cu:13"));
}

TEST(Run, ReplaysACapsuleWithItsTableOnStdout) {
  const std::string words =
      "run --metrics branch_efficiency " + capsules("simple_divergence.sm_90.G");
  EXPECT_EQ(heddle(words).status, 0);
  EXPECT_THAT(heddle(words, 1).text, HasSubstr("71.43"));
  EXPECT_THAT(heddle(words).text, IsEmpty());
}

// A few numbers alone do not hide that they come from part of a launch.
TEST(Heddle, SaysWhatTimeWasTakenFromBesideChosenMetricsToo) {
  const Outcome outcome = heddle(
      "run --sample 5% --metrics elapsed_cycles_sm " + capsules("simple_divergence.sm_90.G"), 1);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("approximated: time: in full, --sample does not hold"));
  EXPECT_THAT(heddle("run --metrics branch " + capsules("simple_divergence.sm_90.G"), 1).text,
              Not(HasSubstr("approximated")));
}

TEST(Run, WritesTheRecordItIsAskedFor) {
  const heddle::tests::ScratchFolder folder;
  const std::string file = (folder / "record.json").string();
  EXPECT_EQ(heddle("run --memory --per-pc -o " + file + " " + capsules("simple_divergence.sm_90.G"))
                .status,
            0);
  const Outcome compared = heddle("compare " + file + " " + record("simple_divergence.sm_90.G"), 1);
  EXPECT_EQ(compared.status, 0) << compared.text;
}

TEST(Run, SaysOneHundredTwentyFiveForACapsuleThatIsNone) {
  const heddle::tests::ScratchFolder folder;
  const std::string file = (folder / "none.capsule").string();
  std::ofstream(file) << "no capsule";
  const Outcome outcome = heddle("run " + file);
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.text, HasSubstr("none.capsule"));
}

// A launch without an end, as a capsule and as the sketch that it was captured from.
class Endless : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(sketch_) << "__global__ void endless(int *out) {\n"
                              "  unsigned i = 1;\n"
                              "  while (i != 0) i += 2;\n"
                              "  out[0] = i;\n"
                              "}\n";
    const std::string words = "--grid 1 --block 32 --param 'out=zeros(64)' " + sketch_;
    heddle("run --max-instructions 1000 --capture " + captured_ + " " + words);
  }
  // Ended by the command itself, with a sentence.
  static void expect_limit(const std::string& words, const std::string& said) {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.status, 124) << words;
    EXPECT_THAT(outcome.text, HasSubstr(said)) << words;
  }
  const heddle::tests::ScratchFolder folder_;
  const std::string sketch_ = (folder_ / "endless.warp").string();
  const std::string captured_ = (folder_ / "captured").string();
  const std::string page_ = (folder_ / "page.html").string();
};

TEST_F(Endless, IsEndedByAllCommandsThatExecuteIt) {
  const std::string limit = " --max-instructions 100000 " + captured_;
  const std::string reached = "the limit of instructions was reached in kernel endless";
  expect_limit("step --html " + page_ + limit, "launch 0: " + reached);
  EXPECT_TRUE(std::filesystem::exists(page_));
  expect_limit("simplify" + limit, reached);
  EXPECT_EQ(heddle("run" + limit).status, 124);
  EXPECT_EQ(heddle("run --reconvergence all" + limit).status, 124);
}

TEST_F(Endless, IsEndedAfterATime) {
  const std::string after = " --timeout 1 " + captured_,
                    ended = "ended after 1 seconds (--timeout)";
  expect_limit("step --html " + page_ + after, ended);
  expect_limit("simplify" + after, ended);
  expect_limit("run" + after, ended);
  expect_limit("run --reconvergence all" + after, ended);
}

TEST(Disasm, RefusesAFileWithoutDeviceCode) {
  EXPECT_EQ(heddle("disasm /bin/sh").status, 2);
  EXPECT_THAT(heddle("disasm /bin/sh").text, HasSubstr("no device code"));
}

// A program that is not built with the sanitizer cannot take a library that is.
#ifndef HEDDLE_SANITIZED
TEST(Run, GivesTheProgramsOwnStatusAndOutput) {
  EXPECT_EQ(heddle("run -- sh -c 'exit 7'").status, 7);
  EXPECT_EQ(heddle("run sh -c 'exit 7'").status, 7);
  EXPECT_EQ(heddle("run printf '%s' --help", 1).text, "--help");
  EXPECT_EQ(heddle("run -- echo woven", 1).text, "woven\n");
  EXPECT_THAT(heddle("run -- echo woven").text, Not(HasSubstr("woven")));
}

TEST(Run, SaysWhatAShellSaysOfAProgramThatCannotBeStarted) {
  EXPECT_EQ(heddle("run -- /nowhere/program").status, 127);
  EXPECT_EQ(heddle("run -- " + std::string(HEDDLE_SOURCE_DIR) + "/README.md").status, 126);
}

// A file that the system refuses to start, and what is said of it.
class Startless : public testing::Test {
 protected:
  std::string said_of(const std::string& contents, bool executable) {
    const std::string file = (folder_ / "program").string();
    std::ofstream(file) << contents;
    std::filesystem::permissions(
        file, executable ? std::filesystem::perms::owner_all : std::filesystem::perms::owner_read);
    const Outcome outcome = heddle("run -- " + file);
    std::filesystem::remove(file);
    EXPECT_THAT(outcome.text, Not(HasSubstr("launched no kernel")));
    EXPECT_THAT(outcome.text, Not(HasSubstr("holds no CUDA code")));
    return outcome.text;
  }
  // The header of an ELF file.
  static std::string elf(unsigned char type, unsigned char machine) {
    std::string header(64, '\0');
    header.replace(0, 7, std::string("\177ELF\2\1\1"));
    header[16] = static_cast<char>(type);
    header[18] = static_cast<char>(machine);
    return header;
  }
  heddle::tests::ScratchFolder folder_;
};

TEST_F(Startless, IsExplained) {
  constexpr unsigned char kObject = 1, kProgram = 2, kX86 = 62, kArm = 183;
  EXPECT_THAT(said_of("#!/nowhere/python\n", true),
              HasSubstr("needs /nowhere/python, which is not on this machine"));
  EXPECT_THAT(said_of("#!/bin/sh\n", false), HasSubstr("is not executable: chmod +x"));
  EXPECT_THAT(said_of("just text", false), HasSubstr("is not a program"));
  EXPECT_THAT(said_of("just text", true), HasSubstr("is not a program"));
  EXPECT_THAT(said_of(elf(kProgram, kArm), true), HasSubstr("is built for 64-bit Arm"));
  EXPECT_THAT(said_of(elf(kObject, kX86), true), HasSubstr("is an object file"));
  EXPECT_THAT(said_of(elf(kProgram, kX86), true), HasSubstr("is damaged"));
  EXPECT_THAT(heddle("run -- /nowhere/program").text, HasSubstr("/nowhere/program: no such file"));
  EXPECT_THAT(heddle("run -- nowhere-at-all").text, HasSubstr("no program nowhere-at-all in PATH"));
  EXPECT_THAT(heddle("run -- /usr/bin").text, HasSubstr("/usr/bin is a folder"));
}

TEST(Run, SaysHowAProgramEndedThatLaunchedNothing) {
  EXPECT_THAT(heddle("run -- sh -c 'kill -SEGV $$'").text,
              HasSubstr("ended by signal 11 (Segmentation fault) before it launched a kernel"));
  EXPECT_THAT(heddle("run -- sh -c 'exit 7'").text,
              HasSubstr("ended with status 7 before it launched a kernel"));
  EXPECT_THAT(heddle("run -- true").text, HasSubstr("the program launched no kernel"));
}

TEST(Run, EndsAProgramThatTakesTooLong) {
  const Outcome outcome = heddle("run --timeout 1 -- sleep 60");
  EXPECT_EQ(outcome.status, 124);
  EXPECT_THAT(outcome.text, HasSubstr("(--timeout) before it launched a kernel"));
}

TEST(Run, SaysWhatToTypeForAProgramWithoutCuda) {
  const Outcome outcome = heddle("run true");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("true holds no CUDA code"));
  EXPECT_THAT(outcome.text, HasSubstr("nvcc -arch=sm_90"));
}

TEST(Run, AsksForTheFileHereWhereThePathHasAnotherProgram) {
  const heddle::tests::ScratchFolder folder;
  std::ofstream(folder / "true") << "#!/bin/sh\n";
  std::filesystem::permissions(folder / "true", std::filesystem::perms::owner_all);
  const Outcome outcome = heddle::cli::run_shell("cd " + folder.path().string() +
                                                 " && " HEDDLE_EXECUTABLE " run true 2>&1");
  EXPECT_THAT(outcome.text, HasSubstr("bin/true, which holds no CUDA code; did you mean ./true?"));
}

// Stands for nvcc: writes a program that says how it was made and called.
TEST(Run, CompilesCudaSourceAndRunsIt) {
  const heddle::tests::ScratchFolder folder;
  const std::string source = (folder / "kernel.cu").string(), nvcc = (folder / "nvcc").string();
  std::ofstream(source) << "";
  std::ofstream(nvcc) << "#!/bin/sh\n"
                         "printf '#!/bin/sh\\necho made %s %s, called $*\\n' $1 $2 >$4\n"
                         "chmod +x $4\n";
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  setenv("HEDDLE_NVCC", nvcc.c_str(), 1);
  EXPECT_EQ(heddle("run --gpu a100 " + source + " 64 --per-pc", 1).text,
            "made -arch=sm_80 -lineinfo, called 64 --per-pc\n");
  setenv("HEDDLE_NVCC", "/nowhere", 1);
  const Outcome outcome = heddle("run " + source);
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.text, HasSubstr("there is no nvcc to compile it"));
  EXPECT_THAT(outcome.text, HasSubstr("nvcc -arch=sm_90 -lineinfo -o program " + source));
  unsetenv("HEDDLE_NVCC");
}
#endif

}  // namespace
