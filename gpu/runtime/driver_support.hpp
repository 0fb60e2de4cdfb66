// What the driver front needs of the runtime beside CUDA's interface. It asks for this table by
// cudaGetExportTable, the way NVIDIA's libraries ask one another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

inline constexpr abi::Uuid kDriverSupport{
    {'h', 'e', 'd', 'd', 'l', 'e', ' ', 'd', 'r', 'i', 'v', 'e', 'r', ' ', '0', '1'}};

// Which context the calling thread works in, as both fronts know it. The runtime makes a GPU's
// primary context current where none is; the driver has them in a stack of its own.
struct CurrentContext {
  enum class Is : std::uint8_t { none, primary, other };
  Is is = Is::none;
  bool to_be_pushed = false;  // the runtime has made it current, the driver has not looked since
  unsigned driver_calls = 0;  // that are under way: they use the runtime, and change nothing here
};

struct DriverSupport {
  // Rows of `width` elements of 1, 2 or 4 bytes, from row to row `pitch` bytes.
  Error (*fill)(void* to, std::size_t pitch, unsigned value, unsigned element_bytes,
                std::size_t width, std::size_t height, abi::Handle stream, bool wait);
  // In a stream: 32 or 64 bits are written; what follows waits until they are as `how` says (0:
  // not below `value` in a circle, 1: equal, 2: a bit in common, 3: a bit of either missing).
  Error (*write_value)(abi::Handle stream, std::uint64_t address, std::uint64_t value,
                       unsigned bytes);
  Error (*wait_value)(abi::Handle stream, std::uint64_t address, std::uint64_t value,
                      unsigned bytes, unsigned how);
  // The allocation around an address, and its place among all; invalid_value: there is none.
  Error (*find_memory)(std::uint64_t address, std::uint64_t* base, std::uint64_t* bytes);
  // Memory that begins at a multiple of the alignment; at `wanted` if it can.
  Error (*reserve)(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted,
                   std::uint64_t* address);
  // The pages of a file in place of those at an address; -1: fresh ones.
  Error (*put_pages)(std::uint64_t address, int file, std::uint64_t bytes);
  // The calling thread's GPU, as cudaSetDevice sets it; no context is made.
  unsigned (*gpu)();
  void (*use_gpu)(unsigned gpu);
  // Whether kernels of a GPU reach the allocation at an address, which is another's.
  Error (*set_access)(std::uint64_t address, unsigned gpu, bool allowed);
  // Bytes that a GPU's allocations have; no context is made.
  std::uint64_t (*used_bytes)(unsigned gpu);
  // Null: it came with the program.
  Error (*library_of)(abi::Handle kernel, abi::Handle* library);
  CurrentContext& (*current)();  // of the calling thread
  // Whether a thread has worked in the GPU's primary context since it was reset.
  bool (*primary_is_active)(unsigned gpu);
  // Code of parts that were added; `give` gets it. Options are those of all parts.
  struct Part {
    int kind;  // CUjitInputType
    const char* name;
    const void* contents;
    std::size_t bytes;
  };
  Error (*link)(const Part* parts, std::size_t count, const int* options, void** values,
                unsigned option_count, void* user,
                void (*give)(void* user, const void* code, std::size_t bytes));
};

}  // namespace heddle::runtime
