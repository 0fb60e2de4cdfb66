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
constexpr Option kSource{"source", 0, "",
                         "also sum the counts per source line and inlined function"};
constexpr Option kCsv{"csv", 0, "FILE", "write the metrics as one tidy CSV table", Effect::file};
constexpr Option kFormat{"format",     0,
                         "FORM",       "table (default), or nvprof for its layout",
                         Effect::none, [] { return Names{"table", "nvprof"}; }};
constexpr Option kVerbose{"verbose", 'v', "",
                          "show every section of each kernel instead of one row per kernel"};
constexpr Option kFailOn{
    "fail-on", 0, "CONDITION",
    "fail the run if this holds for a launch, as in 'branch_efficiency < 90' or, with --baseline, "
    "'inst_executed > +5%'; separate several with commas, or repeat the option"};
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
    "heddle run --schedule random --seed 7 ./reduce",
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
     "write the record as JSON, compressed if the name ends in .zst; %p in the name becomes the "
     "process ID. As in every option that writes a file, - is stdout",
     Effect::file},
    {"per-pc", 0, "", "include every instruction in the record and the text"},
    kSource,
    {"memory", 0, "", "add a digest of every allocation after each launch to the record"},
    {"host-time", 0, "",
     "programs: add the host's seconds for each launch at the end of the record"},
    kCsv,
    kFormat,
    kVerbose,
    {"quiet", 'q', "", "print only what fails the run"},
    kFailOn,
    {"baseline", 0, "RECORD",
     "the record with which relative --fail-on conditions compare, each launch of a kernel with "
     "the launch of the same number"},
    {"ignore-faults", 0, "", "do not fail the run for a faulting launch if the program succeeds"},
    {"error-exitcode", 0, "N",
     "exit status when a fault, a finding or a condition fails the run (default 1)"},
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
     "host threads per launch (default 0: all idle cores for long launches); results do not depend "
     "on it"},
    {"interpret", 0, "", "do not translate launches to native code; results are the same"},
    {"timing", 0, "WHEN",
     "on: time launches (cycles, stalls, hit rates), which is slower; off: count only. Default: on "
     "if a modelled metric or a timing option is requested",
     Effect::none, on_off},
    {"scheduler", 0, "NAME", kSchedulerMeaning.data(), Effect::none,
     [] {
       Names names;
       for (const simulator::timing::PolicyInfo& each : simulator::timing::kPolicies)
         names.emplace_back(each.name);
       return names;
     }},
    {"caches", 0, "STATE",
     "L2 when a launch begins: cold (default), or warm from the previous launch", Effect::none,
     [] {
       return Names{"cold", "warm"};
     }},
    {"sms", 0, "N", "time launches on a GPU with N SMs"},
    {"sample", 0, "PART",
     "for long launches: time a share of the waves of blocks (5%), execute the rest untimed and "
     "scale; or time a number of warp instructions (20M) and skip most others, whose results are "
     "then missing"},
    {"set", 0, "NAME=VALUE,...", "override timing constants (docs/timing.md lists them)"},
    {"max-instructions", 0, "N",
     "stop a launch after N warp instructions (default 2^36; 2^34 for capsules and sketches)"},
    {"max-memory", 0, "BYTES",
     "programs: cap GPU memory, as in 4G; larger allocations fail with cudaErrorMemoryAllocation"},
    {"gpus", 0, "N", "programs: number of GPUs the program sees, 1 to 8 (default 1), all peers"},
    {"timeout", 0, "SECONDS",
     "stop the program, or the launches of capsules, sketches and traces, after this time"},
    {"no-progress", 0, "", "do not report progress"},
    {"capture", 0, "FOLDER",
     "write launches, all or those of --kernel, as capsules, which can be replayed without the "
     "program",
     Effect::folder},
    {"grid", 0, "X[,Y[,Z]]", "sketches, cubins: blocks of a launch; overrides the sketch"},
    {"block", 0, "X[,Y[,Z]]", "sketches, cubins: threads of a block"},
    {"shared", 0, "BYTES", "sketches, cubins: dynamic shared memory of a block"},
    {"dump", 0, "N[=FILE]",
     "cubins: after the launch, print the array passed as parameter N (from 0) to stdout, or write "
     "its bytes to a file"},
    {"param", 0, "VALUE",
     "cubins: the next parameter: a number (64, 2.5, f64:1), or an array (f32[1024], "
     "f32[1024]=1.5, i32[64]=iota, i32[64]=random, u8[4096]=@FILE); sketches, as NAME=VALUE: a "
     "parameter's value: a number, or an array as in zeros(64), counting(64), random(64, 0, 10) or "
     "file(\"numbers.txt\")"},
    {"define", 'D', "NAME[=VALUE]", "CUDA source: a macro for the compiler; may be repeated"},
    {"seed", 0, "N", "the seed of --schedule random, or the first seed of a sketch (default 1)"},
    {"seeds", 0, "N",
     "sketches: run with N seeds and print means and 95 % intervals; the record holds the first "
     "seed's run"},
    {"predication", 0, "RULE",
     "sketches: which branches become predicated code: off (default), 4, 7, 2009 or cuda13",
     Effect::none,
     [] {
       Names names;
       for (const auto& each : isa::sketch::predication_rules()) names.emplace_back(each.name);
       return names;
     }},
    kReconvergenceOption,
    {"schedule", 0, "ORDER",
     "order of warps and blocks in untimed launches: even (default), or random, which is drawn "
     "from --seed and finds races that the usual order hides, on one host thread",
     Effect::none,
     [] {
       return Names{"even", "random"};
     }},
    {"check", 0, "NAME,...",
     "look for errors while launches execute, which is slower: memory, races, init, sync, hazards, "
     "or all; compute-sanitizer's memcheck, racecheck, initcheck and synccheck are accepted too "
     "(docs/checks.md)",
     Effect::none, [] { return Names{"memory", "races", "init", "sync", "hazards", "all"}; }, true},
    {"advice", 0, "",
     "after the run, say what costs most, on which source line, and what would help"},
    {"trace", 0, "FORM[=FILE]",
     "trace execution: text (a line per instruction, to stderr by default), perfetto=FILE (a "
     "timeline for ui.perfetto.dev), or accelsim=FOLDER (for Accel-Sim; sm_75, sm_80 and sm_86)",
     Effect::trace,
     [] {
       return Names{"text", "perfetto=", "accelsim="};
     },
     true},
    {"trace-kernel", 0, "NAME", "trace only launches of this kernel, as --kernel names it"},
    {"trace-block", 0, "N,...",
     "trace only these blocks, by linear index in the grid; 0-3 is a range"},
    {"trace-warp", 0, "N,...", "trace only these warps of a block"},
    {"trace-pc", 0, "PC,...", "trace only these byte offsets in the function, as in 1a0-220"},
    {"trace-line", 0, "LINES", "trace only these source lines, as in 31-40 or file.cu:31"},
    {"trace-changes", 0, "", "trace only where the set of executing lanes changes"},
    {"trace-from", 0, "N", "start at the launch's Nth divergence in the chosen warps"},
    {"trace-count", 0, "N", "print at most N lines per launch"},
    {"trace-values", 0, "", "print the value of every lane, even if many differ"},
};

constexpr Option kOwnTimeout{"timeout", 0, "SECONDS",
                             "stop the program, or the launches of capsules, after this time"};
constexpr Option kOwnInstructions{
    "max-instructions", 0, "N",
    "stop a launch after N warp instructions (default 2^36; 2^34 for capsules)"};

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
    kOwnTimeout,
    kOwnInstructions,
};

constexpr Examples kShowExamples[] = {
    "heddle show --source out.json",
    "heddle show --metrics branch,divergent_branch -k regex:math hardware.json.zst",
};
constexpr Option kShowOptions[] = {
    {"per-pc", 0, "", "include every instruction"},
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
    {"html", 0, "FILE",
     "write one HTML file that shows the launches step by step and needs no network", Effect::file},
    {"hardware", 0, "RECORD",
     "--html: show the numbers of this record of heddle measure beside the model's"},
    {"baseline", 0, "A",
     "--html: show an earlier run's numbers beside these; a variant as in heddle diff: a record "
     "with instructions (--per-pc), a program, capsules or a sketch"},
    {"timing", 0, "WHEN",
     "--html: on: time the launches, to show each step's cycle, and where and why warps wait; off "
     "(default)",
     Effect::none, on_off},
    {"steps", 0, "N",
     "--html: warp instructions per launch that the page can step through (default 1000000); all "
     "are counted"},
    kReconvergenceOption,
    {"source-folder", 0, "FOLDER",
     "look for source files here first; then, for a program, where they were compiled and in the "
     "current folder; for a capsule, beside it",
     Effect::trusted},
    kKernelOption,
    kSkipOption,
    kCountOption,
    kGpu,
    kOwnTimeout,
    kOwnInstructions,
};

constexpr Examples kMeasureExamples[] = {
    "heddle measure --record hardware.json ./simple_divergence 64",
    "heddle measure --record hardware.json launch.capsule",
};
constexpr Option kMeasureOptions[] = {
    {"record", 'o', "FILE", "write the record (default: hardware.json)", Effect::file},
    {"repeat", 'r', "N",
     "measure memory and SASS metrics N times; launches that differ are marked"},
    {"timing", 0, "", "add cycles, stall reasons, hit rates and bytes, each measured five times"},
    {"samples", 0, "", "add the sampled stall reasons of every instruction"},
    {"timeout", 0, "SECONDS", "stop each run of the program after this time (default 120)"},
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
    {"show", 0, "N", "lines and branches listed per kernel (default 10)"},
    kCsv,
    {"json", 0, "FILE", "write the comparison as JSON", Effect::file},
    {"html", 0, "FILE",
     "write one HTML file with the numbers and every variant's lanes side by side", Effect::file},
    {"timing", 0, "WHEN", "on: also time the launches of variants that are run", Effect::none,
     on_off},
    {"threads", 't', "N", "host threads per launch (default 0: all idle cores for long launches)"},
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
     "combine the lists' first values, then their second ones, and so on, instead of all "
     "combinations"},
    {"from", 0, "FILE",
     "take the runs from a CSV file: a column for each of block, gpu, param:NAME, set:NAME, "
     "define:NAME and so on"},
    {"best", 0, "METRIC", "what decides which run is best (default: time, or instructions)"},
    {"per", 0, "NAME,...",
     "mark a best run for each value of these settings, as in --per n where n is the problem size"},
    {"most", 0, "", "the best run has the largest value (default for shares and rates)"},
    kMetricsOption,
    {"timing", 0, "WHEN", "on (default): time the launches; off: count only", Effect::none, on_off},
    {"jobs", 'j', "N", "processes at once (default 1; 0: one for each core)"},
    {"output", 'o', "FOLDER",
     "keep finished runs here (default heddle-sweep); the same command resumes from there",
     Effect::folder},
    {"retry-failed", 0, "", "repeat runs that failed before"},
    kCsv,
    {"html", 0, "FILE", "write one HTML file with a plot of any metric over any list",
     Effect::file},
    {"timeout", 0, "SECONDS", "stop each run after this time"},
    {"max-instructions", 0, "N", "stop each launch after N warp instructions"},
    {"no-progress", 0, "", "do not report progress"},
    kKernelOption,
};

constexpr Examples kCompareExamples[] = {
    "heddle compare model.json hardware.json",
};
constexpr Option kCompareOptions[] = {
    {"show", 0, "N", "differences listed per launch (default 20)"},
};

constexpr Examples kValidateExamples[] = {
    "heddle validate",
    "heddle validate --show 5 reduce_integer matmul",
    "heddle validate --suite gpu/kernels/features.toml recursion",
    "heddle validate --timing",
};
constexpr Option kValidateOptions[] = {
    {"suite", 0, "FILE",
     "the suite's file, such as gpu/kernels/features.toml (default: gpu/kernels/suite.toml; with "
     "--timing also timing.toml)",
     Effect::trusted},
    {"programs", 0, "FOLDER",
     "the suite's programs as built by gpu/kernels/build.sh (default: build them now if nvcc is "
     "found)",
     Effect::trusted},
    {"capsules", 0, "", "replay the committed capsules, without the programs"},
    {"measure", 0, "", "measure the suite on this machine's GPU first and compare with that"},
    {"records", 0, "FOLDER", "folder of hardware records (default: those that come with Heddle)"},
    {"output", 'o', "FOLDER",
     "keep finished runs here; the same command resumes from there (default under mpirun: "
     "heddle-validate)",
     Effect::folder},
    {"json", 0, "FILE", "write the result", Effect::file},
    {"html", 0, "FILE",
     "plot model against hardware on one page, timed if the hardware record is; launches that "
     "exist as capsules get steppers in a folder beside the page",
     Effect::file},
    {"show", 0, "N", "differences listed per launch (default 3)"},
    {"timing", 0, "", "compare cycles, stall reasons, hit rates and bytes instead, per kernel"},
    {"page", 0, "FILE",
     "with --timing: write the suite's ratios, values and pairs into this Markdown page, between "
     "its markers",
     Effect::file},
    {"least-cycles", 0, "N",
     "with --timing: leave kernels of fewer cycles out of the first summary (default 5000)"},
    {"threads", 't', "N", "host threads per launch (default 0: all idle cores for long launches)"},
};

constexpr Examples kCalibrateExamples[] = {
    "heddle calibrate",
    "heddle calibrate --model simulator/models/h200.toml",
};
constexpr Option kCalibrateOptions[] = {
    {"records", 0, "FOLDER",
     "folder of the microbenchmarks' records (default: those that come with Heddle)"},
    {"model", 0, "FILE", "write the constants into this model file; other rows stay as they are",
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
    {"svg", 0, "FILE", "write both plots as a picture", Effect::file},
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
    {"block", 'b', "THREADS", "threads per block (default for a program's kernels: 256)"},
    {"registers", 'r', "N", "registers per thread"},
    {"shared", 0, "BYTES", "shared memory per block; for a program's kernels, the dynamic part"},
    {"capability", 0, "X.Y", "an SM of this compute capability, 1.0 to 12.1 (default: all)",
     Effect::none, capabilities},
    {"curve", 0, "RESOURCE", "list occupancy over threads, registers or shared, where it changes",
     Effect::none,
     [] {
       return Names{"threads", "registers", "shared"};
     }},
    {"svg", 0, "FILE", "write the three curves as a picture", Effect::file},
    {"latency", 0, "CYCLES",
     "instead, compute what must be in flight to hide this latency (Little's law)"},
    {"throughput", 0, "N", "with --latency: operations per cycle, counted per thread"},
    {"warps-per-cycle", 0, "N", "with --latency: warp instructions per cycle"},
    {"bandwidth", 0, "GB/S",
     "with --latency: memory bandwidth in 10^9 bytes per second; needs --clock"},
    {"clock", 0, "GHZ", "with --bandwidth: clock rate in GHz"},
    {"bytes", 0, "N", "with --bandwidth: bytes in flight per thread (default 4)"},
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
         "No GPU is needed. The program's own output is unchanged. Heddle reports on a program to "
         "stderr or to files, and on capsules, sketches and traces to stdout. Options before the "
         "program's name are Heddle's; everything after it is the program's. A -- may separate the "
         "two.\n"
         "CUDA source (NAME.cu) is compiled with nvcc for the chosen GPU, then run.\n"
         "A kernel of a cubin (NAME.cubin) is launched without a program. Give -k, --grid, "
         "--block, --shared, and --param for each parameter.\n"
         "A capsule (from --capture) holds a launch without its program. A capsule or a folder of "
         "them is replayed on any machine.\n"
         "A sketch (NAME.warp, see docs/sketches.md) is compiled, and its launches are run.\n"
         "A trace (kernelslist.g or NAME.traceg, from --trace accelsim or Accel-Sim's tracer) is "
         "timed (docs/timing.md).\n"
         "Exit status: the program's own; 1 (--error-exitcode) if that is 0 but a launch faulted, "
         "--check found something or a --fail-on condition held; 2 for a mistake on the command "
         "line or a GPU that does not run the code; 124 when a limit was reached; 125 when Heddle "
         "failed; 126 or 127 when the program cannot be started; 130 after Ctrl-C.",
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
     .details =
         "Each kernel's first launch is analysed. A branch becomes a condition on the thread index "
         "if one describes what every thread did, otherwise chance(p). Loops get their trip "
         "counts. Everything else becomes work(n) and memory(n, pattern). See docs/sketches.md.\n"
         "Exit status: 1 when a kernel could not be simplified, 124 when a limit was reached.",
     .examples = kSimplifyExamples,
     .options = kSimplifyOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_simplify},
    {.name = "step",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | CAPSULE... | SKETCH...",
     .summary = "step through launches: which lanes execute, which wait, and what it costs",
     .details = "The program runs to its end first. Then, in a terminal, keys step a warp forward "
                "and back, to the next divergence, reconvergence, line or breakpoint, and show its "
                "lanes, groups, registers and code. Press ? for the list of keys.\n"
                "--html writes a page that needs only a browser. It shows source, machine code, "
                "the 32 lanes over time, registers, and the branches that diverged.\n"
                "Exit status: the program's own; 2 for a mistake on the command line or input that "
                "cannot be read, 124 when a limit was reached, 125 when Heddle failed.",
     .examples = kStepExamples,
     .options = kStepOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_step},
    {.name = "measure",
     .synopsis = "[options] PROGRAM [ARGUMENT...] | CAPSULE...",
     .summary = "measure a CUDA program on this machine's GPU and write the same record",
     .details = "Needs a GPU and the CUDA Toolkit with CUPTI. The program runs once per kind of "
                "metric; its output is shown once.\n"
                "Capsules are launched unchanged, with memory at the same addresses. Afterwards "
                "memory is compared with the model's.\n"
                "Exit status: the program's own if it failed, 1 when the record is incomplete, 125 "
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
         "A variant is a record, or anything heddle run accepts: a program, a .cu file, a cubin, "
         "capsules or a sketch. Quote a variant together with its options and arguments; put a "
         "space in front if it begins with an option. Each variant is run once.\nKernels are "
         "matched by name, or as --match says. If one kernel is left over on each side, the two "
         "are matched. Launches are matched in order. Code, block and grid sizes may differ. "
         "Source lines with the same text are matched, even in different files.\n"
         "Exit status: 0 the same, 1 different, 2 trouble.",
     .examples = kDiffExamples,
     .options = kDiffOptions,
     .run = run_diff},
    {.name = "sweep",
     .synopsis =
         "[options] PROGRAM [ARGUMENT...] | SOURCE.cu [ARGUMENT...] | CUBIN | CAPSULE... | SKETCH",
     .summary = "run one command with many settings; show the best, and what limits each",
     .details = "A LIST is values separated by commas; FROM..TO:xFACTOR, FROM..TO:+STEP and "
                "2^A..2^B are ranges. All combinations of the lists are run. Options of heddle run "
                "that apply to every run go after a --, before the program.\n"
                "Each run is a process whose result is written to disk as soon as it ends. After "
                "Ctrl-C, or with longer lists, the same command makes only the missing runs. A run "
                "that fails gets a row, too.\n"
                "Exit status: 0, 1 when a run failed, 2 trouble, 130 after Ctrl-C.",
     .examples = kSweepExamples,
     .options = kSweepOptions,
     .takes_program = true,
     .reads_file = is_input_file,
     .run = run_sweep},
    {.name = "compare",
     .synopsis = "[options] MODEL HARDWARE",
     .summary = "compare a model's record with a hardware record, per kernel and per instruction",
     .details = "Launches are matched by index. Every exact metric that the hardware record holds "
                "must be equal. Launches of different code are rejected. Differences in launches "
                "that depend on the order of warps are shown but do not count.\n"
                "Exit status: 0 equal, 1 different, 2 trouble.",
     .examples = kCompareExamples,
     .options = kCompareOptions,
     .run = run_compare},
    {.name = "validate",
     .synopsis = "[options] [NAME...]",
     .summary = "run the suite on the model and compare it with the H200's records",
     .details = "Runs every program of the suite, or those named. Without a CUDA Toolkit their "
                "capsules are replayed. Every exact metric of every instruction, memory after each "
                "launch, and the program's output must be equal.\n"
                "Exit status: 0 equal, 1 different, 2 trouble.",
     .examples = kValidateExamples,
     .options = kValidateOptions,
     .run = run_validate},
    {.name = "calibrate",
     .synopsis = "[options]",
     .summary =
         "list the timing constants that microbenchmarks measured, or write a model file with them",
     .details = "Reads what the programs of gpu/kernels/micro/timing printed on a GPU. Without "
                "--model, lists each constant with the measurement it comes from.",
     .examples = kCalibrateExamples,
     .options = kCalibrateOptions,
     .run = run_calibrate},
    {.name = "roofline",
     .synopsis = "[options] A",
     .summary =
         "show how close kernels come to the GPU's limits of issue, arithmetic and bandwidth",
     .details = "A is a record of timed launches, or a variant as in heddle diff, which is run "
                "with --timing on. One table shows warp instructions per 32-byte sector, the other "
                "floating-point operations per byte; L1, L2 and DRAM each move sectors and bytes "
                "of their own. A kernel's nearest roof is the limit it uses most: the schedulers, "
                "a pipe, or a memory's bandwidth. Times and bytes are modelled.",
     .examples = kRooflineExamples,
     .options = kRooflineOptions,
     .run = run_roofline},
    {.name = "occupancy",
     .synopsis = "[options] [PROGRAM | CUBIN]",
     .summary = "show how many blocks fit on an SM, and what limits them",
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
     .summary = "explain a metric (by Nsight Compute's or nvprof's name), a stall reason, an "
                "opcode, a CUDA error, or a word in Heddle's output",
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
