#include "validation/experiments/seed_runs.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "simulator/record/metrics.hpp"
#include "traces/sketch/launches.hpp"
#include "traces/sketch/run_sketch.hpp"
#include "validation/replay.hpp"

namespace heddle::validation {
namespace {

namespace fs = std::filesystem;
using simulator::InstructionRecord;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Launches run_sketch(const fs::path& path, const std::string& predication,
                    const simulator::GpuModel& gpu) {
  const auto* const rule = isa::sketch::find_predication_rule(predication);
  if (rule == nullptr) throw std::runtime_error(fmt::format("no rule {}", predication));
  const std::string name = path.filename().string();
  simulator::SketchProgram program(
      isa::sketch::compile(text_of(path), name, {.predication = rule, .read_file = {}}), name, gpu);
  Launches launches;
  for (const auto& launch : isa::sketch::choose_launches(program.compiled(), {}))
    program.run(launch, 1, {}, [&](const simulator::SketchProgram::Ran& ran) {
      launches.push_back(
          simulator::make_launch_record(ran.request, ran.outcome, gpu, {.per_instruction = true}));
    });
  return launches;
}

std::uint64_t count_of(const InstructionRecord& instruction, const char* metric) {
  return static_cast<std::uint64_t>(
      simulator::value_of(instruction.metrics, *simulator::find_metric(metric)).value_or(0));
}

// Adds a branch to where it belongs, by its text: "@!P0 BRA 0x60", "BRA P0, 0x60".
void count_branch(const InstructionRecord& in, std::uint64_t branches, LineCounts& line) {
  line.branches += branches;
  line.divergent += count_of(in, "divergent_branch");
  if (in.text.find("CALL") != std::string::npos || in.text.find("RET") != std::string::npos) {
    line.calls += branches;
    return;
  }
  if (in.text.starts_with('@') || in.text.find(" P") != std::string::npos ||
      in.text.find(" !P") != std::string::npos) {
    line.conditions += branches;
    return;
  }
  const std::size_t number = in.text.find("0x");
  std::uint64_t target = 0;
  constexpr int kHexadecimal = 16;
  constexpr std::uint64_t kInstruction = 16;
  if (number != std::string::npos)
    std::from_chars(in.text.data() + number + 2, in.text.data() + in.text.size(), target,
                    kHexadecimal);
  (target == in.pc + kInstruction ? line.next
   : target > in.pc               ? line.ahead
                                  : line.back) += branches;
}

}  // namespace

fs::path source_root() { return HEDDLE_SOURCE_DIR; }

const std::vector<SeedEntry>& seed_entries() {
  static const std::vector<SeedEntry> entries = {
      {"simple_divergence", 0, 5, "simple_divergence", "simple_divergence/simple_divergence.cu"},
      {"reduce_integer", 0, 12, "reduce_integer_128", "reduce_integer/reduce_integer.cu"},
      {"reduce_float", 0, 2, "reduce_float", "reduce_float/reduce_float.cu"},
      {"sum_matrix_2d", 0, 1, "sum_matrix_2d_32x32", "sum_matrix_2d/sum_matrix_2d.cu"},
      {"sum_matrix_2d", 4, 1, "sum_matrix_2d_ragged", "sum_matrix_2d/sum_matrix_2d.cu"},
      {"matmul", 0, 5, "matmul", "matmul/matmul.cu"},
      {"matmul", 5, 2, "matmul_ragged", "matmul/matmul.cu"},
      {"nested_loops", 0, 1, "nested_loops", "nested_loops/nested_loops.cu"},
      {"vector_add", 0, 1, "vector_add", "vector_add/vector_add.cu"},
      {"print_stride", 0, 1, "print_stride", "print_stride/print_stride.cu"},
      {"block_40x2", 0, 1, "block_40x2", "block_40x2/block_40x2.cu"},
  };
  return entries;
}

Launches run_written(const std::string& sketch, const std::string& predication,
                     const simulator::GpuModel& gpu) {
  return run_sketch(source_root() / "traces/kernels" / (sketch + ".warp"), predication, gpu);
}

Launches run_capsules(const std::string& name,
                      std::optional<simulator::ReconvergencePolicy> reconvergence) {
  ReplayOptions options;
  options.per_instruction = true;
  options.print = [](std::string_view) {};
  options.settings.reconvergence = reconvergence;
  return replay(find_capsules(source_root() / "validation/capsules" / name), options)
      .record.launches;
}

SeedLaunches seed_launches(const SeedEntry& entry, const std::string& build,
                           const std::string& predication) {
  const std::string name = entry.entry, compiled = name + ".sm_90." + build;
  const simulator::GpuModel& h200 = simulator::gpu_model("h200");
  SeedLaunches launches;
  const Launches written = run_written(entry.sketch, predication, h200);
  for (std::size_t i = 0; i < entry.launches; ++i)
    launches.written.push_back(written.at(entry.first + i));
  launches.derived = run_sketch(source_root() / "traces/kernels/derived" /
                                    (build == "G" ? name + ".warp" : build + "/" + name + ".warp"),
                                "off", h200);
  launches.model = run_capsules(compiled);
  launches.hardware =
      simulator::read_record(source_root() / "validation/records/h200" / (compiled + ".json.zst"))
          .launches;
  if (launches.model.size() < entry.launches || launches.hardware.size() < entry.launches)
    throw std::runtime_error(fmt::format("{}: fewer launches than {}", compiled, entry.launches));
  return launches;
}

std::map<std::uint32_t, LineCounts> by_line(const simulator::LaunchRecord& launch,
                                            const std::string& file) {
  std::map<std::uint32_t, LineCounts> lines;
  for (const InstructionRecord& each : launch.instructions) {
    std::uint32_t number = 0;
    if (each.line.starts_with(file + ":"))
      std::from_chars(each.line.data() + file.size() + 1, each.line.data() + each.line.size(),
                      number);
    LineCounts& line = lines[number];
    line.warps += count_of(each, "inst_executed");
    line.threads += count_of(each, "thread_inst_executed");
    if (const std::uint64_t branches = count_of(each, "branch"); branches != 0)
      count_branch(each, branches, line);
  }
  return lines;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::istringstream stream(text_of(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace heddle::validation
