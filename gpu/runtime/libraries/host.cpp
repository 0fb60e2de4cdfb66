#include "gpu/runtime/libraries/host.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <utility>

namespace heddle::runtime::libraries {
namespace {

struct Package {
  const char *name, *file, *package;  // as Debian names it
};

const Package& package(Host library) {
  static constexpr Package kPackages[] = {
      {"OpenBLAS", "libopenblas.so.0", "libopenblas0"},
      {"LAPACKE", "liblapacke.so.3", "liblapacke"},
      {"FFTW", "libfftw3.so.3", "libfftw3-double3"},
      {"FFTW", "libfftw3f.so.3", "libfftw3-single3"},
  };
  return kPackages[static_cast<int>(library)];
}

void* open(Host library) {
  static std::mutex mutex;
  static auto& opened = *new std::map<Host, void*>;
  const std::lock_guard lock(mutex);
  void*& handle = opened[library];
  const auto& [name, file, package_name] = package(library);
  if (handle == nullptr) handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw Missing(std::string("it is computed on the host by ") + name + ", but there is no " +
                  file + ". Install the package " + package_name);
  return handle;
}

}  // namespace

void need(Host library) { open(library); }

void* host_function(Host library, const std::string& name) {
  static std::mutex mutex;
  static auto& found = *new std::map<std::pair<Host, std::string>, void*>;
  void* const handle = open(library);
  const std::lock_guard lock(mutex);
  void*& function = found[{library, name}];
  if (function == nullptr) function = dlsym(handle, name.c_str());
  if (function == nullptr)
    throw Missing(std::string(package(library).file) + " has no " + name +
                  ". Install a newer package " + package(library).package);
  return function;
}

}  // namespace heddle::runtime::libraries
