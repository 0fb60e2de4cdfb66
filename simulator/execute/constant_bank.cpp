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
void put_cluster(Bank& bank, const isa::ClusterLayout& at, const LaunchRequest& request) {
  constexpr std::uint32_t kSharedBase = 0x400;  // below it the system's own
  const Dim3 shape = cluster_shape(request);
  const Dim3& grid = request.grid;
  // Code divides a block index by multiplying with this and cutting off: never a bit too little.
  const auto reciprocal = [](std::uint32_t n) {
    const float nearest = 1.0f / static_cast<float>(n);
    return static_cast<double>(nearest) * n < 1.0 ? std::nextafter(nearest, 1.0f) : nearest;
  };
  bank.put(at.shared_base, kSharedBase);
  bank.put(at.shared_limit, ~std::uint32_t{0});  // none below the block's own shared memory
  bank.put(at.comes_in_clusters, std::uint32_t{comes_in_clusters(request) ? 1u : 0u});
  bank.put_dim(at.shape, shape);
  bank.put(at.reciprocals, reciprocal(shape.x));
  bank.put(at.reciprocals + 4, reciprocal(shape.y));
  bank.put(at.reciprocals + 8, reciprocal(shape.z));
  bank.put_dim(at.clusters, {grid.x / shape.x, grid.y / shape.y, grid.z / shape.z});
  bank.put(at.blocks, static_cast<std::uint32_t>(shape.count()));
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
  const isa::Bank0Layout layout = isa::bank0_layout(arch);
  bank0.put_dim(layout.block, request.block);
  bank0.put_dim(layout.grid, request.grid);
  if (layout.shared_window != 0) bank0.put(layout.shared_window, kSharedWindow);
  bank0.put(layout.local_window, kLocalWindow);
  bank0.put(layout.stack_pointer, kLocalEnd);
  bank0.put(layout.dynamic_shared, request.dynamic_shared_bytes);
  bank0.put(layout.constant_bank3, module.constant_bank3_address());
  const std::size_t barrier = layout.grid_barrier;
  bank0.put(barrier, static_cast<std::uint32_t>(grid_barrier >> 32));
  bank0.put(barrier + 4, static_cast<std::uint32_t>(grid_barrier));
  if (isa::traits(arch).has_clusters) put_cluster(bank0, isa::traits(arch).cluster_layout, request);
  if (layout.parameter_window != 0)
    bank0.put(layout.parameter_window, kParameterWindow + parameters);
  std::copy(request.parameters.begin(), request.parameters.end(),
            bank0.bytes().begin() + parameters);

  ConstantBanks constants;
  constants.banks[0] = bank0.take();
  const auto section_bytes = [&](std::uint32_t section) -> std::vector<std::byte> {
    if (section == 0) return {};
    return module.program().sections[section];
  };
  constants.banks[2] = section_bytes(kernel.bank2_section);
  const auto user = request.module->constant_bank3();
  constants.banks[3].assign(user.begin(), user.end());
  constants.banks[4] = section_bytes(kernel.bank4_section);
  return constants;
}

}  // namespace heddle::simulator
