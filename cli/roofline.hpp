// Where kernels stand below the roofs of a GPU: what it can compute, and what its memories deliver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/sweep_job.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::cli {

// A limit that rises with the intensity: work per byte or per sector times a bandwidth.
struct Bandwidth {
  std::string name;  // "DRAM"
  double bytes_per_second = 0;
};

// A limit that does not.
struct Ceiling {
  std::string name;  // "FP32"
  double work_per_second = 0;
};

// One kernel: work per second, and per byte that each memory moved. A memory that moved nothing is
// absent.
struct RooflinePoint {
  std::string kernel;
  double work_per_second = 0;
  std::vector<std::optional<double>> work_per_byte;  // as Roofline::bandwidths
  // Of the roof that it is nearest to: its name, and the share of it that is reached.
  std::string limit;
  double share = 0;
};

struct Roofline {
  std::string work;                   // "warp instructions"
  std::vector<Bandwidth> bandwidths;  // L1, L2, DRAM
  std::vector<Ceiling> ceilings;      // the highest first
  std::vector<RooflinePoint> points;
};

// For warp instructions: the ceiling is what all schedulers issue. (Ding and Williams, An
// Instruction Roofline Model for GPUs, PMBS 2019.)
Roofline instruction_roofline(const std::vector<KernelResult>& kernels,
                              const simulator::GpuModel& gpu);
// For floating-point operations. Kernels without any are left out.
Roofline flop_roofline(const std::vector<KernelResult>& kernels, const simulator::GpuModel& gpu);

// Both side by side, as SVG.
std::string roofline_picture(const std::vector<Roofline>& rooflines, const std::string& device);

}  // namespace heddle::cli
