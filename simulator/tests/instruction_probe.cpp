#include "simulator/tests/instruction_probe.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "form_inputs.hpp"
#include "inputs.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/memory/tensor_map.hpp"
#include "simulator/memory/texture.hpp"

namespace heddle::simulator {
namespace {

namespace probe = instruction_probe;

constexpr std::size_t kBytes = std::size_t{probe::kThreads} * probe::kRecordBytes;

// Texels as gpu/kernels/micro/form_probe makes them; the handle.
std::uint64_t make_texels(DeviceMemory& memory, bool surface) {
  const form_probe::Texels words = form_probe::texels();
  TextureHeader header;
  header.address = *memory.allocate(sizeof words, surface ? "surface" : "texture");
  header.shape = TextureHeader::Shape::plane;
  header.width = header.height = form_probe::kSide;
  header.channels = form_probe::kWords;
  header.row_bytes = header.width * header.texel_bytes();
  header.layer_bytes = header.row_bytes * header.height;
  header.addressing.fill(TextureHeader::Addressing::clamp);
  header.surface = surface;
  if (!surface) std::memcpy(memory.view(header.address, sizeof words), words.data(), sizeof words);
  return add_texture(memory, header).value();
}

// The records as a tensor, in the form probe's two ways.
std::uint64_t make_maps(DeviceMemory& memory, std::uint64_t records) {
  TensorMap map;
  map.type = TensorType::u32;
  map.rank = 2;
  map.address = records;
  map.size = {form_probe::kRowWords, probe::kThreads, 1};
  map.stride = {probe::kRecordBytes, kBytes};
  map.box = {form_probe::kBoxWords, form_probe::kBoxRows};
  map.step = {1, 1, 1};
  const TensorMapBytes tiled = encode(map).value();
  map.rank = 3;
  map.is_im2col = true;
  map.box = {};
  map.channels = form_probe::kBoxWords;
  map.pixels = form_probe::kBoxRows;
  const TensorMapBytes pixels = encode(map).value();
  const std::uint64_t maps = *memory.allocate(2 * kTensorMapBytes, "maps");
  std::byte* const bytes = memory.view(maps, 2 * kTensorMapBytes);
  std::memcpy(bytes, tiled.data(), tiled.size());
  std::memcpy(bytes + kTensorMapBytes, pixels.data(), pixels.size());
  return maps;
}

class Runner {
 public:
  explicit Runner(std::vector<std::byte> cubin)
      : device_(default_model(isa::parse_cubin(cubin, "probe").arch)),
        module_(std::move(cubin), "probe", device_.memory()),
        records_(*device_.memory().allocate(kBytes, "records")),
        arguments_{records_, make_texels(device_.memory(), false),
                   make_texels(device_.memory(), true), make_maps(device_.memory(), records_)} {}

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
    request.parameters.resize(kernel.parameter_bytes);  // the records alone, or all
    std::memcpy(request.parameters.data(), arguments_.data(), kernel.parameter_bytes);
    LaunchOptions options;
    options.settings.max_instructions = 200'000'000;
    const LaunchOutcome outcome = device_.launch(request, options);
    return outcome.fault ? outcome.fault->message() : std::string();
  }

 private:
  Device device_;
  Module module_;
  std::uint64_t records_;
  std::array<std::uint64_t, 4> arguments_;
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
