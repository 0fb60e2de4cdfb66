// The occupancy calls; the header's cudaOccupancyMaxPotentialBlockSize is built on them.
#include "simulator/models/occupancy.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

// Blocks of `threads` threads and `dynamic_bytes` dynamic shared memory that fit on one SM.
unsigned blocks_per_sm(const simulator::GpuModel& model, const Function& function, unsigned threads,
                       std::size_t dynamic_bytes) {
  return simulator::occupancy(model, {.threads_per_block = threads,
                                      .registers_per_thread = function.kernel.registers,
                                      .shared_bytes_per_block = static_cast<std::uint32_t>(
                                          function.static_shared_bytes() + dynamic_bytes),
                                      .preferred_carveout = function.carveout()})
      .blocks_per_sm;
}

bool possible(const simulator::GpuModel& model, const Function& function, int threads,
              std::size_t dynamic_bytes) {
  return threads > 0 && static_cast<unsigned>(threads) <= model.max_threads_per_block &&
         dynamic_bytes <= static_cast<std::size_t>(function.max_dynamic_shared_bytes);
}

// SMs that a cluster can be spread over. Which SMs of a GPU are left out in its making is different
// for each chip: these are those of the H200 whose answers are in gpu/runtime/tests/answers.
std::span<const unsigned> cluster_groups(const simulator::GpuModel& model) {
  static constexpr std::array<unsigned, 12> kOfAnH200{18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
  unsigned sms = 0;
  for (const unsigned group : kOfAnH200) sms += group;
  return sms == model.sms ? kOfAnH200 : std::span<const unsigned>(kOfAnH200).subspan(2, 5);
}

struct ClusterQuery {
  simulator::Dim3 shape{1, 1, 1};
  bool given = false;
  unsigned blocks = 0;  // that fit on an SM
};

Error describe(const abi::LaunchConfig* config, Context& context, const Function& function,
               ClusterQuery& query) {
  constexpr std::uint64_t kPortable = 8;
  const auto& required = function.kernel.cluster;
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
    return Error::invalid_value;
  const abi::Dim3& grid = config->gridDim;
  const abi::Dim3& block = config->blockDim;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return Error::invalid_value;
  if (required[0] != 0) query.shape = {required[0], required[1], required[2]}, query.given = true;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id != abi::kLaunchAttributeClusterDimension) continue;
    const abi::Dim3& wanted = config->attrs[i].value.clusterDim;
    const simulator::Dim3 shape{wanted.x, wanted.y, wanted.z};
    if (query.given && !(shape == query.shape)) return Error::invalid_cluster_size;
    query.shape = shape;
    query.given = true;
  }
  const std::uint64_t size = query.shape.count();
  if (size == 0 || grid.x % query.shape.x != 0 || grid.y % query.shape.y != 0 ||
      grid.z % query.shape.z != 0 || (size > kPortable && function.non_portable_cluster_size == 0))
    return Error::invalid_cluster_size;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const simulator::GpuModel& model = context.model();
  if (threads <= model.max_threads_per_block &&
      possible(model, function, static_cast<int>(threads), config->dynamicSmemBytes))
    query.blocks =
        blocks_per_sm(model, function, static_cast<unsigned>(threads), config->dynamicSmemBytes);
  constexpr unsigned kMostOfClusters = 8;  // on an SM at a time
  query.blocks = std::min(query.blocks, kMostOfClusters);
  return Error::success;
}

}  // namespace

HEDDLE_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* kernel, int threads, std::size_t dynamic_bytes, unsigned flags) {
  return on_function(kernel, [&](Context& context, Function& function) {
    if (blocks == nullptr || threads <= 0 || flags > 1) return Error::invalid_value;
    const simulator::GpuModel& model = context.model();
    *blocks = possible(model, function, threads, dynamic_bytes)
                  ? static_cast<int>(blocks_per_sm(model, function, static_cast<unsigned>(threads),
                                                   dynamic_bytes))
                  : 0;
    return Error::success;
  });
}

HEDDLE_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                               int threads,
                                                               std::size_t dynamic_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads,
                                                                dynamic_bytes, 0);
}

// An H200 divides what the SM has by the blocks, and leaves out what the system takes of each.
HEDDLE_API Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel,
                                                           int blocks, int threads) {
  return on_function(kernel, [&](Context& context, Function& function) {
    const simulator::GpuModel& model = context.model();
    if (bytes == nullptr || blocks <= 0 || !possible(model, function, threads, 0) ||
        blocks_per_sm(model, function, static_cast<unsigned>(threads), 0) <
            static_cast<unsigned>(blocks))
      return Error::invalid_value;
    constexpr std::size_t kUnit = 128;
    const std::size_t each =
        model.shared_bytes_per_sm / static_cast<unsigned>(blocks) / kUnit * kUnit;
    const std::size_t fixed = function.static_shared_bytes();
    const auto most = std::min<std::size_t>(
        static_cast<std::size_t>(function.max_dynamic_shared_bytes),
        // What a launch may have without asking includes the kernel's own.
        function.max_dynamic_shared_bytes == static_cast<int>(model.shared_bytes_per_block)
            ? model.shared_bytes_per_block -
                  std::min<std::size_t>(fixed, model.shared_bytes_per_block)
            : model.shared_bytes_per_block_optin - fixed);
    *bytes = std::min(each > fixed ? each - fixed : 0, most);
    return Error::success;
  });
}

HEDDLE_API Error cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel,
                                                const abi::LaunchConfig* config) {
  return on_function(kernel, [&](Context& context, Function& function) {
    if (clusters == nullptr) return Error::invalid_value;
    ClusterQuery query;
    const Error error = describe(config, context, function, query);
    if (error != Error::success) return error;
    const auto width = static_cast<unsigned>(query.shape.count());
    *clusters = 0;
    if (!query.given) return Error::success;
    for (const unsigned sms : cluster_groups(context.model()))
      if (width <= sms) *clusters += static_cast<int>(sms * query.blocks / width);
    return Error::success;
  });
}

HEDDLE_API Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* kernel,
                                                      const abi::LaunchConfig* config) {
  return on_function(kernel, [&](Context& context, Function& function) {
    constexpr int kPortable = 8, kMost = 16;
    if (size == nullptr) return Error::invalid_value;
    ClusterQuery query;
    const Error error = describe(config, context, function, query);
    if (error != Error::success) return error;
    *size = query.blocks == 0 ? 0 : function.non_portable_cluster_size != 0 ? kMost : kPortable;
    return Error::success;
  });
}

}  // namespace heddle::runtime
