#include "cli/source_program.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/child.hpp"
#include "gpu/runtime/toolkit.hpp"
#include "isa/arch.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::cli {

SourceProgram::SourceProgram(const std::filesystem::path& source, const std::string& gpu,
                             const std::vector<std::string>& macros) {
  const auto& model = gpu.empty() ? simulator::reference_model() : simulator::gpu_model(gpu);
  const std::string arch = fmt::format("-arch={}", isa::name(model.arch));
  const std::string nvcc = runtime::find_tool("nvcc");
  if (nvcc.empty())
    throw std::runtime_error(fmt::format(
        "{} is CUDA source, and there is no nvcc to compile it. Install the CUDA Toolkit, or name "
        "its folder in CUDA_HOME. Or compile it elsewhere:\n  nvcc {} -lineinfo -o program {}\n"
        "  heddle run ./program",
        source.string(), arch, source.string()));
  if (!std::filesystem::exists(source))
    throw std::runtime_error(fmt::format("{}: no such file", source.string()));
  std::vector<std::string> command = {nvcc, arch, "-lineinfo", "-o", executable().string()};
  for (const std::string& macro : macros) command.push_back("-D" + macro);
  command.push_back(source.string());
  const ChildResult result = run_child(command, {}, std::nullopt);
  if (result.status != 0)
    throw std::runtime_error(
        fmt::format("{} could not be compiled: nvcc ended with status {}. Options for it can be "
                    "given in NVCC_APPEND_FLAGS",
                    source.string(), result.status));
}

}  // namespace heddle::cli
