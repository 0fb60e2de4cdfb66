// What stand-ins of libraries (cuBLAS and its like) need of the runtime beside CUDA's interface.
// They ask for this table by cudaGetExportTable, as the driver front does (driver_support.hpp).
#pragma once

#include <cstdint>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

inline constexpr abi::Uuid kLibrarySupport{
    {'h', 'e', 'd', 'd', 'l', 'e', ' ', 'l', 'i', 'b', 'r', 'a', 'r', 'y', '0', '1'}};

struct LibrarySupport {
  // One call of a routine. `compute` runs in the stream's order, as often as a graph is launched
  // that captured it; it gives null, or what was wrong with the operands. `drop` runs once, at the
  // end. Texts are copied.
  struct Call {
    const char *name, *type, *shape;
    void* user;
    const char* (*compute)(void* user);
    void (*drop)(void* user);
  };
  // Takes `call.user` over, also where it fails.
  Error (*submit)(abi::Handle stream, const Call& call);
  // Inside `compute`: where the host reaches bytes of device memory; null: not all are memory.
  void* (*reach)(std::uint64_t address, std::uint64_t bytes);
  void (*say_once)(const char* text);  // on stderr
  bool (*has_failed)();                // a computation had wrong operands
};

const LibrarySupport& library_support();

}  // namespace heddle::runtime
