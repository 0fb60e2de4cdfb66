#include "validation/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle::validation {
namespace {

// What a recipe reads: answers of one program, by name.
using Answers = MicroRecord;

struct Recipe {
  std::string_view constant, program;
  std::string_view how;  // which answers, as the provenance says it
  double (*value)(const Answers&);
};

// The lines of a loop of FFMA at which it no longer runs at the speed of the smaller ones: the last
// size (in instructions of 16 bytes) whose cost per instruction is below `limit`.
double last_size_below(const Answers& a, std::string_view warps, double limit) {
  constexpr int kSizes[] = {16,   32,   64,   96,   128,  192,   256,   384,  512,
                            1024, 2048, 4096, 6144, 8192, 10240, 16384, 32768};
  double last = 0;
  for (const int size : kSizes) {
    if (a[fmt::format("icache.warm.{}.{}", size, warps)] > limit) break;
    last = size;
  }
  constexpr int kInstructionBytes = 16;
  return last * kInstructionBytes;
}

constexpr double kPercent = 100, kLanes = 32, kSectors = 4;
// A question's name as a template argument, for the recipes that are one answer.
template <std::size_t N>
struct Question {
  char text[N];
  constexpr Question(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: a literal
};
template <Question question>
double value_of(const Answers& a) {
  return a[question.text];
}

// Cycles between two memory instructions once the queue is full.
double per_instruction(const Answers& a, std::string_view op, int warps) {
  constexpr double kMore = 24 - 16;
  return (a[fmt::format("issue.{}.n24.w{}", op, warps)] -
          a[fmt::format("issue.{}.n16.w{}", op, warps)]) /
         kMore;
}

// Flits or lines of all SMs in 1000 cycles, by an access of each SM that has `pieces` of them. The
// GPCs that the answers number 6 and 7 have most SMs.
double sent_by_all(const Answers& a, std::string_view op, double pieces) {
  constexpr double kSms = 132, kKilo = 1000;
  const auto of_gpc = [&](int gpc) { return a[fmt::format("ways.{}.all.gpc{}", op, gpc)]; };
  return kKilo * kSms * pieces / ((of_gpc(6) + of_gpc(7)) / 2);
}

// Instructions of a sub-core that wait behind its queue while all four issue as fast as they can:
// those issued, less those that were served at `interval` cycles each, less those in the queues.
double behind_queue(const Answers& a, std::string_view op, double interval) {
  constexpr double kIssued = 32 * 4, kSubCores = 4, kQueue = 8, kFirst = 10;
  const double time = a[fmt::format("issue.{}.n32.w4", op)] - kFirst;
  return (kIssued - time / interval) / kSubCores - kQueue;
}

// Loads that have issued and are not there when the last of 32 of each warp issues; a load alone
// takes that long from its issue.
double on_the_way(const Answers& a, std::string_view kind, int warps) {
  constexpr double kFirst = 10, kMore = 32 - 24;
  const auto last = [&](int loads, std::string_view end) {
    return a[fmt::format("loads.{}.apart128.n{}.w{}.{}", kind, loads, warps, end)];
  };
  const double alone = a[fmt::format("loads.{}.apart128.n1.w1.last", kind)] - kFirst;
  const double each = (last(32, "last") - last(24, "last")) / (kMore * warps);
  return (last(32, "last") - last(32, "issued.last") - alone) / each;
}

// Cycles for an addition of each SM to one line, from where the load behind 48 and 64 comes.
double each_line(const Answers& a) {
  constexpr double kMore = 64 - 48;
  const auto end = [&](std::string_view question) {
    return a[fmt::format("{}.issued", question)] + a[fmt::format("{}.load", question)];
  };
  return (end("behind.line.all.n64.w1") - end("behind.line.all.n48.w1")) / kMore;
}

constexpr double kConstantHit = 40;  // cycles: a hit takes 29 and less, a miss 70 more
constexpr double kOperandHit = 4;    // ULDC and FFMA take 2, a miss 60 more
constexpr int kConstantLine = 64;

// Of the latencies of lines in L2, seen from SMs in different places, each in its near half.
double mean_line(const Answers& a, std::string_view percentile) {
  constexpr int kSms[] = {0, 1, 2, 16, 66, 131};
  double sum = 0;
  for (const int sm : kSms) sum += a[fmt::format("l2_line.32MiB.sm{}.{}", sm, percentile)];
  return sum / static_cast<double>(std::size(kSms));
}
// As if all were equally frequent between the nearest and the farthest.
double line_spread(const Answers& a) {
  constexpr double kBetween = 0.9;
  return (mean_line(a, "p95") - mean_line(a, "p5")) / kBetween;
}
double nearest_line(const Answers& a) {
  constexpr double kBelow = 0.05;
  return mean_line(a, "p5") - kBelow * line_spread(a);
}

// Of single accesses (far_memory.cu). Lines that the other half's SMs have read: half of them are
// at home there.
double far_extra(const Answers& a) {
  return 2 * (a["l2.read.of66.by0.first.mean"] - a["l2.read.of66.by0.second.mean"]);
}
// Lines that come when DRAM refreshes are later by up to a refresh, each time being equally
// frequent: so the share of accesses that are later than usual by more than x falls in a straight
// line to nothing.
double end_of_late(double of_2_percent, double of_1_percent) {
  return 2 * of_1_percent - of_2_percent;
}
// The mean of what lines of far_memory.cu wait for refreshes. Half of them are far.
double refresh_mean(const Answers& a) {
  const double far = a["dram.shuffled.p25"] + far_extra(a);
  const double refresh = end_of_late(a["dram.shuffled.p98"] - far, a["dram.shuffled.p99"] - far);
  return refresh * refresh / 2 / a["dram.lines.slow.period"];
}
// Between channels that refresh a bank at any moments of a time that is as long as this, half of
// the pairs lie less apart than between.piece.p50 (refreshes.cu).
double refresh_spread(const Answers& a) { return a["between.piece.p50"] / (1 - std::sqrt(0.5)); }

// Of device printf (cold_prints.cu): a launch that prints once, and a further call.
double prints(const Answers& a, std::string_view what, int calls, std::string_view shape) {
  return a[fmt::format("{}.calls{}.{}.warps0.active", what, calls, shape)];
}
constexpr std::string_view kOneThread = "b1.t1.lanes32", kOneLane = "b1.t32.lanes1";
double further_print(const Answers& a, std::string_view what, std::string_view shape = kOneThread,
                     int many = 16, int few = 1) {
  return (prints(a, what, many, shape) - prints(a, what, few, shape)) / (many - few);
}
double first_print(const Answers& a, std::string_view what, std::string_view shape) {
  return prints(a, what, 1, shape) - prints(a, "int1", 0, "b1.t32.lanes32") -
         further_print(a, what, shape);
}
double print_character(const Answers& a) {
  constexpr double kMore = 64 - 1;
  return (further_print(a, "chars64") - further_print(a, "chars1")) / kMore;
}
double print_argument(const Answers& a) {
  constexpr double kArguments = 8, kMoreCharacters = 8 - 1;
  return (further_print(a, "int8") - further_print(a, "chars1") -
          kMoreCharacters * print_character(a)) /
         kArguments;
}
constexpr double kManyLanes = 32, kFewLanes = 4;
// printing.cu has one argument and one character.
constexpr double kLaneOfOneCharacter = 133;
double print_lane(const Answers& a) {
  const auto later = [&](int lanes) {
    return a[fmt::format("printf.arguments1.b1.w1.lanes{}.later", lanes)];
  };
  return (later(32) - later(1)) / (kManyLanes - 1);
}
// Of each other call while the whole chip prints.
double print_turn(const Answers& a, int lanes) {
  constexpr int kBlocks = 132;
  return further_print(a, "int1", fmt::format("b{}.t32.lanes{}", kBlocks, lanes), 4) / kBlocks;
}
// Of warp groups and the copy engine (async_units.cu).
constexpr double kBeforeProduct = 10, kInUnit = 32;
double product_time(const Answers& a, std::string_view source) {
  return a[fmt::format("split.{}.x1.64.g1.issue", source)] +
         a[fmt::format("split.{}.x1.64.g1.wait", source)];
}
double leaving_line(const Answers& a, std::string_view what) {
  constexpr double kMore = 64;
  return kPercent *
         (a[fmt::format("leaving.{}.read.r128.x1.b1.wait", what)] -
          a[fmt::format("leaving.{}.read.r64.x1.b1.wait", what)]) /
         kMore;
}

// Of 1,024 lines anywhere those share a set with as many others as it has ways, or more, that find
// no place. Chance deals lines out to sets as Poisson says.
double likeliest_ways(double missing) {
  constexpr double kTags = 2048, kRead = 1024;
  double best = 0, nearest = 1;
  for (const unsigned ways : {2u, 4u, 8u, 16u}) {
    const double mean = kRead * ways / kTags;
    double fewer = 0, term = std::exp(-mean);
    for (unsigned others = 0; others < ways; ++others) {
      fewer += term;
      term *= mean / (others + 1);
    }
    if (std::abs(1 - fewer - missing) >= nearest) continue;
    nearest = std::abs(1 - fewer - missing);
    best = ways;
  }
  return best;
}

// Of device malloc and free (heap.cu).
double heap_call(const Answers& a, std::string_view call, int lanes, std::string_view when,
                 int bytes = 16) {
  return a[fmt::format("{}.bytes{}.b1.w1.lanes{}.{}", call, bytes, lanes, when)];
}
double heap_lane(const Answers& a, std::string_view call, int bytes = 16) {
  const auto later = [&](int lanes) { return heap_call(a, call, lanes, "later", bytes); };
  return (later(32) - later(1)) / (kManyLanes - 1);
}
// Of each call of a warp while the whole chip allocates.
double heap_interval(const Answers& a, int lanes) {
  constexpr double kWarps = 132 * 8, kCalls = 8;
  return a[fmt::format("malloc.bytes16.b132.w8.lanes{}.span", lanes)] / (kWarps * kCalls);
}

// Of copies (copies.cu), in microseconds by events; both ways of those between host and device.
double copy_time(const Answers& a, std::string_view kind, int bytes) {
  return a[fmt::format("{}.bytes{}.events", kind, bytes)];
}
double short_copy(const Answers& a, std::string_view kind) {
  constexpr int kShort = 4096;
  constexpr double kNanos = 1000;
  return kNanos * (copy_time(a, kind, kShort) - a["launches.n0.events"]);
}
double copy_rate(const Answers& a, std::string_view kind) {
  constexpr int kMany = 64 << 20, kFew = 4 << 20;
  return double{kMany - kFew} / (copy_time(a, kind, kMany) - copy_time(a, kind, kFew));
}

constexpr double kWideBytes = 32 * 16;  // of a warp whose lanes read 16 bytes each

// Of launches (cold_launches.cu). The stall counts of EXIT and STG there.
constexpr double kExitStall = 5, kStoreStall = 4;
constexpr double kHundredOfSm = 100.0 / 32;  // hundredths, for each of the warps of a full SM
// Kernels of which only EXIT is executed, that begin in different places of memory.
constexpr int kPlaces[] = {10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25, 26, 27,
                           30, 31, 32, 33, 34, 35, 36, 37, 40, 41, 42, 43, 44, 45, 46, 47};

// Kernels of an ordinary program, four for each number of lines behind what they execute: the mean
// of launches of one warp (code_sizes.cu).
constexpr double kFromGpcCache = 58;  // what a line of code takes from there

double mean_of_sizes(const Answers& a, std::string_view wants, std::string_view what,
                     std::string_view shape = "b1.t32") {
  constexpr int kSizes[] = {1, 8, 16, 32, 64, 128, 256, 512, 1024}, kKernels = 4;
  double sum = 0;
  for (const int lines : kSizes)
    for (int place = 0; place < kKernels; ++place)
      sum += a[fmt::format("{}.lines{}.place{}.{}.{}", wants, lines, place, shape, what)];
  return sum / static_cast<double>(kKernels * std::size(kSizes));
}

double fence(const Answers& a, std::string_view which) {
  return a[fmt::format("fence.{}.stores0.b1.t32.membar", which)];
}

// Of a launch of one warp: cycles in which the SM counts as active and the warp is not there yet.
double before_the_warp(const Answers& a, std::string_view launch) {
  const auto of = [&](std::string_view what) { return a[fmt::format("{}.{}", launch, what)]; };
  double sum = of("issued");
  for (const char* reason : {"wait", "no_instruction", "branch_resolving", "drain", "misc"})
    sum += of(reason);
  return of("active") - sum;
}

// Straight code in the kernel of 12,288 instructions: cycles of each further line of eight.
double per_line(const Answers& a, int few, int many, std::string_view shape) {
  const auto active = [&](int lines) {
    return a[fmt::format("straight.in_long.lines{}.{}.active", lines, shape)];
  };
  return (active(many) - active(few)) / (many - few);
}

// Of another block's shared memory (clusters.cu): what a load takes beyond one of the block's own.
double cluster_extra(const Answers& a) {
  constexpr int kOthers = 7;
  double sum = 0;
  for (int rank = 1; rank <= kOthers; ++rank)
    sum += a[fmt::format("cluster.chain.size8.rank{}", rank)];
  return sum / kOthers - a["cluster.chain.size8.rank0"];
}

constexpr Recipe kRecipes[] = {
    {"interval_alu", "instructions", "interval.lop3.w8", value_of<"interval.lop3.w8">},
    {"interval_fma", "instructions", "interval.ffma.w8", value_of<"interval.ffma.w8">},
    {"interval_imad", "instructions", "interval.imad.w8", value_of<"interval.imad.w8">},
    {"interval_imad_wide", "instructions", "interval.imad_hi.w8", value_of<"interval.imad_hi.w8">},
    {"interval_fp16", "instructions", "interval.hfma2|hfma2_mma.w8",
     value_of<"interval.hfma2|hfma2_mma.w8">},
    {"interval_fp64", "instructions", "interval.dfma.w8", value_of<"interval.dfma.w8">},
    {"interval_xu", "instructions", "interval.mufu_ex2.w8", value_of<"interval.mufu_ex2.w8">},
    {"issue_wide_product", "machine_code",
     "slope.held.imad_wide.free|nop.w1: what the two take beyond 2",
     [](const Answers& a) { return 2 * a["slope.held.imad_wide.free|nop.w1"] - 2; }},
    {"latency_product_read", "machine_code",
     "slope.product.shf5+imad_wide.lower.stall5+shf.w1, less that of imad, and without shf5",
     [](const Answers& a) {
       return a["slope.product.shf5+imad_wide.lower.stall5+shf.w1"] -
              a["slope.product.shf5+imad.stall5+shf.w1"] -
              (a["slope.product.imad_wide.lower.stall5+shf.w1"] -
               a["slope.product.imad.stall5+shf.w1"]);
     }},
    {"latency_register_write", "ports",
     "5 and ports.fresh.am.m.same.5.4.places0.w1 less the row's 25",
     [](const Answers& a) {
       constexpr double kAgo = 5, kRow = 25;
       return kAgo + a["ports.fresh.am.m.same.5.4.places0.w1"] - kRow;
     }},
    {"lsu_copy_address_interval", "products", "issued.ldgsts32.w1, n24 less n16, over 8",
     [](const Answers& a) {
       constexpr double kMore = 8;
       return (a["issued.ldgsts32.n24.w1"] - a["issued.ldgsts32.n16.w1"]) / kMore;
     }},
    {"lsu_copy_interval", "products",
     "issued.ldgsts128.bypass.w4, n24 less n16, over 8 and 4 sub-cores",
     [](const Answers& a) {
       constexpr double kMore = 8, kSubCores = 4;
       return (a["issued.ldgsts128.bypass.n24.w4"] - a["issued.ldgsts128.bypass.n16.w4"]) / kMore /
              kSubCores;
     }},
    {"latency_copy_extra", "products",
     "copies.32.w1.n1 less the 5 of two clocks and their waits, and the 31 of a load",
     [](const Answers& a) {
       constexpr double kAround = 5, kLoad = 31;
       return a["copies.32.n1.w1"] - kAround - kLoad;
     }},
    {"latency_copy_group", "products", "copies.32.n0.w1 less the 5 of two clocks and DEPBAR",
     [](const Answers& a) {
       constexpr double kAround = 5;
       return a["copies.32.n0.w1"] - kAround;
     }},
    {"interval_product", "products", "slope.product.hmma.1688.f32.w4",
     value_of<"slope.product.hmma.1688.f32.w4">},
    {"interval_long_product", "products", "slope.product.hmma.16816.f32.w4",
     value_of<"slope.product.hmma.16816.f32.w4">},
    {"interval_longest_product", "products", "slope.product.hmma.sp.16832.f32.w4",
     value_of<"slope.product.hmma.sp.16832.f32.w4">},
    {"interval_dmma", "products", "slope.product.dmma.8x8x4.w4",
     value_of<"slope.product.dmma.8x8x4.w4">},
    {"latency_tensor", "products", "latency.dmma.8x8x4", value_of<"latency.dmma.8x8x4">},
    {"latency_tensor_rows", "products", "latency.dmma.16x8x4 less that of 8x8x4",
     [](const Answers& a) { return a["latency.dmma.16x8x4"] - a["latency.dmma.8x8x4"]; }},
    {"latency_constant_miss", "control", "constant.ldc.warm of 16384 B less that of 1024 B",
     [](const Answers& a) {
       return a["constant.ldc.warm.16384B.stride256"] - a["constant.ldc.warm.1024B.stride64"];
     }},
    {"latency_constant_l15_miss", "control", "constant.ldc.16384B.stride256, first_round less warm",
     [](const Answers& a) {
       return a["constant.ldc.first_round.16384B.stride256"] -
              a["constant.ldc.warm.16384B.stride256"];
     }},
    {"constant_fill_bytes", "control",
     "64 times constant.ldc.16384B, first_round less warm, of stride256 over the same of stride64",
     [](const Answers& a) {
       const auto missed = [&](int stride) {
         return a[fmt::format("constant.ldc.first_round.16384B.stride{}", stride)] -
                a[fmt::format("constant.ldc.warm.16384B.stride{}", stride)];
       };
       return kConstantLine * missed(256) / missed(64);
     }},
    {"latency_cluster_extra", "clusters", "mean of ranks 1 to 7 of cluster.chain.size8 less rank 0",
     cluster_extra},
    {"interval_cluster_load", "clusters",
     "100 times cluster.load.size2.w32.away1.b128 over its 4 sectors",
     [](const Answers& a) { return kPercent * a["cluster.load.size2.w32.away1.b128"] / kSectors; }},
    {"interval_cluster_target", "clusters",
     "100 times cluster.load.size8.w32.first.b128 over the 4 sectors of each of 7 other blocks",
     [](const Answers& a) {
       constexpr double kOthers = 7;
       return kPercent * a["cluster.load.size8.w32.first.b128"] / (kSectors * kOthers);
     }},
    {"interval_cluster_store", "clusters",
     "100 times cluster.store.size2.w32.away1.b128 over its 4 sectors",
     [](const Answers& a) {
       return kPercent * a["cluster.store.size2.w32.away1.b128"] / kSectors;
     }},
    {"interval_cluster_atomic", "clusters",
     "100 times cluster.add.size2.w32.away1.b128 over its 4 sectors",
     [](const Answers& a) { return kPercent * a["cluster.add.size2.w32.away1.b128"] / kSectors; }},
    {"latency_cluster_barrier", "clusters",
     "cluster.bare_barrier.size2.w1 less the 44 of the loop around it,",
     [](const Answers& a) {
       constexpr double kLoop = 44;
       return a["cluster.bare_barrier.size2.w1"] - kLoop;
     }},
    {"cluster_release_interval", "clusters",
     "cluster.bare_barrier.size2, w32 less w1 and the 49 by which the loop takes longer, over 31",
     [](const Answers& a) {
       constexpr double kMore = 31, kLoop = 49;
       return (a["cluster.bare_barrier.size2.w32"] - a["cluster.bare_barrier.size2.w1"] - kLoop) /
              kMore;
     }},
    {"cluster_start_interval", "cluster_launches",
     "100 times spin.size2.t32, b1024 less b128, active, over the 448 clusters more,",
     [](const Answers& a) {
       constexpr double kMore = 448;
       return kPercent * (a["spin.size2.b1024.t32.active"] - a["spin.size2.b128.t32.active"]) /
              kMore;
     }},
    {"indexed_constant_bytes", "control", "largest constant.ldc.warm that hits",
     [](const Answers& a) {
       double last = 0;
       for (const int bytes : {256, 512, 1024, 1536, 2048, 3072, 4096})
         if (a[fmt::format("constant.ldc.warm.{}B.stride64", bytes)] < kConstantHit) last = bytes;
       return last;
     }},
    {"constant_ways", "uniform_constants",
     "most lines that an ULDC moves over and finds again, reads.uniform.n8.apart8.turn1.by64.*.w1",
     [](const Answers& a) {
       constexpr double kHit = 10;
       const auto cycles = [&](int lines) {
         return a[fmt::format("reads.uniform.n8.apart8.turn1.by64.span{}.w1",
                              lines * kConstantLine)];
       };
       double most = 0;
       for (const int lines : {2, 4, 8, 16})
         if (cycles(lines) < cycles(2) + kHit) most = lines;
       return most;
     }},
    {"immediate_constant_bytes", "control", "largest constant.uldc+ffma.warm that hits",
     [](const Answers& a) {
       double last = 0;
       for (const int lines : {16, 32, 64, 128, 256})
         if (a[fmt::format("constant.uldc+ffma.warm.{}x64B", lines)] < kOperandHit)
           last = lines * kConstantLine;
       return last;
     }},
    {"latency_l2_hit", "memory",
     "mean over six SMs of l2_line.32MiB, the 5th percentile less a twentieth of l2_distance",
     nearest_line},
    {"l2_distance", "memory",
     "mean over six SMs of l2_line.32MiB, 95th less 5th percentile, over 0.9", line_spread},
    {"latency_l2_far_extra", "far_memory",
     "twice l2.read.of66.by0, mean, first reading less the second: half of the lines are far",
     far_extra},
    {"latency_dram_extra", "far_memory",
     "dram.shuffled.mean less l2.read.of66.by0.second, half of what is far, and the mean wait for "
     "refresh",
     [](const Answers& a) {
       return a["dram.shuffled.mean"] - a["l2.read.of66.by0.second.mean"] - far_extra(a) / 2 -
              refresh_mean(a);
     }},
    {"dram_refresh_cycles", "refreshes", "twice refresh.extra.p99 less p98",
     [](const Answers& a) { return end_of_late(a["refresh.extra.p98"], a["refresh.extra.p99"]); }},
    {"dram_refresh_interval", "refreshes", "refresh.interval", value_of<"refresh.interval">},
    {"dram_refresh_spread", "refreshes",
     "between.piece.p50 over 0.29, the median between two moments at random, of all,",
     refresh_spread},
    {"latency_l2_atomic_extra", "memory",
     "atom.own_words.blocks1.w1 less the median of l2_line.32MiB, if it is more,",
     [](const Answers& a) {
       return std::max(0.0, a["atom.own_words.blocks1.w1"] - mean_line(a, "p50"));
     }},
    {"l2_atomic_interval", "contention", "100 times share.stride4.lanes1 over its 4 sectors",
     [](const Answers& a) { return kPercent * a["share.stride4.lanes1"] / kSectors; }},
    {"l2_atomic_half_interval", "contention", "100 times share.stride4.lanes32 over its 32 lanes",
     [](const Answers& a) { return kPercent * a["share.stride4.lanes32"] / kLanes; }},
    {"l2_atomic_float_interval", "stores",
     "100 times adds.f32.words1, times20 less times4, active, over 16 times 33,792 lanes",
     [](const Answers& a) {
       constexpr double kMore = 16.0 * 132 * 256;
       return kPercent *
              (a["adds.f32.words1.times20.active"] - a["adds.f32.words1.times4.active"]) / kMore;
     }},
    {"l1_miss_interval", "contention",
     "scatter.load.blocks1.w32.lines32.sectors1 over its 32 lines",
     [](const Answers& a) { return a["scatter.load.blocks1.w32.lines32.sectors1"] / kLanes; }},
    {"sm_read_bytes_per_cycle", "contention", "1024 over scatter.load.blocks1.w32.lines8.sectors4",
     [](const Answers& a) {
       constexpr double kBytes = 1024;
       return kBytes / a["scatter.load.blocks1.w32.lines8.sectors4"];
     }},
    {"gpc_read_bytes_per_cycle", "ways", "18 SMs' 512 bytes over ways.load16.one_gpc.sms18.mean",
     [](const Answers& a) {
       constexpr double kBytes = 18.0 * 512;
       return kBytes / a["ways.load16.one_gpc.sms18.mean"];
     }},
    {"gpc_join_cycles", "ways",
     "32 accesses of shared.load4.gpc.shift32.mean, where half of what no shift saves is lost,",
     [](const Answers& a) {
       constexpr double kAccesses = 32;
       return kAccesses * a["shared.load4.gpc.shift32.mean"];
     }},
    {"cpc_whole_flits_per_kilocycle", "ways",
     "1000 times 6 SMs' 20 flits over ways.store16.one_gpc.sms18.mean",
     [](const Answers& a) {
       constexpr double kFlits = 1000.0 * 6 * 20;
       return kFlits / a["ways.store16.one_gpc.sms18.mean"];
     }},
    {"cpc_partial_flits_per_kilocycle", "ways",
     "1000 times 6 SMs' 64 flits over ways.store_column.one_gpc.sms18.mean",
     [](const Answers& a) {
       constexpr double kFlits = 1000.0 * 6 * 64;
       return kFlits / a["ways.store_column.one_gpc.sms18.mean"];
     }},
    {"l2_whole_flits_per_kilocycle", "ways",
     "1000 times 132 SMs' 20 flits over ways.store16.all of the two GPCs of 18 SMs, which end "
     "last,",
     [](const Answers& a) { return sent_by_all(a, "store16", 4 * (1 + kSectors)); }},
    {"l2_partial_flits_per_kilocycle", "ways",
     "1000 times 132 SMs' 64 flits over ways.store_column.all of the two GPCs of 18 SMs, which "
     "end last,",
     [](const Answers& a) { return sent_by_all(a, "store_column", 2 * kLanes); }},
    {"l2_far_flits_per_kilocycle", "halves",
     "1000 times what 66 SMs load and 66 store, 8 rounds of 32 warps, over "
     "work.copy.far.home.w32.done",
     [](const Answers& a) {
       constexpr double kFlits = 1000.0 * 2 * 66 * 8 * 32 * 4 * kSectors;
       return kFlits / a["work.copy.far.home.w32.done"];
     }},
    {"l2_read_lines_per_kilocycle", "ways",
     "1000 times 132 SMs' 32 lines over ways.load_apart.all of the two GPCs of 18 SMs, which end "
     "last,",
     [](const Answers& a) { return sent_by_all(a, "load_apart", kLanes); }},
    {"l2_read_bytes_per_cycle", "contention",
     "132 SMs' 1024 bytes over scatter.load.blocks132.w32.lines8.sectors4",
     [](const Answers& a) {
       constexpr double kBytes = 132.0 * 1024;
       return kBytes / a["scatter.load.blocks132.w32.lines8.sectors4"];
     }},
    {"sm_outgoing_bytes", "full_ways",
     "144 bytes of each of the 117 of behind.line.all.n128.w1 that are not in a queue, "
     "less those done meanwhile",
     [](const Answers& a) {
       constexpr double kBytes = 144, kIssued = 128 - 11;
       return kBytes * (kIssued - a["behind.line.all.n128.w1.issued"] / each_line(a));
     }},
    {"sm_leaving_passes", "full_ways",
     "32 passes of each of the 16 of sends.float.b132.n8.w2, less those done when the next block "
     "begins, which from 16 to 32 is one in as many cycles as free.mean differ over 16",
     [](const Answers& a) {
       constexpr double kPasses = 32, kSent = 16;
       const double free = a["sends.float.b132.n8.w2.free.mean"];
       const double each = (a["sends.float.b132.n16.w2.free.mean"] - free) / kSent;
       return kPasses * (kSent - free / each);
     }},
    {"sm_passing_passes", "full_ways",
     "4 passes of each of the 48 of behind.line.all.n48.w1, less those done when the load behind "
     "them comes",
     [](const Answers& a) {
       constexpr double kPasses = 4, kSent = 48;
       const double time =
           a["behind.line.all.n48.w1.issued"] + a["behind.line.all.n48.w1.load"];
       return kPasses * (kSent - time / each_line(a));
     }},
    {"lsu_own_entries", "memory_turns",
     "half of what loads.global.apart128.n32.w4 has on the way more than w2, less the queue's 8",
     [](const Answers& a) {
       return (on_the_way(a, "global", 4) - on_the_way(a, "global", 2)) / 2 - 8;
     }},
    {"lsu_load_entries", "memory_turns",
     "what loads.global.apart128.n32.w2 has on the way, twice, less those of w4",
     [](const Answers& a) {
       return 2 * on_the_way(a, "global", 2) - on_the_way(a, "global", 4);
     }},
    {"lsu_shared_entries", "memory_turns",
     "what loads.shared.apart128.n32.w2 has on the way, twice, less those of w4",
     [](const Answers& a) {
       return 2 * on_the_way(a, "shared", 2) - on_the_way(a, "shared", 4);
     }},
    {"lsu_special_entries", "machine_code",
     "issue.s2r.n24.w4, which are served in 2 cycles each: those behind the queue",
     [](const Answers& a) {
       constexpr double kIssued = 24, kSubCores = 4, kQueue = 8, kFirst = 10, kInterval = 2;
       const double served = (a["issue.s2r.n24.w4"] - kFirst) / kInterval;
       return kIssued - served / kSubCores - kQueue;
     }},
    {"lsu_store_entries", "memory", "issue.stg128.n32.w4: those behind the queue",
     [](const Answers& a) { return behind_queue(a, "stg128", 16); }},
    {"sm_write_bytes_per_cycle", "memory", "bandwidth.l2_write.sm.threads256",
     value_of<"bandwidth.l2_write.sm.threads256">},
    {"dram_bytes_per_kilocycle", "memory", "1000 times bandwidth.dram_write.chip.threads1024",
     [](const Answers& a) {
       constexpr double kKilo = 1000;
       return kKilo * a["bandwidth.dram_write.chip.threads1024"];
     }},
    {"copy_latency", "copies", "to_device and to_host.pinned.bytes4096, mean, less launches.n0",
     [](const Answers& a) {
       return (short_copy(a, "to_device.pinned") + short_copy(a, "to_host.pinned")) / 2;
     }},
    {"copy_pageable_latency", "copies",
     "to_device and to_host.pageable.bytes4096, mean, less launches.n0",
     [](const Answers& a) {
       return (short_copy(a, "to_device.pageable") + short_copy(a, "to_host.pageable")) / 2;
     }},
    {"copy_device_latency", "copies", "within.device.bytes4096 less launches.n0",
     [](const Answers& a) { return short_copy(a, "within.device"); }},
    {"copy_pinned_rate", "copies", "to_device and to_host.pinned, 64 MiB less 4 MiB, mean",
     [](const Answers& a) {
       return (copy_rate(a, "to_device.pinned") + copy_rate(a, "to_host.pinned")) / 2;
     }},
    {"copy_pageable_rate", "copies", "to_device and to_host.pageable, 64 MiB less 4 MiB, mean",
     [](const Answers& a) {
       return (copy_rate(a, "to_device.pageable") + copy_rate(a, "to_host.pageable")) / 2;
     }},
    {"copy_device_rate", "copies", "within.device, 64 MiB less 4 MiB",
     [](const Answers& a) { return copy_rate(a, "within.device"); }},
    {"latency_printf", "cold_prints",
     "chars1, calls16 less calls1, over 15, less its character and the 133 of a lane",
     [](const Answers& a) {
       return further_print(a, "chars1") - print_character(a) - kLaneOfOneCharacter;
     }},
    {"latency_printf_first", "cold_prints",
     "chars1.calls1 less int1.calls0 and a further call",
     [](const Answers& a) { return first_print(a, "chars1", kOneThread); }},
    {"latency_printf_first_argument", "cold_prints",
     "the same of int1 less that of chars1",
     [](const Answers& a) {
       return first_print(a, "int1", kOneLane) - first_print(a, "chars1", kOneThread);
     }},
    {"latency_printf_lane", "printing",
     "printf.arguments1.b1.w1, later, lanes32 less lanes1, over 31", print_lane},
    {"latency_printf_lane_character", "cold_prints",
     "a further call of hello, lanes32 less lanes1, over 31, less the 133 of one character, over 26",
     [](const Answers& a) {
       constexpr double kMoreCharacters = 27 - 1;
       const double lane = (further_print(a, "hello", "b1.t32.lanes32", 8, 4) -
                            further_print(a, "hello", kOneLane, 4)) /
                           (kManyLanes - 1);
       return kPercent * (lane - kLaneOfOneCharacter) / kMoreCharacters;
     }},
    {"latency_printf_argument", "cold_prints",
     "int8 less chars1, calls16 less calls1, over 15, less 7 characters, over 8", print_argument},
    {"latency_printf_character", "cold_prints",
     "chars64 less chars1, calls16 less calls1, over 15, over 63", print_character},
    {"latency_printf_string_character", "cold_prints",
     "string32 less chars1, calls16 less calls1, over 15, less an argument, over 31",
     [](const Answers& a) {
       constexpr double kCharacters = 31;
       return (further_print(a, "string32") - further_print(a, "chars1") - print_argument(a)) /
              kCharacters;
     }},
    {"interval_printf", "cold_prints", "int1.b132.t32.lanes4, calls4 less calls1, over 3 and 132",
     [](const Answers& a) { return print_turn(a, 4); }},
    {"interval_printf_lane", "cold_prints", "the same of lanes32 less lanes4, over 28",
     [](const Answers& a) {
       return (print_turn(a, 32) - print_turn(a, 4)) / (kManyLanes - kFewLanes);
     }},
    {"latency_membar_cta", "cold_launches", "fence.cta.stores0, membar",
     [](const Answers& a) { return fence(a, "cta"); }},
    {"l0_instruction_bytes", "jumps", "128 times the jumps of chain.lines1.w1 at 11 cycles each",
     [](const Answers& a) {
       constexpr double kAtOnce = 11, kLineBytes = 128;
       double most = 0;
       for (const int jumps : {8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96}) {
         if (a[fmt::format("chain.lines1.jumps{}.w1", jumps)] > kAtOnce) break;
         most = jumps;
       }
       return most * kLineBytes;
     }},
    {"l1_instruction_bytes", "control", "largest warm loop of 1 warp below 1.25 cycles",
     [](const Answers& a) { return last_size_below(a, "w1", 1.25); }},
    {"l1_instruction_ways", "big_loops",
     "32 KiB over what loop.kib40.w1.delay0.b1 has more, the smallest whose lines all miss,",
     [](const Answers& a) {
       constexpr double kHeld = 32, kNearly = 0.98;
       const auto pace = [&](int kib) {
         return a[fmt::format("loop.kib{}.w1.delay0.b1.warp0", kib)];
       };
       for (const int kib : {34, 37, 40, 48})
         if (pace(kib) > kNearly * pace(64)) return kHeld / (kib - kHeld);
       return kHeld;
     }},
    {"interval_l1_instruction_line", "big_loops",
     "chain.kib64.w16.delay500.b1, the mean of the warps, over two,",
     [](const Answers& a) {
       constexpr int kWarps = 16;  // each wants a line in eight of its instructions
       constexpr double kInstructions = 8;
       double sum = 0;
       for (int warp = 0; warp < kWarps; ++warp)
         sum += a[fmt::format("chain.kib64.w16.delay500.b1.warp{}", warp)];
       return sum / kWarps * kInstructions / kWarps;
     }},
    {"l15_instruction_bytes", "control", "largest warm loop of 1 warp below 3 cycles",
     [](const Answers& a) { return last_size_below(a, "w1", 3); }},
    {"latency_xu", "machine_code", "latency.mufu", value_of<"latency.mufu">},
    {"latency_shuffle", "machine_code", "latency.shfl", value_of<"latency.shfl">},
    {"latency_special_register", "machine_code", "latency.s2r_tid", value_of<"latency.s2r_tid">},
    {"latency_special_block", "machine_code", "latency.s2r_ctaid",
     value_of<"latency.s2r_ctaid">},
    {"latency_special_uniform", "machine_code", "latency.s2ur_tid", value_of<"latency.s2ur_tid">},
    {"latency_barrier_move", "machine_code", "half of slope.bmov.clear+bmov.w1 less its two NOPs",
     [](const Answers& a) {
       constexpr double kNops = 2;
       return (a["slope.bmov.clear+bmov.w1"] - kNops) / 2;
     }},
    {"latency_uniform_move", "machine_code", "latency.redux", value_of<"latency.redux">},
    {"latency_shared_load", "machine_code", "latency.lds32", value_of<"latency.lds32">},
    {"latency_shared_atomic", "machine_code", "latency.atoms_add", value_of<"latency.atoms_add">},
    {"latency_constant_load", "machine_code", "latency.ldc_immediate",
     value_of<"latency.ldc_immediate">},
    {"latency_l1_hit", "machine_code", "latency.ldg32", value_of<"latency.ldg32">},
    {"latency_operand_read", "machine_code", "sources_read.ldg32", value_of<"sources_read.ldg32">},
    {"latency_store_read", "machine_code", "sources_read.stg32", value_of<"sources_read.stg32">},
    {"latency_branch_taken", "machine_code", "slope.bra.next.w1", value_of<"slope.bra.next.w1">},
    {"latency_branch_indirect", "machine_code", "slope.mov+ret.w1 less the 6 of MOV",
     [](const Answers& a) {
       constexpr double kMovStall = 6;
       return a["slope.mov+ret.w1"] - kMovStall;
     }},
    {"latency_branch_beside", "machine_code", "slope.bra.next, two warps less one",
     [](const Answers& a) { return a["slope.bra.next.w8"] - a["slope.bra.next.w1"]; }},
    {"latency_branch_not_taken", "machine_code", "slope.bra.not_taken.stall1.w1",
     value_of<"slope.bra.not_taken.stall1.w1">},
    {"latency_branch_divergent", "machine_code",
     "split.two_bsyncs: from the clock before the branch to the one after, less the clock's stall "
     "count of 1",
     [](const Answers& a) { return a["readings.split.two_bsyncs.thread31.reading1"] - 1; }},
    {"latency_group_switch", "machine_code",
     "split.two_bsyncs: from the clock before the first BSYNC to the other side's, less 1",
     [](const Answers& a) {
       return a["readings.split.two_bsyncs.thread0.reading3"] -
              a["readings.split.two_bsyncs.thread31.reading2"] - 1;
     }},
    {"latency_branch_fetch", "warm_jumps",
     "loop.b1.t32, jumps8 less jumps0, no_instruction, over 800 jumps",
     [](const Answers& a) {
       constexpr double kJumps = 800;
       return (a["loop.jumps8.b1.t32.no_instruction"] - a["loop.jumps0.b1.t32.no_instruction"]) /
              kJumps;
     }},
    {"latency_group_fetch", "warm_jumps",
     "loop.own.b1.t32, groups2 less groups1, no_instruction, over 200 splits and switches",
     [](const Answers& a) {
       constexpr double kSplitsAndSwitches = 200;
       return (a["loop.groups2.own.b1.t32.no_instruction"] -
               a["loop.groups1.own.b1.t32.no_instruction"]) /
              kSplitsAndSwitches;
     }},
    {"latency_reconvergence", "machine_code", "slope.bssy+bsync.w1 less the 5 of BSSY",
     [](const Answers& a) {
       constexpr double kBssyStall = 5;
       return a["slope.bssy+bsync.w1"] - kBssyStall;
     }},
    {"latency_restored_reconvergence", "machine_code",
     "slope.bssy+bmov.clear+bmov+bsync.w1 less the two BMOV and the 5 of BSSY",
     [](const Answers& a) {
       constexpr double kBssyStall = 5;
       return a["slope.bssy+bmov.clear+bmov+bsync.w1"] - a["slope.bmov.clear+bmov.w1"] - kBssyStall;
     }},
    {"latency_warp_reunion", "machine_code",
     "split.warpsync: from the clock before the last group's two NOPs, less those and the clock's "
     "2",
     [](const Answers& a) {
       constexpr double kNopsAndClock = 4;
       return a["readings.split.warpsync.thread0.reading3"] -
              a["readings.split.warpsync.thread0.reading2"] - kNopsAndClock;
     }},
    {"latency_stall_zero", "machine_code", "slope.nop.stall0.yield.w1",
     value_of<"slope.nop.stall0.yield.w1">},
    {"interval_uniform", "machine_code", "slope.uiadd3.w1", value_of<"slope.uiadd3.w1">},
    {"interval_cbu", "machine_code", "slope.bssy.w1", value_of<"slope.bssy.w1">},
    {"register_banks", "machine_code",
     "slope.banks.ffma.a0b2c1.w1: registers 12 and 10 share a bank, so two,",
     [](const Answers& a) { return a["slope.banks.ffma.a0b2c1.w1"] > 1.5 ? 2.0 : 4.0; }},
    {"register_reads_per_bank", "machine_code", "3 over slope.banks.ffma.a0b0c0.w1",
     [](const Answers& a) {
       constexpr double kReads = 3;
       return kReads / a["slope.banks.ffma.a0b0c0.w1"];
     }},
    {"latency_constant_place", "lane_constants",
     "lanes.words.n32.chain less that of n1, over the 31 addresses more,",
     [](const Answers& a) {
       constexpr double kMore = 31;
       return (a["lanes.words.n32.chain"] - a["lanes.words.n1.chain"]) / kMore;
     }},
    {"latency_malloc", "heap", "malloc.bytes16.b1.w1.lanes1.later",
     value_of<"malloc.bytes16.b1.w1.lanes1.later">},
    {"latency_malloc_first", "heap", "malloc.bytes16.b1.w1.lanes1, first less later,",
     [](const Answers& a) {
       return heap_call(a, "malloc", 1, "first") - heap_call(a, "malloc", 1, "later");
     }},
    {"latency_malloc_lane", "heap",
     "malloc.bytes16.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "malloc"); }},
    {"latency_malloc_lane_256", "heap",
     "malloc.bytes256.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "malloc", 256); }},
    {"latency_malloc_lane_1024", "heap",
     "malloc.bytes1024.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "malloc", 1024); }},
    {"latency_malloc_lane_4096", "heap",
     "malloc.bytes4096.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "malloc", 4096); }},
    {"latency_malloc_lane_16384", "heap",
     "malloc.bytes16384.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "malloc", 16384); }},
    {"latency_malloc_lane_65536", "heap",
     "malloc.bytes65536.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "malloc", 65536); }},
    {"interval_malloc_1024", "heap", "malloc.bytes1024.b132.w1.lanes1.span over its 1,056 calls",
     [](const Answers& a) {
       constexpr double kCalls = 132 * 8;
       return a["malloc.bytes1024.b132.w1.lanes1.span"] / kCalls;
     }},
    {"interval_malloc", "heap", "malloc.bytes16.b132.w8.lanes1.span over its 8,448 calls",
     [](const Answers& a) { return heap_interval(a, 1); }},
    {"interval_malloc_lane", "heap",
     "malloc.bytes16.b132.w8.lanes32.span less that of lanes1, over 8,448 calls and 31 lanes,",
     [](const Answers& a) {
       return (heap_interval(a, 32) - heap_interval(a, 1)) / (kManyLanes - 1);
     }},
    {"latency_free", "heap", "free.bytes16.b1.w1.lanes1.later",
     value_of<"free.bytes16.b1.w1.lanes1.later">},
    {"latency_free_lane", "heap",
     "free.bytes16.b1.w1.lanes32.later less that of lanes1, over the 31 lanes more,",
     [](const Answers& a) { return heap_lane(a, "free"); }},
    {"l1_ways", "l1_places",
     "scattered.shared0.n1024, the share that misses: of 2, 4, 8 or 16 ways those by which chance "
     "comes nearest to it",
     [](const Answers& a) { return likeliest_ways(a["scattered.shared0.n1024"] / kPercent); }},
    {"latency_yield", "yields", "yield.none.gap0.w1", value_of<"yield.none.gap0.w1">},
    {"interval_yield", "yields", "yield.none.gap0.w32 over the 8 warps of a sub-core",
     [](const Answers& a) { return a["yield.none.gap0.w32"] / 8; }},
    {"interval_membar_cta", "spinning", "100 times fence.block.b528.w8 over the 32 warps of an SM",
     [](const Answers& a) { return kHundredOfSm * a["fence.block.b528.w8"]; }},
    {"latency_mbarrier", "spinning",
     "half of mbarrier.test.all.b1.w1 less the 20 of the loop around the two",
     [](const Answers& a) {
       constexpr double kLoop = 20;
       return (a["mbarrier.test.all.b1.w1"] - kLoop) / 2;
     }},
    {"interval_mbarrier", "spinning",
     "mbarrier.try.all, w32 less w1, over 31 warps and two instructions",
     [](const Answers& a) {
       constexpr double kInstructions = 31 * 2;
       return (a["mbarrier.try.all.b1.w32"] - a["mbarrier.try.all.b1.w1"]) / kInstructions;
     }},
    {"interval_mbarrier_test", "poll_loops", "loop.test.all.w32 over its warps",
     [](const Answers& a) { return a["loop.test.all.w32"] / kLanes; }},
    {"latency_texture", "textures", "chain.point less the 30 of the loop around it",
     [](const Answers& a) {
       constexpr double kLoop = 30;
       return a["chain.point"] - kLoop;
     }},
    {"latency_texture_buffer", "textures",
     "chain.words less the 45 of the loop and of two conversions",
     [](const Answers& a) {
       constexpr double kLoop = 45;
       return a["chain.words"] - kLoop;
     }},
    {"latency_texture_header", "textures", "walk.n1 less what the second read of walk.n2 takes",
     [](const Answers& a) { return 2 * a["walk.n1"] - a["walk.n2"]; }},
    {"texture_queue_entries", "textures",
     "issue.tex.w1: of 32 reads those before n32 less n1, over 8",
     [](const Answers& a) {
       constexpr double kReads = 32, kQuads = 8;
       return kReads - (a["issue.tex.n32.w1"] - a["issue.tex.n1.w1"]) / kQuads;
     }},
    {"interval_texture_quad", "textures",
     "100 times issue.tex.w4, n32 less n24, over the 8 reads more of 4 warps and their 8 quads",
     [](const Answers& a) {
       constexpr double kMore = 8 * 4 * 8;
       return kPercent * (a["issue.tex.n32.w4"] - a["issue.tex.n24.w4"]) / kMore;
     }},
    {"interval_texture_buffer_quad", "textures",
     "100 times reads.words.row, w32 less w8, over 384 reads and 8 quads",
     [](const Answers& a) {
       constexpr double kMany = 512, kSome = 128, kQuads = 8;
       return kPercent * (a["reads.words.row.w32"] * kMany - a["reads.words.row.w8"] * kSome) /
              (kMany - kSome) / kQuads;
     }},
    {"texture_bytes_per_cycle", "textures", "512 over reads.point4.row.w32",
     [](const Answers& a) { return kWideBytes / a["reads.point4.row.w32"]; }},
    {"texture_filter_bytes_per_cycle", "textures", "512 over reads.linear4.row.w32",
     [](const Answers& a) { return kWideBytes / a["reads.linear4.row.w32"]; }},
    {"l2_atomic_wide_interval", "one_address",
     "100 times words.atom.cas.lanes16.stride16 over its 8 sectors",
     [](const Answers& a) {
       constexpr double kTouched = 8;
       return kPercent * a["words.atom.cas.lanes16.stride16"] / kTouched;
     }},
    {"latency_group_product", "async_units",
     "split.shared.x8.64.g1, issue, less the 10 of instructions before the first product and the "
     "32 of one in the unit,",
     [](const Answers& a) { return a["split.shared.x8.64.g1.issue"] - kBeforeProduct - kInUnit; }},
    {"latency_group_product_registers", "async_units",
     "split.registers.x1.64.g1 less split.shared.x1.64.g1, issue and wait, and the 12 of moves "
     "before it, and latency_group_product,",
     [](const Answers& a) {
       constexpr double kMoves = 12, kShared = 28;
       return kShared + product_time(a, "registers") - product_time(a, "shared") - kMoves;
     }},
    {"latency_group_done", "async_units",
     "split.shared.x1.64.g1, issue and wait, less the 26 of instructions around it, the 32 in the "
     "unit and latency_group_product,",
     [](const Answers& a) {
       constexpr double kAround = 26, kBegin = 28;
       return product_time(a, "shared") - kAround - kInUnit - kBegin;
     }},
    {"group_queue_entries", "async_units",
     "split.shared.x8.64.g2, wait, less the 17 behind it, the last product and "
     "latency_group_done, over the 32 of one in the unit",
     [](const Answers& a) {
       constexpr double kBehind = 17, kDone = 14;
       return (a["split.shared.x8.64.g2.wait"] - kBehind - kInUnit - kDone) / kInUnit;
     }},
    {"latency_bulk_read", "async_units",
     "boxes.r8, issue, x2.w1 less x1.w1 and the 48 of its loop,",
     [](const Answers& a) {
       constexpr double kLoop = 48;
       return a["boxes.r8.x2.w1.issue"] - a["boxes.r8.x1.w1.issue"] - kLoop;
     }},
    {"latency_first_map", "async_units", "maps.plain.first less maps.prefetched.first",
     [](const Answers& a) { return a["maps.plain.first"] - a["maps.prefetched.first"]; }},
    {"interval_box_line", "async_units",
     "100 times shared_out.all.c2.rank0, wait, r128 less r64, over the 128 lines more of two boxes",
     [](const Answers& a) {
       constexpr double kMore = 128;
       return kPercent *
              (a["shared_out.all.c2.r128.rank0.wait"] - a["shared_out.all.c2.r64.rank0.wait"]) /
              kMore;
     }},
    {"interval_box_request", "box_requests",
     "100 times missing.pitch1024.w128.r128, p25, row127 less row0, over the 127 lines between",
     [](const Answers& a) {
       constexpr double kBetween = 127;
       return kPercent *
              (a["missing.pitch1024.w128.r128.row127.p25"] -
               a["missing.pitch1024.w128.r128.row0.p25"]) /
              kBetween;
     }},
    {"interval_stored_line", "async_units",
     "100 times leaving.stores.read.x1.b1, wait, r128 less r64, over 64",
     [](const Answers& a) { return leaving_line(a, "stores"); }},
    {"interval_added_line", "async_units",
     "100 times leaving.adds.read.x1.b1, wait, r128 less r64, over 64",
     [](const Answers& a) { return leaving_line(a, "adds"); }},
    {"latency_membar_copies", "async_units", "fenced.own_done.arrive less fenced.nothing.arrive",
     [](const Answers& a) { return a["fenced.own_done.arrive"] - a["fenced.nothing.arrive"]; }},
    {"latency_give_registers", "async_units",
     "registers.give less the 27 of instructions around it,",
     [](const Answers& a) {
       constexpr double kAround = 27;
       return a["registers.give"] - kAround;
     }},
    {"latency_take_registers", "async_units",
     "registers.take less the 45 of instructions around it,",
     [](const Answers& a) {
       constexpr double kAround = 45;
       return a["registers.take"] - kAround;
     }},
    {"latency_far_arrival", "async_units",
     "half of twice the wait less the arrival of turns.block, less the 49 of the wait's own end,",
     [](const Answers& a) {
       constexpr double kEnd = 49;
       return (2 * a["turns.block.wait"] - a["turns.block.arrive"]) / 2 - kEnd;
     }},
    {"lsu_address_interval", "machine_code", "issue.ldg32.w1, n24 less n16, over 8",
     [](const Answers& a) { return per_instruction(a, "ldg32", 1); }},
    {"lsu_shared_interval", "machine_code", "issue.lds32.w4, n24 less n16, over 8 and 4 sub-cores",
     [](const Answers& a) {
       constexpr double kSubCores = 4;
       return per_instruction(a, "lds32", 4) / kSubCores;
     }},
    {"interval_special_register", "machine_code",
     "issue.s2r.w4, n24 less n20, over 4 and 4 sub-cores",
     [](const Answers& a) {
       constexpr double kMore = 4 * 4;
       return (a["issue.s2r.n24.w4"] - a["issue.s2r.n20.w4"]) / kMore;
     }},
    {"interval_constant_load", "machine_code", "issue.ldc.w4, n24 less n16, over 8 and 4 sub-cores",
     [](const Answers& a) {
       constexpr double kSubCores = 4;
       return per_instruction(a, "ldc", 4) / kSubCores;
     }},
    {"interval_special_uniform", "queues",
     "alone.s2ur.w4, n24 less n16, over 8 and 4 sub-cores",
     [](const Answers& a) {
       constexpr double kMore = 8 * 4;
       return (a["alone.s2ur.n24.w4.mean"] - a["alone.s2ur.n16.w4.mean"]) / kMore;
     }},
    {"adu_queue_entries", "machine_code", "issue.ldc.w1: how many issue one a cycle",
     [](const Answers& a) {
       double together = 0;
       for (const int n : {1, 2, 3, 4, 5, 6, 7, 8})
         if (a[fmt::format("issue.ldc.n{}.w1", n)] <= n + 1) together = n;
       return together;
     }},
    {"adu_shared_entries", "machine_code",
     "issue.ldc.n24.w2: taken, but not begun with at one in 2 cycles, when the last two issue",
     [](const Answers& a) {
       // The 39th and 40th were taken 8 cycles before; the unit began with the first one at 3.
       constexpr double kTaken = 39.5 - 1, kReturn = 8, kFirst = 3, kInterval = 2;
       return kTaken - (a["issue.ldc.n24.w2"] - kReturn - kFirst) / kInterval;
     }},
    {"latency_adu_queue", "machine_code", "issue.ldc.w1, n5 less n1",
     [](const Answers& a) { return a["issue.ldc.n5.w1"] - a["issue.ldc.n1.w1"]; }},
    {"interval_barrier_arrival", "control", "sync.barrier, w32 less w1, over 31",
     [](const Answers& a) {
       return (a["sync.barrier.w32"] - a["sync.barrier.w1"]) / 31;
     }},
    {"mio_queue_entries", "machine_code",
     "issue.ldg32.w1: so many issue one a cycle, less those that left meanwhile",
     [](const Answers& a) {
       double together = 0;
       for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16})
         if (a[fmt::format("issue.ldg32.n{}.w1", n)] <= n + 1) together = n;
       return together - std::floor(together / per_instruction(a, "ldg32", 1));
     }},
    {"lsu_special_address_interval", "machine_code", "issue.s2r.w1, n24 less n16, over 8",
     [](const Answers& a) { return per_instruction(a, "s2r", 1); }},
    {"latency_l0_instruction_miss", "jumps", "chain.lines8.jumps28.w1 less lines1",
     [](const Answers& a) { return a["chain.lines8.jumps28.w1"] - a["chain.lines1.jumps28.w1"]; }},
    {"latency_line_behind", "jumps", "behind.jump.place7.w1, n1 less n0",
     [](const Answers&
            a) { return a["behind.jump.place7.n1.w1"] - a["behind.jump.place7.n0.w1"]; }},
    {"latency_membar_gpu", "cold_launches", "fence.gpu.stores0, membar",
     [](const Answers& a) { return fence(a, "gpu"); }},
    {"latency_membar_sys", "cold_launches", "fence.sys.stores0, membar",
     [](const Answers& a) { return fence(a, "sys"); }},
    {"latency_errbar", "cold_launches", "fence.vc_errbar.stores0 less fence.vc.stores0, membar,",
     [](const Answers& a) { return fence(a, "vc_errbar") - fence(a, "vc"); }},
    {"latency_exit", "cold_launches", "nothing.b1.t32, branch_resolving",
     value_of<"nothing.b1.t32.branch_resolving">},
    {"latency_store_left", "cold_launches",
     "end.stg1.b1.t32, drain and branch_resolving, and the stall counts of 4 and 5",
     [](const Answers& a) {
       return a["end.stg1.b1.t32.drain"] + a["end.stg1.b1.t32.branch_resolving"] + kStoreStall +
              kExitStall;
     }},
    {"sm_start_cycles", "cold_launches",
     "median over 32 places of place_*.b1.t32, active less the warp's cycles,",
     [](const Answers& a) {
       std::vector<double> before;
       for (const int place : kPlaces)
         before.push_back(before_the_warp(a, fmt::format("place_{}.b1.t32", place)));
       std::ranges::sort(before);
       return before[before.size() / 2];
     }},
    {"latency_operand_miss", "cold_launches",
     "constant.operand.late.lines1.b1.t32, imc_miss and the stall count of 5",
     [](const Answers& a) {
       constexpr double kMovStall = 5;
       return a["constant.operand.late.lines1.b1.t32.imc_miss"] + kMovStall;
     }},
    {"interval_l15_instruction_line", "cold_launches",
     "straight.in_long.lines512.b1.t32 less lines128, over 384",
     [](const Answers& a) { return per_line(a, 128, 512, "b1.t32"); }},
    {"interval_dram_instruction_line", "cold_launches",
     "straight.in_long.lines1024.b1.t32 less lines640, over 384",
     [](const Answers& a) { return per_line(a, 640, 1024, "b1.t32"); }},
    {"interval_cpc_line", "block_places",
     "100 times places.t32.r0.b132.begin.cold.last over the four first lines of each of the five "
     "SMs of a CPC before its last,",
     [](const Answers& a) {
       constexpr double kHundred = 100, kSms = 5, kLines = 4;
       return kHundred * a["places.t32.r0.b132.begin.cold.last"] / (kSms * kLines);
     }},
    {"latency_launch_code", "code_sizes",
     "mean over 36 kernels of nothing.*.b1.t32, no_instruction, less the 58 from the GPC's cache,",
     [](const Answers& a) {
       return mean_of_sizes(a, "nothing", "no_instruction") - kFromGpcCache;
     }},
    {"latency_launch_constants", "code_sizes",
     "mean over 36 kernels of nothing.*.b1.t32, no_instruction, and of constant.*.b1.t32, "
     "imc_miss, less the 47 of a constant that is there,",
     [](const Answers& a) {
       constexpr double kIsThere = 47;
       return mean_of_sizes(a, "nothing", "no_instruction") +
              mean_of_sizes(a, "constant", "imc_miss") - kIsThere;
     }},
    {"latency_launch_far", "cold_launches",
     "median over 32 places of place_*.b16.t32, active less its mean over the 16 SMs,",
     [](const Answers& a) {
       constexpr double kBlocks = 16, kSms = 132;
       std::vector<double> beyond;
       for (const int place : kPlaces) {
         const std::string name = fmt::format("place_{}.b16.t32.", place);
         beyond.push_back(a[name + "active"] - a[name + "active_mean"] * kSms / kBlocks);
       }
       std::ranges::sort(beyond);
       return beyond[beyond.size() / 2];
     }},
    {"latency_launch_dispatched", "code_sizes",
     "mean over 36 kernels of nothing.*.b132.t256, no_instruction, less the 58 from the GPC's "
     "cache, 36 and 20 that SMs of a CPC and their sub-cores wait for one another and half of the "
     "128 until the last SM has its block,",
     [](const Answers& a) {
       constexpr double kOfCpc = 36, kOfSubCores = 20, kDispatched = 128;
       return mean_of_sizes(a, "nothing", "no_instruction", "b132.t256") - kFromGpcCache - kOfCpc -
              kOfSubCores - kDispatched / 2;
     }},
    {"interval_gpc_constant", "cold_launches",
     "100 times prologue.all.b132.t256 less b1.t256, imc_miss, of two constants, over half of what "
     "the 16.5 SMs of a GPC ask for of each, twice a sub-core,",
     [](const Answers& a) {
       constexpr double kHundred = 100, kConstants = 2, kRequests = 16.5 * 4 * 2;
       return kHundred *
              (a["prologue.all.b132.t256.imc_miss"] - a["prologue.all.b1.t256.imc_miss"]) /
              kConstants / (kRequests / 2);
     }},
    {"interval_launch_line", "code_sizes",
     "100 times late|constant.lines128.*.b132 less lines1, active_mean, over the 127 lines more,",
     [](const Answers& a) {
       constexpr double kHundred = 100;
       constexpr int kKernels = 4, kFew = 1, kMany = 128;
       double more = 0;
       int count = 0;
       for (const char* what : {"late", "constant"})
         for (const char* threads : {"t32", "t256"})
           for (int place = 0; place < kKernels; ++place, ++count) {
             const auto active = [&](int lines) {
               return a[fmt::format("{}.lines{}.place{}.b132.{}.active_mean", what, lines, place,
                                    threads)];
             };
             more += active(kMany) - active(kFew);
           }
       return kHundred * more / count / (kMany - kFew);
     }},
    {"sm_block_start_interval", "block_starts", "begin.t32.r8.k7.first over the 7 blocks before,",
     [](const Answers& a) {
       constexpr double kBefore = 7;
       return a["begin.t32.r8.k7.first"] / kBefore;
     }},
    {"sm_block_start_cycles", "block_starts",
     "begin.t512.r2.k1.first less the 16 warps before, as begin.t1024.r1 has them,",
     [](const Answers& a) {
       constexpr double kBefore = 16, kOthers = 31;
       return a["begin.t512.r2.k1.first"] - kBefore * a["begin.t1024.r1.k0.last"] / kOthers;
     }},
    {"warp_start_interval", "block_starts", "begin.t1024.r1.k0.last over the 31 other warps",
     [](const Answers& a) {
       constexpr double kOthers = 31;
       return a["begin.t1024.r1.k0.last"] / kOthers;
     }},
    {"latency_block_start", "replacements",
     "mean of gap.spread.*.more132 less the 70 of the block's end and the next one's first "
     "instructions",
     [](const Answers& a) {
       constexpr double kEndAndBegin = 70;
       const char* const kinds[] = {"t32.r1",  "t32.r2",  "t32.r7",   "t256.r1",
                                    "t256.r2", "t256.r7", "t1024.r1", "t1024.r2"};
       double sum = 0;
       for (const char* kind : kinds) sum += a[fmt::format("gap.spread.{}.more132", kind)];
       return sum / static_cast<double>(std::size(kinds)) - kEndAndBegin;
     }},
    {"latency_launch", "cold_launches",
     "nothing.b1.t32, elapsed less active, less the 500 taken for latency_launch_end,",
     [](const Answers& a) {
       constexpr double kEnd = 500;
       return a["nothing.b1.t32.elapsed"] - a["nothing.b1.t32.active"] - kEnd;
     }},
    {"latency_l1_instruction_miss", "jumps", "chain.lines8.w1, jumps64 less jumps28,",
     [](const Answers& a) { return a["chain.lines8.jumps64.w1"] - a["chain.lines8.jumps28.w1"]; }},
};

const MicroRecord& record_of(const MicroRecords& records, std::string_view program) {
  const auto found = records.find(std::string(program));
  if (found == records.end()) throw std::runtime_error(fmt::format("no record of {}", program));
  return found->second;
}

// The row "name = { … }" of the file: where it begins and how long it is.
std::pair<std::size_t, std::size_t> find_row(std::string_view toml, std::string_view name) {
  const std::string key = fmt::format("\n{} = {{", name);
  const std::size_t at = toml.find(key);
  if (at == std::string_view::npos)
    throw std::runtime_error(fmt::format("the model has no row {}", name));
  const std::size_t begin = at + 1;
  return {begin, std::min(toml.find('\n', begin), toml.size()) - begin};
}

std::string_view unit_of(std::string_view row, std::string_view name) {
  constexpr std::string_view kKey = "unit = \"";
  const std::size_t at = row.find(kKey);
  if (at == std::string_view::npos)
    throw std::runtime_error(fmt::format("the model's row {} has no unit", name));
  const std::size_t begin = at + kKey.size();
  return row.substr(begin, row.find('"', begin) - begin);
}

}  // namespace

std::vector<Calibrated> calibrate(const MicroRecords& records) {
  std::vector<Calibrated> constants;
  for (const Recipe& recipe : kRecipes) {
    const MicroRecord& record = record_of(records, recipe.program);
    const double value = recipe.value(record);
    if (!(value >= 0) || value > 1e9)
      throw std::runtime_error(fmt::format("{}: {} is no value", recipe.constant, value));
    constexpr std::size_t kDay = 10;  // of 2026-11-21T22:32:03Z
    constants.push_back(
        {std::string(recipe.constant), static_cast<std::uint64_t>(std::llround(value)),
         fmt::format("measured: {} of gpu/kernels/micro/timing/{}.cu gave {:.4g} ({}, CUDA {}, {})",
                     recipe.how, recipe.program, value, record.device, record.compiler,
                     record.date.substr(0, kDay))});
  }
  return constants;
}

std::string calibrated_model(std::string_view toml, const MicroRecords& records) {
  std::string text(toml);
  for (const Calibrated& constant : calibrate(records)) {
    const auto [begin, size] = find_row(text, constant.name);
    const std::string row = fmt::format(
        "{} = {{ value = {}, unit = \"{}\", source = \"{}\" }}", constant.name, constant.value,
        unit_of(std::string_view(text).substr(begin, size), constant.name), constant.source);
    text.replace(begin, size, row);
  }
  return text;
}

}  // namespace heddle::validation
