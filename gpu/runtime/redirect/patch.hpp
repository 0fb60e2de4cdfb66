// Jumps written over the entries of functions. No page is ever writable and executable at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::runtime::redirect {

struct Jump {
  std::uint64_t from = 0;  // address of the function in this process
  const void* to = nullptr;
};

struct Code {
  std::uint64_t address = 0, bytes = 0;
  int protection = 0;  // of its pages, as mprotect takes it
};

// Makes each function of `jumps`, sorted by address and all in the code, jump to its target. A near
// jump reaches 2 GiB; further targets are reached by way of pages of their own within that reach.
// False where the system refuses, or where no page is free within reach: then nothing was written.
// Nobody may execute the code meanwhile.
bool write_jumps(std::span<const Jump> jumps, const Code& code);

}  // namespace heddle::runtime::redirect
