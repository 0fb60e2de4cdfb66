#include "traces/formats/accelsim_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "simulator/base/file.hpp"
#include "simulator/device/device.hpp"
#include "traces/formats/accelsim_code.hpp"

namespace heddle::traces {
namespace {

std::vector<std::byte> read_code(const std::filesystem::path& file) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  const std::string bytes = simulator::read_file(file, kMost);
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace

const simulator::GpuModel& accelsim_gpu(std::uint32_t binary_version) {
  constexpr std::uint32_t kVolta = 70, kTuring = 75;  // the same opcodes
  const auto arch =
      isa::arch_from_sm(static_cast<int>(binary_version == kVolta ? kTuring : binary_version));
  const simulator::GpuModel* const model = arch ? simulator::accelsim_model(*arch) : nullptr;
  if (model != nullptr) return *model;
  std::string known = fmt::format("{}", kVolta);
  for (const isa::Arch each : isa::kAllArchs)
    if (simulator::accelsim_model(each) != nullptr)
      known += fmt::format(", {}", isa::sm_number(each));
  throw std::runtime_error(
      fmt::format("binary version {}: no model of such a GPU ({})", binary_version, known));
}

AccelsimLaunch::AccelsimLaunch(const std::filesystem::path& trace)
    : file_(trace),
      mapped_(trace),
      trace_{mapped_.bytes(), trace.string(),
             read_accelsim_kernel(mapped_.bytes(), trace.string())} {}

void AccelsimLaunch::place_on(const simulator::GpuModel& gpu) {
  const AccelsimKernel& kernel = trace_.kernel;
  std::filesystem::path code = file_;
  code.replace_extension(".cubin");
  device_ = std::make_unique<simulator::Device>(gpu);
  code_is_made_ = !std::filesystem::exists(code);
  module_ = code_is_made_ ? std::make_unique<simulator::Module>(code_from_trace(trace_, gpu.arch),
                                                                trace_.origin, device_->memory())
                          : std::make_unique<simulator::Module>(read_code(code), code.string(),
                                                                device_->memory());
  if (module_->program().arch != gpu.arch)
    throw std::runtime_error(fmt::format("{}: code for {}, and {} is {}", trace_.origin,
                                         isa::name(module_->program().arch), gpu.name,
                                         isa::name(gpu.arch)));
  request_ = {};
  request_.module = module_.get();
  request_.kernel = module_->cubin().find_kernel(kernel.name);
  if (request_.kernel == nullptr)
    throw std::runtime_error(
        fmt::format("{}: {} has no kernel {}", trace_.origin, module_->origin(), kernel.name));
  instructions_ =
      std::make_unique<AccelsimInstructions>(trace_, *module_, *request_.kernel, code_is_made_);
  request_.grid = kernel.grid;
  if (instructions_->blocks() != kernel.grid.count())
    request_.grid = {static_cast<std::uint32_t>(instructions_->blocks()), 1, 1};
  request_.block = kernel.block;
  request_.dynamic_shared_bytes =
      kernel.shared_bytes - std::min(kernel.shared_bytes, request_.kernel->static_shared_bytes);
  request_.parameters.resize(request_.kernel->parameter_bytes);
  if (const auto refusal = device_->check(request_))
    throw std::runtime_error(fmt::format("{}: {}", trace_.origin, refusal->why));
}

simulator::LaunchOutcome AccelsimLaunch::time(const simulator::LaunchOptions& options,
                                              simulator::timing::DeviceTime& time) {
  simulator::LaunchOutcome outcome = simulator::timing::time_instructions(
      *instructions_, request_, options, *device_, device_->memory(), time);
  outcome.unmodelled.push_back(
      "read from a trace: which lanes were active where their guard did not hold is inferred");
  if (code_is_made_)
    outcome.unmodelled.push_back(
        "the trace has no code: control bits, guards, constants and uniform registers are guessed");
  if (const auto all = trace_.kernel.grid.count(); instructions_->blocks() != all)
    outcome.unmodelled.push_back(
        fmt::format("the trace holds {} of {} blocks", instructions_->blocks(), all));
  return outcome;
}

}  // namespace heddle::traces
