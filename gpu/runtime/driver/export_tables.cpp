// cuGetExportTable: NVIDIA's closed libraries ask the driver for tables that no documentation
// describes, and by them whether it is NVIDIA's. We have none and do not answer that check.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

// The libraries that ask, and say themselves what they cannot do then. Programs can do without
// some: NVRTC compiles all the same.
constexpr std::string_view kClosed[] = {
    "libcublas",   "libcudnn", "libcufft", "libcurand", "libcusolver",   "libcusparse",
    "libcutensor", "libnccl",  "libnpp",   "libnvjpeg", "libnvrtc",      "libnvJitLink",
    "libnvvm",     "libcuvs",  "libcupti", "libcufile", "libnvToolsExt", "libnvshmem"};

bool is_closed(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(kClosed, [&](auto each) { return name.starts_with(each); });
}

// Any other caller is a copy of the CUDA runtime that could not be redirected to the stand-in
// (gpu/runtime/redirect).
void say_once(const std::string& object) {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (!said.insert(object).second) return;
  std::fprintf(stderr,
               "heddle: %s holds a copy of the CUDA runtime, and no symbol table that says where "
               "its functions are, so its calls fail. Build it without -s and do not run strip on "
               "it, or link it with the shared runtime: nvcc -cudart shared\n",
               object.c_str());
}

}  // namespace

HEDDLE_DRIVER_API Result cuGetExportTable(const void** table, const void*) {
  if (table != nullptr) *table = nullptr;
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) != 0 && caller.dli_fname != nullptr &&
      !is_closed(caller.dli_fname))
    say_once(caller.dli_fname);
  return Result::CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace heddle::runtime::driver
