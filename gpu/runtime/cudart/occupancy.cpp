// The occupancy calls; the header's cudaOccupancyMaxPotentialBlockSize is built on them.
#include "simulator/occupancy.hpp"
#include "gpu/runtime/cudart/api.hpp"

namespace heddle::runtime {

namespace {

// Blocks of `threads` threads and `dynamic_bytes` dynamic shared memory that fit on one SM.
unsigned blocks_per_sm(const simulator::GpuModel& model, const Function& function, unsigned threads,
                       std::size_t dynamic_bytes) {
  return simulator::occupancy(model, {.threads_per_block = threads,
                                      .registers_per_thread = function.kernel.registers,
                                      .shared_bytes_per_block = static_cast<std::uint32_t>(
                                          function.static_shared_bytes() + dynamic_bytes)})
      .blocks_per_sm;
}

bool possible(const simulator::GpuModel& model, const Function& function, int threads,
              std::size_t dynamic_bytes) {
  return threads > 0 &&
         static_cast<unsigned>(threads) <= max_threads_per_block(model, function.kernel) &&
         dynamic_bytes <= static_cast<std::size_t>(function.max_dynamic_shared_bytes);
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

HEDDLE_API Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel,
                                                           int blocks, int threads) {
  return on_function(kernel, [&](Context& context, Function& function) {
    const simulator::GpuModel& model = context.model();
    if (bytes == nullptr || blocks <= 0 || !possible(model, function, threads, 0))
      return Error::invalid_value;
    const auto fits = [&](std::size_t dynamic_bytes) {
      return blocks_per_sm(model, function, static_cast<unsigned>(threads), dynamic_bytes) >=
             static_cast<unsigned>(blocks);
    };
    if (!fits(0)) return Error::invalid_value;
    std::size_t low = 0;
    std::size_t high = model.shared_bytes_per_block_optin - function.static_shared_bytes();
    while (low < high) {  // occupancy falls as shared memory grows
      const std::size_t middle = high - (high - low) / 2;
      if (fits(middle))
        low = middle;
      else
        high = middle - 1;
    }
    *bytes = low;
    return Error::success;
  });
}

}  // namespace heddle::runtime
