#include "simulator/execute/constant_bank.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simulator/execute/cluster.hpp"
#include "simulator/memory/address_space.hpp"

namespace heddle::simulator {
namespace {

class Bank {
 public:
  explicit Bank(std::size_t bytes) : bytes_(bytes) {}
  template <typename T>
  void put(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  void put_dim(std::size_t offset, const Dim3& dim) {
    put(offset, dim.x);
    put(offset + 4, dim.y);
    put(offset + 8, dim.z);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// The fields that compiled code reads for special registers of clusters; without one every block is
// a cluster by itself (an H200's values).
void put_cluster(Bank& bank, const LaunchRequest& request) {
  constexpr std::uint32_t kSharedBase = 0x400;  // below it the system's own
  const Dim3 shape = cluster_shape(request);
  const Dim3& grid = request.grid;
  // Code divides a block index by multiplying with this and cutting off: never a bit too little.
  const auto reciprocal = [](std::uint32_t n) {
    const float nearest = 1.0f / static_cast<float>(n);
    return static_cast<double>(nearest) * n < 1.0 ? std::nextafter(nearest, 1.0f) : nearest;
  };
  bank.put(0x114, kSharedBase);
  bank.put(0x13c, ~std::uint32_t{0});  // no limit below the block's own shared memory
  bank.put(0x140, std::uint32_t{comes_in_clusters(request) ? 1u : 0u});
  bank.put_dim(0x144, shape);
  bank.put(0x150, reciprocal(shape.x));
  bank.put(0x154, reciprocal(shape.y));
  bank.put(0x158, reciprocal(shape.z));
  bank.put_dim(0x15c, {grid.x / shape.x, grid.y / shape.y, grid.z / shape.z});
  bank.put(0x188, static_cast<std::uint32_t>(shape.count()));
}

}  // namespace

std::uint32_t local_bytes(const isa::Kernel& kernel, std::uint64_t stack_bytes) {
  const std::uint64_t frames = std::max(kernel.frame_bytes, kernel.min_stack_bytes);
  return static_cast<std::uint32_t>((std::max(frames, stack_bytes) + 15) / 16 * 16);
}

ConstantBanks constant_banks(const LaunchRequest& request, std::uint64_t grid_barrier) {
  const Module& module = *request.module;
  const isa::Kernel& kernel = *request.kernel;
  const isa::Arch arch = module.cubin().arch;
  const std::uint32_t parameters = kernel.parameter_offset;

  // Offsets: docs/hardware/cubins.md.
  Bank bank0(std::max<std::size_t>(kernel.bank0_bytes, parameters + request.parameters.size()));
  bank0.put_dim(0x00, request.block);
  bank0.put_dim(0x0c, request.grid);
  bank0.put(0x18, kSharedWindow);
  bank0.put(0x20, kLocalWindow);
  bank0.put(0x28, kLocalEnd);  // the initial stack pointer
  bank0.put(0x2c, request.dynamic_shared_bytes);
  const isa::Bank0Layout layout = isa::bank0_layout(arch);
  bank0.put(layout.constant_bank3, module.constant_bank3_address());
  const std::size_t barrier = layout.grid_barrier;
  bank0.put(barrier, static_cast<std::uint32_t>(grid_barrier >> 32));
  bank0.put(barrier + 4, static_cast<std::uint32_t>(grid_barrier));
  if (isa::traits(arch).has_clusters) {
    put_cluster(bank0, request);
    bank0.put(0x198, kParameterWindow + parameters);
  }
  std::copy(request.parameters.begin(), request.parameters.end(),
            bank0.bytes().begin() + parameters);

  ConstantBanks constants;
  constants.banks[0] = bank0.take();
  const auto section_bytes = [&](const std::string& name) -> std::vector<std::byte> {
    const isa::Section* section = module.cubin().find_section(name);
    if (section == nullptr) return {};
    return module.program()
        .sections[static_cast<std::size_t>(section - module.cubin().sections.data())];
  };
  constants.banks[2] = section_bytes(".nv.constant2." + kernel.name);
  const auto user = request.module->constant_bank3();
  constants.banks[3].assign(user.begin(), user.end());
  constants.banks[4] = section_bytes(".nv.constant4");
  return constants;
}

}  // namespace heddle::simulator
