// What the driver front needs of the runtime beside CUDA's interface. It asks for this table by
// cudaGetExportTable, the way NVIDIA's libraries ask one another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

inline constexpr abi::Uuid kDriverSupport{
    {'h', 'e', 'd', 'd', 'l', 'e', ' ', 'd', 'r', 'i', 'v', 'e', 'r', ' ', '0', '1'}};

// A context as programs see it. All of a GPU share one memory. None is ever freed: threads may work
// in one that is destroyed.
struct CudaContext {
  unsigned gpu = 0;
  bool is_primary = false;
  std::atomic<bool> is_destroyed{false};
  std::atomic<bool> is_active{false};  // primary: a thread has worked in it since it was reset
  // The driver's, with its lock.
  unsigned flags = 0;
  unsigned long long id = 0;             // given when it is asked for
  std::atomic<int> cache_preference{0};  // changes nothing; it is told when asked for
  unsigned retained = 0;
};

// What a thread works in, for both fronts: the driver pushes and pops contexts, the runtime makes a
// GPU's primary one current where none is. Trivial, as thread-local state that outlives
// destructors.
struct ThreadContexts {
  static constexpr unsigned kMost = 256;  // as many as an H200 has memory for
  unsigned gpu = 0;                       // cudaSetDevice, or of the context last made current
  unsigned driver_calls = 0;    // that are under way: they use the runtime, and change nothing here
  unsigned host_functions = 0;  // of streams, that the thread executes one inside the other
  unsigned depth = 0;
  CudaContext* stack[kMost];  // the current one last

  CudaContext* current() const { return depth == 0 ? nullptr : stack[depth - 1]; }
  bool push(CudaContext* context) {  // false: no room
    if (depth == kMost) return false;
    stack[depth++] = context;
    gpu = context->gpu;
    return true;
  }
  void pop() {
    --depth;
    if (depth != 0) gpu = current()->gpu;
  }
  // In place of the current one.
  void set(CudaContext* context) {
    if (depth != 0) --depth;
    push(context);
  }
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
  // What is not supported in any stream, and in no graph.
  Error (*refuse_in)(abi::Handle stream);
  // The allocation around an address, and its place among all; invalid_value: there is none.
  Error (*find_memory)(std::uint64_t address, std::uint64_t* base, std::uint64_t* bytes);
  // Memory that begins at a multiple of the alignment; at `wanted` if it can.
  Error (*reserve)(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted,
                   std::uint64_t* address);
  // The pages of a file in place of those at an address; -1: fresh ones.
  Error (*put_pages)(std::uint64_t address, int file, std::uint64_t bytes);
  // Of the calling thread; no context is made.
  ThreadContexts& (*contexts)();
  CudaContext& (*primary)(unsigned gpu);
  // Set by cuInit, and by the runtime's first call.
  std::atomic<bool>* is_initialised;
  // Whether kernels of a GPU reach the allocation at an address, which is another's.
  Error (*set_access)(std::uint64_t address, unsigned gpu, bool allowed);
  // Bytes that a GPU's allocations have; no context is made.
  std::uint64_t (*used_bytes)(unsigned gpu);
  // That a stream was made in; of a default stream null.
  Error (*context_of)(abi::Handle stream, CudaContext** context);
  // That an allocation was made in; null where none was current.
  Error (*context_of_memory)(std::uint64_t address, CudaContext** context);
  // Null: it came with the program.
  Error (*library_of)(abi::Handle kernel, abi::Handle* library);
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
