// The seed kernels four ways: the sketch as written, the sketch derived from the debug build, the
// debug build on the model, and what an H200 counted of it.
//
//   seed_kernels [G or O3 = G] [rule of predication = off]
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "isa/sketch/launches.hpp"
#include "simulator/gpu_model.hpp"
#include "simulator/metrics.hpp"
#include "simulator/names.hpp"
#include "simulator/sketch.hpp"
#include "validation/replay.hpp"

namespace {

using namespace heddle;
namespace fs = std::filesystem;

const fs::path kRoot = HEDDLE_SOURCE_DIR;

using Launches = std::vector<simulator::LaunchRecord>;

Launches run_sketch(const fs::path& path, const isa::sketch::PredicationRule* rule) {
  Launches launches;
  if (!fs::exists(path)) return launches;
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  simulator::SketchProgram program(
      isa::sketch::compile(text.str(), path.string(), {.predication = rule, .read_file = {}}),
      path.string(), simulator::gpu_model("h200"));
  for (const auto& launch : isa::sketch::choose_launches(program.compiled(), {}))
    program.run(launch, 1, {}, [&](const simulator::SketchProgram::Ran& ran) {
      launches.push_back(
          simulator::make_launch_record(ran.request, ran.outcome, program.device().model()));
    });
  return launches;
}

Launches run_capsules(const fs::path& folder) {
  if (!fs::exists(folder)) return {};
  return validation::replay(validation::find_capsules(folder), {}).record.launches;
}

std::string cell(const Launches& launches, std::size_t index) {
  if (index >= launches.size()) return "–";
  const auto value = [&](const char* name) -> std::string {
    const auto found = simulator::value_of(launches[index].metrics, *simulator::find_metric(name));
    return found ? fmt::format("{:.4g}", *found) : "–";
  };
  const auto whole = [&](const char* name) {
    return fmt::format(
        "{:.0f}",
        simulator::value_of(launches[index].metrics, *simulator::find_metric(name)).value_or(0));
  };
  return fmt::format("{} / {} / {} / {}", whole("branch"), whole("divergent_branch"),
                     value("branch_efficiency"), value("warp_execution_efficiency"));
}

struct Kernel {
  const char* sketch;
  std::size_t first, launches;
  const char* entry;
};
constexpr Kernel kKernels[] = {
    {"simple_divergence", 0, 5, "simple_divergence"},
    {"reduce_integer", 0, 12, "reduce_integer_128"},
    {"reduce_float", 0, 2, "reduce_float"},
    {"sum_matrix_2d", 0, 1, "sum_matrix_2d_32x32"},
    {"sum_matrix_2d", 4, 1, "sum_matrix_2d_ragged"},
    {"matmul", 0, 5, "matmul"},
    {"matmul", 5, 2, "matmul_ragged"},
    {"nested_loops", 0, 1, "nested_loops"},
    {"vector_add", 0, 1, "vector_add"},
    {"print_stride", 0, 1, "print_stride"},
    {"block_40x2", 0, 1, "block_40x2"},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string build = argc > 1 ? argv[1] : "G";
  const auto* const rule = isa::sketch::find_predication_rule(argc > 2 ? argv[2] : "off");
  if (rule == nullptr || (build != "G" && build != "O3")) {
    fmt::print(stderr, "usage: seed_kernels [G or O3] [rule of predication]\n");
    return 2;
  }

  fmt::print(
      "| kernel | written sketch | derived sketch | SASS on the model | H200 |\n"
      "|---|---|---|---|---|\n");
  for (const Kernel& kernel : kKernels) {
    const std::string entry = kernel.entry;
    const Launches written =
        run_sketch(kRoot / "traces/kernels" / (std::string(kernel.sketch) + ".warp"), rule);
    const Launches derived = run_sketch(kRoot / "traces/kernels/derived" / (entry + ".warp"), rule);
    const Launches model =
        run_capsules(kRoot / "validation/capsules" / (entry + ".sm_90." + build));
    const Launches hardware = simulator::read_record(kRoot / "validation/records/h200" /
                                                     (entry + ".sm_90." + build + ".json.zst"))
                                  .launches;
    for (std::size_t i = 0; i < kernel.launches && i < hardware.size(); ++i)
      fmt::print("| {} {} | {} | {} | {} | {} |\n", entry, simulator::base_name(hardware[i].kernel),
                 cell(written, kernel.first + i), cell(derived, i), cell(model, i),
                 cell(hardware, i));
  }
}
