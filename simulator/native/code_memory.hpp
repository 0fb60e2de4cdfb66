// Memory for machine code: written while it cannot be executed, and never written again after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace heddle::simulator::native {

class CodeMemory {
 public:
  CodeMemory() = default;
  // Copies code, which must not depend on where it is. `color`: a number that differs between
  // pieces that are used together, so that they do not all lie in the same sets of the host's
  // cache.
  CodeMemory(std::span<const std::uint8_t> code, std::size_t color);
  CodeMemory(CodeMemory&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)), bytes_(other.bytes_), entry_(other.entry_) {}
  CodeMemory& operator=(CodeMemory&&) = delete;
  ~CodeMemory();

  // Null where the system refuses executable memory.
  const void* entry() const { return entry_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
  const void* entry_ = nullptr;
};

}  // namespace heddle::simulator::native
