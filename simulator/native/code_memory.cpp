#include "simulator/native/code_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "simulator/base/row_storage.hpp"

namespace heddle::simulator::native {

CodeMemory::CodeMemory(std::span<const std::uint8_t> code, std::size_t color) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes_ = (code.size() + page - 1) / page * page;
  void* const pages =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  pages_ = pages;
  const std::size_t room = (bytes_ - code.size()) / kCacheLine + 1;
  auto* const first = static_cast<std::uint8_t*>(pages) + color % room * kCacheLine;
  std::ranges::copy(code, first);
  if (mprotect(pages, bytes_, PROT_READ | PROT_EXEC) == 0) entry_ = first;
}

CodeMemory::~CodeMemory() {
  if (pages_ != nullptr) munmap(pages_, bytes_);
}

}  // namespace heddle::simulator::native
