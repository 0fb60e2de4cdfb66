// heddle run kernel.cubin: one launch of a kernel, without a host program.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/kernel_parameter.hpp"
#include "gpu/runtime/launch_observer.hpp"

namespace heddle::cli {

// The launch that the options describe (--kernel, --grid, --block, --shared, --param), written as a
// capsule.
struct CubinLaunch {
  std::filesystem::path capsule;
  struct Array {
    std::uint64_t address = 0;
    KernelParameter contents;
    std::size_t parameter = 0;  // its place among the kernel's
  };
  std::vector<Array> arrays;
};

// Throws Usage with what to type, CubinError for the file.
CubinLaunch make_cubin_launch(const Arguments& arguments, const std::filesystem::path& folder);

// Gives out what --dump names when the launch has ended; else as `inner`, which may be null.
std::shared_ptr<runtime::LaunchObserver> dumping(const Arguments& arguments,
                                                 std::vector<CubinLaunch::Array> arrays,
                                                 std::shared_ptr<runtime::LaunchObserver> inner);

// From --grid and --block.
simulator::Dim3 dim_option(const Arguments& arguments, const char* option);

}  // namespace heddle::cli
