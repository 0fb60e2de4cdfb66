#include "cli/cubin_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "cli/program_file.hpp"
#include "cli/selection.hpp"
#include "gpu/runtime/capsule_writer.hpp"
#include "gpu/runtime/code_image.hpp"
#include "simulator/base/file.hpp"
#include "simulator/device/device.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// The one that --kernel chooses.
const isa::Kernel& chosen_kernel(const isa::Cubin& cubin, const Arguments& arguments) {
  const simulator::KernelFilter filter = kernel_filter(arguments);
  std::vector<const isa::Kernel*> matching;
  std::vector<std::string> all, matched;
  for (const isa::Kernel& kernel : cubin.kernels) {
    all.push_back(kernel.name);
    if (!filter.matches(kernel.name)) continue;
    matching.push_back(&kernel);
    matched.push_back(kernel.name);
  }
  if (matching.size() == 1) return *matching.front();
  const std::string& file = arguments.words[0];
  if (all.empty()) throw Usage(fmt::format("{}: holds no kernels", file));
  if (matching.empty()) no_such_kernel(arguments.value("kernel"), all);
  throw Usage(
      fmt::format("{}: choose one kernel with -k NAME; {}", file, kernels_to_choose(matched)));
}

std::string described(const isa::Kernel& kernel) {
  std::string text =
      fmt::format("{} takes {} parameter{}", simulator::display_name(kernel.name),
                  kernel.parameters.size(), kernel.parameters.size() == 1 ? "" : "s");
  for (const isa::KernelParameter& each : kernel.parameters)
    text += fmt::format("{}{} bytes", &each == &kernel.parameters.front() ? ": " : ", ", each.size);
  return text;
}

class Dumper : public runtime::LaunchObserver {
 public:
  Dumper(const Arguments& arguments, std::vector<CubinLaunch::Array> arrays,
         std::shared_ptr<runtime::LaunchObserver> inner)
      : wanted_(arguments.values("dump")), arrays_(std::move(arrays)), inner_(std::move(inner)) {
    for (const std::string& each : wanted_) array_of(each);
  }

  void before(simulator::Device& device, const simulator::LaunchRequest& request) override {
    if (inner_) inner_->before(device, request);
  }
  bool during(const simulator::LaunchProgress& progress) override {
    return !inner_ || inner_->during(progress);
  }
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override {
    if (inner_) inner_->after(device, request, outcome);
    for (const std::string& each : wanted_) {
      const CubinLaunch::Array& array = array_of(each);
      const std::byte* const bytes =
          device.memory().view(array.address, array.contents.bytes.size());
      const std::size_t equals = each.find('=');
      if (equals == each.npos)
        fmt::print("parameter {}, {}[{}]:\n{}", array.parameter, array.contents.type_name,
                   array.contents.count, array_text(array.contents, bytes));
      else
        simulator::write_file(each.substr(equals + 1),
                              {reinterpret_cast<const char*>(bytes), array.contents.bytes.size()});
    }
  }

 private:
  const CubinLaunch::Array& array_of(const std::string& wanted) const {
    const std::string number = wanted.substr(0, wanted.find('='));
    for (const CubinLaunch::Array& each : arrays_)
      if (std::to_string(each.parameter) == number) return each;
    throw Usage(fmt::format(
        "--dump {}: parameter {} is not an array; parameters are numbered from 0", wanted, number));
  }

  const std::vector<std::string> wanted_;
  const std::vector<CubinLaunch::Array> arrays_;
  const std::shared_ptr<runtime::LaunchObserver> inner_;
};

// As --gpu says, else the one that a program with this code would get.
const simulator::GpuModel& model_of(const Arguments& arguments, const CubinFile& file) {
  isa::FatEntry entry;
  entry.kind = isa::FatEntry::Kind::elf;
  entry.sm = isa::sm_number(isa::parse_cubin(file.bytes, file.origin).arch);
  if (arguments.has("gpu")) {
    const simulator::GpuModel& gpu = simulator::gpu_model(arguments.value("gpu"));
    if (!runtime::runs_code(gpu.arch, entry.sm))
      throw Usage(fmt::format("--gpu {}: {} is code for sm_{}, which this GPU ({}) does not run",
                              gpu.id, file.origin, entry.sm, gpu.code_name()));
    return gpu;
  }
  return runtime::model_for({&entry, 1});
}

// The parameters as the kernel takes them; arrays are allocated and filled.
std::vector<std::byte> place_parameters(const isa::Kernel& kernel, const Arguments& arguments,
                                        simulator::DeviceMemory& memory,
                                        std::vector<CubinLaunch::Array>& arrays) {
  const std::vector<std::string> given = arguments.values("param");
  if (given.size() != kernel.parameters.size())
    throw Usage(fmt::format("{}; give each with --param, as in --param 'f32[1024]=iota' --param 64",
                            described(kernel)));
  std::vector<std::byte> packed(kernel.parameter_bytes);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const isa::KernelParameter& parameter = kernel.parameters[i];
    KernelParameter parsed = parse_parameter(given[i], parameter.size);
    if (parameter.offset > packed.size() || parameter.size > packed.size() - parameter.offset)
      throw Usage(fmt::format("{}: parameter {} lies outside the parameters", kernel.name, i));
    std::byte* const place = packed.data() + parameter.offset;
    if (!parsed.array) {
      std::memcpy(place, parsed.bytes.data(), parsed.bytes.size());
      continue;
    }
    const auto address = memory.allocate(parsed.bytes.size(), fmt::format("parameter {}", i));
    if (!address)
      throw Usage(fmt::format("--param {}: does not fit in the GPU's memory", given[i]));
    std::memcpy(memory.view(*address, parsed.bytes.size()), parsed.bytes.data(),
                parsed.bytes.size());
    const std::uint64_t value = *address;
    std::memcpy(place, &value, sizeof value);
    arrays.push_back({value, std::move(parsed), i});
  }
  return packed;
}

}  // namespace

simulator::Dim3 dim_option(const Arguments& arguments, const char* option) {
  std::uint32_t parts[3] = {1, 1, 1};
  const std::vector<std::string> given = arguments.list(option);
  bool good = !given.empty() && given.size() <= 3;
  for (std::size_t i = 0; good && i < given.size(); ++i) {
    const char* const end = given[i].data() + given[i].size();
    const auto [stop, error] = std::from_chars(given[i].data(), end, parts[i]);
    good = error == std::errc() && stop == end && parts[i] != 0;
  }
  if (!good)
    throw Usage(fmt::format("--{} needs one to three numbers, as in --{} 64 or --{} 16,16", option,
                            option, option));
  return {parts[0], parts[1], parts[2]};
}

CubinLaunch make_cubin_launch(const Arguments& arguments, const fs::path& folder) {
  constexpr std::uint64_t kMostShared = 1 << 20;
  if (arguments.words.size() != 1) throw Usage("give one cubin at a time");
  CubinFile file = std::move(read_cubins(arguments.words[0], "").front());
  simulator::Device device(model_of(arguments, file));
  simulator::Module module(std::move(file.bytes), file.origin, device.memory());
  simulator::LaunchRequest request;
  request.module = &module;
  request.kernel = &chosen_kernel(module.cubin(), arguments);
  request.grid = dim_option(arguments, "grid");
  request.block = dim_option(arguments, "block");
  request.dynamic_shared_bytes =
      static_cast<std::uint32_t>(arguments.bytes("shared", kMostShared).value_or(0));
  CubinLaunch result;
  request.parameters = place_parameters(*request.kernel, arguments, device.memory(), result.arrays);
  if (const auto refusal = device.check(request))
    throw Usage(fmt::format("{}: {}", simulator::display_name(request.kernel->name), refusal->why));
  runtime::CapsuleWriter writer(folder);
  writer.before(device, request);
  writer.after(device, request, {});
  result.capsule = folder / runtime::capsule_file_name(0, request.kernel->name);
  return result;
}

std::shared_ptr<runtime::LaunchObserver> dumping(const Arguments& arguments,
                                                 std::vector<CubinLaunch::Array> arrays,
                                                 std::shared_ptr<runtime::LaunchObserver> inner) {
  return std::make_shared<Dumper>(arguments, std::move(arrays), std::move(inner));
}

}  // namespace heddle::cli
