#include "gpu/runtime/driver/support.hpp"

#include <cstdio>
#include <cstdlib>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {

const DriverSupport& support() {
  static const DriverSupport* const table = [] {
    const void* found = nullptr;
    if (cudaGetExportTable(&found, &kDriverSupport) != Error::success) {
      std::fputs("heddle: libcuda.so.1 and libcudart.so.13 are of different builds\n", stderr);
      std::abort();
    }
    return static_cast<const DriverSupport*>(found);
  }();
  return *table;
}

}  // namespace heddle::runtime::driver
