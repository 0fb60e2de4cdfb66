// Options with which a program has code compiled, and what it wants to be told (cudaJitOption,
// CUjit_option: the same numbers).
#pragma once

#include <string_view>

#include "gpu/runtime/ptx.hpp"

namespace heddle::runtime {

class JitRequest {
 public:
  // `values`: numbers in place of pointers, but for the buffers.
  JitRequest(const int* names, void** values, unsigned count);

  const JitOptions& options() const { return options_; }
  // Puts texts into the program's buffers, as far as there is room, and the bytes that they take in
  // place of the buffers' sizes.
  void tell(std::string_view information, std::string_view errors) const;

 private:
  struct Buffer {
    char* text = nullptr;
    void** size = nullptr;  // a number in place of a pointer
  };
  static void put(const Buffer& buffer, std::string_view text);

  JitOptions options_;
  Buffer information_, errors_;
};

}  // namespace heddle::runtime
