#include "validation/experiments/seed_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "simulator/base/display_names.hpp"
#include "simulator/record/metrics.hpp"
#include "validation/experiments/seed_runs.hpp"

namespace heddle::validation {
namespace {

using simulator::LaunchRecord;

std::string value(const LaunchRecord& launch, const char* metric) {
  const auto found = simulator::value_of(launch.metrics, *simulator::find_metric(metric));
  return found ? fmt::format("{:.4g}", *found) : "–";
}

std::uint64_t count(const LaunchRecord& launch, const char* metric) {
  return static_cast<std::uint64_t>(
      simulator::value_of(launch.metrics, *simulator::find_metric(metric)).value_or(0));
}

std::string efficiency(const LaunchRecord& launch) {
  return fmt::format("{} / {} / {}", count(launch, "branch"), count(launch, "divergent_branch"),
                     value(launch, "branch_efficiency"));
}

std::string cell(const LaunchRecord& launch) {
  return fmt::format("{} / {}", efficiency(launch), value(launch, "warp_execution_efficiency"));
}

std::string lanes(const LineCounts& line) {
  constexpr double kAll = 32;
  if (line.warps == 0) return "–";
  return fmt::format(
      "{} / {:.3g}", line.warps,
      100 * static_cast<double>(line.threads) / (kAll * static_cast<double>(line.warps)));
}

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (c != ' ') result += c;
  return result;
}

// An if or a loop without what it guards: up to the closing parenthesis.
std::string head(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(0, i + 1);
  }
  return text;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

// --- one kernel, line by line ---

bool has(const std::string& text, std::string_view what) {
  return text.find(what) != std::string::npos;
}

// What makes a line's branches more or fewer than those of the same line of the sketch: how many of
// each kind, which the code says, and why there are other conditions, which the line's text does.
std::string reason(const std::string& text, const LineCounts& build, const LineCounts& sketch,
                   bool predicated) {
  std::vector<std::string> why;
  const auto tell = [&](std::uint64_t ours, std::uint64_t theirs, std::string_view what) {
    if (ours == theirs) return;
    why.push_back(fmt::format("{}{} {}", ours > theirs ? "+" : "−",
                              ours > theirs ? ours - theirs : theirs - ours, what));
  };
  const bool divides = has(text, " % ") || has(text, " / ");
  const bool loops = has(text, "for (") || has(text, "while (");
  const auto more = [&] {
    if (divides) return "conditions: the sign of a dividend";
    if (has(text, "__")) return "conditions: whether there is stack enough";
    if (sketch.conditions == 0 && predicated)
      return "conditions, which the sketch has under predicates";
    return has(text, "&&") ? "conditions, which the sketch knows while compiling" : "conditions";
  };
  const auto fewer = [&] {
    if (loops) return "conditions: unrolled, or tested at the end";
    return build.conditions == 0 ? "conditions: under predicates" : "conditions";
  };
  tell(build.conditions, sketch.conditions,
       build.conditions > sketch.conditions ? more() : fewer());
  tell(build.next, sketch.next, "jumps to the next instruction");
  tell(build.ahead, sketch.ahead, "jumps ahead, past a side or to the end");
  tell(build.back, sketch.back, "jumps back, round the loop");
  tell(build.calls, sketch.calls, "calls and returns");
  return why.empty() ? "the same" : fmt::format("{}", fmt::join(why, "; "));
}

// A line of the build or the sketch, and its twin.
struct Row {
  std::string text;
  std::uint32_t line = 0;  // of the source; 0: the sketch's alone
  LineCounts build, sketch;
};

std::vector<Row> rows_of(const SeedEntry& entry, const LaunchRecord& model,
                         const LaunchRecord& written) {
  const std::filesystem::path path = entry.source;
  const auto source = lines_of(source_root() / "gpu/kernels" / path);
  const std::string sketch_name = std::string(entry.sketch) + ".warp";
  const auto sketch_text = lines_of(source_root() / "traces/kernels" / sketch_name);
  std::map<std::string, LineCounts> sketch;  // by what the line says
  std::map<std::string, std::string> texts;
  for (const auto& [line, counts] : by_line(written, sketch_name)) {
    const std::string& text = line == 0 ? sketch_name : sketch_text.at(line - 1);
    sketch[without_blanks(text)] = counts;
    texts[without_blanks(text)] = trimmed(text);
  }
  std::vector<Row> rows;
  for (const auto& [line, counts] : by_line(model, path.filename().string())) {
    const std::string text = line == 0 ? "(other files)" : trimmed(source.at(line - 1));
    Row row{text, line, counts, {}};
    auto same = sketch.find(without_blanks(text));
    if (same == sketch.end() && text.find('(') != std::string::npos)
      same = std::ranges::find_if(
          sketch, [&](const auto& each) { return head(each.first) == head(without_blanks(text)); });
    if (same != sketch.end()) {
      row.sketch = same->second;
      sketch.erase(same);
    }
    rows.push_back(row);
  }
  for (const auto& [text, counts] : sketch) rows.push_back({texts.at(text), 0, {}, counts});
  return rows;
}

void add(LineCounts& sum, const LineCounts& line) {
  sum.warps += line.warps;
  sum.threads += line.threads;
}

std::string line_table(const SeedEntry& entry, const LaunchRecord& model,
                       const LaunchRecord& written, bool predicated) {
  std::string table;
  LineCounts build, sketch;  // of the lines without branches
  for (const Row& row : rows_of(entry, model, written)) {
    if (row.build.branches == 0 && row.sketch.branches == 0) {
      add(build, row.build);
      add(sketch, row.sketch);
      continue;
    }
    table += fmt::format("| {} `{}` | {} / {} | {} / {} | {} | {} | {} |\n",
                         row.line == 0 ? "–" : fmt::format("{}", row.line), row.text,
                         row.build.branches, row.build.divergent, row.sketch.branches,
                         row.sketch.divergent, reason(row.text, row.build, row.sketch, predicated),
                         lanes(row.build), lanes(row.sketch));
  }
  return fmt::format(
      "**{}** of {}\n\n| line | build: branches / divergent | sketch: branches / divergent | the "
      "build has | build: warp instructions / lanes, % | sketch: the same |\n"
      "|---|---|---|---|---|---|\n{}| all others | 0 / 0 | 0 / 0 | | {} | {} |\n\n",
      simulator::base_name(model.kernel), entry.entry, table, lanes(build), lanes(sketch));
}

// --- all kernels ---

struct Compared {
  std::string table, lines;
  std::size_t launches = 0, written = 0, derived = 0, model = 0;  // divergent as on the H200
};

// The derived kernel of a launch: that of the first launch of its kernel.
const LaunchRecord& derived_of(const SeedLaunches& launches, std::size_t index) {
  std::set<std::string> seen;
  for (const LaunchRecord& each : launches.hardware) {
    if (each.kernel == launches.hardware[index].kernel) break;
    seen.insert(each.kernel);
  }
  return launches.derived.at(seen.size());
}

Compared four_ways(const std::string& build, const std::string& predication) {
  Compared result;
  result.table =
      "| kernel | written sketch | derived sketch | SASS on the model | H200 |\n"
      "|---|---|---|---|---|\n";
  for (const SeedEntry& entry : seed_entries()) {
    const SeedLaunches launches = seed_launches(entry, build, predication);
    for (std::size_t i = 0; i < entry.launches; ++i) {
      const LaunchRecord& hardware = launches.hardware[i];
      const LaunchRecord& derived = derived_of(launches, i);
      const std::uint64_t diverged = count(hardware, "divergent_branch");
      const auto equal = [&](const LaunchRecord& launch) {
        return count(launch, "divergent_branch") == diverged ? 1u : 0u;
      };
      ++result.launches;
      result.written += equal(launches.written[i]);
      result.derived += equal(derived);
      result.model += equal(launches.model[i]);
      result.table += fmt::format("| {} {} | {} | {} | {} | {} |\n", entry.entry,
                                  simulator::base_name(hardware.kernel), cell(launches.written[i]),
                                  cell(derived), cell(launches.model[i]), cell(hardware));
      const bool is_first = std::none_of(
          launches.hardware.begin(), launches.hardware.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const LaunchRecord& each) { return each.kernel == hardware.kernel; });
      if (is_first)
        result.lines +=
            line_table(entry, launches.model[i], launches.written[i], predication != "off");
    }
  }
  result.table += fmt::format(
      "\nDivergent branches as on the H200: {1} of {0} launches by the written sketch, {2} by the "
      "derived one, {3} by the machine code.\n",
      result.launches, result.written, result.derived, result.model);
  return result;
}

// --- the stack, beside what the seeds print ---

// What the seed documents print of simple_divergence: the first of a Quadro P2000 (nvprof,
// branch_efficiency and the events branch and divergent_branch), the third of a Tesla T4 (Nsight
// Compute). Their kernels in the order of the launches.
struct SeedNumbers {
  const char *kernel, *release, *debug, *debug_t4, *why;
};
constexpr SeedNumbers kSeedNumbers[] = {
    {"warmingup", "100", "11 / 0 / 100", "100", "the same: whole warps go one way"},
    {"mathKernel1", "100", "12 / 2 / 83.33", "83.33",
     "two divergent branches in each; of 12 branches with the compilers of the seeds, of 10 with "
     "nvcc 13.0, of 4 in the sketch, which has no jumps and no test for a negative dividend"},
    {"mathKernel2", "100", "11 / 0 / 100", "100", "the same: whole warps go one way"},
    {"mathKernel3", "100", "16 / 0 / 100", "71.43",
     "on the P2000 no branch diverged even in the debug build, where the seed says that the "
     "compiler had optimised a part: its two ifs were not branches; on the T4 and here 4 diverge, "
     "of 14 in machine code and of 4 in the sketch"},
    {"mathKernel4", "100", "6 / 0 / 100", "100",
     "the same: 0x01 == 0 comes first, so the condition is never true"},
};

std::string stack_machine() {
  const simulator::GpuModel& old = simulator::gpu_model("c1060");
  const Launches release = run_written("simple_divergence", "2009", old);
  const Launches debug = run_written("simple_divergence", "off", old);
  const Launches code =
      run_capsules("simple_divergence.sm_90.G", simulator::ReconvergencePolicy::stack);
  std::string table =
      "| kernel | P2000, release, % | sketch, rule of 2009 | P2000, debug | T4, debug, % | "
      "sm_90, debug, on the stack | sketch, no predication | beside the seeds' |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < std::size(kSeedNumbers); ++i) {
    const SeedNumbers& seed = kSeedNumbers[i];
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", seed.kernel, seed.release,
                         efficiency(release.at(i)), seed.debug, seed.debug_t4,
                         efficiency(code.at(i)), efficiency(debug.at(i)), seed.why);
  }
  return table;
}

// --- what is said around them ---

constexpr const char* kIntroduction =
    R"(# The seed kernels as sketches

`ninja -C build/release seed_kernels && build/release/validation/seed_kernels > docs/experiments/seed-kernels.md` prints this
page; a test (`validation/tests/seed_page_test.cpp`) makes it anew and compares. Each cell: branches / divergent branches /
branch efficiency, % / warp execution efficiency, %. Written sketches are those of `traces/kernels/`, derived ones those of
`traces/kernels/derived/`, which `scripts/derive_sketches.sh` makes of the builds' capsules; "SASS on the model" is the build
replayed from its capsule, and the H200's counts are of the same build (`validation/records/h200`).

)";

constexpr const char* kAfterDebug = R"(
Only nested_loops' derived sketch differs: what its branches do follows from data, so it draws (`chance(p)`) with the shares
that were measured, and threads no longer remember what they did before.

**Branches** are fewer in a sketch, so its branch efficiency is lower: the same divergent branches over fewer uniform ones. The
tables by line say where the debug build has more: it jumps from a condition to the next instruction, at the end of a side to
where the sides meet, at a `return` to the kernel's one end, and branches on the sign of a dividend. Derived sketches leave
out jumps, and branches that went one way for every thread (the `if` of mathKernel4, bounds checks that always hold).

**Warp execution efficiency** weighs each line by its instructions, which the tables by line give with the lanes that were on: at
a line that is one stretch the share of lanes is the build's; the weights are not. A written sketch is compiled tersely, where
the debug build moves every value through registers. Derived sketches have as many instructions in each stretch as the build
had; what is left are the sketch's own beside `work(n)`: the thread's index, the condition (with a remainder, a division),
the counter k, the branch, and the three that make the address of a `memory(1, …)`.

)";

constexpr const char* kBeforeRelease = R"(## Release builds (nvcc -O3)

Written sketches follow `--predication cuda13`, the rule measured of nvcc 13.0 (`validation/predication/README.md`); derived
ones have the branches that the build had, under no rule.

)";

constexpr const char* kAfterRelease = R"(
Of the mathKernels and the reductions every written sketch diverges as the build does. In the others nothing diverges, but for
nested_loops, whose release build unrolls the loop over j and tests in other places. Where the sketch has more branches, all of
them uniform, nvcc unrolled a loop (the tables by line say which); a sketch's loops stay loops.

)";

constexpr const char* kBeforeStack = R"(## The stack, and the rule of 2009

`heddle run --gpu c1060 traces/kernels/simple_divergence.warp` (and `--predication off`): a machine of compute capability
1.3, lanes that meet at post-dominators, branches made predicates by the rule of the CUDA programming guide of 2009
(`unvalidated`). Beside it what the seed documents print: the first of a Quadro P2000 (nvprof; release, then `-g -G`), the
third of a Tesla T4 (Nsight Compute, `-g -G`); and `heddle run --reconvergence stack
validation/capsules/simple_divergence.sm_90.G`. Cells: branches / divergent / branch efficiency, %.

)";

constexpr const char* kAfterStack = R"(
Release builds: nothing is left to diverge, with the rule of 2009 as with the compiler of the seeds: each side is one
instruction. The rule leaves no branch at all, so there is no efficiency to give; nvprof prints 100 % for that. Debug builds:
branch efficiency is a share of the branches that a compiler makes, and each compiler makes its own number of jumps; what
diverges is the same wherever the ifs are branches.

)";

constexpr const char* kBeforeLines = R"(## Line by line

Of the first launch of each kernel: the build on the model beside the written sketch at the line that says the same (a dash:
a line of the sketch alone). Branches count executions by warps; "lanes" is the share of 32 that was on, over the line's
instructions. "+64 jumps …": 64 more than in the sketch.

### Debug builds, no predication

)";

}  // namespace

std::string seed_page() {
  const Compared debug = four_ways("G", "off");
  const Compared release = four_ways("O3", "cuda13");
  std::string page = kIntroduction;
  page += "## Debug builds (nvcc -G), no predication\n\n" + debug.table + kAfterDebug;
  page += kBeforeRelease + release.table + kAfterRelease;
  page += kBeforeStack + stack_machine() + kAfterStack;
  page += kBeforeLines + debug.lines;
  page += "### Release builds, the rule of nvcc 13.0\n\n" + release.lines;
  page.pop_back();
  return page;
}

}  // namespace heddle::validation
