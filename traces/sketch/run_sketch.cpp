#include "traces/sketch/run_sketch.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "simulator/base/file.hpp"

namespace heddle::simulator {
namespace {

namespace sketch = isa::sketch;
using Use = sketch::CompiledParameter::Use;

std::vector<double> numbers_in(const std::string& name) {
  constexpr std::uint64_t kMostBytes = 1 << 24;
  std::istringstream file(read_regular_file(name, kMostBytes));
  std::vector<double> numbers;
  for (double number = 0; file >> number;) numbers.push_back(number);
  if (!file.eof() || numbers.empty())
    throw std::runtime_error(
        fmt::format("{}: expected numbers with blanks between them; after {} of them there is "
                    "something else",
                    name, numbers.size()));
  return numbers;
}

// A number of [0, 1) for element i: the mixing function of SplitMix64.
double even(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

void put(std::byte* at, sketch::Scalar scalar, double number) {
  const auto write = [at](auto value) { std::memcpy(at, &value, sizeof value); };
  const auto whole = static_cast<std::int64_t>(number);
  switch (scalar) {
    case sketch::Scalar::float32:
      return write(static_cast<float>(number));
    case sketch::Scalar::float64:
      return write(number);
    case sketch::Scalar::boolean:
      return write(static_cast<std::uint8_t>(number != 0));
    default:
      return write(static_cast<std::uint32_t>(whole));
  }
}

// The arrays of one launch, freed at its end.
class Arrays {
 public:
  explicit Arrays(DeviceMemory& memory) : memory_(memory) {}
  ~Arrays() {
    for (const std::uint64_t each : addresses_) memory_.free(each);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  std::uint64_t add(const std::string& name, std::uint64_t bytes) {
    const auto address = memory_.allocate(bytes, name);
    if (!address)
      throw std::runtime_error(
          fmt::format("{}: {} bytes do not fit in device memory", name, bytes));
    addresses_.push_back(*address);
    return *address;
  }

 private:
  DeviceMemory& memory_;
  std::vector<std::uint64_t> addresses_;
};

void fill(std::byte* to, sketch::Scalar scalar, std::uint64_t elements,
          const sketch::ArrayContents& contents, std::uint64_t seed,
          const std::vector<double>& numbers) {
  using Kind = sketch::ArrayContents::Kind;
  if (contents.kind == Kind::zeros) return;
  const std::uint32_t size = sketch::bytes(scalar);
  for (std::uint64_t i = 0; i < elements; ++i) {
    double number = static_cast<double>(i);
    if (contents.kind == Kind::random)
      number = contents.low + (contents.high - contents.low) * even(seed, i);
    if (contents.kind == Kind::random && scalar != sketch::Scalar::float32 &&
        scalar != sketch::Scalar::float64)
      number = std::floor(number);
    if (contents.kind == Kind::file) number = numbers[i];
    put(to + i * size, scalar, number);
  }
}

}  // namespace

SketchProgram::SketchProgram(sketch::Compiled compiled, std::string origin, const GpuModel& model)
    : compiled_(std::move(compiled)),
      device_(model),
      module_(compiled_.cubin, std::move(origin), device_.memory()) {}

std::vector<std::byte> SketchProgram::contents(const Array& array) {
  const std::byte* data = device_.memory().view(array.address, array.bytes);
  return {data, data + array.bytes};
}

void SketchProgram::run(const sketch::CompiledLaunch& launch, std::uint64_t seed,
                        LaunchOptions options, const std::function<void(const Ran&)>& seen,
                        const std::function<void(const LaunchRequest&, LaunchOptions&)>& begin) {
  const sketch::CompiledKernel& kernel = compiled_.kernels[launch.kernel];
  Arrays arrays(device_.memory());
  Ran ran;
  ran.request.module = &module_;
  ran.request.kernel = module_.cubin().find_kernel(kernel.name);
  ran.request.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  ran.request.block = {launch.block[0], launch.block[1], launch.block[2]};
  ran.request.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  ran.request.parameters.resize(ran.request.kernel->parameter_bytes);
  std::size_t argument = 0;
  for (const sketch::CompiledParameter& parameter : kernel.parameters) {
    std::uint64_t bits = seed;
    if (parameter.use == Use::scratch) bits = arrays.add("memory(…)", sketch::kScratchBytes);
    if (parameter.use == Use::sketch) {
      const sketch::Argument& given = launch.arguments[argument++];
      bits = given.bits;
      if (given.is_array) {
        const bool from_file = given.array.kind == sketch::ArrayContents::Kind::file;
        const auto numbers = from_file ? numbers_in(given.array.file) : std::vector<double>{};
        const std::uint64_t elements = from_file ? numbers.size() : given.array.elements;
        Array array{parameter.name, 0, elements * sketch::bytes(parameter.type.scalar)};
        array.address = bits = arrays.add(parameter.name, array.bytes);
        fill(device_.memory().view(array.address, array.bytes), parameter.type.scalar, elements,
             given.array, seed ^ std::uint64_t{argument} << 32, numbers);
        ran.arrays.push_back(std::move(array));
      }
    }
    std::memcpy(ran.request.parameters.data() + parameter.offset, &bits, parameter.bytes);
  }
  if (const auto refusal = device_.check(ran.request))
    throw std::runtime_error(fmt::format("{}: {}", kernel.name, refusal->why));
  if (begin) begin(ran.request, options);
  ran.outcome = device_.launch(ran.request, options);
  seen(ran);
}

}  // namespace heddle::simulator
