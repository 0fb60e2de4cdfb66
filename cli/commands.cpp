// The table of commands.
#include "cli/commands.hpp"

#include <algorithm>
#include <array>

#include "cli/input_file.hpp"
#include "cli/selection.hpp"
#include "isa/arch.hpp"
#include "simulator/launch/scheduler_names.hpp"
#include "simulator/models/builtin_model_names.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/models/occupancy.hpp"
#include "simulator/warp/reconvergence_policies.hpp"
#include "traces/sketch/predication.hpp"

namespace heddle::cli {
namespace {

using Examples = std::string_view;

constexpr Option kCommon[] = {
    {"color", 0, "WHEN", "auto (default), always or never; NO_COLOR and TERM=dumb are honoured",
     Effect::none,
     [] {
       return Names{"auto", "always", "never"};
     }},
    {"help", 'h', "", "print this, then exit"},
    {"print-config", 0, "", "show each option's value and where it was set, then exit"},
};

Names on_off() { return {"on", "off"}; }

constexpr Option kArch{"arch",
                       0,
                       "SM",
                       "only the code for this architecture, as in sm_90 (default: all there is)",
                       Effect::none,
                       [] {
                         Names names;
                         for (const isa::Arch arch : isa::kAllArchs)
                           names.emplace_back(isa::name(arch));
                         return names;
                       }};

constexpr Option kGpu{"gpu",
                      0,
                      "ID",
                      "the GPU to model: " HEDDLE_PROGRAM_MODELS
                      "; sketches also run on " HEDDLE_SKETCH_MODELS,
                      Effect::none,
                      simulator::model_ids};
// The ways to reconverge, from their table.
constexpr auto kReconvergenceMeaning = [] {
  std::array<char, 400> text{};
  auto end = text.begin();
  const auto add = [&](std::string_view part) { end = std::ranges::copy(part, end).out; };
  add("where lanes that diverged reconverge:");
  for (const simulator::ReconvergenceInfo& each : simulator::kReconvergencePolicies) {
    add(&each == &simulator::kReconvergencePolicies.front() ? " " : ", ");
    add(each.name);
    add(" (");
    add(each.where);
    add(")");
  }
  add("; default: as the GPU does; run: all compares them");
  return text;
}();
// The schedulers, from theirs.
constexpr auto kSchedulerMeaning = [] {
  std::array<char, 200> text{};
  auto end = text.begin();
  const auto add = [&](std::string_view part) { end = std::ranges::copy(part, end).out; };
  add("which warp issues: ");
  for (const simulator::timing::PolicyInfo& each : simulator::timing::kPolicies) {
    if (&each != &simulator::timing::kPolicies.front()) add(", ");
    add(each.name);
    if (&each == &simulator::timing::kPolicies.front()) add(" (default)");
  }
  return text;
}();
constexpr Option kReconvergenceOption{
    "reconvergence", 0, "HOW", kReconvergenceMeaning.data(), Effect::none, [] {
      Names names{"all"};
      for (const simulator::ReconvergenceInfo& each : simulator::kReconvergencePolicies)
        names.emplace_back(each.name);
      return names;
    }};
// For the commands that show a record.
constexpr Option kSource{"source", 0, "", "the counts summed per source line and inlined function"};
constexpr Option kCsv{"csv", 0, "FILE", "write the metrics as one tidy table", Effect::file};
constexpr Option kFormat{"format",     0,
                         "FORM",       "table (default), or nvprof for its layout",
                         Effect::none, [] { return Names{"table", "nvprof"}; }};
constexpr Option kVerbose{"verbose", 'v', "",
                          "every section of each kernel, in place of a row in a table"};
constexpr Option kFailOn{
    "fail-on", 0, "CONDITION",
    "fail the run if this holds for a launch, as in 'branch_efficiency < 90'; or, with --baseline, "
    "'inst_executed > +5%'; several with commas, or repeated"};
constexpr Option kSarif{"sarif", 0, "FILE",
                        "write findings, faults and failed conditions as SARIF 2.1.0",
                        Effect::file};
constexpr Option kJunit{"junit", 0, "FILE", "write a JUnit XML report: one test case per launch",
                        Effect::file};
constexpr Option kQuery{"query-metrics", 0, "",
                        "list all metrics: name, unit, exact or modelled, meaning"};

constexpr Examples kRunExamples[] = {
    "heddle run ./simple_divergence 64",
    "heddle run --metrics branch_efficiency,gld_efficiency --format nvprof ./reduce",
    "heddle run --record out.json --per-pc -k regex:math ./simple_divergence",
    "heddle run captured/0003-_Z11mathKernel1Pf.capsule",
    "heddle run traced/kernelslist.g",
    "heddle run --check memory,races ./reduce",
    "heddle run --trace text --trace-warp 0 --trace-changes ./simple_divergence",
    "heddle run kernel.cu 64",
    "heddle run -k scale --grid 4 --block 256 --param 'f32[1024]=iota' --param 2.5 --dump 0 "
    "kernel.cubin",
    "heddle run --grid 1 --block 64 --param 'c=zeros(64)' sketch.warp",
    "heddle run --reconvergence all sketch.warp",
    "heddle run --quiet --check all --fail-on 'gld_efficiency < 80' --junit report.xml ./tests",
    "heddle run --baseline old.json --fail-on 'inst_executed > +5%, branch_efficiency < 90' "
    "./reduce",
};
constexpr Option kRunOptions[] = {
    {"record", 'o', "FILE",
     "write the record, as JSON; compressed where the name ends in .zst; %p in "
     "a file's name becomes the process; - is stdout, as in all options that write a file",
     Effect::file},
    {"per-pc", 0, "", "with every instruction, in the record and in the text"},
    kSource,
    {"memory", 0, "", "with a digest of every allocation after each launch, in the record"},
    {"host-time", 0, "",
     "programs: with the seconds that the host took for each launch, behind the record's launches"},
    kCsv,
    kFormat,
    kVerbose,
    {"quiet", 'q', "", "print only what fails the run"},
    kFailOn,
    {"baseline", 0, "RECORD",
     "what relative conditions of --fail-on compare with: a kernel's n-th launch with its n-th "
     "there"},
    {"ignore-faults", 0, "", "a launch that faults does not fail a run whose program succeeds"},
    {"error-exitcode", 0, "N",
     "the exit status when a fault, a finding or a condition fails the run (default 1)"},
    kSarif,
    kJunit,
    kMetricsOption,
    kSectionOption,
    kQuery,
    kKernelOption,
    kSkipOption,
    kCountOption,
    kGpu,
    {"threads", 't', "N",
     "host threads per launch (default 0: all idle cores, once a launch goes on for long); results "
     "do not depend on it"},
    {"timing", 0, "WHEN",
     "on: time launches (cycles, stalls, hit rates), which is slower; off; default: when a "
     "modelled "
     "metric or an option of timing is requested",
     Effect::none, on_off},
    {"scheduler", 0, "NAME", kSchedulerMeaning.data(), Effect::none,
     [] {
       Names names;
       for (const simulator::timing::PolicyInfo& each : simulator::timing::kPolicies)
         names.emplace_back(each.name);
       return names;
     }},
    {"caches", 0, "STATE", "L2 when a launch begins: cold (default) or warm from the one before",
     Effect::none,
     [] {
       return Names{"cold", "warm"};
     }},
    {"sms", 0, "N", "time on a GPU with N SMs"},
    {"sample", 0, "PART",
     "of a long launch, time a part of its waves of blocks (5%), execute the rest untimed, and "
     "scale; or time a number of its warp instructions (20M) and do not execute most others: their "
     "results are missing"},
    {"set", 0, "NAME=VALUE,...", "other timing constants (docs/timing.md lists them)"},
    {"max-instructions", 0, "N",
     "stop a launch after N warp instructions (default 2^36; of a capsule or a sketch 2^34)"},
    {"max-memory", 0, "BYTES",
     "programs: cap GPU memory, as in 4G; larger allocations fail with cudaErrorMemoryAllocation"},
    {"gpus", 0, "N", "programs: how many GPUs the program sees, 1 to 8 (default 1), as peers"},
    {"timeout", 0, "SECONDS",
     "end the program, or the launches of capsules, sketches and traces, "
     "after this time"},
    {"no-progress", 0, "", "do not report progress"},
    {"capture", 0, "FOLDER", "write each launch as a capsule that can be run without the program",
     Effect::folder},
    {"grid", 0, "X[,Y[,Z]]",
     "sketches, cubins: blocks of a launch, in place of what the sketch says"},
    {"block", 0, "X[,Y[,Z]]", "sketches, cubins: threads of a block"},
    {"shared", 0, "BYTES", "sketches, cubins: dynamic shared memory of a block"},
    {"dump", 0, "N[=FILE]",
     "cubins: after the launch, print the array that is parameter N (the first is 0) to stdout, or "
     "write its bytes to a file"},
    {"param", 0, "VALUE",
     "cubins: the next parameter: a number (64, 2.5, f64:1), or an array (f32[1024], "
     "f32[1024]=1.5, "
     "i32[64]=iota, i32[64]=random, u8[4096]=@FILE); sketches, as NAME=VALUE: a parameter's value: "
     "a number, or an array as in zeros(64), counting(64), "
     "random(64, 0, 10) or file(\"numbers.txt\")"},
    {"define", 'D', "NAME[=VALUE]", "CUDA source: a macro for the compiler; may be repeated"},
    {"seed", 0, "N", "sketches: the first seed (default 1)"},
    {"seeds", 0, "N",
     "sketches: run with N seeds and print means and 95 % intervals; a record "
     "holds the first seed's run"},
    {"predication", 0, "RULE",
     "sketches: branches made predicates: off (default), 4, 7, 2009 or "
     "cuda13",
     Effect::none,
     [] {
       Names names;
       for (const auto& each : isa::sketch::predication_rules()) names.emplace_back(each.name);
       return names;
     }},
    kReconvergenceOption,
    {"check", 0, "NAME,...",
     "look for mistakes while launches execute, which is slower: memory, races, init, sync, "
     "hazards, "
     "or all; compute-sanitizer's memcheck, racecheck, initcheck, synccheck are understood too "
     "(docs/checks.md)",
     Effect::none, [] { return Names{"memory", "races", "init", "sync", "hazards", "all"}; }, true},
    {"advice", 0, "",
     "after the run, which branches cost most issue slots, how warps split there, what helps"},
    {"trace", 0, "FORM[=FILE]",
     "write what executes, as it happens: text (a line per instruction; default: to stderr), "
     "perfetto=FILE (a timeline for ui.perfetto.dev), or accelsim=FOLDER (what Accel-Sim replays; "
     "sm_75, sm_80 and sm_86)",
     Effect::trace,
     [] {
       return Names{"text", "perfetto=", "accelsim="};
     },
     true},
    {"trace-kernel", 0, "NAME", "only in launches of this kernel, as --kernel names it"},
    {"trace-block", 0, "N,...",
     "only in these blocks, by their numbers in the grid; 0-3 is a range"},
    {"trace-warp", 0, "N,...", "only in these warps of a block"},
    {"trace-pc", 0, "PC,...", "only these byte offsets in the function, as in 1a0-220"},
    {"trace-line", 0, "LINES", "only these source lines, as in 31-40 or file.cu:31"},
    {"trace-changes", 0, "", "only where other lanes of a warp execute than before"},
    {"trace-from", 0, "N", "from the N-th divergence of a launch on, counted in the chosen warps"},
    {"trace-count", 0, "N", "at most N lines of a launch"},
    {"trace-values", 0, "", "the value of every lane, however many differ"},
};

constexpr Examples kSimplifyExamples[] = {
    "heddle simplify ./simple_divergence 64",
    "heddle simplify -k reduceInterleaved -o reduce.warp captured/",
};
constexpr Option kSimplifyOptions[] = {
    {"output", 'o', "FILE", "write the sketch there (default: to stdout)", Effect::file},
    kKernelOption,
    kSkipOption,
    kCountOption,
    kGpu,
};

constexpr Examples kShowExamples[] = {
    "heddle show --source out.json",
    "heddle show --metrics branch,divergent_branch -k regex:math hardware.json.zst",
};
constexpr Option kShowOptions[] = {
    {"per-pc", 0, "", "with every instruction"},
    kSource,
    kCsv,
    kFormat,
    kVerbose,
    kSarif,
    kJunit,
    kMetricsOption,
    kSectionOption,
    kQuery,
    kKernelOption,
    kSkipOption,
    kCountOption,
};

constexpr Examples kStepExamples[] = {
    "heddle step ./simple_divergence 64",
    "heddle step -k mathKernel1 captured/",
    "heddle step --html page.html ./simple_divergence 64",
    "heddle step --html page.html --hardware hardware.json captured/",
};
constexpr Option kStepOptions[] = {
    {"html", 0, "FILE", "write one HTML file that shows the launches step by step, without network",
     Effect::file},
    {"hardware", 0, "RECORD", "--html: a record of heddle measure: its numbers beside the model's"},
    {"baseline", 0, "A",
     "--html: an earlier run, as heddle diff takes it: a record with instructions (--per-pc), a "
     "program, capsules, a sketch; its numbers beside these"},
    {"timing", 0, "WHEN",
     "--html: on: time the launches, to show the cycle of each step, and where warps wait and why; "
     "off (default)",
     Effect::none, on_off},
    {"steps", 0, "N",
     "--html: warp instructions per launch to keep step by step (default 1000000); all are "
     "counted"},
    kReconvergenceOption,
    {"source-folder", 0, "FOLDER",
     "where to look for source files first; then a program's are read where they were compiled and "
     "here, a capsule's beside it",
     Effect::trusted},
    kKernelOption,
    kSkipOption,
    kCountOption,
    kGpu,
};

constexpr Examples kMeasureExamples[] = {
    "heddle measure --record hardware.json ./simple_divergence 64",
    "heddle measure --record hardware.json launch.capsule",
};
constexpr Option kMeasureOptions[] = {
    {"record", 'o', "FILE", "write the record (default: hardware.json)", Effect::file},
    {"repeat", 'r', "N", "measure memory and SASS metrics N times; launches that differ say so"},
    {"timing", 0, "", "with cycles, stall reasons, hit rates and bytes, each measured five times"},
    {"samples", 0, "", "with the stall reasons of every instruction, sampled"},
    {"timeout", 0, "SECONDS", "for each run of the program (default 120)"},
    kMetricsOption,
    kKernelOption,
    kSkipOption,
    kCountOption,
};

constexpr Examples kDiffExamples[] = {
    "heddle diff naive.cu padded.cu",
    "heddle diff --timing on --html diff.html 'transpose.cu 1024' 'padded.cu 1024'",
    "heddle diff 'sketch.warp --block 64' 'sketch.warp --block 256'",
    "heddle diff --match transposeNaive=transposePadded old.json new.json",
};
constexpr Option kDiffOptions[] = {
    {"match", 0, "A=B",
     "compare kernel A of the first variant with kernel B of the others; may be repeated"},
    {"show", 0, "N", "lines and branches to list per kernel (default 10)"},
    kCsv,
    {"json", 0, "FILE", "write the comparison as JSON", Effect::file},
    {"html", 0, "FILE", "write one HTML file: the numbers, and the lanes of all side by side",
     Effect::file},
    {"timing", 0, "WHEN", "on: time the launches of the variants that are run", Effect::none,
     on_off},
    {"threads", 't', "N",
     "host threads per launch (default 0: all idle cores, once a launch goes on for long)"},
    kMetricsOption,
    kSectionOption,
    kKernelOption,
    kSkipOption,
    kCountOption,
    kGpu,
};

constexpr Examples kSweepExamples[] = {
    "heddle sweep --block 64..1024:x2 --gpu a100,h200 sketch.warp",
    "heddle sweep -D TILE=8,16,32 --html sweep.html matmul.cu",
    "heddle sweep --param n=2^16..2^24 --jobs 4 --csv sweep.csv ./reduce {n}",
    "heddle sweep --predication all --reconvergence all --timing off sketch.warp",
};
constexpr Option kSweepOptions[] = {
    {"block", 0, "LIST", "sketches, cubins: threads of a block, as in 64..1024:x2 or 16x16,32x8"},
    {"grid", 0, "LIST", "sketches, cubins: blocks of a launch"},
    {"gpu", 0, "LIST", "GPU models, as in a100,h200"},
    {"sms", 0, "LIST", "numbers of SMs, as in 8,32,132"},
    {"set", 0, "NAME=LIST", "values of a timing constant (docs/timing.md); may be repeated"},
    {"scheduler", 0, "LIST", "schedulers, or all"},
    {"caches", 0, "LIST", "cold, warm, or all"},
    {"predication", 0, "LIST", "sketches: rules, or all"},
    {"reconvergence", 0, "LIST", "policies, or all"},
    {"seed", 0, "LIST", "sketches: seeds"},
    {"param", 0, "NAME=LIST",
     "values of a sketch's parameter, or of {NAME} among the arguments; may be repeated"},
    {"define", 'D', "NAME=LIST", "CUDA source: values of a macro; may be repeated"},
    {"zip", 0, "",
     "the first values of all lists, then the second…, in place of every combination"},
    {"from", 0, "FILE",
     "take the runs from a CSV file: a column for each of block, gpu, param:NAME, set:NAME, "
     "define:NAME and so on"},
    {"best", 0, "METRIC", "what decides which run is best (default: time, or instructions)"},
    {"per", 0, "NAME,...",
     "a best run for each value of these settings, as in --per n where n is the problem's size"},
    {"most", 0, "", "the best run has the largest value (default for shares and rates)"},
    kMetricsOption,
    {"timing", 0, "WHEN", "on (default): time the launches; off: count only", Effect::none, on_off},
    {"jobs", 'j', "N", "processes at once (default 1; 0: one for each core)"},
    {"output", 'o', "FOLDER",
     "where each finished run is kept (default heddle-sweep); the same command goes on from there",
     Effect::folder},
    {"retry-failed", 0, "", "run again what failed before"},
    kCsv,
    {"html", 0, "FILE", "write one HTML file with a plot of any metric over any list",
     Effect::file},
    {"timeout", 0, "SECONDS", "for each run"},
    {"max-instructions", 0, "N", "for each launch"},
    {"no-progress", 0, "", "do not report progress"},
    kKernelOption,
};

constexpr Examples kCompareExamples[] = {
    "heddle compare model.json hardware.json",
};
constexpr Option kCompareOptions[] = {
    {"show", 0, "N", "differences to list per launch (default 20)"},
};

constexpr Examples kValidateExamples[] = {
    "heddle validate",
    "heddle validate --show 5 reduce_integer matmul",
    "heddle validate --suite gpu/kernels/features.toml recursion",
    "heddle validate --timing",
};
constexpr Option kValidateOptions[] = {
    {"suite", 0, "FILE",
     "another suite, such as gpu/kernels/features.toml (default: suite.toml beside it; with "
     "--timing "
     "also timing.toml)",
     Effect::trusted},
    {"programs", 0, "FOLDER",
     "the suite's programs, built by gpu/kernels/build.sh (default: built "
     "now where nvcc is found)",
     Effect::trusted},
    {"capsules", 0, "", "replay the committed capsules, without the programs"},
    {"measure", 0, "", "measure the suite on this machine's GPU first and compare with that"},
    {"records", 0, "FOLDER", "hardware records (default: those that come with Heddle)"},
    {"output", 'o', "FOLDER",
     "keep each program's run there; the same command goes on from there (default on the ranks of "
     "mpirun: heddle-validate)",
     Effect::folder},
    {"json", 0, "FILE", "write the result", Effect::file},
    {"html", 0, "FILE",
     "draw model against hardware on one page, timed where the hardware was; launches that are "
     "there as capsules get steppers in a folder beside it",
     Effect::file},
    {"show", 0, "N", "differences to list per launch (default 3)"},
    {"timing", 0, "",
     "compare cycles, stall reasons, hit rates and bytes instead, kernel by kernel"},
    {"page", 0, "FILE",
     "with --timing: put the suite's ratios, values and pairs into this Markdown page, between its "
     "marks",
     Effect::file},
    {"least-cycles", 0, "N",
     "with --timing: kernels of fewer cycles do not enter the first summary (default 5000)"},
    {"threads", 't', "N",
     "host threads per launch (default 0: all idle cores, once a launch goes on for long)"},
};

constexpr Examples kCalibrateExamples[] = {
    "heddle calibrate",
    "heddle calibrate --model simulator/models/h200.toml",
};
constexpr Option kCalibrateOptions[] = {
    {"records", 0, "FOLDER", "the microbenchmarks' records (default: those that come with Heddle)"},
    {"model", 0, "FILE", "write the constants into this model file; its other rows stay",
     Effect::file},
};

Names capabilities() {
  Names names;
  for (const simulator::SmLimits& sm : simulator::compute_capabilities())
    names.emplace_back(sm.name);
  return names;
}
constexpr Examples kRooflineExamples[] = {
    "heddle roofline --svg roofs.svg './reduce 4096'",
    "heddle roofline timed.json",
};
constexpr Option kRooflineOptions[] = {
    {"svg", 0, "FILE", "both plots as a picture", Effect::file},
    kKernelOption,
};

constexpr Examples kOccupancyExamples[] = {
    "heddle occupancy --block 256 --registers 40 --shared 8192 --gpu h200",
    "heddle occupancy --block 256 --registers 40 --capability 8.6 --curve registers --svg o.svg",
    "heddle occupancy --block 512 ./reduce",
    "heddle occupancy --latency 800 --bandwidth 144 --clock 1.566",
    "heddle occupancy --latency 5 --warps-per-cycle 6",
};
constexpr Option kOccupancyOptions[] = {
    {"block", 'b', "THREADS", "threads of a block (default for a program's kernels: 256)"},
    {"registers", 'r', "N", "registers of a thread"},
    {"shared", 0, "BYTES", "shared memory of a block; for a program's kernels the dynamic part"},
    {"capability", 0, "X.Y", "an SM of this compute capability, 1.0 to 12.1 (default: all)",
     Effect::none, capabilities},
    {"curve", 0, "RESOURCE", "occupancy over threads, registers or shared, where it changes",
     Effect::none,
     [] {
       return Names{"threads", "registers", "shared"};
     }},
    {"svg", 0, "FILE", "the three curves as a picture", Effect::file},
    {"latency", 0, "CYCLES", "instead: what must be in flight to hide this latency (Little's law)"},
    {"throughput", 0, "N", "with --latency: operations (of one thread) per cycle"},
    {"warps-per-cycle", 0, "N", "with --latency: instead, instructions of a warp per cycle"},
    {"bandwidth", 0, "GB/S", "with --latency: of memory, in 10^9 bytes a second; needs --clock"},
    {"clock", 0, "GHZ", "with --bandwidth"},
    {"bytes", 0, "N", "with --bandwidth: what each thread has under way (default 4)"},
    kGpu,
    kArch,
};

constexpr Examples kDisasmExamples[] = {
    "heddle disasm kernel.cubin",
    "heddle disasm --arch sm_90 ./simple_divergence",
};
constexpr Option kDisasmOptions[] = {kArch};

constexpr Examples kExplainExamples[] = {
    "heddle explain branch_efficiency",       "heddle explain long_scoreboard",
    "heddle explain cudaErrorIllegalAddress", "heddle explain BSYNC",
    "heddle explain order-dependent",
};

constexpr Examples kReferenceExamples[] = {
    "heddle reference man > heddle.1",
};

constexpr Command kCommands[] = {
    {.name = "run",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | SOURCE.cu [ARGUMENT...] | CUBIN | CAPSULE... | "
                 "SKETCH | TRACE...",
     .summary = "run an unmodified CUDA program on the model and print what its kernels did",
     .details =
         "The program needs no GPU. Its own output is not touched: what Heddle says of a program "
         "goes to stderr or to files; of capsules, sketches and traces to stdout. Options before "
         "the program are Heddle's, all behind its name is the "
         "program's; -- may stand before it.\n"
         "CUDA source (a file NAME.cu) is compiled by nvcc for the GPU, and run.\n"
         "A kernel of a cubin (a file NAME.cubin) is launched without a program: -k, --grid, "
         "--block, "
         "--shared, and --param for each parameter.\n"
         "A capsule (--capture), or a folder of them, is replayed: launches without their program, "
         "on "
         "any machine.\n"
         "A sketch (a file NAME.warp, see docs/sketches.md) is compiled and its launches are "
         "made.\n"
         "A trace (a kernelslist.g or NAME.traceg, as --trace accelsim and Accel-Sim's tracer "
         "write "
         "them) is timed (docs/timing.md).\n"
         "Exit status: the program's own, but 1 (--error-exitcode) instead of 0 when a launch "
         "faulted, --check found something or a condition of --fail-on held; 124 "
         "when a limit was reached, 125 when Heddle failed, "
         "126 "
         "and 127 when the program cannot be started, 130 after Ctrl-C.",
     .examples = kRunExamples,
     .options = kRunOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_run},
    {.name = "show",
     .synopsis = "[options] RECORD",
     .summary = "print a record, from the model or from hardware",
     .details = {},
     .examples = kShowExamples,
     .options = kShowOptions,
     .run = run_show},
    {.name = "simplify",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | CAPSULE...",
     .summary = "derive a kernel sketch from what a program's kernels did",
     .details = "Of each kernel the first launch is looked at. Branches become conditions over the "
                "thread's index where one describes what every thread did, else chance(p); loops "
                "get their "
                "numbers of rounds; everything else is work(n) and memory(n, pattern). See "
                "docs/sketches.md.\n"
                "Exit status: 1 when a kernel could not be simplified.",
     .examples = kSimplifyExamples,
     .options = kSimplifyOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_simplify},
    {.name = "step",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | CAPSULE... | SKETCH...",
     .summary = "go through launches step by step: who executes, who waits, and what it costs",
     .details = "In a terminal, with the keys that ? shows: one warp forward and back, to the next "
                "divergence, reconvergence, line or breakpoint; its lanes, groups, registers and "
                "code. The "
                "program runs to its end first.\n"
                "With --html a page that needs only a browser: source, listing, the 32 lanes over "
                "time, registers, the "
                "branches that split warps.\n"
                "Exit status: the program's own; 125 when Heddle failed.",
     .examples = kStepExamples,
     .options = kStepOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_step},
    {.name = "measure",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | CAPSULE...",
     .summary = "measure a CUDA program on this machine's GPU and write the same record",
     .details =
         "Needs a GPU and the CUDA Toolkit with CUPTI. The program runs once per kind of "
         "metric; what it prints is shown once.\n"
         "Capsules are launched as they are, with memory at the same addresses, and memory is "
         "compared with what the model left.\n"
         "Exit status: the program's own when it failed; 1 when the record is incomplete, 125 "
         "when measuring failed.",
     .examples = kMeasureExamples,
     .options = kMeasureOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_measure},
    {.name = "diff",
     .synopsis = "[options] A B...",
     .summary = "compare variants of a program: per kernel, source line and branch",
     .details =
         "A variant is a record, or what heddle run takes: a program, a .cu file, a cubin, "
         "capsules "
         "or a sketch; with options or arguments in one pair of quotes, with a blank before an "
         "option "
         "that it begins with. Each is run once. Kernels "
         "are matched by name, what is left over by --match or because nothing else is left; "
         "their launches by order. Code, blocks and grids may differ. Lines of the same text stand "
         "for each other, also in different files.\n"
         "Exit status: 0 the same, 1 different, 2 trouble.",
     .examples = kDiffExamples,
     .options = kDiffOptions,
     .run = run_diff},
    {.name = "sweep",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | SOURCE.cu [ARGUMENT...] | CUBIN | CAPSULE... | "
                 "SKETCH",
     .summary = "make many runs of one command and tell which is best, and what limits each",
     .details =
         "A LIST is values with commas; FROM..TO:xFACTOR, FROM..TO:+STEP and 2^A..2^B are ranges. "
         "Lists of several options are combined. Behind --, options of heddle run that all runs "
         "have may stand before the program.\n"
         "Each run is a process. When it has ended, its result is on disk at once. The same "
         "command "
         "makes the runs that are missing: after Ctrl-C, or with longer lists. A run that fails is "
         "a row.\n"
         "Exit status: 0, 1 when a run failed, 2 trouble, 130 after Ctrl-C.",
     .examples = kSweepExamples,
     .options = kSweepOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_sweep},
    {.name = "compare",
     .synopsis = "[options] MODEL HARDWARE",
     .summary = "compare a model's record with a hardware record, per kernel and per instruction",
     .details =
         "Launches are joined by index. Exact metrics must be equal, every one that the hardware "
         "record holds; launches of different code are refused. Differences of launches that "
         "depend "
         "on the order of warps are shown and do not count.\n"
         "Exit status: 0 equal, 1 different, 2 trouble.",
     .examples = kCompareExamples,
     .options = kCompareOptions,
     .run = run_compare},
    {.name = "validate",
     .synopsis = "[options] [NAME...]",
     .summary = "run the suite on the model and compare it with the H200's records",
     .details =
         "Every program of the suite, or those named, is run, or its capsules are replayed where "
         "there is no CUDA Toolkit. Every exact metric of every instruction, the memory after each "
         "launch and the program's output must be equal.\n"
         "Exit status: 0 equal, 1 different, 2 trouble.",
     .examples = kValidateExamples,
     .options = kValidateOptions,
     .run = run_validate},
    {.name = "calibrate",
     .synopsis = "[options]",
     .summary = "the timing constants that the microbenchmarks measured, or a model file with them",
     .details = "Reads what the programs of gpu/kernels/micro/timing printed on a GPU. Without "
                "--model the "
                "constants are listed, each with the measurement it comes from.",
     .examples = kCalibrateExamples,
     .options = kCalibrateOptions,
     .run = run_calibrate},
    {.name = "roofline",
     .synopsis = "[options] A",
     .summary = "how near kernels come to what the GPU can issue, compute and move",
     .details =
         "A is a record of timed launches, or what heddle run takes, as heddle diff takes it; it "
         "is "
         "run with --timing on. Two tables: warp instructions per 32-byte sector, and "
         "floating-point operations per byte, that L1, L2 and DRAM moved. A kernel's nearest roof "
         "is "
         "the limit of which it reaches most: the schedulers or a pipe, or a memory's bandwidth. "
         "Times and bytes are modelled.",
     .examples = kRooflineExamples,
     .options = kRooflineOptions,
     .run = run_roofline},
    {.name = "occupancy",
     .synopsis = "[options] [PROGRAM | CUBIN]",
     .summary = "how many blocks fit on an SM, and what limits them",
     .details = {},
     .examples = kOccupancyExamples,
     .options = kOccupancyOptions,
     .run = run_occupancy},
    {.name = "disasm",
     .synopsis = "[options] PROGRAM | CUBIN",
     .summary = "print machine code, each instruction as nvdisasm prints it",
     .details = {},
     .examples = kDisasmExamples,
     .options = kDisasmOptions,
     .run = run_disasm},
    {.name = "explain",
     .synopsis = "NAME",
     .summary =
         "explain a metric (by Nsight Compute's or nvprof's name), a stall reason, an opcode, "
         "an error of CUDA, or a word of Heddle's output",
     .details = {},
     .examples = kExplainExamples,
     .options = {},
     .run = run_explain},
    {.name = "reference",
     .synopsis = "markdown | metrics | man [COMMAND] | bash | zsh | fish",
     .summary = "print this command's reference page, the list of metrics, a man page or a shell's "
                "completion",
     .details = {},
     .examples = kReferenceExamples,
     .options = {},
     .run = run_reference},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }
std::span<const Option> common_options() { return kCommon; }

}  // namespace heddle::cli
