#include "simulator/tests/instruction_probe.hpp"

#include <fmt/format.h>

#include <cstring>

#include "inputs.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::simulator {
namespace {

namespace probe = instruction_probe;

constexpr std::size_t kBytes = std::size_t{probe::kThreads} * probe::kRecordBytes;

class Runner {
 public:
  explicit Runner(std::vector<std::byte> cubin)
      : device_(default_model(isa::parse_cubin(cubin, "probe").arch)),
        module_(std::move(cubin), "probe", device_.memory()),
        records_(*device_.memory().allocate(kBytes, "records")) {}

  const isa::Cubin& cubin() const { return module_.cubin(); }
  unsigned char* records() {
    return reinterpret_cast<unsigned char*>(device_.memory().view(records_, kBytes));
  }

  // The fault's text; empty when it ran to its end.
  std::string run(const isa::Kernel& kernel, unsigned seed) {
    for (unsigned thread = 0; thread < probe::kThreads; ++thread)
      probe::fill(records() + std::size_t{thread} * probe::kRecordBytes, kernel.name, seed, thread);
    LaunchRequest request;
    request.module = &module_;
    request.kernel = &kernel;
    request.grid = {probe::kThreads / probe::kBlock, 1, 1};
    request.block = {probe::kBlock, 1, 1};
    request.parameters.resize(sizeof records_);
    std::memcpy(request.parameters.data(), &records_, sizeof records_);
    LaunchOptions options;
    options.settings.max_instructions = 200'000'000;
    const LaunchOutcome outcome = device_.launch(request, options);
    return outcome.fault ? outcome.fault->message() : std::string();
  }

 private:
  Device device_;
  Module module_;
  std::uint64_t records_;
};

}  // namespace

ProbeAnswers probe_answers(std::vector<std::byte> cubin) {
  Runner runner(std::move(cubin));
  ProbeAnswers answers;
  for (const isa::Kernel& kernel : runner.cubin().kernels) {
    std::uint64_t hash = 0;
    std::string fault;
    for (unsigned seed = 0; seed < probe::kSeeds && fault.empty(); ++seed) {
      fault = runner.run(kernel, seed);
      hash = probe::hash(runner.records(), kBytes, hash);
    }
    answers[kernel.name] = fault.empty() ? fmt::format("{:016x}", hash) : "refused " + fault;
  }
  return answers;
}

std::vector<unsigned char> probe_records(std::vector<std::byte> cubin, std::string_view kernel,
                                         unsigned seed) {
  Runner runner(std::move(cubin));
  const isa::Kernel* found = runner.cubin().find_kernel(std::string(kernel));
  if (found == nullptr || !runner.run(*found, seed).empty()) return {};
  return {runner.records(), runner.records() + kBytes};
}

}  // namespace heddle::simulator
