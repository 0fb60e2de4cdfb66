#include "gpu/runtime/cudart12/refuse.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>

namespace heddle::runtime::cuda_12 {

Error refuse(const char* name) noexcept {
  constexpr std::size_t kMost = 64;
  static std::mutex mutex;
  static const char* said[kMost];
  const std::lock_guard lock(mutex);
  for (const char*& each : said) {
    if (each != nullptr && std::strcmp(each, name) == 0) break;
    if (each != nullptr) continue;
    each = name;
    std::fprintf(stderr, "heddle: %s is not supported\n", name);
    break;
  }
  return Error::not_supported;
}

}  // namespace heddle::runtime::cuda_12
