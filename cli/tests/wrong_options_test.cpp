// What heddle says of each wrong option or name: exit status 2, what is wrong, and what to type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/command.hpp"
#include "cli/tests/shell.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Wrong {
  const char* words;
  const char* message;
};

// What words in capitals stand for.
std::string spelled_out(std::string words, const std::string& folder) {
  const std::pair<std::string_view, std::string> kNames[] = {
      {"CAPSULES", HEDDLE_SOURCE_DIR "/validation/capsules/simple_divergence.sm_90.G"},
      {"SKETCH", HEDDLE_SOURCE_DIR "/traces/viewer/tests/sweep.warp"},
      {"FOLDER", folder}};
  for (const auto& [name, meaning] : kNames)
    if (const std::size_t at = words.find(name); at != std::string::npos)
      words.replace(at, name.size(), meaning);
  return words;
}

class WrongOption : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongOption, IsToldWithStatusTwo) {
  const tests::ScratchFolder folder;
  const std::string words = spelled_out(GetParam().words, (folder / ".").string());
  const Outcome outcome = run_heddle(words, Kept::both);
  EXPECT_EQ(outcome.status, 2) << words << "\n" << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr(GetParam().message)) << words;
  for (const char* library : {"json.exception", "boost", "std::", "terminate", "option '--"})
    EXPECT_THAT(outcome.text, Not(HasSubstr(library))) << words;
}

const Wrong kWrong[] = {
    {"rum", "unknown command rum; did you mean run?"},
    {"help rum", "unknown command rum; did you mean run?"},
    {"run --recrod x -- true", "unknown option --recrod; did you mean --record?"},
    {"run --gpu h20 -- true", "--gpu: unknown h20; did you mean h200?"},
    {"occupancy --gpu h20 --block 64", "--gpu: unknown h20; did you mean h200?"},
    {"step --gpu nosuchmodel -- true", "--gpu: unknown nosuchmodel; there are 8800gt"},
    {"run --metrics branch_eff -- true",
     "--metrics: no metric branch_eff; did you mean branch_efficiency?"},
    {"show --metrics gld_eficiency x.json", "did you mean gld_efficiency?"},
    {"run --metrics xyzzy -- true", "--metrics: no metric xyzzy; --query-metrics lists them"},
    {"run --schedule fair -- true", "--schedule: unknown fair; there are even, random"},
    {"run --schedule random --timing on -- true", "random is for launches that are not timed"},
    {"run --schedule random --metrics sm__cycles_active.max -- true", "that are not timed"},
    {"run --schedule random kernelslist.g", "traces are timed, without --schedule random"},
    {"run --seed 3 -- true", "--seed is for sketches and --schedule random"},
    {"run --fail-on 'branch_eff < 3' -- true",
     "--fail-on: no metric branch_eff; did you mean branch_efficiency?"},
    {"run --fail-on 'branch_efficiency' -- true", "is no condition; write METRIC, one of"},
    {"run --fail-on 'branch_efficiency => 3' -- true", "is no condition"},
    {"run --fail-on 'branch_efficiency < three' -- true", "is no condition"},
    {"run --error-exitcode 256 -- true", "--error-exitcode: \"256\" is not a whole number up to"},
    {"run --quiet --verbose -- true", "--quiet prints no tables: leave out --verbose"},
    {"run --color sometimes -- true", "--color: unknown sometimes; there are auto, always, never"},
    {"run --format nvporf -- true", "--format: unknown nvporf; did you mean nvprof?"},
    {"run --timing maybe -- true", "--timing: unknown maybe; there are on, off"},
    {"step --timing maybe -- true", "--timing: unknown maybe"},
    {"run --scheduler two-levels -- true", "did you mean two-level?"},
    {"run --caches hot -- true", "--caches: unknown hot; there are cold, warm"},
    {"run --reconvergence bariers -- true", "did you mean barriers?"},
    {"run --predication 5 sketch.warp", "--predication: unknown 5; there are off"},
    {"run --check racechek -- true", "did you mean racecheck?"},
    {"run --trace texd -- true", "--trace: no form texd; did you mean text?"},
    {"disasm --arch sm_91 /bin/true", "--arch: unknown sm_91; did you mean sm_90?"},
    {"occupancy --capability 8.x --block 64", "--capability: unknown 8.x; did you mean 8."},
    {"occupancy --curve reg --block 64 --gpu h200", "did you mean registers?"},
    {"reference mardown", "no page mardown; did you mean markdown?"},
    {"explain brench_efficiency", "did you mean branch_efficiency?"},
    {"validate simple_divergense", "simple_divergence"},
    {"run -k mathKernel CAPSULES", "no kernel mathKernel; did you mean mathKernel1?"},
    {"run --per-pc=3 -- true", "--per-pc takes no value"},
    {"run --block= x", "--block needs a value: --block X[,Y[,Z]]"},
    {"run --timeout -- true", "--timeout needs a value: --timeout SECONDS"},
    {"run --threads many -- true", "--threads: \"many\" is not a whole number up to"},
    {"run --max-memory 4Q -- true",
     "--max-memory: \"4Q\" is not a number of bytes up to 140737488355328, as in 4096, 48K or 2G"},
    {"run --max-memory 400T -- true", "is not a number of bytes up to"},
    {"show /etc/passwd", "holds no record: it is no JSON from byte 1 on"},
    {"show /nowhere.json", "/nowhere.json: cannot open: No such file or directory"},
    {"run --advice -s 2 CAPSULES",
     "--advice covers all launches of a kernel: leave out --launch-skip"},
    {"run --advice --trace text CAPSULES", "--advice and --trace cannot be given together"},
    {"run --seeds 3 --csv - sketch.warp", "--seeds prints means over its runs, without --csv"},
    {"run --seeds 3 -k k sketch.warp", "--seeds prints means over its runs, without --kernel"},
    {"step --steps 5 CAPSULES", "--steps needs --html FILE"},
    {"step --baseline old.json CAPSULES", "--baseline needs --html FILE"},
    {"step --html x.html --baseline /nowhere.json CAPSULES",
     "/nowhere.json: cannot open: No such file or directory"},
    {"step --html", "--html needs a value: --html FILE"},
    {"run --advice --trace-warp 0 CAPSULES", "--trace-warp needs --trace"},
    {"run -o", "--record needs a value: --record FILE"},
    {"sweep --gpu h20 k.warp", "--gpu: no h20; did you mean h200?"},
    {"sweep k.warp", "nothing varies"},
    {"sweep --best branch_eff --block 32 k.warp", "did you mean branch_efficiency?"},
    {"diff one", "give at least two variants"},
    {"diff a.cu '-D FAST a.cu'",
     "put a blank in front of a variant that begins with an option: ' -D FAST a.cu'"},
    {"roofline", "give one record or variant"},
    {"roofline /nowhere.json", "/nowhere.json: cannot open: No such file or directory"},
    {"compare one.json", "give two records"},
    {"--versoin", "unknown option --versoin; did you mean --version?"},
    {"--color never run CAPSULES", "--color goes after a command, as in: heddle run --color"},
    {"--print-config", "--print-config goes after a command"},
    {"explain branch_eff", "did you mean branch_efficiency?"},
    {"run --metrics '' CAPSULES", "--metrics needs a value: --metrics NAME,..."},
    {"run --trace text=/dev/null --trace-kernel mathKernel CAPSULES",
     "no kernel mathKernel; did you mean mathKernel1?"},
    {"run --trace text=/dev/null --trace-block 9 CAPSULES",
     "--trace-block: no block 9; they are numbered 0 to 0"},
    {"run --trace text=/dev/null --trace-warp 2-7 CAPSULES",
     "--trace-warp: no warp 2; they are numbered 0 to 1"},
    {"run --trace perfetto CAPSULES",
     "--trace: perfetto is written to a file: --trace perfetto=FILE"},
    {"run --seeds 0 SKETCH", "--seeds 0: give one at least"},
    {"run --param xyz=3 SKETCH", "--param: no kernel has a parameter xyz; there are c, n"},
    {"run --param n=abc SKETCH", "--param: parameter n:1:1: 'abc' is not declared"},
    {"run --block 40,30 SKETCH", "--block: a block of this GPU has 1024 threads at most"},
    {"run --block 4294967295,4294967295,4294967295 SKETCH", "has 1024 threads at most"},
    {"run --capture FOLDER CAPSULES", "--capture is for programs and sketches"},
    {"sweep -o FOLDER --no-progress --param nn=1,2 SKETCH",
     "--param: no kernel has a parameter nn; there are c, n"},
    {"sweep -o FOLDER --no-progress -D N=1,2 SKETCH", "--define is for CUDA source (NAME.cu)"},
    {"occupancy --block 0 --gpu h200", "--block: a block has one thread at least"},
    {"occupancy --latency 400",
     "--latency needs --throughput or --warps-per-cycle, or --bandwidth and --clock"},
    {"simplify /bin/true", "/bin/true launched no kernel"},
    {"step --html FOLDER/page.html /bin/true", "/bin/true launched no kernel"},
    {"roofline /bin/true", "/bin/true launched no kernel"},
    {"diff /bin/true /bin/true", "/bin/true launched no kernel"},
    {"run --gpu v100 CAPSULES", "programs of this GPU are not supported; its model runs sketches"},
};

INSTANTIATE_TEST_SUITE_P(Each, WrongOption, ::testing::ValuesIn(kWrong));

TEST(WrongOptions, FarFromAnyGetNoSuggestion) {
  EXPECT_EQ(run_heddle("run --version -- true", Kept::errors).text,
            "heddle: unknown option --version\n");
}

TEST(Traces, AListWithoutAKernelIsRefused) {
  const tests::ScratchFolder folder;
  std::ofstream(folder / "kernelslist.g") << "MemcpyHtoD,0x7f0,64\n";
  EXPECT_THAT(run_heddle("run " + (folder / "kernelslist.g").string(), Kept::errors).text,
              HasSubstr("kernelslist.g: lists no kernel's trace"));
}

TEST(Selection, ThatLeavesNoLaunchSaysSo) {
  const std::string words = spelled_out("run -s 99 CAPSULES", "");
  EXPECT_EQ(run_heddle(words, Kept::both).text,
            "--launch-skip and --launch-count leave none of 5 launches\n");
}

// Why it cannot be started is told once; the status is a shell's.
TEST(Step, OfAProgramThatCannotBeStartedSaysWhy) {
  for (const char* command : {"simplify", "step"}) {
    const Outcome outcome = run_heddle(std::string(command) + " /nowhere", Kept::both);
    EXPECT_EQ(outcome.status, 127);
    EXPECT_EQ(outcome.text, "heddle: /nowhere: no such file\n");
  }
}

TEST(Sizes, TakeSuffixes) {
  const auto value = [](const std::vector<std::string>& words) {
    return parse(find_command("run"), words);
  };
  constexpr std::uint64_t kMost = std::uint64_t{1} << 47;
  EXPECT_EQ(value({"--max-memory", "4G"}).bytes("max-memory", kMost), std::uint64_t{4} << 30);
  EXPECT_EQ(value({"--max-memory", "2m"}).bytes("max-memory", kMost), std::uint64_t{2} << 20);
  EXPECT_EQ(value({"--shared", "48KiB"}).bytes("shared", kMost), 49152u);
  EXPECT_EQ(value({"--max-memory", "128T"}).bytes("max-memory", kMost), kMost);
  EXPECT_THROW(value({"--max-memory", "129T"}).bytes("max-memory", kMost), Usage);
  EXPECT_THROW(value({"--max-memory", "20000000T"}).bytes("max-memory", ~std::uint64_t{0}), Usage);
  EXPECT_EQ(value({"--max-instructions", "20M"}).number("max-instructions", kMost), 20000000u);
  EXPECT_THROW(value({"--max-instructions", "20MiB"}).number("max-instructions", kMost), Usage);
}

TEST(Help, OfACommandIsGivenByNameToo) {
  EXPECT_EQ(run_heddle("help run", Kept::output).text, run_heddle("run --help", Kept::output).text);
}

}  // namespace
}  // namespace heddle::cli
