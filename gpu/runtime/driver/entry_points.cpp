// cuGetProcAddress: functions by the name that cuda.h gives them.
#include <dlfcn.h>

#include <string>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

// The library itself, by an address in it.
void* self() {
  Dl_info info;
  static void* const handle = dladdr(reinterpret_cast<void*>(&result_of), &info) != 0
                                  ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                                  : nullptr;
  return handle;
}

}  // namespace

// Of several versions of a function the newest, which is what cuda.h of CUDA 13 means.
HEDDLE_DRIVER_API Result cuGetProcAddress_v2(const char* symbol, void** function, int,
                                             std::uint64_t flags, int* status) {
  constexpr std::uint64_t kPerThread = 2;
  constexpr int kFound = 0, kNoSuchSymbol = 1;
  if (symbol == nullptr || function == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  for (const char* version : {"_v4", "_v3", "_v2", ""}) {
    const std::string name = std::string(symbol) + version;
    if ((flags & kPerThread) != 0)
      for (const char* suffix : {"_ptsz", "_ptds"})
        if (*function == nullptr) *function = dlsym(self(), (name + suffix).c_str());
    if (*function == nullptr) *function = dlsym(self(), name.c_str());
    if (*function != nullptr) break;
  }
  if (status != nullptr) *status = *function != nullptr ? kFound : kNoSuchSymbol;
  return *function != nullptr ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_NOT_FOUND;
}

HEDDLE_DRIVER_API Result cuGetProcAddress(const char* symbol, void** function, int version,
                                          std::uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // namespace heddle::runtime::driver
